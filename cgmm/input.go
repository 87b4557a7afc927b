package cgmm

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/grove-graph/grove/graph"
)

// Input says what of its data a vertex shows to a model, and which arcs are told apart. Column d of the
// attributes holds a label of Categories[d] values, from 0 on, where that is not 0, and otherwise real numbers.
type Input struct {
	Labels     int   `json:"labels,omitempty"`     // vertex labels 0 to Labels-1; 0: none
	Attributes int   `json:"attributes,omitempty"` // columns of attributes
	Categories []int `json:"categories,omitempty"` // of every column; nil: all are real
	ArcLabels  int   `json:"arc_labels,omitempty"` // arc labels told apart; 0: all arcs are alike
}

// InputOf returns an input that shows all labels and attributes of a batch, attributes as real numbers.
// Arcs are told apart by their labels if arcLabels asks for it and there are any.
func InputOf(b *graph.Batch, arcLabels bool) (Input, error) {
	in := Input{Attributes: b.AttributeDim}
	if b.Labels != nil {
		in.Labels = b.NumLabels
	}
	if arcLabels {
		for _, l := range b.ArcLabels {
			in.ArcLabels = max(in.ArcLabels, int(l)+1)
		}
	}
	return in, in.check()
}

// maxSymbols bounds the labels of a vertex or of an arc.
const maxSymbols = 1 << 20

func (in *Input) check() error {
	switch {
	case in.Labels < 0 || in.Attributes < 0 || in.ArcLabels < 0:
		return fmt.Errorf("input of %d labels, %d attributes and %d arc labels", in.Labels, in.Attributes, in.ArcLabels)
	case in.Labels == 0 && in.Attributes == 0:
		return fmt.Errorf("the vertices show neither labels nor attributes: a model has nothing to emit")
	case in.Labels > maxSymbols || in.ArcLabels > maxSymbols || in.Attributes > maxSymbols:
		return fmt.Errorf("%d labels, %d attributes and %d arc labels: want at most %d of each", in.Labels, in.Attributes,
			in.ArcLabels, maxSymbols)
	case in.Categories != nil && len(in.Categories) != in.Attributes:
		return fmt.Errorf("categories of %d columns for %d attributes", len(in.Categories), in.Attributes)
	}
	for d, values := range in.Categories {
		if values < 0 || values > maxSymbols {
			return fmt.Errorf("attribute %d has %d values, want 0 for real numbers or up to %d", d, values, maxSymbols)
		}
	}
	return nil
}

// alphabets returns the number of symbols of every discrete column: the label, then the attributes that
// are labels.
func (in *Input) alphabets() []int {
	var sizes []int
	if in.Labels > 0 {
		sizes = append(sizes, in.Labels)
	}
	for _, values := range in.Categories {
		if values > 0 {
			sizes = append(sizes, values)
		}
	}
	return sizes
}

// reals returns the columns of attributes that are real numbers.
func (in *Input) reals() []int {
	var columns []int
	for d := range in.Attributes {
		if in.Categories == nil || in.Categories[d] == 0 {
			columns = append(columns, d)
		}
	}
	return columns
}

// arcs returns the number A of arc labels that a layer has weights for.
func (in *Input) arcs() int { return max(in.ArcLabels, 1) }

// unknown stands for a symbol that says nothing.
const unknown = -1

// observations are what the vertices of a batch show, each distinct one once.
type observations struct {
	of      []int32   // observation of every vertex
	count   int       // distinct observations
	columns int       // discrete columns
	symbols []int32   // count x columns
	dims    int       // real columns
	reals   []float64 // count x dims; standardised where a model looks at them
}

// standard shifts and scales the real columns to mean 0 and variance 1 over the vertices that a model was
// fitted on. A column that is constant there keeps its scale.
type standard struct{ shift, scale []float64 }

// leastSpread is the deviation, as a share of the mean, up to which a column is constant.
const leastSpread = 1e-12

// standardOf returns the standard of some vertices.
func standardOf(o *observations) standard {
	weight := make([]float64, o.count)
	for _, id := range o.of {
		weight[id]++
	}
	s := standard{make([]float64, o.dims), make([]float64, o.dims)}
	n := float64(max(len(o.of), 1))
	for d := range o.dims {
		sum, squares := 0.0, 0.0
		for id, w := range weight {
			sum += w * o.reals[id*o.dims+d]
		}
		mean := sum / n
		for id, w := range weight {
			squares += w * (o.reals[id*o.dims+d] - mean) * (o.reals[id*o.dims+d] - mean)
		}
		s.shift[d], s.scale[d] = mean, math.Sqrt(squares/n)
		if !(s.scale[d] > leastSpread*math.Abs(mean)) {
			s.scale[d] = 1
		}
	}
	return s
}

