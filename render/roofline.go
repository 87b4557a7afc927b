package render

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Roof is a ceiling of a machine: its memory bandwidth, or a rate of arithmetic.
type Roof struct {
	Name string
	Rate float64 // bytes, or operations, a second
}

// Measurement is an operation that was measured: Intensity in operations per byte, Rate in operations a
// second. Operations of one Group have one colour.
type Measurement struct {
	Name, Group     string
	Intensity, Rate float64
}

// Roofline plots measurements under the roofline of a machine (Williams, Waterman and Patterson, "Roofline: an
// insightful visual performance model for multicore architectures", CACM 2009): with b the bandwidth, an
// operation of intensity x is done at most at the rate min(b x, peak), for the highest of the peaks. Both
// axes are logarithmic. Every measurement has its name beside it, no two names overlap, and a thin line
// leads from a name to its point where there was no room next to it.
//
// It returns an error for no peaks or no measurements and for numbers below 1e-100 or above 1e100.
func Roofline(chart Chart, bandwidth Roof, peaks []Roof, measured []Measurement) (*Figure, error) {
	chart.X.Log, chart.Y.Log = true, true
	chart.Width = cmp.Or(chart.Width, 1000)
	chart.Height = cmp.Or(chart.Height, 680)
	if err := chart.check(); err != nil {
		return nil, err
	}
	if len(peaks) == 0 || len(measured) == 0 {
		return nil, errors.New("a roofline needs at least one peak and one measurement")
	}
	for _, r := range append([]Roof{bandwidth}, peaks...) {
		if !plottable(r.Rate) || !(r.Rate >= tiny) {
			return nil, fmt.Errorf("roof %q: a rate of %v cannot be drawn", r.Name, r.Rate)
		}
	}
	for _, m := range measured {
		if !plottable(m.Intensity) || !plottable(m.Rate) || !(m.Intensity >= tiny) || !(m.Rate >= tiny) {
			return nil, fmt.Errorf("measurement %q at (%v, %v) cannot be drawn on logarithmic axes", m.Name, m.Intensity, m.Rate)
		}
	}
	p := chart.newPlot()
	r := &roofline{bandwidth: bandwidth, peaks: peaks, measured: measured, handler: p.X.Label.TextStyle.Handler}
	r.setRanges(p, chart)
	p.Add(gridLines(true), r)
	return chart.figure(p, "Roofline of "+bandwidth.Name), nil
}

// roofline draws roofs, points and names.
type roofline struct {
	bandwidth Roof
	peaks     []Roof
	measured  []Measurement
	handler   text.Handler
}

// highest returns the greatest of the peaks.
func (r *roofline) highest() float64 {
	peak := 0.0
	for _, roof := range r.peaks {
		peak = max(peak, roof.Rate)
	}
	return peak
}

// setRanges shows all points and where the slope meets every peak.
func (r *roofline) setRanges(p *plot.Plot, chart Chart) {
	ylo, yhi := math.Inf(1), r.highest()
	xlo, xhi := r.highest()/r.bandwidth.Rate/4, r.highest()/r.bandwidth.Rate*4
	for _, m := range r.measured {
		xlo, xhi = min(xlo, m.Intensity), max(xhi, m.Intensity)
		ylo, yhi = min(ylo, m.Rate), max(yhi, m.Rate)
	}
	setRange(&p.X, chart.X, xlo, xhi, 0.06, nil)
	setRange(&p.Y, chart.Y, ylo, yhi, 0.06, nil)
}

// groups returns the names of the groups in order of first appearance.
func (r *roofline) groups() []string {
	var names []string
	seen := map[string]bool{}
	for _, m := range r.measured {
		if !seen[m.Group] {
			seen[m.Group] = true
			names = append(names, m.Group)
		}
	}
	return names
}

