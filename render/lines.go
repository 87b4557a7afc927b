package render

import (
	"errors"
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Curve is one line of a plot: Y over X, in ascending order of X.
type Curve struct {
	Name      string
	X, Y      []float64
	Deviation []float64 // half the height of the band around Y, for instance a standard deviation; nil: none
	Marked    []int     // indices of points to mark, for instance the chosen one
	Guide     bool      // a thin dashed line to hold the others against
}

// Lines plots curves, each with its name at its right end in its own colour, bands and marks where
// there are any. Where exactly one point is marked its value stands behind the name. Axes are
// logarithmic where the chart says so; an x axis with a few whole numbers has its ticks there.
//
// It returns an error for no curves, slices of different lengths, values that are not finite or beyond
// 1e100, values of X that do not ascend, and values below 1e-100 on a logarithmic axis. On a logarithmic y
// axis a band that comes near zero is cut at the lowest value of the axis.
func Lines(chart Chart, curves []Curve) (*Figure, error) {
	if err := chart.check(); err != nil {
		return nil, err
	}
	if len(curves) == 0 {
		return nil, errors.New("a plot needs at least one curve")
	}
	for i := range curves {
		if err := curves[i].check(chart); err != nil {
			return nil, fmt.Errorf("curve %q: %w", curves[i].Name, err)
		}
	}
	p := chart.newPlot()
	setRanges(p, chart, curves)
	p.Add(gridLines(true))
	colours := lineColours()
	label := &endLabels{handler: p.X.Label.TextStyle.Handler, size: plotTickSize}
	for i := range curves {
		if len(curves[i].Deviation) > 0 {
			p.Add(&band{curve: &curves[i], fill: colours[i%len(colours)].rgba(0.15)})
		}
	}
	for i := range curves {
		c := &curves[i]
		ink := colours[i%len(colours)]
		if c.Guide {
			ink = guideInk()
		}
		line := &trace{curve: c, ink: ink.rgba(1)}
		if turn := i / len(colours); turn > 0 {
			line.dashes = []vg.Length{vg.Length(2 + 4*(turn%3)), 3}
		}
		p.Add(line)
		label.add(c, mix(ink, rgb(0), 0.2))
	}
	p.Add(label)
	return chart.figure(p, "Plot of "+chart.Y.Label+" against "+chart.X.Label), nil
}

// AccuracyCurves plots accuracies in percent, means over folds with a band of one standard deviation,
// against the regularisation constant C on a logarithmic axis. It is [Lines] with these axes.
func AccuracyCurves(title string, curves []Curve) (*Figure, error) {
	return Lines(Chart{Title: title, X: Axis{Label: "C", Log: true}, Y: Axis{Label: "accuracy (%)"}}, curves)
}

func (c *Curve) check(chart Chart) error {
	switch {
	case len(c.X) == 0:
		return errors.New("no points")
	case len(c.Y) != len(c.X):
		return fmt.Errorf("%d values of x and %d of y", len(c.X), len(c.Y))
	case len(c.Deviation) != 0 && len(c.Deviation) != len(c.X):
		return fmt.Errorf("%d deviations for %d points", len(c.Deviation), len(c.X))
	}
	for i := range c.X {
		switch {
		case !plottable(c.X[i]) || !plottable(c.Y[i]):
			return fmt.Errorf("point %d is (%v, %v), only finite values up to 1e100 can be drawn", i, c.X[i], c.Y[i])
		case len(c.Deviation) > 0 && (!plottable(c.Deviation[i]) || c.Deviation[i] < 0):
			return fmt.Errorf("the deviation of point %d is %v, it must be a number from 0 to 1e100", i, c.Deviation[i])
		case i > 0 && c.X[i] <= c.X[i-1]:
			return fmt.Errorf("point %d: x must ascend, %v follows %v", i, c.X[i], c.X[i-1])
		case (chart.X.Log && c.X[i] < tiny) || (chart.Y.Log && c.Y[i] < tiny):
			return fmt.Errorf("point %d is (%v, %v), a logarithmic axis needs values of at least 1e-100", i, c.X[i], c.Y[i])
		}
	}
	for _, i := range c.Marked {
		if i < 0 || i >= len(c.X) {
			return fmt.Errorf("marked point %d is not one of the %d points", i, len(c.X))
		}
	}
	return nil
}

// setRanges fits both axes around all curves and their bands.
func setRanges(p *plot.Plot, chart Chart, curves []Curve) {
	xlo, xhi := math.Inf(1), math.Inf(-1)
	ylo, yhi := math.Inf(1), math.Inf(-1)
	for _, c := range curves {
		for i, x := range c.X {
			deviation := 0.0
			if len(c.Deviation) > 0 {
				deviation = c.Deviation[i]
			}
			xlo, xhi = min(xlo, x), max(xhi, x)
			yhi = max(yhi, c.Y[i]+deviation)
			if low := c.Y[i] - deviation; !chart.Y.Log || low >= 0.01*c.Y[i] {
				ylo = min(ylo, low)
			}
			ylo = min(ylo, c.Y[i])
		}
	}
	ticks := fewIntegers(curves)
	setRange(&p.X, chart.X, xlo, xhi, 0.02, ticks)
	setRange(&p.Y, chart.Y, ylo, yhi, 0.06, nil)
}

// inside cuts a value to the range of an axis.
func inside(axis *plot.Axis, x float64) float64 { return min(max(x, axis.Min), axis.Max) }

// band fills the area of one deviation around a curve.
type band struct {
	curve *Curve
	fill  color.Color
}

func (b *band) Plot(canvas draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&canvas)
	n := len(b.curve.X)
	points := make([]vg.Point, 0, 2*n)
	for i := range n {
		points = append(points, vg.Point{X: x(b.curve.X[i]), Y: y(inside(&p.Y, b.curve.Y[i]+b.curve.Deviation[i]))})
	}
	for i := n - 1; i >= 0; i-- {
		points = append(points, vg.Point{X: x(b.curve.X[i]), Y: y(inside(&p.Y, b.curve.Y[i]-b.curve.Deviation[i]))})
	}
	canvas.FillPolygon(b.fill, canvas.ClipPolygonXY(points))
}

