package render

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Measures of the labels right of a plot, in points.
const (
	leader     = 14 // between the data and a label, room for a line that leads there
	labelSpace = 14 // from line to line
	labelMax   = 36 // characters of a name
)

// endLabels writes the name of every curve right of the plot, as near to the curve's end as the
// other names allow.
type endLabels struct {
	handler text.Handler
	size    font.Length
	entries []endLabel
}

type endLabel struct {
	name string
	x, y float64 // the end of the curve
	ink  colour
}

// add appends the label of a curve; curves without a name get none.
func (l *endLabels) add(c *Curve, ink colour) {
	name := shorten(clean(c.Name), labelMax)
	if name != "" && len(c.Marked) == 1 {
		name += ": " + reading(c.Y[c.Marked[0]])
	}
	if name != "" {
		last := len(c.X) - 1
		l.entries = append(l.entries, endLabel{name, c.X[last], c.Y[last], ink})
	}
}

func (l *endLabels) style(ink colour) text.Style {
	return text.Style{
		Color: ink.rgba(1), Font: font.Font{Typeface: "Liberation", Variant: "Sans", Size: l.size},
		XAlign: draw.XLeft, YAlign: draw.YCenter, Handler: l.handler,
	}
}

// GlyphBoxes asks for the width of the widest label, with what a wider substitute font may take.
func (l *endLabels) GlyphBoxes(*plot.Plot) []plot.GlyphBox {
	var widest vg.Length
	for _, e := range l.entries {
		widest = max(widest, l.style(e.ink).Width(e.name))
	}
	if widest == 0 {
		return nil
	}
	return []plot.GlyphBox{{X: 1, Y: 0.5, Rectangle: vg.Rectangle{Max: vg.Point{X: leader + spare*widest + 4, Y: 0.1}}}}
}

func (l *endLabels) Plot(canvas draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&canvas)
	wanted := make([]float64, len(l.entries))
	for i, e := range l.entries {
		wanted[i] = float64(y(inside(&p.Y, e.y)))
	}
	gap := min(labelSpace, float64(canvas.Max.Y-canvas.Min.Y)/float64(max(len(wanted)-1, 1)))
	placed := separate(wanted, gap, float64(canvas.Min.Y), float64(canvas.Max.Y))
	for i, e := range l.entries {
		style := l.style(e.ink)
		from := vg.Point{X: x(inside(&p.X, e.x)) + 3, Y: vg.Length(wanted[i])}
		to := vg.Point{X: canvas.Max.X + leader - 2, Y: vg.Length(placed[i])}
		if to.X-from.X > leader || math.Abs(placed[i]-wanted[i]) > 3 {
			bend := vg.Point{X: canvas.Max.X + 3, Y: from.Y}
			canvas.StrokeLines(draw.LineStyle{Color: e.ink.rgba(0.45), Width: 0.7}, []vg.Point{from, bend, to})
		}
		canvas.FillText(style, vg.Point{X: canvas.Max.X + leader, Y: vg.Length(placed[i])}, e.name)
	}
}

// ascending returns the indices of values in the order of these; equal ones keep theirs.
func ascending[T ~float64](values []T) []int {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(values[i], values[j]) })
	return order
}

// separate moves positions apart until neighbours are at least gap from each other, each as near to
// where it wants to be as in a least-squares fit: positions in a clash form a block centred on their
// mean wish. The blocks are kept between lo and hi as far as they fit.
func separate(wanted []float64, gap, lo, hi float64) []float64 {
	order := ascending(wanted)
	type block struct {
		first, count int
		sum          float64 // of wished position minus offset within the block
	}
	start := func(b block) float64 {
		height := gap * float64(b.count-1)
		return max(lo, min(b.sum/float64(b.count), hi-height))
	}
	var blocks []block
	for k, i := range order {
		b := block{k, 1, wanted[i]}
		for len(blocks) > 0 {
			previous := blocks[len(blocks)-1]
			if start(previous)+gap*float64(previous.count) <= start(b) {
				break
			}
			b = block{previous.first, previous.count + b.count,
				previous.sum + b.sum - gap*float64(previous.count)*float64(b.count)}
			blocks = blocks[:len(blocks)-1]
		}
		blocks = append(blocks, b)
	}
	placed := make([]float64, len(wanted))
	for _, b := range blocks {
		for k := range b.count {
			placed[order[b.first+k]] = start(b) + gap*float64(k)
		}
	}
	return placed
}