func (r *roofline) Plot(canvas draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&canvas)
	labels := &placer{handler: r.handler, bounds: canvas.Rectangle}
	at := func(intensity, rate float64) vg.Point {
		return vg.Point{X: x(inside(&p.X, intensity)), Y: y(inside(&p.Y, rate))}
	}
	r.drawSlope(canvas, p, at, labels)
	for _, roof := range r.peaks {
		from, to := at(max(roof.Rate/r.bandwidth.Rate, p.X.Min), roof.Rate), at(p.X.Max, roof.Rate)
		canvas.StrokeLines(roofStyle(), []vg.Point{from, to})
		labels.block(from, to)
		name := clean(roof.Name)
		width := labels.style(rgb(0x444444)).Width(name)
		labels.write(canvas, name, rgb(0x444444), vg.Point{X: to.X - spare*width, Y: to.Y + 3})
	}
	inks := lineColours()
	ink := map[string]colour{}
	for i, g := range r.groups() {
		ink[g] = inks[i%len(inks)]
	}
	r.drawLegend(canvas, labels, ink)
	for _, m := range r.measured {
		labels.blockPoint(at(m.Intensity, m.Rate), 4)
	}
	for _, m := range r.crowdedFirst(at) {
		point := at(m.Intensity, m.Rate)
		labels.beside(canvas, clean(m.Name), mix(ink[m.Group], rgb(0), 0.2), point)
		canvas.DrawGlyph(draw.GlyphStyle{Color: ink[m.Group].rgba(1), Radius: 3.2, Shape: draw.CircleGlyph{}}, point)
	}
}

// crowdedFirst orders the measurements by the number of others near them: where there is little room the
// names come first.
func (r *roofline) crowdedFirst(at func(x, y float64) vg.Point) []Measurement {
	const near = 60 // points
	neighbors := map[Measurement]int{}
	for _, m := range r.measured {
		around := square(at(m.Intensity, m.Rate), near)
		for _, other := range r.measured {
			if overlap(around, square(at(other.Intensity, other.Rate), 0.1)) {
				neighbors[m]++
			}
		}
	}
	return slices.SortedStableFunc(slices.Values(r.measured),
		func(a, b Measurement) int { return neighbors[b] - neighbors[a] })
}

func roofStyle() draw.LineStyle { return draw.LineStyle{Color: inkDark(), Width: 1.4} }

// drawSlope draws the roof of the bandwidth up to the highest peak, with its name along it.
func (r *roofline) drawSlope(canvas draw.Canvas, p *plot.Plot, at func(x, y float64) vg.Point, labels *placer) {
	first := max(p.X.Min, p.Y.Min/r.bandwidth.Rate)
	last := min(r.highest()/r.bandwidth.Rate, p.X.Max)
	from, to := at(first, first*r.bandwidth.Rate), at(last, last*r.bandwidth.Rate)
	canvas.StrokeLines(roofStyle(), []vg.Point{from, to})
	labels.block(from, to)
	style := labels.style(rgb(0x444444))
	style.Rotation = math.Atan2(float64(to.Y-from.Y), float64(to.X-from.X))
	name := clean(r.bandwidth.Name)
	length := spare * float64(style.Width(name))
	cos, sin := math.Cos(style.Rotation), math.Sin(style.Rotation)
	begin := from.Add(to.Sub(from).Scale(0.12)).Add(vg.Point{X: vg.Length(-6 * sin), Y: vg.Length(6 * cos)})
	canvas.FillText(style, begin, name)
	above := vg.Point{X: vg.Length(-5 * sin), Y: vg.Length(5 * cos)}
	labels.block(begin.Add(above), begin.Add(above).Add(vg.Point{X: vg.Length(length * cos), Y: vg.Length(length * sin)}))
}

// drawLegend names the groups in the lower right corner, which the roof keeps free.
func (r *roofline) drawLegend(canvas draw.Canvas, labels *placer, ink map[string]colour) {
	groups := r.groups()
	if len(groups) == 1 {
		return
	}
	widest := vg.Length(0)
	for _, g := range groups {
		widest = max(widest, spare*labels.style(ink[g]).Width(clean(g)))
	}
	left := canvas.Max.X - widest - 14
	for i, g := range groups {
		base := canvas.Min.Y + 8 + vg.Length(labelSpace*(len(groups)-1-i))
		dot := vg.Point{X: left, Y: base + 4}
		labels.blockPoint(dot, 4)
		canvas.DrawGlyph(draw.GlyphStyle{Color: ink[g].rgba(1), Radius: 3.2, Shape: draw.CircleGlyph{}}, dot)
		labels.write(canvas, clean(g), mix(ink[g], rgb(0), 0.2), vg.Point{X: left + 8, Y: base})
	}
}
