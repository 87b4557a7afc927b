package render

import (
	"strconv"
	"strings"

	"github.com/grove-graph/grove/render/layout"
	"github.com/grove-graph/grove/smiles"
	"gonum.org/v1/gonum/spatial/r2"
)

// run is a piece of the text of an atom: on the line, or small and raised or lowered.
type run struct {
	text  string
	shift float64 // of the baseline downwards, in parts of the font size
}

const (
	raised  = -0.36
	lowered = 0.18
	small   = 0.7 // size of what is raised or lowered

	// Pieces stand as far apart as a font between Liberation Sans and its widest substitute needs.
	slack = spare / 1.08
)

// atomText is how an atom is written: its symbol, which stands on the vertex, with what is to its left and right.
type atomText struct{ left, symbol, right []run }

// atomTextOf writes an atom as chemists do: with its hydrogens, isotope and charge, and not at all where it is a carbon
// between others. The hydrogens stand to the left where all neighbours lie to the right.
func (p *picture) atomTextOf(v int) (t atomText, written bool) {
	d := p.drawing
	a := &d.Atoms[v]
	from, _ := d.Batch.Vertices(d.Graph)
	neighbours := d.Batch.Neighbors(from + int32(v))
	if a.Element.String() == "C" && len(neighbours) > 1 && a.Charge == 0 && a.Isotope == 0 {
		return t, false
	}
	var lean float64 // of the neighbours to the right, in steps of an edge
	for _, w := range neighbours {
		lean += (p.at[int(w-from)].X - p.at[v].X) / p.unit
	}
	t.symbol = []run{{a.Element.String(), 0}}
	var hydrogens []run
	if a.Hydrogens > 0 {
		hydrogens = []run{{"H", 0}}
		if a.Hydrogens > 1 {
			hydrogens = append(hydrogens, run{strconv.Itoa(int(a.Hydrogens)), lowered})
		}
	}
	if a.Isotope > 0 {
		t.left = []run{{strconv.Itoa(int(a.Isotope)), raised}}
	}
	if len(neighbours) > 0 && lean > 0.4*float64(len(neighbours)) {
		t.left = append(hydrogens, t.left...)
	} else {
		t.right = hydrogens
	}
	if a.Charge != 0 {
		t.right = append(t.right, run{chargeText(int(a.Charge)), raised})
	}
	return t, true
}

// chargeText writes a charge: "+", "2−".
func chargeText(charge int) string {
	sign, size := "+", charge
	if charge < 0 {
		sign, size = "−", -charge
	}
	if size == 1 {
		return sign
	}
	return strconv.Itoa(size) + sign
}

// chemical reports whether the drawing shows a molecule as chemists write it.
func (d *Drawing) chemical() bool { return len(d.Atoms) > 0 }

// straight marks the atoms with a triple bond or two double bonds, whose neighbours lie on a line; nil without bonds.
func (d *Drawing) straight() []bool {
	if !d.chemical() || len(d.BondOrders) == 0 {
		return nil
	}
	from, to := d.Batch.Vertices(d.Graph)
	straight := make([]bool, to-from)
	for v := from; v < to; v++ {
		first, last := d.Batch.RowPtr[v], d.Batch.RowPtr[v+1]
		if last-first != 2 {
			continue
		}
		at := first - d.Batch.RowPtr[from]
		a, b := d.BondOrders[at], d.BondOrders[at+1]
		straight[v-from] = a == Triple || b == Triple || a == Double && b == Double
	}
	return straight
}

// Formula says what a layout has to know of a molecule: which atoms are straight, and which are metals.
func (d *Drawing) Formula() layout.Formula {
	f := layout.Formula{Straight: d.straight()}
	for v, a := range d.Atoms {
		if a.Element.Metal() {
			if f.Metals == nil {
				f.Metals = make([]bool, len(d.Atoms))
			}
			f.Metals[v] = true
		}
	}
	return f
}

// coloured reports whether discs have colours beside those of their elements.
func (d *Drawing) coloured() bool {
	return len(d.Contributions) > 0 || len(d.Kinds) > 0 || len(d.Sizes) > 0
}

