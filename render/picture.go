package render

import (
	"math"
	"slices"

	"github.com/grove-graph/grove/render/layout"
	"gonum.org/v1/gonum/spatial/r2"
)

// Where a vertex's name is set.
const (
	nameHidden = iota // in the tooltip only
	nameInside
	nameBelow
)

const (
	maxInside    = 3  // characters that fit a disc
	maxBelow     = 16 // characters below a disc before an ellipsis
	belowSize    = 11 // font size below discs, pixels
	smallestText = 6.5
)

// picture is a drawing with all its measures decided: pixels from the top left corner of its box.
type picture struct {
	drawing       *Drawing
	layout        layout.Layout
	at            []r2.Vec
	unit          float64   // pixels for a distance of 1 in the layout
	radius        float64   // of an ordinary disc
	scales        []float64 // of the discs, times radius; nil for 1
	width, height float64
	names         []int     // nameHidden, nameInside or nameBelow per vertex
	nameWidths    []float64 // of names below discs
	fontSize      float64
	text          typesetter
	fills         []colour
	limit         float64 // value at the ends of the colour scale
}

// newPicture lays the drawing's graph out. It has no size yet, see fit.
func newPicture(d *Drawing) *picture {
	return &picture{drawing: d, layout: layout.Place(d.Batch, d.Graph, d.Formula())}
}

// fit decides all measures for a box of at most maxWidth x maxHeight.
func (p *picture) fit(style Style, text typesetter, maxWidth, maxHeight float64) {
	d := p.drawing
	n := len(p.layout.Points)
	extent := r2.Sub(p.layout.Max, p.layout.Min)
	wanted := style.Radius
	p.text = text
	inside := len(d.Names) > 0 && !d.chemical()
	for _, name := range d.Names {
		inside = inside && len([]rune(name)) <= maxInside
	}
	if !inside && !d.chemical() {
		wanted *= 0.6
	}
	below := len(d.Names) > 0 && !inside && !d.chemical()
	left, right, top, bottom := wanted+8, wanted+8, wanted+8, wanted+8
	if d.chemical() { // texts stand out on either side
		left, right = 2*left, 2*right
	}
	p.unit = style.EdgeLength
	if below {
		widest := p.measureNames(text)
		left, right, bottom = max(left, widest/2+4), max(right, widest/2+4), bottom+belowSize+6
		p.unit = max(p.unit, min(p.unitForNames(wanted), 4*style.EdgeLength))
	}
	p.unit = min(p.unit, pixelsPerUnit(maxWidth-left-right, extent.X), pixelsPerUnit(maxHeight-top-bottom, extent.Y))
	p.radius = min(wanted, 0.45*p.layout.Closest*p.unit, 0.36*p.unit) // edges stay visible
	if p.scales = discScales(d.Sizes); p.scales != nil {
		largest := slices.Max(p.scales)
		p.radius = min(p.radius, 0.48*p.layout.Closest*p.unit/largest, 0.44*p.unit/largest)
	}
	p.width = math.Ceil(extent.X*p.unit + left + right)
	p.height = math.Ceil(extent.Y*p.unit + top + bottom)
	p.at = make([]r2.Vec, n)
	for v, q := range p.layout.Points {
		p.at[v] = r2.Vec{X: left + (q.X-p.layout.Min.X)*p.unit, Y: top + (p.layout.Max.Y-q.Y)*p.unit}
	}
	p.names = make([]int, n)
	switch {
	case inside:
		p.namesInside(text)
	case below:
		p.namesBelow()
	case d.chemical():
		p.fontSize = 1.15 * p.radius
	}
}

// Bounds of the discs of different sizes, in parts of an ordinary one.
const (
	smallestDisc = 0.5
	largestDisc  = 1.6
)

