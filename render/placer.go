package render

import (
	"math"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// placer writes labels where nothing is yet.
type placer struct {
	handler text.Handler
	bounds  vg.Rectangle   // that labels must stay in
	taken   []vg.Rectangle // by labels, points and lines
}

const (
	besideSize = 10   // font size of labels, points
	leaderStep = 6.0  // between two obstacles along a line, points
	besideNear = 16.0 // a label nearer than this needs no line to its point
)

func (l *placer) style(ink colour) text.Style {
	return text.Style{
		Color: ink.rgba(1), Font: font.Font{Typeface: "Liberation", Variant: "Sans", Size: besideSize},
		XAlign: draw.XLeft, YAlign: draw.YBottom, Handler: l.handler,
	}
}

// box returns the place of a label with its lower left corner at p, as wide as a substitute font may be.
func (l *placer) box(label string, p vg.Point) vg.Rectangle {
	return vg.Rectangle{
		Min: vg.Point{X: p.X - 1, Y: p.Y - 1},
		Max: vg.Point{X: p.X + spare*l.style(colour{}).Width(label) + 1, Y: p.Y + besideSize + 1},
	}
}

// block keeps labels off a line.
func (l *placer) block(from, to vg.Point) { l.taken = append(l.taken, along(from, to)...) }

// along covers a line with small squares.
func along(from, to vg.Point) []vg.Rectangle {
	d := to.Sub(from)
	steps := max(int(math.Hypot(float64(d.X), float64(d.Y))/leaderStep), 1)
	squares := make([]vg.Rectangle, 0, steps+1)
	for i := range steps + 1 {
		squares = append(squares, square(from.Add(d.Scale(vg.Length(float64(i)/float64(steps)))), 2))
	}
	return squares
}

// blockPoint keeps labels off a point.
func (l *placer) blockPoint(at vg.Point, radius vg.Length) {
	l.taken = append(l.taken, square(at, radius))
}

func square(at vg.Point, radius vg.Length) vg.Rectangle {
	r := vg.Point{X: radius, Y: radius}
	return vg.Rectangle{Min: at.Sub(r), Max: at.Add(r)}
}

// write writes a label with its lower left corner at p.
func (l *placer) write(canvas draw.Canvas, label string, ink colour, p vg.Point) {
	canvas.FillText(l.style(ink), p, label)
	l.taken = append(l.taken, l.box(label, p))
}

// beside writes a label as near to a point as what is there allows, and a line to the point where that is
// not next to it. Lines cross others only where points lie in a heap; where the canvas is full the label
// goes to the right of the point all the same.
func (l *placer) beside(canvas draw.Canvas, label string, ink colour, point vg.Point) {
	corner, anchor, found := l.find(label, point, true)
	if !found {
		corner, anchor, found = l.find(label, point, false)
	}
	if !found {
		corner = vg.Point{X: point.X + 6, Y: point.Y - besideSize/2}
		anchor = point
	}
	if d := anchor.Sub(point); math.Hypot(float64(d.X), float64(d.Y)) > besideNear {
		canvas.StrokeLines(draw.LineStyle{Color: ink.rgba(0.5), Width: 0.6}, []vg.Point{point, anchor})
		l.block(point, anchor)
	}
	l.taken = append(l.taken, l.box(label, corner))
	// The font may be narrower than the box has room for: the side that faces the point stays where it is.
	slack := (spare - 1) * l.style(ink).Width(label)
	if d := point.Sub(corner); d.X > 0 {
		corner.X += slack * min(d.X/(spare*l.style(ink).Width(label)), 1)
	}
	canvas.FillText(l.style(ink), corner, label)
}

// find looks around the point in growing circles. anchor is the end of the line from the point, which may
// have to be free as well.
func (l *placer) find(label string, point vg.Point, line bool) (corner, anchor vg.Point, found bool) {
	box := l.box(label, vg.Point{})
	width, height := box.Max.X-box.Min.X, box.Max.Y-box.Min.Y
	// Right and left first, then above and below, then the rest.
	angles := []float64{0, 180, 90, 270, 30, 330, 150, 210, 60, 120, 240, 300, 15, 345, 165, 195, 45, 135, 225, 315}
	for radius := 7.0; radius < 400; radius += 5 {
		for _, degrees := range angles {
			sin, cos := math.Sincos(degrees * math.Pi / 180)
			anchor = point.Add(vg.Point{X: vg.Length(radius * cos), Y: vg.Length(radius * sin)})
			// The side of the label that faces the point lies on the circle.
			corner = vg.Point{X: anchor.X - width/2 + 1 + vg.Length(cos)*width/2,
				Y: anchor.Y - height/2 + 1 + vg.Length(sin)*height/2}
			if !l.free(l.box(label, corner)) {
				continue
			}
			if line && radius > besideNear && !l.freeLine(point, anchor) {
				continue
			}
			return corner, anchor, true
		}
	}
	return vg.Point{}, vg.Point{}, false
}

func (l *placer) free(box vg.Rectangle) bool {
	if box.Min.X < l.bounds.Min.X || box.Min.Y < l.bounds.Min.Y ||
		box.Max.X > l.bounds.Max.X || box.Max.Y > l.bounds.Max.Y {
		return false
	}
	for _, t := range l.taken {
		if overlap(box, t) {
			return false
		}
	}
	return true
}

// freeLine reports whether a line from a point crosses nothing that is written or drawn, but for the point
// itself and its near neighbours.
func (l *placer) freeLine(from, to vg.Point) bool {
	for _, s := range along(from, to)[1:] {
		for _, t := range l.taken {
			if overlap(s, t) && !overlap(square(from, 4), t) {
				return false
			}
		}
	}
	return true
}

func overlap(a, b vg.Rectangle) bool {
	return a.Min.X < b.Max.X && b.Min.X < a.Max.X && a.Min.Y < b.Max.Y && b.Min.Y < a.Max.Y
}
