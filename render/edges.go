package render

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/grove-graph/grove/render/layout"
	"gonum.org/v1/gonum/spatial/r2"
)

// edge is what is drawn of the arcs between two vertices: one line, or one loop where both are the same.
type edge struct {
	tail, head       int
	forward, reverse bool // which directions have an arc
	order            int
	score            float64
	middle           *r2.Vec // of a fan, where its line ends
}

// edgeList merges the arcs of the graph: a pair of vertices has one edge whatever the number of arcs
// between them. Its score is the mean over the arcs, its bond order that of the first arc.
func (p *picture) edgeList() []edge {
	d := p.drawing
	from, to := d.Batch.Vertices(d.Graph)
	firstArc := d.Batch.RowPtr[from]
	index := make(map[[2]int]int)
	arcs := make([]int, 0)
	var edges []edge
	for u := from; u < to; u++ {
		for at := d.Batch.RowPtr[u]; at < d.Batch.RowPtr[u+1]; at++ {
			arc := int(at - firstArc)
			tail, head := int(u-from), int(d.Batch.Col[at]-from)
			key := [2]int{min(tail, head), max(tail, head)}
			i, known := index[key]
			if !known {
				i = len(edges)
				index[key] = i
				e := edge{tail: tail, head: head, order: Single}
				if len(d.BondOrders) > 0 {
					e.order = max(d.BondOrders[arc], Single)
				}
				edges = append(edges, e)
				arcs = append(arcs, 0)
			}
			if edges[i].tail == tail {
				edges[i].forward = true
			} else {
				edges[i].reverse = true
			}
			if len(d.ArcScores) > 0 {
				arcs[i]++
				k := float64(arcs[i])
				edges[i].score = edges[i].score*((k-1)/k) + d.ArcScores[arc]/k
			}
		}
	}
	return edges
}

// withFans draws the bonds of a metal to a group of atoms that hang together as one line to the middle of the group,
// whose score is the mean of theirs.
func (p *picture) withFans(list []edge) []edge {
	d := p.drawing
	for _, f := range layout.Fans(d.Batch, d.Graph, d.Formula().Metals) {
		metal, line := int(f.Metal), edge{tail: int(f.Metal), head: int(f.Metal), order: Single}
		in := func(v int) bool { return slices.Contains(f.Group, int32(v)) }
		var middle r2.Vec
		rest := list[:0:0]
		for _, e := range list {
			if e.middle != nil || (e.tail != metal || !in(e.head)) && (e.head != metal || !in(e.tail)) {
				rest = append(rest, e)
				continue
			}
			line.score += e.score / float64(len(f.Group))
		}
		for _, v := range f.Group {
			middle = r2.Add(middle, r2.Scale(1/float64(len(f.Group)), p.at[v]))
		}
		line.middle = &middle
		list = append(rest, line)
	}
	return list
}

// edges draws all edges below the discs.
func (p *picture) edges(doc *document) {
	list := p.withFans(p.edgeList())
	const widest = 1.8
	stroke, width := rgb(0x6b7078), widest
	n := len(p.at)
	switch density := float64(len(list)) / float64(max(n, 1)); {
	case density > 6:
		stroke, width = rgb(0xb9bec6), 0.8
	case density > 2.5:
		stroke, width = rgb(0x9aa0a9), 1.1
	}
	width = min(width, max(0.4, 0.24*p.radius))
	doc.open("g", "class", "edges", "stroke", stroke.String(), "stroke-width", px(width), "stroke-linecap", "round",
		"fill", "none")
	centres := p.ringCentres()
	for _, e := range list {
		scored := len(p.drawing.ArcScores) > 0
		var attributes []string
		ink, thick := stroke, width
		if scored {
			t := 0.0
			if p.limit > 0 {
				t = min(1, max(-1, e.score/p.limit))
			}
			ink, thick = diverging(t), (1.5+5*math.Abs(t))*width/widest
			ink = mix(ink, rgb(0x6b7078), 0.35*(1-math.Abs(t))) // the middle of the scale is too pale for a line
			attributes = []string{"stroke", ink.String(), "stroke-width", px(thick)}
			doc.open("g")
			doc.text("title", fmt.Sprintf("edge %d–%d, score %s", e.tail, e.head, strconv.FormatFloat(e.score, 'g', 5, 64)))
		}
		if e.middle != nil {
			doc.line(p.at[e.tail], *e.middle, attributes...)
		} else if e.tail == e.head {
			p.loop(doc, e, attributes)
		} else {
			p.bond(doc, e, thick, centres, attributes)
			p.arrows(doc, e, thick, ink)
		}
		if scored {
			doc.close("g")
		}
	}
	doc.close("g")
}

