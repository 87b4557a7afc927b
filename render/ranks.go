package render

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Ranked is a model with its mean rank over data sets, 1 for the best.
type Ranked struct {
	Name string
	Mean float64
}

// Measures of a diagram of ranks, in points.
const (
	rankRow    = 17.0 // from name to name
	rankTick   = 5.0
	rankBar    = 8.0 // from bar to bar of models that do not differ
	rankScale  = 46.0
	mostRanked = 100
	longRanked = 26 // characters of a name
)

// Ranks draws a critical-difference diagram (Demšar 2006, figure 1): models, in ascending order of their mean ranks,
// hang from a scale of ranks with the best on the left, and a bar joins those that do not differ: whose mean ranks are
// within a difference, whose length stands over the scale.
//
// It returns an error for fewer than two models or more than 100, for ranks below 1 or above the number of models or
// that do not ascend, and for a difference that is no positive number.
func Ranks(title string, width float64, models []Ranked, difference float64) (*Figure, error) {
	chart := Chart{Title: title, Width: width}
	if err := chart.check(); err != nil {
		return nil, err
	}
	switch k := len(models); {
	case k < 2 || k > mostRanked:
		return nil, fmt.Errorf("a diagram of ranks wants 2 to %d models, not %d", mostRanked, k)
	case !(difference > 0) || !plottable(difference):
		return nil, fmt.Errorf("a critical difference of %v cannot be drawn", difference)
	}
	for i, m := range models {
		if !(m.Mean >= 1 && m.Mean <= float64(len(models))) {
			return nil, fmt.Errorf("the mean rank of %s is %v, of %d models", m.Name, m.Mean, len(models))
		}
		if i > 0 && m.Mean < models[i-1].Mean {
			return nil, errors.New("mean ranks must ascend")
		}
	}
	d := &ranks{models: models, difference: difference, groups: alike(models, difference),
		handler: text.Plain{Fonts: font.NewCache(liberation.Collection())}}
	if title != "" {
		d.title = newTypesetter().wrap(clean(title), plotTitleSize, chart.Width-2*border, true)
	}
	label := title
	if label == "" {
		label = "Mean ranks of " + fmt.Sprint(len(models)) + " models, with those joined that do not differ"
	}
	return &Figure{vg.Length(chart.Width), d.height(), clean(label), d.draw}, nil
}

// alike returns the widest runs of at least two models whose ranks are within a difference, as their ends.
func alike(models []Ranked, difference float64) (groups [][2]int) {
	end := 0
	for i := range models {
		j := i
		for j+1 < len(models) && models[j+1].Mean-models[i].Mean <= difference {
			j++
		}
		if j > i && j > end {
			groups, end = append(groups, [2]int{i, j}), j
		}
	}
	return groups
}

// ranks draws the diagram.
type ranks struct {
	title      []string
	models     []Ranked
	difference float64
	groups     [][2]int
	handler    text.Handler
}

// left is the number of models whose names stand on the left.
func (d *ranks) left() int { return (len(d.models) + 1) / 2 }

// lanes returns the line under the scale on which each group has its bar, and the number of lines.
func (d *ranks) lanes() (lane []int, lanes int) {
	var ends []int
	for _, g := range d.groups {
		at := 0
		for at < len(ends) && ends[at] >= g[0] {
			at++
		}
		if at == len(ends) {
			ends = append(ends, 0)
		}
		ends[at], lane = g[1], append(lane, at)
	}
	return lane, len(ends)
}

func (d *ranks) height() vg.Length {
	_, lanes := d.lanes()
	return vg.Length(2*border + 1.3*plotTitleSize*float64(len(d.title)) + rankScale + rankBar*float64(lanes+1) +
		rankRow*float64(d.left()))
}

