package render

import (
	"errors"
	"fmt"
	"io"
	"math"
)

// Measures of a page in pixels.
const (
	margin      = 16.0
	titleSize   = 15.0
	cellTitle   = 12.5
	captionSize = 12.0
	titleSpace  = 10.0  // between the title of a grid and its first row
	leastWidth  = 240.0 // text under a tiny drawing still gets this width,
	wideText    = 440.0 // and makes a single column this wide before it wraps
)

// Grid writes several drawings as one SVG document, row by row, in the given number of columns. They
// share one colour scale, so colours compare between them, and one legend; the largest magnitude of
// all is its end unless style.Limit says otherwise. No drawings make an empty page with the title.
// Errors name the drawing by its index.
func Grid(w io.Writer, title string, drawings []Drawing, columns int, style Style) error {
	if columns < 1 {
		return errors.New("a grid needs at least one column")
	}
	if err := style.check(); err != nil {
		return err
	}
	for i := range drawings {
		if err := drawings[i].check(); err != nil {
			if len(drawings) > 1 {
				return fmt.Errorf("drawing %d: %w", i, err)
			}
			return fmt.Errorf("drawing: %w", err)
		}
	}
	p := newPage(title, drawings, columns, style.withDefaults())
	doc := p.document()
	_, err := w.Write(doc.buf.Bytes())
	return err
}

// page is one or several pictures with their texts and the legend.
type page struct {
	title   []string // lines
	text    typesetter
	cells   []cell
	columns int
	legends []legend

	cellWidth     float64
	rowHeights    []float64 // of a row's pictures
	width, height float64
	label         string // for screen readers
}

type cell struct {
	picture        *picture
	title, caption []string
}

func newPage(title string, drawings []Drawing, columns int, style Style) *page {
	columns = max(1, min(columns, len(drawings)))
	p := &page{columns: columns, text: newTypesetter()}
	limit := style.Limit
	if limit == 0 {
		for i := range drawings {
			limit = max(limit, drawings[i].largest())
		}
	}
	colours := kindsOf(drawings)
	maxWidth := (style.MaxWidth-2*margin+margin)/float64(columns) - margin
	maxHeight := style.MaxHeight
	if len(drawings) > 1 {
		maxHeight = min(maxHeight, 0.8*maxWidth)
	}
	p.cellWidth = leastWidth
	if columns > 1 {
		p.cellWidth = 150
	}
	for i := range drawings {
		pic := newPicture(&drawings[i])
		pic.limit = limit
		pic.fit(style, p.text, maxWidth, maxHeight)
		for v := range pic.at {
			pic.fills = append(pic.fills, colours.colour(pic.drawing, v, limit))
		}
		for _, v := range drawings[i].Faded {
			pic.fills[v] = mix(pic.fills[v], rgb(0xffffff), 0.75)
		}
		p.cells = append(p.cells, cell{picture: pic})
		p.cellWidth = max(p.cellWidth, pic.width)
	}
	if !style.NoLegend {
		p.addLegends(colours, limit)
	}
	if columns == 1 {
		for _, l := range p.legends {
			p.cellWidth = max(p.cellWidth, l.width)
		}
		for _, d := range drawings {
			text := max(p.text.width(d.Title, titleSize, true), p.text.width(d.Caption, captionSize, false))
			p.cellWidth = max(p.cellWidth, min(text+1, wideText))
		}
	}
	p.arrange(title, len(drawings) == 1)
	return p
}

// addLegends decides which legends the page needs: a scale where anything is coloured by value, the
// meaning of sizes, and swatches where kinds are coloured but not all named.
func (p *page) addLegends(colours kinds, limit float64) {
	unnamed, scaled, sized, positive := false, false, false, true
	for _, c := range p.cells {
		positive = positive && c.picture.drawing.positive()
	}
	for _, c := range p.cells {
		d := c.picture.drawing
		if d.signed() && !scaled {
			scaled = true
			p.legends = append(p.legends, scaleLegend(p.text, d, limit, positive))
		}
		if c.picture.scales != nil && !sized {
			sized = true
			p.legends = append(p.legends, sizeLegend(p.text, d, colours))
		}
		if len(d.Contributions) > 0 {
			continue
		}
		unnamed = unnamed || len(d.Kinds) > 0
		for _, place := range c.picture.names {
			unnamed = unnamed || place == nameHidden
		}
	}
	if unnamed && len(colours.order) > 0 {
		width := float64(p.columns)*(p.cellWidth+margin) - margin
		p.legends = append(p.legends, kindLegend(p.text, colours, width))
	}
}