// trace draws a curve's line, a dot for every point where they are few, and the marks.
type trace struct {
	curve  *Curve
	ink    color.Color
	dashes []vg.Length
}

func (t *trace) Plot(canvas draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&canvas)
	points := make([]vg.Point, len(t.curve.X))
	for i := range points {
		points[i] = vg.Point{X: x(t.curve.X[i]), Y: y(t.curve.Y[i])}
	}
	style := draw.LineStyle{Color: t.ink, Width: 1.8, Dashes: t.dashes}
	if t.curve.Guide {
		style.Width, style.Dashes = 1, []vg.Length{4, 3}
	}
	if len(points) > 1 {
		canvas.StrokeLines(style, canvas.ClipLinesXY(points)...)
	}
	if len(points) <= 15 && !t.curve.Guide {
		for _, at := range points {
			t.dot(canvas, at, 2.4, t.ink)
		}
	}
	for _, i := range t.curve.Marked {
		t.dot(canvas, points[i], 6, color.White)
		t.dot(canvas, points[i], 5, t.ink)
		t.dot(canvas, points[i], 2.2, color.White)
	}
}

func (t *trace) dot(canvas draw.Canvas, at vg.Point, radius vg.Length, fill color.Color) {
	if !canvas.Contains(at) {
		return
	}
	canvas.DrawGlyph(draw.GlyphStyle{Color: fill, Radius: radius, Shape: draw.CircleGlyph{}}, at)
}

// GlyphBoxes asks for room around marks at the border.
func (t *trace) GlyphBoxes(p *plot.Plot) []plot.GlyphBox {
	var boxes []plot.GlyphBox
	for _, i := range t.curve.Marked {
		boxes = append(boxes, plot.GlyphBox{
			X: p.X.Norm(t.curve.X[i]), Y: p.Y.Norm(t.curve.Y[i]),
			Rectangle: vg.Rectangle{Min: vg.Point{X: -6, Y: -6}, Max: vg.Point{X: 6, Y: 6}},
		})
	}
	return boxes
}