// discScales returns the radius of every disc in parts of an ordinary one, which has the mean size.
func discScales(sizes []float64) []float64 {
	mean := 0.0
	for _, x := range sizes {
		mean += x / float64(len(sizes))
	}
	if mean == 0 {
		return nil
	}
	scales := make([]float64, len(sizes))
	for v, x := range sizes {
		scales[v] = min(max(math.Sqrt(x/mean), smallestDisc), largestDisc)
	}
	return scales
}

// discRadius returns the radius of the disc of a vertex.
func (p *picture) discRadius(v int) float64 {
	if p.scales == nil {
		return p.radius
	}
	return p.scales[v] * p.radius
}

// nameSize returns the size of the name in a disc.
func (p *picture) nameSize(v int) float64 {
	if p.scales == nil || p.names[v] != nameInside {
		return p.fontSize
	}
	return p.scales[v] * p.fontSize
}

// pixelsPerUnit returns the pixels per unit that let an extent fill the space.
func pixelsPerUnit(space, extent float64) float64 {
	if extent <= 0 {
		return math.Inf(1)
	}
	return max(space, 40) / extent
}

// namesInside sets all names in their discs, in one size that lets the widest fit, unless the discs
// are too small to be read.
func (p *picture) namesInside(text typesetter) {
	widest := 0.0
	for _, name := range p.drawing.Names {
		widest = max(widest, text.width(name, 1, true))
	}
	p.fontSize = min(1.15*p.radius, 1.9*p.radius/max(widest, 0.1))
	if p.fontSize < smallestText {
		return
	}
	for v := range p.names {
		p.names[v] = nameInside
	}
}

// nameBox returns the corners of the box of vertex v's name below its disc.
func (p *picture) nameBox(v int) (lo, hi r2.Vec) {
	at, wide := p.at[v], p.nameWidths[v]
	top := at.Y + p.discRadius(v) + 1
	return r2.Vec{X: at.X - wide/2, Y: top}, r2.Vec{X: at.X + wide/2, Y: top + belowSize + 3}
}

func (p *picture) measureNames(text typesetter) (widest float64) {
	p.nameWidths = make([]float64, len(p.drawing.Names))
	for v, name := range p.drawing.Names {
		p.nameWidths[v] = text.width(shorten(name, maxBelow), belowSize, false) + 2
		widest = max(widest, p.nameWidths[v])
	}
	return widest
}

// unitForNames returns the smallest unit at which no two names below discs overlap, nor a name and a
// disc. Boxes keep their size while centres move apart, so each pair asks for one unit.
func (p *picture) unitForNames(radius float64) float64 {
	points := p.layout.Points
	if len(points) > 150 {
		return 0
	}
	widths := p.nameWidths
	high := belowSize + 4 + 2*radius
	unit := 0.0
	for i, a := range points {
		for j, b := range points[:i] {
			wide := max((widths[i]+widths[j])/2, radius+max(widths[i], widths[j])/2)
			need := min(wide/max(math.Abs(a.X-b.X), 1e-9), high/max(math.Abs(a.Y-b.Y), 1e-9))
			unit = max(unit, need)
		}
	}
	return unit
}

// namesBelow sets names below their discs, in the order of vertices, each unless it would lie on a
// disc or on a name that is already set.
func (p *picture) namesBelow() {
	p.fontSize = belowSize
	type box struct{ lo, hi r2.Vec }
	var taken []box
	if len(p.at) > 400 {
		return
	}
	overlap := func(a, b box) bool {
		return a.lo.X < b.hi.X && b.lo.X < a.hi.X && a.lo.Y < b.hi.Y && b.lo.Y < a.hi.Y
	}
	for v, at := range p.at {
		half := r2.Vec{X: p.discRadius(v), Y: p.discRadius(v)}
		taken = append(taken, box{r2.Sub(at, half), r2.Add(at, half)})
	}
	for v, name := range p.drawing.Names {
		lo, hi := p.nameBox(v)
		free := name != ""
		for _, other := range taken {
			free = free && !overlap(box{lo, hi}, other)
		}
		if free {
			p.names[v] = nameBelow
			taken = append(taken, box{lo, hi})
		}
	}
}