// arrange wraps all texts and adds up the sizes.
func (p *page) arrange(title string, single bool) {
	inner := float64(p.columns)*(p.cellWidth+margin) - margin
	for _, l := range p.legends {
		inner = max(inner, l.width)
	}
	p.width = inner + 2*margin
	size := cellTitle
	if single {
		size = titleSize
	}
	p.title = p.text.wrap(title, titleSize, inner, true)
	p.height = margin + float64(len(p.title))*1.3*titleSize
	if len(p.title) > 0 {
		p.height += titleSpace
	}
	for first := 0; first < len(p.cells); first += p.columns {
		var titles, pictures, captions float64
		for i := first; i < min(first+p.columns, len(p.cells)); i++ {
			c := &p.cells[i]
			c.title = p.text.wrap(c.picture.drawing.Title, size, p.cellWidth, true)
			c.caption = p.text.wrap(c.picture.drawing.Caption, captionSize, p.cellWidth, false)
			titles = max(titles, float64(len(c.title)))
			pictures = max(pictures, c.picture.height)
			captions = max(captions, float64(len(c.caption)))
		}
		p.rowHeights = append(p.rowHeights, pictures)
		p.height += titles*1.3*size + pictures + captions*1.35*captionSize + margin
	}
	for _, l := range p.legends {
		p.height += l.height + 10
	}
	p.width, p.height = math.Ceil(p.width), math.Ceil(p.height)
	p.label = title
	if single {
		d := p.cells[0].picture.drawing
		if p.label = d.Title; p.label == "" {
			p.label = "Graph"
		}
		n, _ := d.size()
		p.label += fmt.Sprintf(": %d vertices, %d edges", n, len(p.cells[0].picture.edgeList()))
	} else if p.label == "" {
		p.label = fmt.Sprintf("%d graphs", len(p.cells))
	}
}

// document draws the page.
func (p *page) document() *document {
	doc := &document{}
	doc.open("svg", "xmlns", "http://www.w3.org/2000/svg", "viewBox", "0 0 "+px(p.width)+" "+px(p.height),
		"width", px(p.width), "height", px(p.height), "role", "img", "aria-label", p.label,
		"style", "max-width:100%;height:auto", "font-family", fontStack)
	doc.text("title", p.label)
	doc.element("rect", "width", px(p.width), "height", px(p.height), "rx", "6", "fill", "#ffffff")
	y := margin
	y = p.lines(doc, p.title, p.width/2, y, titleSize, "bold", "#1c1c1c")
	if len(p.title) > 0 {
		y += titleSpace
	}
	single := len(p.cells) == 1
	size := cellTitle
	if single {
		size = titleSize
	}
	left := (p.width - (float64(p.columns)*(p.cellWidth+margin) - margin)) / 2
	for row := range p.rowHeights {
		cells := p.cells[row*p.columns : min((row+1)*p.columns, len(p.cells))]
		middle := func(i int) float64 { return left + float64(i)*(p.cellWidth+margin) + p.cellWidth/2 }
		below := y
		for i, c := range cells {
			below = max(below, p.lines(doc, c.title, middle(i), y, size, "bold", "#1c1c1c"))
		}
		y = below
		for i, c := range cells {
			c.picture.draw(doc, middle(i)-c.picture.width/2, y+(p.rowHeights[row]-c.picture.height)/2)
		}
		y += p.rowHeights[row]
		if single {
			y = p.drawLegends(doc, y)
		}
		below = y
		for i, c := range cells {
			below = max(below, p.lines(doc, c.caption, middle(i), y, captionSize, "normal", "#50565e"))
		}
		y = below + margin
	}
	if !single {
		p.drawLegends(doc, y-margin/2)
	}
	doc.close("svg")
	return doc
}

func (p *page) drawLegends(doc *document, y float64) float64 {
	for _, l := range p.legends {
		l.draw(doc, (p.width-l.width)/2, y+4)
		y += l.height + 10
	}
	return y
}

// lines sets centred lines of text from y downwards and returns the y below them.
func (p *page) lines(doc *document, lines []string, x, y, size float64, weight, fill string) float64 {
	step := 1.3 * size
	if weight == "normal" {
		step = 1.35 * size
	}
	for _, line := range lines {
		doc.text("text", line, "x", px(x), "y", px(y+0.95*size), "font-size", px(size), "font-weight", weight,
			"text-anchor", "middle", "fill", fill)
		y += step
	}
	return y
}

// draw writes the picture with its top left corner at x, y.
func (p *picture) draw(doc *document, x, y float64) {
	doc.open("g", "class", "graph", "transform", "translate("+px(x)+" "+px(y)+")")
	p.marker(doc)
	p.edges(doc)
	p.vertices(doc)
	if len(p.at) == 0 {
		doc.text("text", "no vertices", "x", px(p.width/2), "y", px(p.height/2+4), "font-size", px(captionSize),
			"text-anchor", "middle", "fill", "#7a8088")
	}
	doc.close("g")
}