// ringCentres returns for every edge of a ring the centre of its smallest ring, the side on which
// the second line of a double bond belongs.
func (p *picture) ringCentres() map[[2]int]r2.Vec {
	if len(p.drawing.BondOrders) == 0 {
		return nil
	}
	centres := map[[2]int]r2.Vec{}
	sizes := map[[2]int]int{}
	for _, ring := range layout.Rings(p.drawing.Batch, p.drawing.Graph, p.drawing.Formula().Metals) {
		var centre r2.Vec
		for _, v := range ring {
			centre = r2.Add(centre, r2.Scale(1/float64(len(ring)), p.at[v]))
		}
		for i, v := range ring {
			w := ring[(i+1)%len(ring)]
			key := [2]int{int(min(v, w)), int(max(v, w))}
			if size, known := sizes[key]; !known || len(ring) < size {
				centres[key], sizes[key] = centre, len(ring)
			}
		}
	}
	return centres
}

// bond draws an edge as one, two or three lines; the second line of an aromatic bond is dashed, and
// in a ring it lies inside.
func (p *picture) bond(doc *document, e edge, thick float64, centres map[[2]int]r2.Vec, attributes []string) {
	a, b := p.at[e.tail], p.at[e.head]
	along := r2.Sub(b, a)
	length := r2.Norm(along)
	if length == 0 {
		return
	}
	normal := r2.Scale(1/length, r2.Vec{X: -along.Y, Y: along.X})
	shifted := func(by, shorten float64, extra ...string) {
		shift := r2.Scale(by, normal)
		cut := r2.Scale(shorten, along)
		doc.line(r2.Add(r2.Add(a, shift), cut), r2.Sub(r2.Add(b, shift), cut), append(extra, attributes...)...)
	}
	spacing := min(0.1*p.unit, 0.42*p.radius) + thick - 1.8
	switch e.order {
	case Double, Aromatic:
		var dashes []string
		if e.order == Aromatic {
			dashes = []string{"stroke-dasharray", px(0.07*p.unit) + " " + px(0.075*p.unit)}
		}
		if centre, inRing := centres[[2]int{min(e.tail, e.head), max(e.tail, e.head)}]; inRing || e.order == Aromatic {
			side := 1.0
			if inRing && r2.Dot(normal, r2.Sub(centre, a)) < 0 {
				side = -1
			}
			shifted(0, 0)
			shifted(side*1.15*spacing, 0.12, dashes...)
			return
		}
		shifted(spacing/2, 0)
		shifted(-spacing/2, 0)
	case Triple:
		shifted(0, 0)
		shifted(spacing*0.95, 0)
		shifted(-spacing*0.95, 0)
	default:
		shifted(0, 0)
	}
}

// arrows draws the heads of the arcs of a directed graph where the line meets the disc.
func (p *picture) arrows(doc *document, e edge, thick float64, ink colour) {
	if !p.drawing.Batch.Directed {
		return
	}
	head := func(tail, head int) {
		from, to := p.at[tail], p.at[head]
		along := r2.Unit(r2.Sub(to, from))
		side := r2.Vec{X: -along.Y, Y: along.X}
		size := min(4+1.5*thick, 0.25*p.unit)
		tip := r2.Sub(to, r2.Scale(p.discRadius(head)+1, along))
		base := r2.Sub(tip, r2.Scale(1.5*size, along))
		left, right := r2.Add(base, r2.Scale(0.55*size, side)), r2.Sub(base, r2.Scale(0.55*size, side))
		points := ""
		for _, q := range []r2.Vec{tip, left, right} {
			points += px(q.X) + "," + px(q.Y) + " "
		}
		doc.element("polygon", "points", points[:len(points)-1], "fill", ink.String(), "stroke", "none")
	}
	if e.forward {
		head(e.tail, e.head)
	}
	if e.reverse {
		head(e.head, e.tail)
	}
}

// loop draws a self loop as a drop on the side of its vertex that faces away from the neighbours.
func (p *picture) loop(doc *document, e edge, attributes []string) {
	at := p.at[e.tail]
	away := r2.Vec{}
	d := p.drawing
	from, _ := d.Batch.Vertices(d.Graph)
	for _, v := range d.Batch.Neighbors(from + int32(e.tail)) {
		if w := int(v - from); w != e.tail {
			away = r2.Sub(away, r2.Unit(r2.Sub(p.at[w], at)))
		}
	}
	if r2.Norm(away) < 1e-3 {
		away = r2.Vec{Y: -1}
	}
	away = r2.Unit(away)
	radius := p.discRadius(e.tail)
	reach := r2.Scale(radius+min(radius+4, 7)*1.6, away)
	side := r2.Scale(radius*1.1, r2.Vec{X: -away.Y, Y: away.X})
	left, right := r2.Add(r2.Add(at, reach), side), r2.Sub(r2.Add(at, reach), side)
	path := fmt.Sprintf("M%s %sC%s %s %s %s %s %s", px(at.X), px(at.Y), px(left.X), px(left.Y), px(right.X), px(right.Y),
		px(at.X), px(at.Y))
	doc.element("path", append([]string{"d", path}, attributes...)...)
}
