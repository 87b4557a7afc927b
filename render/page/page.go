package page

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"strings"
)

// Page is a report.
type Page struct {
	Title    string
	Facts    []Fact // what stands below the title, in order
	Sections []Section
}

// Fact is a name and what there is to say.
type Fact struct{ Name, Text string }

// Section is a part of a page under a heading. What is nil is not there.
type Section struct {
	Heading string
	ID      string // that cells link to, see [Cell]; the section opens where one is followed
	Text    string
	Facts   []Fact
	Table   *Table
	Figures []Figure
	More    []Section // each behind its heading, to be opened
}

// Table has a row for each thing and sorts by its columns.
type Table struct {
	Caption string
	Columns []Column
	Rows    []Row
}

// Column is one of a table. Help says what is in it.
type Column struct {
	Name, Help string
	Number     bool // its values are numbers: set right, sorted by [Cell].Value
}

// Row is one of a table; the first cell names it.
type Row struct {
	Cells []Cell
	Best  bool // it stands out
}

// Cell is a text, or a strip of dots.
type Cell struct {
	Text  string
	Value float64 // to sort by, NaN for none
	Dots  *Dots
	Link  string // the ID of a section that says more
}

// Dots are values on a common scale from Low to High, drawn as a strip; Unit stands behind each.
type Dots struct {
	Noun      string    // what each is of, "" for folds
	Values    []float64 // NaN for none
	Low, High float64
	Unit      string
}

// Figure is an SVG document with what it shows in words, for those who do not see it. Its colours follow those of the
// page: on a dark one light and dark change places.
type Figure struct {
	SVG  []byte
	Alt  string
	Wide bool // a narrow screen shows a part of it, to be moved, in place of all of it made small
}

// Inline returns the element of the document for the middle of a page.
func (f Figure) Inline() template.HTML { return template.HTML(themed(f.SVG)) } // #nosec: our own drawing

// Draw returns the figure that draw writes as SVG.
func Draw(alt string, draw func(w io.Writer) error) (Figure, error) {
	var out bytes.Buffer
	err := draw(&out)
	return Figure{SVG: out.Bytes(), Alt: alt}, err
}

// Number returns the cell of a number, written by a format; nothing for NaN.
func Number(v float64, format string) Cell {
	if math.IsNaN(v) {
		return Cell{Value: v}
	}
	return Cell{Text: fmt.Sprintf(format, v), Value: v}
}

// Sorted returns what a cell is sorted by: its number, or nothing where it has none.
func (c Cell) Sorted() string {
	if math.IsNaN(c.Value) {
		return ""
	}
	return fmt.Sprintf("%.12g", c.Value)
}

// dot is one of a strip, in the units of its view box.
type dot struct {
	X, Y float64
	Text string
}

// Width of a strip, and the room beside its dots.
const (
	stripWidth  = 160.0
	stripMargin = 6.0
)

// Places returns the dots of a strip; those that would lie on one another stand a little apart.
func (d *Dots) Places() []dot {
	noun := d.Noun
	if noun == "" {
		noun = "fold"
	}
	var places []dot
	for i, v := range d.Values {
		if math.IsNaN(v) {
			continue
		}
		x := stripWidth / 2
		if d.High > d.Low {
			x = stripMargin + (v-d.Low)/(d.High-d.Low)*(stripWidth-2*stripMargin)
		}
		text := fmt.Sprintf("%s %d: %.4g%s", noun, i+1, v, d.Unit)
		places = append(places, dot{math.Round(10*x) / 10, 6 + 4*float64(i%3), text})
	}
	return places
}

// Summary says the values in words.
func (d *Dots) Summary() string {
	noun, text := d.Noun, ""
	if noun == "" {
		noun = "fold"
	}
	for _, p := range d.Places() {
		_, value, _ := strings.Cut(p.Text, ":")
		text += value
	}
	return noun + "s:" + text
}

// Light declares the colours of all figures for a light page.
func (p *Page) Light() template.CSS {
	return palette(figures(p.Sections), func(_, colour string) string { return colour })
}

// Dark declares the same for a dark one.
func (p *Page) Dark() template.CSS { return palette(figures(p.Sections), dark) }

// figures returns those of sections and of all within them.
func figures(sections []Section) (all []Figure) {
	for _, s := range sections {
		all = append(append(all, s.Figures...), figures(s.More)...)
	}
	return all
}

//go:embed page.html
var source string

var page = template.Must(template.New("page").Parse(source))

// Write writes the page as HTML.
func (p *Page) Write(w io.Writer) error { return page.Execute(w, p) }