func (d *ranks) draw(canvas draw.Canvas) {
	canvas.SetColor(rgb(0xffffff).rgba(1))
	canvas.Fill(canvas.Path())
	y := canvas.Max.Y - border
	for _, line := range d.title {
		style := d.style(plotTitleSize, draw.XCenter)
		style.YAlign = draw.YTop
		canvas.FillText(style, vg.Point{X: (canvas.Min.X + canvas.Max.X) / 2, Y: y}, line)
		y -= 1.3 * plotTitleSize
	}
	names := d.style(plotTickSize, draw.XLeft)
	var margin [2]vg.Length
	for i := range d.models {
		side := min(1, i/d.left())
		margin[side] = max(margin[side], spare*names.Width(d.label(i)))
	}
	from, to := canvas.Min.X+border+margin[0]+10, canvas.Max.X-border-margin[1]-10
	x := func(rank float64) vg.Length {
		return from + (to-from)*vg.Length((rank-1)/float64(len(d.models)-1))
	}
	axis := y - rankScale
	d.drawDifference(canvas, x, axis+rankScale-16)
	d.drawScale(canvas, x, axis)
	lane, lanes := d.lanes()
	for i, g := range d.groups {
		at := axis - rankBar*vg.Length(lane[i]+1)
		line := draw.LineStyle{Color: lineColours()[0].rgba(1), Width: 3.5}
		canvas.StrokeLine2(line, x(d.models[g[0]].Mean)-3, at, x(d.models[g[1]].Mean)+3, at)
	}
	d.drawModels(canvas, x, axis, axis-rankBar*vg.Length(lanes+1)-rankRow/2)
}

// drawDifference draws the critical difference as a length.
func (d *ranks) drawDifference(canvas draw.Canvas, x func(float64) vg.Length, y vg.Length) {
	line := draw.LineStyle{Color: inkDark(), Width: 1.2}
	end := min(1+d.difference, float64(len(d.models)))
	from, to := x(1), x(end)
	canvas.StrokeLine2(line, from, y, to, y)
	canvas.StrokeLine2(line, from, y-4, from, y+4)
	if end == 1+d.difference { // else it is longer than the scale
		canvas.StrokeLine2(line, to, y-4, to, y+4)
	}
	style := d.style(plotTickSize, draw.XLeft)
	style.YAlign = draw.YBottom
	canvas.FillText(style, vg.Point{X: from, Y: y + 5}, "critical difference "+reading(d.difference))
}

// drawScale draws the scale of ranks with whole numbers over it.
func (d *ranks) drawScale(canvas draw.Canvas, x func(float64) vg.Length, y vg.Length) {
	line := draw.LineStyle{Color: inkSoft(), Width: 1}
	last := float64(len(d.models))
	canvas.StrokeLine2(line, x(1), y, x(last), y)
	style := d.style(plotTickSize, draw.XCenter)
	style.Color, style.YAlign = inkSoft(), draw.YBottom
	every := math.Ceil(last / 10)
	for rank := 1.0; rank <= last; rank++ {
		canvas.StrokeLine2(line, x(rank), y, x(rank), y+rankTick)
		if math.Mod(rank-1, every) == 0 {
			canvas.FillText(style, vg.Point{X: x(rank), Y: y + rankTick + 2}, fmt.Sprint(rank))
		}
	}
}

// drawModels hangs the names from the scale, the better half on the left and the best first, the others on the right
// and the last one first, so that no lines cross.
func (d *ranks) drawModels(canvas draw.Canvas, x func(float64) vg.Length, axis, first vg.Length) {
	line, style := draw.LineStyle{Color: inkSoft(), Width: 0.8}, d.style(plotTickSize, draw.XLeft)
	for i, m := range d.models {
		name := d.label(i)
		wide := spare * style.Width(name)
		row, begin := i, canvas.Min.X+border
		end := begin + wide + 4 // of the line that leads there
		if i >= d.left() {
			row, begin = len(d.models)-1-i, canvas.Max.X-border-wide
			end = begin - 4
		}
		y := first - rankRow*vg.Length(row)
		canvas.StrokeLines(line, []vg.Point{{X: x(m.Mean), Y: axis}, {X: x(m.Mean), Y: y}, {X: end, Y: y}})
		canvas.FillText(style, vg.Point{X: begin, Y: y}, name)
	}
}

// label is the name of a model with its mean rank.
func (d *ranks) label(i int) string {
	return fmt.Sprintf("%s  %.2f", shorten(clean(d.models[i].Name), longRanked), d.models[i].Mean)
}

func (d *ranks) style(size font.Length, align text.XAlignment) text.Style {
	return text.Style{Color: inkDark(), Font: font.Font{Typeface: "Liberation", Variant: "Sans", Size: size},
		XAlign: align, YAlign: draw.YCenter, Handler: d.handler}
}
