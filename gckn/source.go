package gckn

import (
	"math"

	"github.com/grove-graph/grove/autodiff"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/split"
	"gorgonia.org/tensor"
)

// source lays out batches of examples for a network.
type source struct {
	*Examples
	network *autodiff.Network
	engine  engine.Engine
	dtype   tensor.Dtype
	input   Input
	labels  *tensor.Dense // the rows of the label ids; nil for attributes
	weights []float64     // of each class; nil: ones
	targets []float64     // standardised

	paths      pathOptions          // of the first layer
	bySequence bool                 // it pools over label sequences in place of paths
	known      [][]int32            // path classes of all vertices for the first layer; nil: found batch by batch
	sequences  *graph.PathSequences // of these classes; nil: found batch by batch, if bySequence
	offsets    []int32              // of the graphs that known belongs to
	counts     *autodiff.Counts     // of all graphs, from which batches are laid out; nil: batches are

	cut  *graph.Neighbourhoods // in a task on vertices
	hops int                   // how far a vertex sees
}

// pathOptions say what the first layer pools over.
type pathOptions struct {
	size       int
	all, walks bool
}

// maxSequenceWalks bounds the walks of a data set whose first layer pools over label sequences: all of them
// are visited once, and stored as far as they are distinct.
const maxSequenceWalks = 1 << 25

// newSource prepares what all batches share.
func newSource(e engine.Engine, x *Examples, input Input, opt *SupervisedOptions) (*source, error) {
	s := &source{Examples: x, engine: e, input: input, weights: opt.ClassWeights, dtype: opt.Network.dtype()}
	if input.Labels > 0 {
		var err error
		if s.labels, err = input.labelRows(e, s.dtype); err != nil {
			return nil, err
		}
	}
	b, whole := x.Graphs.(inMemory)
	if x.vertices() {
		s.cut, s.hops = b.Neighbourhoods(), opt.Network.reach()
		return s, nil
	}
	s.paths = pathOptions{opt.Network.Layers[0].PathSize, opt.Network.AllLengths, opt.Network.Walk}
	if input.Labels == 0 || s.paths.size == 1 {
		return s, nil
	}
	var err error
	if s.bySequence, err = s.fewWalks(); err != nil {
		return nil, err
	}
	if whole && (s.bySequence || !e.Capabilities().Wide) {
		s.known, s.sequences, err = s.pathClasses(b.Batch, e.Workers())
		s.offsets = b.Offsets
	}
	return s, err
}

// serve takes the network that batches are laid out for.
func (s *source) serve(n *autodiff.Network) (err error) {
	s.network = n
	if s.sequences != nil {
		s.counts, err = n.Count(s.Graphs.(inMemory).Batch, s.known, s.sequences)
	}
	return err
}

// fewWalks reports whether the first layer is to pool over label sequences: if they are worth listing. It
// looks at all graphs, so that graphs on disk are pooled over as those in memory are. The recursion over walks
// is cheaper still.
func (s *source) fewWalks() (bool, error) {
	const piece = 1024 // graphs
	total := 0.0
	for from := 0; from < s.Graphs.NumGraphs() && !s.paths.walks && total <= maxSequenceWalks; from += piece {
		var some []int
		for g := from; g < min(from+piece, s.Graphs.NumGraphs()); g++ {
			some = append(some, g)
		}
		b, err := s.Graphs.Select(some)
		if err != nil {
			return false, err
		}
		for _, n := range b.WalkCounts(s.paths.size) {
			total += n
		}
	}
	return !s.paths.walks && total <= maxSequenceWalks, nil
}

// pathClasses returns the path classes of the vertices of some graphs for the first layer, and their label
// sequences where it pools over those.
func (s *source) pathClasses(b *graph.Batch, workers int) ([][]int32, *graph.PathSequences, error) {
	ids, err := s.input.index(b)
	if err != nil {
		return nil, nil, err
	}
	c := b.PathClasses(ids, s.paths.size, s.paths.all, s.paths.walks, workers)
	if !s.bySequence {
		return c.Class, nil, nil
	}
	return c.Class, b.PathSequences(c, ids, s.paths.size, s.paths.all, s.paths.walks, math.MaxInt), nil
}

// reach returns the number of arcs that a vertex sees through all layers.
func (o *Options) reach() int {
	hops := 0
	for _, l := range o.Layers {
		hops += l.PathSize - 1
	}
	return hops
}

func (o *Options) dtype() tensor.Dtype {
	if o.Double {
		return tensor.Float64
	}
	return tensor.Float32
}

// Batch implements [autodiff.Source].
func (s *source) Batch(items []int) (*autodiff.Batch, error) {
	if s.vertices() {
		vertices := make([]int32, len(items))
		for i, v := range items {
			vertices[i] = int32(v)
		}
		b, at := s.cut.Of(vertices, s.hops)
		return s.prepare(b, autodiff.Features{}, items, at)
	}
	if s.counts != nil {
		return s.network.PrepareCounted(s.counts, items, s.labels, s.of(items))
	}
	b, err := s.Graphs.Select(items)
	if err != nil {
		return nil, err
	}
	if _, whole := s.Graphs.(inMemory); !whole {
		if err := checkAttributes(b); err != nil {
			return nil, err
		}
	}
	f := autodiff.Features{Sequences: s.sequences}
	for _, of := range s.known {
		var some []int32
		for _, g := range items {
			some = append(some, of[s.offsets[g]:s.offsets[g+1]]...)
		}
		f.Classes = append(f.Classes, some)
	}
	if s.known == nil && s.bySequence {
		if f.Classes, f.Sequences, err = s.pathClasses(b, 1); err != nil {
			return nil, err
		}
		if counts, err := s.network.Count(b, f.Classes, f.Sequences); err != nil {
			return nil, err
		} else if counts != nil {
			return s.network.PrepareCounted(counts, split.All(len(items)), s.labels, s.of(items))
		}
	}
	return s.prepare(b, f, items, nil)
}

// prepare lays out a batch. Of its features the rows are filled in.
func (s *source) prepare(b *graph.Batch, f autodiff.Features, items []int, vertices []int32) (*autodiff.Batch, error) {
	targets := s.of(items)
	f.Own = true
	if s.labels != nil {
		var err error
		if f.Index, err = s.input.index(b); err != nil {
			return nil, err
		}
		f.Rows, f.Unit = s.labels, true
		return s.network.Prepare(b, f, targets, vertices)
	}
	var err error
	if f.Raw, err = s.input.raw(b); err != nil {
		return nil, err
	}
	return s.network.Prepare(b, f, targets, vertices)
}

// of returns the targets of items; none unless all are labelled.
func (s *source) of(items []int) autodiff.Targets {
	var t autodiff.Targets
	for _, i := range items {
		if !s.Targets.Has(i) {
			return t
		}
	}
	if outputs := s.outputs(); s.Targets.Regression() {
		values := make([]float64, 0, len(items)*outputs)
		for _, i := range items {
			values = append(values, s.targets[i*outputs:(i+1)*outputs]...)
		}
		t.Values = tensor.New(tensor.WithShape(len(items), outputs), tensor.WithBacking(values))
		return t
	}
	for _, i := range items {
		class := s.Targets.Classes[i]
		t.Classes = append(t.Classes, int32(class))
		if s.weights != nil {
			t.Weights = append(t.Weights, s.weights[class])
		}
	}
	return t
}
