package render

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/spatial/r2"
)

// vertices draws the discs, each with its name and a tooltip.
func (p *picture) vertices(doc *document) {
	for v := range p.at {
		doc.open("g", "class", "vertex")
		doc.text("title", p.tooltip(v))
		if p.drawing.chemical() {
			p.atom(doc, v)
		} else {
			p.disc(doc, v)
			p.name(doc, v)
		}
		doc.close("g")
	}
}

func (p *picture) disc(doc *document, v int) {
	stroke, width := "#ffffff", 1.2
	if len(p.drawing.Contributions) > 0 {
		stroke, width = "#5a5a5a", 1
	}
	if p.radius < 4 {
		width = 0.5
	}
	doc.element("circle", "cx", px(p.at[v].X), "cy", px(p.at[v].Y), "r", px(p.discRadius(v)),
		"fill", p.fills[v].String(), "stroke", stroke, "stroke-width", px(width))
}

func (p *picture) name(doc *document, v int) {
	switch p.names[v] {
	case nameInside:
		if p.drawing.Names[v] == "" {
			return
		}
		// Capitals are 0.716 em high in Arial: half of that below the centre puts them in the middle.
		size := p.nameSize(v)
		doc.text("text", p.drawing.Names[v], "x", px(p.at[v].X), "y", px(p.at[v].Y+0.358*size), "font-size", px(size),
			"font-weight", "bold", "text-anchor", "middle", "fill", onTop(p.fills[v]).String())
	case nameBelow:
		name := shorten(p.drawing.Names[v], maxBelow)
		x, y, wide := p.at[v].X, p.at[v].Y+p.discRadius(v)+1, p.nameWidths[v]
		doc.element("rect", "x", px(x-wide/2), "y", px(y), "width", px(wide), "height", px(belowSize+2), "rx", "3",
			"fill", "#ffffff", "opacity", "0.8")
		doc.text("text", name, "x", px(x), "y", px(y+0.9*belowSize), "font-size", px(p.fontSize), "text-anchor", "middle",
			"fill", "#1c1c1c")
	}
}

// tooltip says all that is known of a vertex in one line.
func (p *picture) tooltip(v int) string {
	d := p.drawing
	var b strings.Builder
	fmt.Fprintf(&b, "vertex %d", v)
	from, _ := d.Batch.Vertices(d.Graph)
	switch {
	case d.chemical():
		b.WriteString(": " + p.plain(v))
	case len(d.Names) > 0 && d.Names[v] != "":
		b.WriteString(": " + d.Names[v])
	case d.Batch.Labels != nil:
		fmt.Fprintf(&b, ": label %d", d.Batch.Labels[int(from)+v])
	}
	if len(d.Kinds) > 0 {
		b.WriteString(", " + d.kindOf(v))
	}
	if len(d.Sizes) > 0 {
		b.WriteString(", " + cmp.Or(d.Size, "size") + " " + strconv.FormatFloat(d.Sizes[v], 'g', 4, 64))
	}
	if len(d.Contributions) > 0 {
		b.WriteString(", " + d.measure() + " " + strconv.FormatFloat(d.Contributions[v], 'g', 5, 64))
	}
	return b.String()
}

// marker draws what lies under the highlighted vertices and the edges between them.
func (p *picture) marker(doc *document) {
	if len(p.drawing.Highlight) == 0 {
		return
	}
	marked := make([]bool, len(p.at))
	for _, v := range p.drawing.Highlight {
		marked[v] = true
	}
	// One group with one opacity: overlapping strokes do not darken.
	doc.open("g", "class", "highlight", "opacity", "0.85", "stroke", markerColour, "fill", markerColour,
		"stroke-width", px(1.3*p.radius), "stroke-linecap", "round")
	for _, e := range p.edgeList() {
		if marked[e.tail] && marked[e.head] && e.tail != e.head {
			doc.line(p.at[e.tail], p.at[e.head])
		}
	}
	for v, at := range p.at {
		if marked[v] {
			doc.element("circle", "cx", px(at.X), "cy", px(at.Y), "r", px(p.discRadius(v)+min(5, 0.5*p.radius)),
				"stroke", "none")
		}
	}
	doc.close("g")
}

const markerColour = "#ffcf3d"

func (d *document) line(a, b r2.Vec, attributes ...string) {
	d.element("line", append([]string{"x1", px(a.X), "y1", px(a.Y), "x2", px(b.X), "y2", px(b.Y)}, attributes...)...)
}
