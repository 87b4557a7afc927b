package render

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"strings"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Axis describes one axis of a chart.
type Axis struct {
	Label    string
	Log      bool     // logarithmic; every value must be positive
	Min, Max *float64 // ends of the axis; nil: from the data
}

// Chart is what all plots share. Width and Height are in points, 0 for 640 x 400.
type Chart struct {
	Title         string
	X, Y          Axis
	Width, Height float64
}

// Fonts and inks of plots.
const (
	plotTitleSize = 14
	plotLabelSize = 12
	plotTickSize  = 11
	border        = 12 // white space around a plot, points
)

func inkDark() color.Color { return color.Gray{0x26} }
func inkSoft() color.Color { return color.Gray{0x55} }
func inkGrid() color.Color { return color.Gray{0xe6} }
func guideInk() colour     { return rgb(0x777777) }

// rgba turns a colour into one of the image package, alpha from 0 to 1.
func (c colour) rgba(alpha float64) color.Color {
	return color.NRGBA{c.r, c.g, c.b, uint8(math.Round(255 * alpha))}
}

// lineColours are the colours of series: of the categorical ones those that stand out on white.
func lineColours() []colour {
	return []colour{
		rgb(0x0072b2), rgb(0xd55e00), rgb(0x009e73), rgb(0xcc79a7), rgb(0xe69f00), rgb(0x56b4e9),
		rgb(0x332288), rgb(0x882255), rgb(0x999933), rgb(0x44aa99),
	}
}

// figure wraps a plot that has all its plotters into a Figure.
func (c Chart) figure(p *plot.Plot, label string) *Figure {
	if c.Title != "" {
		label = c.Title
	}
	return &Figure{vg.Length(c.Width), vg.Length(c.Height), clean(label), func(canvas draw.Canvas) {
		canvas.SetColor(color.White)
		canvas.Fill(canvas.Path())
		p.Draw(draw.Crop(canvas, border, -border, border, -border))
	}}
}

// Numbers beyond these limits could overflow on the way to their place on the page.
const (
	huge = 1e100
	tiny = 1e-100
)

func plottable(x float64) bool { return math.Abs(x) <= huge }

// check sets the default size and reports one that cannot be drawn.
func (c *Chart) check() error {
	c.Width = cmp.Or(c.Width, 640)
	c.Height = cmp.Or(c.Height, 400)
	for _, side := range []float64{c.Width, c.Height} {
		if !(side >= 160 && side <= 10000) {
			return fmt.Errorf("a chart of %v x %v points: both sides must be between 160 and 10000", c.Width, c.Height)
		}
	}
	for _, a := range []struct {
		name string
		axis Axis
	}{{"x", c.X}, {"y", c.Y}} {
		for _, end := range []*float64{a.axis.Min, a.axis.Max} {
			if end == nil {
				continue
			}
			if !plottable(*end) || (a.axis.Log && *end < tiny) {
				return fmt.Errorf("the %s axis cannot end at %v", a.name, *end)
			}
		}
		if a.axis.Min != nil && a.axis.Max != nil && *a.axis.Min >= *a.axis.Max {
			return fmt.Errorf("the %s axis ends at %v before it starts at %v", a.name, *a.axis.Max, *a.axis.Min)
		}
	}
	return nil
}

// gridLines returns light lines at the ticks, those at the ticks of the x axis only if wanted.
func gridLines(vertical bool) *plotter.Grid {
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = nil, inkGrid()
	if vertical {
		grid.Vertical.Color = inkGrid()
	}
	grid.Vertical.Width, grid.Horizontal.Width = 0.6, 0.6
	return grid
}

// newPlot returns an empty plot in the house style. The data ranges are set by setRange.
func (c Chart) newPlot() *plot.Plot {
	p := plot.New()
	handler := text.Plain{Fonts: font.NewCache(liberation.Collection())}
	style := func(s *text.Style, size font.Length, ink color.Color, bold bool) {
		s.Font = font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
		if bold {
			s.Font.Weight = xfont.WeightBold
		}
		s.Color, s.Handler = ink, handler
	}
	p.TextHandler = handler
	p.Title.Text = strings.Join(newTypesetter().wrap(clean(c.Title), plotTitleSize, c.Width-4*border, true), "\n")
	p.Title.Padding = 10
	style(&p.Title.TextStyle, plotTitleSize, inkDark(), true)
	for _, a := range []struct {
		axis *plot.Axis
		from Axis
	}{{&p.X, c.X}, {&p.Y, c.Y}} {
		a.axis.Label.Text = clean(a.from.Label)
		a.axis.Label.Padding = 4
		style(&a.axis.Label.TextStyle, plotLabelSize, inkDark(), false)
		style(&a.axis.Tick.Label, plotTickSize, inkSoft(), false)
		a.axis.LineStyle.Width = 0.7
		a.axis.LineStyle.Color = inkSoft()
		a.axis.Tick.LineStyle = a.axis.LineStyle
		a.axis.Tick.Length = 4
		a.axis.Padding = 0
		if a.from.Log {
			a.axis.Scale = plot.LogScale{}
		}
	}
	p.Y.LineStyle.Width, p.Y.Tick.Length = 0, 0 // the grid carries the eye
	return p
}

// setRange fits an axis around data from lo to hi with some padding, except at ends that are fixed, and
// chooses its ticks. Values, where given, are the only places that make sense for ticks.
func setRange(axis *plot.Axis, from Axis, lo, hi, padding float64, values []float64) {
	switch {
	case from.Log:
		factor := math.Exp(padding * (math.Log(hi) - math.Log(lo)))
		if hi <= lo*(1+1e-9) {
			factor = 2
		}
		lo, hi = lo/factor, hi*factor
	case hi-lo <= 1e-9*math.Abs(hi):
		pad := 0.05 * math.Abs(hi)
		if hi == 0 && lo == 0 {
			pad = 1
		}
		lo, hi = lo-pad, hi+pad
	default:
		pad := padding * (hi - lo)
		lo, hi = lo-pad, hi+pad
	}
	if from.Min != nil {
		lo = *from.Min
	}
	if from.Max != nil {
		hi = *from.Max
	}
	if hi <= lo { // one end is fixed beyond all data
		if from.Max != nil {
			lo = hi - max(1, math.Abs(hi))
			if from.Log {
				lo = hi / 10
			}
		} else {
			hi = lo + max(1, math.Abs(lo))
		}
	}
	axis.Min, axis.Max = lo, hi
	switch {
	case len(values) > 0:
		axis.Tick.Marker = plot.ConstantTicks(ticksAt(axis, values))
	case from.Log:
		axis.Tick.Marker = plot.ConstantTicks(logTicks(lo, hi))
	default:
		axis.Tick.Marker = plot.ConstantTicks(linearTicks(lo, hi))
	}
}
