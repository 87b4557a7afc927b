package render

import (
	"errors"
	"fmt"
	"image/color"
	"strconv"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// HeatMap is a matrix of values that are not negative, row-major. Its columns are numbered from 0.
type HeatMap struct {
	Title   string
	Columns int
	Values  []float64 // rows x Columns
}

// HeatMaps draws matrices with the same rows as panels of coloured cells on one scale, from white for zero to
// dark blue for the largest value of all, with a bar that explains it; for instance the mean frequency of
// every state (columns) in every class (rows), a panel for each layer. Panels stand side by side as long as
// their cells stay wide enough to tell apart. The x axis of the chart names the columns, the y axis what
// the cells measure, and its maximum, where it is fixed, is the end of the scale. The height of the chart, if
// it is not given, follows from the rows.
//
// It returns an error for no rows or panels, for values that do not fit the rows, and for values that are
// negative or beyond 1e100.
func HeatMaps(chart Chart, rows []string, maps []HeatMap) (*Figure, error) {
	if len(rows) == 0 || len(maps) == 0 {
		return nil, errors.New("a heat map needs at least one row and one panel")
	}
	h := &heatMaps{rows: rows, maps: maps, text: newTypesetter(),
		handler: text.Plain{Fonts: font.NewCache(liberation.Collection())}}
	for i := range maps {
		if err := h.check(&maps[i]); err != nil {
			return nil, fmt.Errorf("panel %d: %w", i, err)
		}
	}
	if chart.Y.Max != nil {
		h.limit = *chart.Y.Max
	}
	height := chart.Height
	if height == 0 {
		chart.Height = 400 // checked below for what is given, then replaced
	}
	if err := chart.check(); err != nil {
		return nil, err
	}
	h.chart = chart
	h.title = h.text.wrap(clean(chart.Title), plotTitleSize, chart.Width-4*border, true)
	h.arrange()
	if height == 0 {
		h.cellHeight = min(max(h.cellWidth, 14), 22)
		chart.Height = max(h.fixedHeight()+float64(h.bands*len(rows))*h.cellHeight, leastSide)
		if err := chart.check(); err != nil {
			return nil, fmt.Errorf("%d rows: %w", len(rows), err)
		}
	} else {
		h.cellHeight = max((height-h.fixedHeight())/float64(h.bands*len(rows)), 1)
	}
	return &Figure{vg.Length(chart.Width), vg.Length(chart.Height), clean(h.label()), h.draw}, nil
}

// heatMaps is the layout of the panels, in points.
type heatMaps struct {
	chart   Chart
	title   []string
	rows    []string
	maps    []HeatMap
	limit   float64
	text    typesetter
	handler text.Handler

	left                  float64 // of the first panel: room for the names of rows
	columns               int     // of the widest panel
	across, bands         int     // panels side by side, and rows of them
	cellWidth, cellHeight float64
}

// Measures of heat maps in points.
const (
	panelTitle = 20.0 // above a panel
	panelFoot  = 20.0 // below it: the numbers of columns
	panelGap   = 14.0
	axisLabel  = 18.0
	scaleFoot  = 44.0 // the bar with its numbers and name
	leastCell  = 6.5  // width for panels side by side
	rowName    = 24   // characters
	leastSide  = 160.0
)

func (h *heatMaps) check(m *HeatMap) error {
	if m.Columns < 1 || len(m.Values) != m.Columns*len(h.rows) {
		return fmt.Errorf("%d values for %d rows of %d columns", len(m.Values), len(h.rows), m.Columns)
	}
	for i, v := range m.Values {
		if !(v >= 0) || !plottable(v) {
			return fmt.Errorf("row %d, column %d is %v, want a number from 0 to 1e100", i/m.Columns, i%m.Columns, v)
		}
		h.limit = max(h.limit, v)
	}
	return nil
}

func (h *heatMaps) label() string {
	if h.chart.Title != "" {
		return h.chart.Title
	}
	return "Heat map of " + h.chart.Y.Label
}

// arrange chooses how many panels stand side by side.
func (h *heatMaps) arrange() {
	for _, name := range h.rows {
		h.left = max(h.left, spare*h.text.width(shorten(clean(name), rowName), plotTickSize, false))
	}
	h.left += border + 6
	for i := range h.maps {
		h.columns = max(h.columns, h.maps[i].Columns)
	}
	width := func(across int) float64 {
		return (h.chart.Width - h.left - border - float64(across-1)*panelGap) / float64(across*h.columns)
	}
	h.across = 1
	for h.across < len(h.maps) && width(h.across+1) >= leastCell {
		h.across++
	}
	h.bands = (len(h.maps) + h.across - 1) / h.across
	h.across = (len(h.maps) + h.bands - 1) / h.bands // as even as can be
	h.cellWidth = min(width(h.across), 30)
}

// fixedHeight is what does not depend on the height of the cells.
func (h *heatMaps) fixedHeight() float64 {
	height := 2*border + float64(len(h.title))*1.3*plotTitleSize + float64(h.bands)*(panelTitle+panelFoot) + scaleFoot
	if h.chart.X.Label != "" {
		height += axisLabel
	}
	return height
}

// sequential maps 0..1 to white to dark blue: the nine blues of ColorBrewer (C. Brewer, M. Harrower,
// colorbrewer2.org), the first of them lightened to white.
func sequential(t float64) colour {
	ramp := [...]uint32{0xffffff, 0xdeebf7, 0xc6dbef, 0x9ecae1, 0x6baed6, 0x4292c6, 0x2171b5, 0x08519c, 0x08306b}
	x := min(1, max(0, t)) * float64(len(ramp)-1)
	i := min(int(x), len(ramp)-2)
	return mix(rgb(ramp[i]), rgb(ramp[i+1]), x-float64(i))
}

func (h *heatMaps) style(size font.Length, ink color.Color, x text.XAlignment) text.Style {
	return text.Style{
		Color: ink, Font: font.Font{Typeface: "Liberation", Variant: "Sans", Size: size},
		XAlign: x, YAlign: draw.YCenter, Handler: h.handler,
	}
}

// draw draws from the top downwards; y runs upwards.
func (h *heatMaps) draw(canvas draw.Canvas) {
	canvas.SetColor(color.White)
	canvas.Fill(canvas.Path())
	top := float64(canvas.Max.Y) - border
	middle := (canvas.Min.X + canvas.Max.X) / 2
	bold := h.style(plotTitleSize, inkDark(), draw.XCenter)
	bold.Font.Weight = 3 // bold
	for _, line := range h.title {
		canvas.FillText(bold, vg.Point{X: middle, Y: vg.Length(top - 0.65*plotTitleSize)}, line)
		top -= 1.3 * plotTitleSize
	}
	for i := range h.maps {
		band, place := i/h.across, i%h.across
		panelTop := top - float64(band)*(panelTitle+panelFoot+float64(len(h.rows))*h.cellHeight)
		h.panel(canvas, &h.maps[i], h.panelLeft(place), panelTop, place == 0)
	}
	top -= float64(h.bands) * (panelTitle + panelFoot + float64(len(h.rows))*h.cellHeight)
	if h.chart.X.Label != "" {
		canvas.FillText(h.style(plotLabelSize, inkDark(), draw.XCenter),
			vg.Point{X: middle, Y: vg.Length(top - axisLabel/2)}, clean(h.chart.X.Label))
		top -= axisLabel
	}
	h.scale(canvas, float64(middle), top)
}

func (h *heatMaps) panelLeft(place int) float64 {
	return h.left + float64(place)*(float64(h.columns)*h.cellWidth+panelGap)
}

// panel draws one matrix with its top left corner at x, top.
func (h *heatMaps) panel(canvas draw.Canvas, m *HeatMap, x, top float64, named bool) {
	width, height := float64(m.Columns)*h.cellWidth, float64(len(h.rows))*h.cellHeight
	canvas.FillText(h.style(plotLabelSize, inkDark(), draw.XCenter),
		vg.Point{X: vg.Length(x + width/2), Y: vg.Length(top - panelTitle/2)}, shorten(clean(m.Title), labelMax))
	top -= panelTitle
	for i, v := range m.Values {
		if v == 0 {
			continue
		}
		left, up := x+float64(i%m.Columns)*h.cellWidth, top-float64(i/m.Columns)*h.cellHeight
		fillBox(canvas, left, up-h.cellHeight, left+h.cellWidth, up, sequential(v/h.limit))
	}
	frame := draw.LineStyle{Color: inkSoft(), Width: 0.6}
	canvas.StrokeLines(frame, []vg.Point{
		{X: vg.Length(x), Y: vg.Length(top)}, {X: vg.Length(x + width), Y: vg.Length(top)}, {X: vg.Length(x + width),
			Y: vg.Length(top - height)},
		{X: vg.Length(x), Y: vg.Length(top - height)}, {X: vg.Length(x), Y: vg.Length(top)},
	})
	if named {
		style := h.style(font.Length(min(plotTickSize, 1.1*h.cellHeight)), inkSoft(), draw.XRight)
		for r, name := range h.rows {
			canvas.FillText(style, vg.Point{X: vg.Length(x - 6), Y: vg.Length(top - (float64(r)+0.5)*h.cellHeight)},
				shorten(clean(name), rowName))
		}
	}
	step := columnStep(h.cellWidth)
	ticks := h.style(plotTickSize-1, inkSoft(), draw.XCenter)
	for c := 0; c < m.Columns; c += step {
		canvas.FillText(ticks, vg.Point{X: vg.Length(x + (float64(c)+0.5)*h.cellWidth),
			Y: vg.Length(top - height - panelFoot/2)}, strconv.Itoa(c))
	}
}

// columnStep returns the distance of the columns whose numbers have room.
func columnStep(cellWidth float64) int {
	for step := 1; ; step *= 10 {
		for _, s := range []int{step, 2 * step, 5 * step} {
			if float64(s)*cellWidth >= 22 {
				return s
			}
		}
	}
}

// scale draws the bar of colours around the given middle.
func (h *heatMaps) scale(canvas draw.Canvas, middle, top float64) {
	const steps, wide, high = 100, 200.0, 9.0
	left := middle - wide/2
	top -= 8
	for i := range steps {
		from := left + wide*float64(i)/steps
		fillBox(canvas, from, top-high, left+wide, top, sequential((float64(i)+0.5)/steps))
	}
	canvas.StrokeLines(draw.LineStyle{Color: inkSoft(), Width: 0.6}, []vg.Point{
		{X: vg.Length(left), Y: vg.Length(top)}, {X: vg.Length(left + wide),
			Y: vg.Length(top)}, {X: vg.Length(left + wide), Y: vg.Length(top - high)},
		{X: vg.Length(left), Y: vg.Length(top - high)}, {X: vg.Length(left), Y: vg.Length(top)},
	})
	below := vg.Length(top - high - 10)
	canvas.FillText(h.style(plotTickSize-1, inkSoft(), draw.XCenter), vg.Point{X: vg.Length(left), Y: below}, "0")
	canvas.FillText(h.style(plotTickSize-1, inkSoft(), draw.XCenter), vg.Point{X: vg.Length(left + wide), Y: below},
		number(h.limit, 3))
	canvas.FillText(h.style(plotTickSize, inkDark(), draw.XCenter), vg.Point{X: vg.Length(middle), Y: below},
		shorten(clean(h.chart.Y.Label), labelMax))
}

func fillBox(canvas draw.Canvas, x0, y0, x1, y1 float64, c colour) {
	canvas.FillPolygon(c.rgba(1), []vg.Point{
		{X: vg.Length(x0), Y: vg.Length(y0)}, {X: vg.Length(x0), Y: vg.Length(y1)}, {X: vg.Length(x1),
			Y: vg.Length(y1)}, {X: vg.Length(x1), Y: vg.Length(y0)},
	})
}
