package render

import (
	"errors"
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Series is one colour of a bar chart: a value for every category, NaN where there is none to show.
type Series struct {
	Name      string
	Values    []float64
	Deviation []float64 // half the length of the error bars; nil: none
}

// Bars compares series over categories, for instance our accuracy and a reference over data sets:
// a group of bars per category from zero (or the fixed minimum of the y axis) with error bars, the
// value above each, and a legend above the plot. The x axis of the chart gives its label only.
//
// It returns an error for no categories or series, for slices of different lengths and for values
// beyond 1e100; a y axis cannot be logarithmic, as bars start at zero.
func Bars(chart Chart, categories []string, series []Series) (*Figure, error) {
	if err := chart.check(); err != nil {
		return nil, err
	}
	switch {
	case chart.Y.Log || chart.X.Log:
		return nil, errors.New("bars start at zero, which a logarithmic axis does not have")
	case len(categories) == 0 || len(series) == 0:
		return nil, errors.New("a bar chart needs at least one category and one series")
	}
	for _, s := range series {
		if err := s.check(len(categories)); err != nil {
			return nil, fmt.Errorf("series %q: %w", s.Name, err)
		}
	}
	p := chart.newPlot()
	lo, hi := 0.0, 0.0
	for _, s := range series {
		for i := range categories {
			if low, high, there := s.span(i); there {
				lo, hi = min(lo, low), max(hi, high)
			}
		}
	}
	if lo == 0 && chart.Y.Min == nil {
		chart.Y.Min = new(float64)
	}
	setRange(&p.Y, chart.Y, lo, hi, 0.08, nil)
	p.X.Min, p.X.Max = -0.6, float64(len(categories))-0.4
	ticks := make([]plot.Tick, len(categories))
	for i, name := range categories {
		ticks[i] = plot.Tick{Value: float64(i), Label: shorten(clean(name), 24)}
	}
	p.X.Tick.Marker = plot.ConstantTicks(ticks)
	p.X.Tick.Length, p.X.Tick.LineStyle.Color = 6, color.White // distance to the names only
	p.X.Tick.Label.Color = inkDark()
	slot := (chart.Width - 90) / float64(len(categories))
	widest := 0.0
	for _, t := range ticks {
		widest = max(widest, spare*float64(p.X.Tick.Label.Width(t.Label)))
	}
	if widest > slot-6 {
		p.X.Tick.Label.Rotation = math.Pi / 5
		p.X.Tick.Label.XAlign, p.X.Tick.Label.YAlign = draw.XRight, draw.YCenter
	}
	b := &bars{series: series, categories: len(categories), handler: p.TextHandler}
	b.setLegend(chart.Width - 8*border)
	p.Add(gridLines(false), b)
	return chart.figure(p, "Bar chart of "+chart.Y.Label), nil
}

func (s *Series) check(categories int) error {
	if len(s.Values) != categories {
		return fmt.Errorf("%d values for %d categories", len(s.Values), categories)
	}
	if len(s.Deviation) != 0 && len(s.Deviation) != categories {
		return fmt.Errorf("%d deviations for %d categories", len(s.Deviation), categories)
	}
	for i, v := range s.Values {
		if !math.IsNaN(v) && !plottable(v) {
			return fmt.Errorf("value %d is %v, only values up to 1e100 can be drawn", i, v)
		}
		if len(s.Deviation) > 0 && !math.IsNaN(v) && (!plottable(s.Deviation[i]) || s.Deviation[i] < 0) {
			return fmt.Errorf("deviation %d is %v, it must be a number from 0 to 1e100", i, s.Deviation[i])
		}
	}
	return nil
}

// span returns the ends of the error bar of value i, and whether there is a value.
func (s *Series) span(i int) (low, high float64, there bool) {
	v := s.Values[i]
	if math.IsNaN(v) {
		return 0, 0, false
	}
	if len(s.Deviation) > 0 {
		return v - s.Deviation[i], v + s.Deviation[i], true
	}
	return v, v, true
}

// bars draws the groups and the legend above them.
type bars struct {
	series     []Series
	categories int
	handler    text.Handler

	legendAt   []vg.Point // of the series, from the left end of the first row, y upwards
	legendHigh vg.Length
}

const groupWidth = 0.78 // of the distance between two categories

func (b *bars) style(size font.Length, ink color.Color) text.Style {
	return text.Style{
		Color: ink, Font: font.Font{Typeface: "Liberation", Variant: "Sans", Size: size},
		XAlign: draw.XCenter, YAlign: draw.YBottom, Handler: b.handler,
	}
}

func (b *bars) Plot(canvas draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&canvas)
	colours := lineColours()
	barWidth := groupWidth / float64(len(b.series))
	base := y(inside(&p.Y, 0))
	for k, s := range b.series {
		ink := colours[k%len(colours)]
		for i := range b.categories {
			low, high, there := s.span(i)
			if !there {
				continue
			}
			left := float64(i) - groupWidth/2 + barWidth*float64(k)
			from, to := x(left+0.04*barWidth), x(left+0.96*barWidth)
			top := y(inside(&p.Y, s.Values[i]))
			canvas.FillPolygon(ink.rgba(0.85), []vg.Point{{X: from, Y: base}, {X: from, Y: top}, {X: to, Y: top},
				{X: to, Y: base}})
			above := max(top, base)
			middle := (from + to) / 2
			if high > low {
				end, start := y(inside(&p.Y, high)), y(inside(&p.Y, low))
				cap := min((to-from)/5, 5)
				whisker := draw.LineStyle{Color: inkDark(), Width: 1}
				canvas.StrokeLines(whisker, []vg.Point{{X: middle, Y: start}, {X: middle, Y: end}},
					[]vg.Point{{X: middle - cap, Y: start}, {X: middle + cap, Y: start}},
					[]vg.Point{{X: middle - cap, Y: end}, {X: middle + cap, Y: end}})
				above = max(above, end)
			}
			style := b.style(min(10.5, font.Length(to-from)/2), inkDark())
			if style.Font.Size >= 6 {
				canvas.FillText(style, vg.Point{X: middle, Y: above + 2}, reading(s.Values[i]))
			}
		}
	}
	canvas.StrokeLine2(draw.LineStyle{Color: inkSoft(), Width: 0.8}, canvas.Min.X, base, canvas.Max.X, base)
	b.legend(canvas)
}