// apply standardises observations in place.
func (s standard) apply(o *observations) {
	for i := range o.reals {
		d := i % o.dims
		o.reals[i] = (o.reals[i] - s.shift[d]) / s.scale[d]
	}
}

// observe reads the vertices of a batch. Symbols beyond an alphabet become unknown. Errors name what the
// batch lacks, or the vertex whose attribute is no number or no symbol.
func (in *Input) observe(b *graph.Batch) (*observations, error) {
	switch {
	case in.Labels > 0 && b.Labels == nil:
		return nil, fmt.Errorf("the model wants labelled vertices, these have no labels")
	case in.Attributes > 0 && b.AttributeDim != in.Attributes:
		return nil, fmt.Errorf("the model wants %d attributes of every vertex, these have %d", in.Attributes, b.AttributeDim)
	}
	n, columns := b.NumVertices(), len(in.alphabets())
	real := in.reals()
	o := &observations{of: make([]int32, n), columns: columns, dims: len(real)}
	symbols, values := make([]int32, 0, columns), make([]float64, len(real))
	var key []byte
	ids := map[string]int32{}
	for v := range int32(n) {
		symbols = symbols[:0]
		if in.Labels > 0 {
			symbols = append(symbols, symbol(b.Labels[v], in.Labels))
		}
		for d, alphabet := range in.Categories {
			if alphabet == 0 {
				continue
			}
			x := b.Attribute(v)[d]
			if x != math.Trunc(x) || math.IsInf(x, 0) {
				return nil, fmt.Errorf("vertex %d: attribute %d is %g, want the number of a label", v, d, x)
			}
			symbols = append(symbols, symbol(int32(min(max(x, -1), maxSymbols)), alphabet))
		}
		for i, d := range real {
			values[i] = b.Attribute(v)[d]
			if math.IsNaN(values[i]) || math.IsInf(values[i], 0) {
				return nil, fmt.Errorf("vertex %d: attribute %d is %g, want a finite number", v, d, values[i])
			}
		}
		key = key[:0]
		for _, s := range symbols {
			key = binary.LittleEndian.AppendUint32(key, uint32(s))
		}
		for _, x := range values {
			key = binary.LittleEndian.AppendUint64(key, math.Float64bits(x))
		}
		id, known := ids[string(key)]
		if !known {
			id = int32(o.count)
			ids[string(key)] = id
			o.count++
			o.symbols = append(o.symbols, symbols...)
			o.reals = append(o.reals, values...)
		}
		o.of[v] = id
	}
	return o, nil
}

func symbol(s int32, alphabet int) int32 {
	if s < 0 || int(s) >= alphabet {
		return unknown
	}
	return s
}

// neighbours are the arcs that enter every vertex, without self loops and arcs of unknown labels.
type neighbours struct {
	ptr   []int32 // of each vertex, and the end
	tail  []int32
	label []int32 // nil: all arcs are alike
}

// neighbours returns the arcs of a batch that count, ordered by tail at every vertex.
func (in *Input) neighbours(b *graph.Batch) (*neighbours, error) {
	if in.ArcLabels > 0 && b.ArcLabels == nil && b.NumArcs() > 0 {
		return nil, fmt.Errorf("the model tells arcs apart by their labels, these arcs have none")
	}
	counts := func(u, a int32) bool {
		return b.Col[a] != u && (in.ArcLabels == 0 || b.ArcLabels[a] >= 0 && int(b.ArcLabels[a]) < in.ArcLabels)
	}
	n := &neighbours{ptr: make([]int32, b.NumVertices()+1)}
	eachArc := func(visit func(u, a int32)) {
		for u := range int32(b.NumVertices()) {
			for a := b.RowPtr[u]; a < b.RowPtr[u+1]; a++ {
				if counts(u, a) {
					visit(u, a)
				}
			}
		}
	}
	eachArc(func(_, a int32) { n.ptr[b.Col[a]+1]++ })
	for v := range b.NumVertices() {
		n.ptr[v+1] += n.ptr[v]
	}
	next := slices.Clone(n.ptr)
	n.tail = make([]int32, n.ptr[b.NumVertices()])
	if in.ArcLabels > 0 {
		n.label = make([]int32, len(n.tail))
	}
	eachArc(func(u, a int32) {
		at := next[b.Col[a]]
		next[b.Col[a]]++
		n.tail[at] = u
		if n.label != nil {
			n.label[at] = b.ArcLabels[a]
		}
	})
	return n, nil
}
