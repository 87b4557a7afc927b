package cgmm

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/grove-graph/grove/graph"
)

// Input says what of its data a vertex shows to a model, and which arcs are told apart.
type Input struct {
	Labels     int `json:"labels,omitempty"`     // vertex labels 0 to Labels-1; 0: none
	Attributes int `json:"attributes,omitempty"` // columns of attributes, real numbers
	ArcLabels  int `json:"arc_labels,omitempty"` // arc labels told apart; 0: all arcs are alike
}

// InputOf returns an input that shows all labels and attributes of a batch.
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
	}
	return nil
}

// arcs returns the number A of arc labels that a layer has weights for.
func (in *Input) arcs() int { return max(in.ArcLabels, 1) }

// unknown stands for a symbol that says nothing.
const unknown = -1

// observations are what the vertices of a batch show, each distinct one once.
type observations struct {
	of      []int32   // observation of every vertex; nil where the vertices come some at a time
	count   int       // distinct observations
	number  []float64 // of vertices with each observation
	symbols []int32   // label of every observation; nil without labels
	dims    int       // attributes
	reals   []float64 // count x dims; standardised where a model looks at them
}

// standard shifts and scales the attributes to mean 0 and variance 1 over the vertices that a model was
// fitted on. A column that is constant there keeps its scale.
type standard struct{ shift, scale []float64 }

// leastDeviation is the deviation, as a share of the mean, up to which a column is constant.
const leastDeviation = 1e-12

// standardOf returns the standard of some vertices.
func standardOf(o *observations) standard {
	weight, n := o.number, 0.0
	for _, w := range weight {
		n += w
	}
	n = max(n, 1)
	s := standard{make([]float64, o.dims), make([]float64, o.dims)}
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
		if !(s.scale[d] > leastDeviation*math.Abs(mean)) {
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

// observe reads the vertices of a batch. Labels that the model does not know become unknown. Errors name
// what the batch lacks, or the vertex whose attribute is no number.
func (in *Input) observe(b *graph.Batch) (*observations, error) {
	r := newObserver(in)
	of, err := r.observe(b)
	r.seen.of = of
	return r.seen, err
}

// observer reads the vertices of one batch after the other.
type observer struct {
	in   *Input
	seen *observations
	ids  map[string]int32
	key  []byte
}

func newObserver(in *Input) *observer {
	return &observer{in: in, seen: &observations{dims: in.Attributes}, ids: map[string]int32{}}
}

// observe adds the vertices of a batch, and returns the observation of each.
func (r *observer) observe(b *graph.Batch) ([]int32, error) {
	of := make([]int32, b.NumVertices())
	return of, r.each(b, func(v, symbol int32, values []float64) {
		of[v] = r.find(symbol, values)
		r.seen.number[of[v]]++
	})
}

// find returns the observation of what a vertex shows, a new one of no vertices where there is none.
func (r *observer) find(symbol int32, values []float64) int32 {
	id, known := r.known(symbol, values)
	if !known {
		o := r.seen
		r.ids[string(r.key)] = id
		o.count++
		o.number = append(o.number, 0)
		o.reals = append(o.reals, values...)
		if r.in.Labels > 0 {
			o.symbols = append(o.symbols, symbol)
		}
	}
	return id
}

// known returns the observation of what a vertex shows, the next number where there is none yet. It leaves the key.
func (r *observer) known(symbol int32, values []float64) (id int32, known bool) {
	r.key = r.key[:0]
	if r.in.Labels > 0 {
		r.key = binary.LittleEndian.AppendUint32(r.key, uint32(symbol))
	}
	for _, x := range values {
		r.key = binary.LittleEndian.AppendUint64(r.key, math.Float64bits(x))
	}
	if id, known = r.ids[string(r.key)]; !known {
		id = int32(r.seen.count)
	}
	return id, known
}

// of returns the observations of the vertices of a batch that was added before. Several goroutines may ask.
func (r *observer) of(b *graph.Batch) ([]int32, error) {
	of, asked := make([]int32, b.NumVertices()), *r
	asked.key = nil
	return of, r.each(b, func(v, symbol int32, values []float64) { of[v], _ = asked.known(symbol, values) })
}

// each tells what every vertex of a batch shows.
func (r *observer) each(b *graph.Batch, tell func(v, symbol int32, values []float64)) error {
	in := r.in
	switch {
	case in.Labels > 0 && b.Labels == nil:
		return fmt.Errorf("the model wants labelled vertices, these have no labels")
	case in.Attributes > 0 && b.AttributeDim != in.Attributes:
		return fmt.Errorf("the model wants %d attributes of every vertex, these have %d", in.Attributes, b.AttributeDim)
	}
	for v := range int32(b.NumVertices()) {
		symbol := int32(unknown)
		if in.Labels > 0 {
			if l := b.Labels[v]; l >= 0 && int(l) < in.Labels {
				symbol = l
			}
		}
		var values []float64
		if in.Attributes > 0 {
			values = b.Attribute(v)
		}
		for d, x := range values {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return fmt.Errorf("vertex %d: attribute %d is %g, want a finite number", v, d, x)
			}
		}
		tell(v, symbol, values)
	}
	return nil
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
