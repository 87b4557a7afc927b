package render

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Reference is a value to compare others with.
type Reference struct {
	Name  string
	Value float64
}

// Dots plots values, of the folds of an evaluation for instance, as dots over the x axis, which begins where they do;
// dots that would overlap are stacked. Each has its number, from 1, if there are few. Below them stand their mean and
// a bar of one standard deviation to both sides; a reference, unless nil, is a dashed line if the axis comes near it.
//
// It returns an error for no values and for values beyond 1e100; the x axis cannot be logarithmic.
func Dots(chart Chart, values []float64, mean, deviation float64, reference *Reference) (*Figure, error) {
	chart.Height = cmp.Or(chart.Height, 260)
	if err := chart.check(); err != nil {
		return nil, err
	}
	switch {
	case chart.X.Log || chart.Y.Log:
		return nil, errors.New("dots stand over a linear axis")
	case len(values) == 0:
		return nil, errors.New("a dot plot needs at least one value")
	case !plottable(mean) || !plottable(deviation) || deviation < 0:
		return nil, fmt.Errorf("a mean of %v and a deviation of %v cannot be drawn", mean, deviation)
	}
	lo, hi := mean-deviation, mean+deviation
	for i, v := range values {
		if !plottable(v) {
			return nil, fmt.Errorf("value %d is %v, only values up to 1e100 can be drawn", i, v)
		}
		lo, hi = min(lo, v), max(hi, v)
	}
	p := chart.newPlot()
	chart.Title = cmp.Or(chart.Title, "Values of "+chart.X.Label)
	setRange(&p.X, chart.X, lo, hi, 0.08, nil)
	p.Y.Min, p.Y.Max = 0, 1
	p.Y.Tick.Marker = plot.ConstantTicks(nil)
	d := &dots{values: values, mean: mean, deviation: deviation, reference: reference, handler: p.TextHandler}
	p.Add(gridLines(true), d)
	return chart.figure(p, chart.Title), nil
}

// dots draws the values and what sums them up.
type dots struct {
	values          []float64
	mean, deviation float64
	reference       *Reference
	handler         text.Handler
}

// Measures of a dot plot in points.
const (
	dotRadius    = 9.0
	meanLine     = 24.0 // of the mean over the axis
	dotsBegin    = 52.0 // over the axis
	mostNumbered = 99   // dots
)

func (d *dots) Plot(canvas draw.Canvas, p *plot.Plot) {
	x, _ := p.Transforms(&canvas)
	at := make([]vg.Length, len(d.values))
	for i, v := range d.values {
		at[i] = x(v)
	}
	if r := d.reference; r != nil && r.Value >= p.X.Min && r.Value <= p.X.Max {
		ink := lineColours()[1]
		line := draw.LineStyle{Color: ink.rgba(1), Width: 1.2, Dashes: []vg.Length{5, 4}}
		canvas.StrokeLine2(line, x(r.Value), canvas.Min.Y, x(r.Value), canvas.Max.Y)
		style := d.style(plotTickSize, ink)
		style.XAlign, style.YAlign = draw.XLeft, draw.YTop
		from := x(r.Value) + 5
		if from+spare*style.Width(r.Name) > canvas.Max.X {
			style.XAlign, from = draw.XRight, x(r.Value)-5
		}
		canvas.FillText(style, vg.Point{X: from, Y: canvas.Max.Y}, clean(r.Name))
	}
	d.drawMean(canvas, x)
	radius, height := d.stacks(at, canvas.Max.Y-canvas.Min.Y-dotsBegin-14)
	ink := lineColours()[0]
	for i := range at {
		centre := vg.Point{X: at[i], Y: canvas.Min.Y + dotsBegin + height[i]}
		canvas.SetColor(ink.rgba(0.9))
		var circle vg.Path
		circle.Move(centre.Add(vg.Point{X: radius}))
		circle.Arc(centre, radius, 0, 2*math.Pi)
		circle.Close()
		canvas.Fill(circle)
		if len(at) <= mostNumbered && radius >= 6 {
			style := d.style(font.Length(radius), rgb(0xffffff))
			canvas.FillText(style, centre, strconv.Itoa(i+1))
		}
	}
}

// drawMean marks the mean with a bar of the deviation.
func (d *dots) drawMean(canvas draw.Canvas, x func(float64) vg.Length) {
	y := canvas.Min.Y + meanLine
	line := draw.LineStyle{Color: inkDark(), Width: 1.4}
	from, to := x(d.mean-d.deviation), x(d.mean+d.deviation)
	canvas.StrokeLines(line, []vg.Point{{X: from, Y: y}, {X: to, Y: y}},
		[]vg.Point{{X: from, Y: y - 4}, {X: from, Y: y + 4}}, []vg.Point{{X: to, Y: y - 4}, {X: to, Y: y + 4}})
	middle := x(d.mean)
	canvas.FillPolygon(inkDark(), []vg.Point{{X: middle - 6, Y: y}, {X: middle, Y: y + 7}, {X: middle + 6, Y: y},
		{X: middle, Y: y - 7}})
	style := d.style(plotTickSize, rgb(0x262626))
	style.YAlign = draw.YTop
	canvas.FillText(style, vg.Point{X: middle, Y: y - 8}, "mean "+reading(d.mean)+" ± "+reading(d.deviation))
}

// stacks returns the radius of the dots and how high over the lowest ones each stands, so that none overlap and all
// lie within a height.
func (d *dots) stacks(at []vg.Length, limit vg.Length) (radius vg.Length, height []vg.Length) {
	order := ascending(at)
	for radius = dotRadius; ; radius *= 0.9 {
		var ends []vg.Length // of the last dot of each row
		height = make([]vg.Length, len(at))
		for _, i := range order {
			row := slices.IndexFunc(ends, func(end vg.Length) bool { return end+2*radius+1 <= at[i] })
			if row < 0 {
				row, ends = len(ends), append(ends, 0)
			}
			ends[row] = at[i]
			height[i] = vg.Length(row)*(2*radius+1) + radius
		}
		if vg.Length(len(ends))*(2*radius+1) <= limit || radius < 0.5 {
			return radius, height
		}
	}
}

func (d *dots) style(size font.Length, ink colour) text.Style {
	return text.Style{
		Color: ink.rgba(1), Font: font.Font{Typeface: "Liberation", Variant: "Sans", Size: size},
		XAlign: draw.XCenter, YAlign: draw.YCenter, Handler: d.handler,
	}
}