// atom draws an atom: its text on a plate that hides the bonds below it, or a small disc where it is not written and
// its colour says something.
func (p *picture) atom(doc *document, v int) {
	t, written := p.atomTextOf(v)
	at, radius := p.at[v], 0.45*p.discRadius(v)
	if len(p.drawing.Sizes) > 0 {
		radius = p.discRadius(v)
	}
	fill, ink := p.fills[v], onTop(p.fills[v])
	if !p.drawing.coloured() {
		fill, ink = rgb(0xffffff), mix(elementInk(p.drawing.Atoms[v].Element), rgb(0xffffff), p.pale(v))
	}
	outline := []string{"fill", fill.String(), "stroke", "none"}
	if len(p.drawing.Contributions) > 0 {
		outline = []string{"fill", fill.String(), "stroke", "#5a5a5a", "stroke-width", "0.8"}
	}
	if p.drawing.coloured() && (!written || len(p.drawing.Sizes) > 0) {
		doc.element("circle", append([]string{"cx", px(at.X), "cy", px(at.Y), "r", px(radius)}, outline...)...)
	}
	if !written {
		return
	}
	size := p.fontSize
	left, middle, right := p.runsWidth(t.left), p.runsWidth(t.symbol), p.runsWidth(t.right)
	high := 1.3 * size
	pad := 0.2 * size
	from, wide := at.X-middle/2-left-pad, left+middle+right+2*pad
	if wide < high {
		from, wide = from-(high-wide)/2, high
	}
	if len(p.drawing.Sizes) == 0 || wide > 2*radius {
		doc.element("rect", append([]string{"x", px(from), "y", px(at.Y - high/2), "width", px(wide), "height", px(high),
			"rx", px(high / 2)}, outline...)...)
	}
	p.runs(doc, t.left, r2.Vec{X: at.X - middle/2 - left, Y: at.Y}, ink)
	p.runs(doc, t.symbol, r2.Vec{X: at.X - middle/2, Y: at.Y}, ink)
	p.runs(doc, t.right, r2.Vec{X: at.X + middle/2, Y: at.Y}, ink)
}

// pale is how much of white is mixed into a vertex.
func (p *picture) pale(v int) float64 {
	for _, faded := range p.drawing.Faded {
		if faded == v {
			return 0.75
		}
	}
	return 0
}

// elementInk is the colour of an element as that of text.
func elementInk(e smiles.Element) colour {
	symbol := e.String()
	if symbol == "C" || symbol == "H" || symbol == "*" {
		return rgb(0x24272b)
	}
	return mix(elementColour(symbol), rgb(0x000000), 0.18)
}

// runsWidth returns the width of pieces of text.
func (p *picture) runsWidth(runs []run) (wide float64) {
	for _, r := range runs {
		wide += p.text.width(r.text, p.runSize(r), true) / slack
	}
	return wide
}

// runSize returns the font size of a piece of text.
func (p *picture) runSize(r run) float64 {
	if r.shift != 0 {
		return small * p.fontSize
	}
	return p.fontSize
}

// runs sets pieces of text one after another, from the left end of a line through the middle of its capitals.
func (p *picture) runs(doc *document, runs []run, from r2.Vec, ink colour) {
	for _, r := range runs {
		size := p.runSize(r)
		doc.text("text", r.text, "x", px(from.X), "y", px(from.Y+(0.358+r.shift)*p.fontSize), "font-size", px(size),
			"font-weight", "bold", "fill", ink.String())
		from.X += p.text.width(r.text, size, true) / slack
	}
}

// plain writes the text of an atom on one line, for tooltips.
func (p *picture) plain(v int) string {
	t, written := p.atomTextOf(v)
	if !written {
		return "C"
	}
	var b strings.Builder
	for _, runs := range [][]run{t.left, t.symbol, t.right} {
		for _, r := range runs {
			b.WriteString(r.text)
		}
	}
	return b.String()
}
