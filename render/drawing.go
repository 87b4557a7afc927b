package render

import (
	"fmt"
	"io"
	"math"

	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/smiles"
)

// Bond orders as in a molfile (V2000 connection table): single, double, triple, aromatic.
const (
	Single   = 1
	Double   = 2
	Triple   = 3
	Aromatic = 4
)

// Drawing says what to draw of one graph. Vertices are numbered from 0 within the graph, arcs in the
// order of Batch.Col from the first arc of the graph. Every optional slice is nil or complete.
type Drawing struct {
	Batch *graph.Batch
	Graph int // which graph of the batch

	Title   string // above the drawing
	Caption string // below it: what is shown and where it comes from

	// Names of the vertices. Chemical symbols get their usual colours; names too long for a disc are
	// set below it. Without names vertices are small discs.
	Names []string

	// Atoms makes the drawing one of a molecule as chemists draw it: an atom is its symbol with its hydrogens, isotope
	// and charge, and a carbon between others is not written. Discs remain where their colour or size says something.
	Atoms []smiles.Atom

	// Contributions of the vertices to a prediction, of either sign: the colour of the discs. Without
	// them discs are coloured by kind, else by name, else by the batch's vertex labels.
	Contributions []float64

	// Sizes of the vertices, such as their importance: the area of a disc is in proportion to it, and a vertex of
	// the mean size has an ordinary disc. Discs stay within half and 1.6 times the ordinary radius.
	Sizes []float64
	Size  string // what they measure; "" means "size"

	// Kinds of the vertices, counted from 0, such as hidden states. The legend lists them, each by its number
	// after the word in Kind; "" means "kind".
	Kinds []int
	Kind  string

	// ArcScores give edges colour and width, on the same scale as Contributions. The score of an
	// undirected edge is the mean over its two arcs.
	ArcScores []float64

	// BondOrders of the arcs: [Single], [Double], [Triple] or [Aromatic]; 0 is drawn as Single.
	BondOrders []int

	// Faded vertices are drawn pale, for what is not to be looked at.
	Faded []int

	// Highlight marks vertices, and the edges between them, as with a marker pen.
	Highlight []int

	Measure  string // what the colours measure; "" means "contribution"
	Negative string // what the negative end of the scale speaks for, for instance "class 0"
	Positive string // what the positive end speaks for
}

// Style holds the sizes of a drawing in pixels. The zero value of a field stands for its default.
type Style struct {
	EdgeLength float64 // of an edge of ordinary length; default 44
	Radius     float64 // of a disc with a name; default 12. Discs shrink where vertices lie close
	MaxWidth   float64 // beyond it the drawing shrinks; default 1200
	MaxHeight  float64 // default 900

	// Limit is the value at the ends of the colour scale; 0 means the largest magnitude drawn. Fix it to
	// compare drawings. Larger values get the colour of the end.
	Limit float64

	NoLegend bool
}

func (s Style) withDefaults() Style {
	setDefault := func(field *float64, value float64) {
		if *field == 0 {
			*field = value
		}
	}
	setDefault(&s.EdgeLength, 44)
	setDefault(&s.Radius, 12)
	setDefault(&s.MaxWidth, 1200)
	setDefault(&s.MaxHeight, 900)
	return s
}

func (s Style) check() error {
	for _, f := range []struct {
		name  string
		value float64
	}{
		{"edge length", s.EdgeLength}, {"radius", s.Radius}, {"maximal width", s.MaxWidth},
		{"maximal height", s.MaxHeight}, {"limit of the colour scale", s.Limit},
	} {
		if !finite(f.value) || f.value < 0 {
			return fmt.Errorf("style: the %s is %v, it must be a positive number, or 0 for the default", f.name, f.value)
		}
	}
	return nil
}

// Graph writes one graph as an SVG document. It returns an error for slices that do not fit the
// graph and for values that are not finite, and the writer's own error.
func Graph(w io.Writer, d Drawing, style Style) error {
	return Grid(w, "", []Drawing{d}, 1, style)
}

// check reports the first inconsistency between the drawing's slices and its graph.
func (d *Drawing) check() error {
	if d.Batch == nil {
		return fmt.Errorf("no batch given")
	}
	if d.Graph < 0 || d.Graph >= d.Batch.NumGraphs() {
		return fmt.Errorf("graph %d is not one of the %d graphs of the batch", d.Graph, d.Batch.NumGraphs())
	}
	n, m := d.size()
	for _, s := range []struct {
		what       string
		have, want int
	}{
		{"names for %d vertices", len(d.Names), n},
		{"atoms for %d vertices", len(d.Atoms), n},
		{"contributions for %d vertices", len(d.Contributions), n},
		{"kinds for %d vertices", len(d.Kinds), n},
		{"sizes for %d vertices", len(d.Sizes), n},
		{"scores for %d arcs", len(d.ArcScores), m},
		{"bond orders for %d arcs", len(d.BondOrders), m},
	} {
		if s.have != 0 && s.have != s.want {
			return fmt.Errorf("%d "+s.what, s.have, s.want)
		}
	}
	for v, kind := range d.Kinds {
		if kind < 0 {
			return fmt.Errorf("vertex %d is of kind %d, they are counted from 0", v, kind)
		}
	}
	for v, x := range d.Contributions {
		if !finite(x) {
			return fmt.Errorf("the contribution of vertex %d is %v, only finite values can be drawn", v, x)
		}
	}
	for v, x := range d.Sizes {
		if !finite(x) || x < 0 {
			return fmt.Errorf("the size of vertex %d is %v, want a number from 0 on", v, x)
		}
	}
	for a, x := range d.ArcScores {
		if !finite(x) {
			return fmt.Errorf("the score of arc %d is %v, only finite values can be drawn", a, x)
		}
	}
	for a, order := range d.BondOrders {
		if order < 0 || order > Aromatic {
			return fmt.Errorf("arc %d has bond order %d, known are 1, 2, 3 and 4 for aromatic", a, order)
		}
	}
	for _, list := range []struct {
		what     string
		vertices []int
	}{{"highlighted", d.Highlight}, {"faded", d.Faded}} {
		for _, v := range list.vertices {
			if v < 0 || v >= n {
				return fmt.Errorf("%s vertex %d is not one of the %d vertices", list.what, v, n)
			}
		}
	}
	return nil
}

// size returns the number of vertices and arcs of the graph.
func (d *Drawing) size() (vertices, arcs int) {
	from, to := d.Batch.Vertices(d.Graph)
	return int(to - from), int(d.Batch.RowPtr[to] - d.Batch.RowPtr[from])
}

func (d *Drawing) signed() bool { return len(d.Contributions) > 0 || len(d.ArcScores) > 0 }

// positive reports whether nothing that is coloured by value is negative or speaks for anything else.
func (d *Drawing) positive() bool {
	least := 0.0
	for _, values := range [][]float64{d.Contributions, d.ArcScores} {
		for _, x := range values {
			least = min(least, x)
		}
	}
	return least == 0 && d.Negative == ""
}

// largest returns the largest magnitude of all contributions and scores.
func (d *Drawing) largest() float64 {
	most := 0.0
	for _, x := range d.Contributions {
		most = max(most, math.Abs(x))
	}
	for _, x := range d.ArcScores {
		most = max(most, math.Abs(x))
	}
	return most
}

func (d *Drawing) measure() string {
	if d.Measure == "" {
		return "contribution"
	}
	return d.Measure
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