// setLegend places the legend's entries in rows of at most the given width.
func (b *bars) setLegend(width float64) {
	style := b.style(plotTickSize, inkDark())
	at := vg.Point{}
	for _, s := range b.series {
		need := 15 + spare*style.Width(shorten(clean(s.Name), labelMax))
		if at.X > 0 && float64(at.X+need) > width {
			at = vg.Point{Y: at.Y - legendRow}
		}
		b.legendAt = append(b.legendAt, at)
		at.X += need + 18
	}
	b.legendHigh = legendRow - at.Y
}

const legendRow = 18 // points

// legend lists the series above the plot, from the left.
func (b *bars) legend(canvas draw.Canvas) {
	colours := lineColours()
	style := b.style(plotTickSize, inkDark())
	style.XAlign, style.YAlign = draw.XLeft, draw.YCenter
	for k, s := range b.series {
		at := vg.Point{X: canvas.Min.X + 4, Y: canvas.Max.Y + b.legendHigh - legendRow/2}.Add(b.legendAt[k])
		canvas.FillPolygon(colours[k%len(colours)].rgba(0.85), []vg.Point{
			{X: at.X, Y: at.Y - 5}, {X: at.X, Y: at.Y + 5}, {X: at.X + 10, Y: at.Y + 5}, {X: at.X + 10, Y: at.Y - 5}})
		canvas.FillText(style, vg.Point{X: at.X + 15, Y: at.Y}, shorten(clean(s.Name), labelMax))
	}
}

// GlyphBoxes asks for the height of the legend.
func (b *bars) GlyphBoxes(*plot.Plot) []plot.GlyphBox {
	return []plot.GlyphBox{{X: 0.5, Y: 1, Rectangle: vg.Rectangle{Max: vg.Point{X: 0.1, Y: b.legendHigh + 4}}}}
}
