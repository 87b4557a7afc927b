package gckn

import (
	"math"

	"github.com/grove-graph/grove/autodiff"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/split"
	"github.com/grove-graph/grove/train"
	"gorgonia.org/tensor"
)

// source lays out batches of examples for a network.
type source struct {
	run     *train.Run
	network *autodiff.KernelNetwork
	dtype   tensor.Dtype
	labels  *tensor.Dense // the rows of the label ids; nil for attributes

	paths      pathOptions          // of the first layer
	bySequence bool                 // it pools over label sequences in place of paths
	known      [][]int32            // path classes of all vertices for the first layer; nil: found batch by batch
	sequences  *graph.PathSequences // of these classes; nil: found batch by batch, if bySequence
	offsets    []int32              // of the graphs that known belongs to
	counts     *autodiff.Counts     // of all graphs, from which batches are laid out; nil: batches are

	cut  *graph.Neighbourhoods // in a task on vertices
	hops int                   // how far a vertex sees

	fanOut, predicted []int // of steps and of scores, in a task on vertices; nil: all paths
	draw              func(epoch int) graph.Draw
	sampler           *graph.Sampler    // nil where all paths are taken
	sampled           autodiff.Features // of all vertices, where paths are drawn
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
func newSource(e engine.Engine, run *train.Run, opt *SupervisedOptions) (*source, error) {
	s, x := &source{run: run, dtype: opt.Network.dtype()}, &run.Examples
	if x.Input.Labels > 0 {
		var err error
		if s.labels, err = x.Input.LabelRows(e, s.dtype); err != nil {
			return nil, err
		}
	}
	whole := x.Whole()
	if x.Vertices() {
		s.cut, s.hops, s.draw = whole.Neighbourhoods(), opt.Network.reach(), opt.Network.drawOf
		return s, s.sampling(e)
	}
	s.paths = pathOptions{opt.Network.Layers[0].PathSize, opt.Network.AllLengths, opt.Network.Walk}
	if x.Input.Labels == 0 || s.paths.size == 1 || opt.Network.whole(0) {
		return s, nil
	}
	var err error
	if s.bySequence, err = s.fewWalks(); err != nil {
		return nil, err
	}
	if whole != nil && (s.bySequence || !e.Capabilities().Wide) {
		s.known, s.sequences, err = s.pathClasses(whole, e.Workers())
		s.offsets = whole.Offsets
	}
	return s, err
}

// sampling gives a source what samples of paths are laid out from, if any are drawn.
func (s *source) sampling(e engine.Engine) (err error) {
	x, whole := &s.run.Examples, s.run.Examples.Whole()
	if s.fanOut, s.predicted, err = s.run.Options.FanOuts(s.hops); err != nil || !s.run.Options.Samples() {
		return err
	}
	s.sampler = whole.Sampler()
	s.sampled, err = samplingFeatures(e, s.dtype, x.Input, whole)
	return err
}

// release gives the memory of what batches share back.
func (s *source) release(e engine.Engine) {
	e.Release(s.labels, s.sampled.Rows, s.sampled.Norms)
}

// ofSteps returns the source of the batches of steps.
func (s *source) ofSteps() autodiff.Source {
	if s.fanOut == nil {
		return s
	}
	return sampled{s}
}

// sampled is a source that draws in every epoch the paths of its batches.
type sampled struct{ *source }

// Sample implements [autodiff.Sampler].
func (s sampled) Sample(epoch int, items []int) (*autodiff.Batch, error) {
	return s.sample(items, s.fanOut, epoch)
}

// sample lays out vertices with some of their paths.
func (s *source) sample(items []int, fanOut []int, epoch int) (*autodiff.Batch, error) {
	of := autodiff.Sampling{FanOut: fanOut, Draw: s.draw(epoch)}
	return s.network.PrepareSampled(s.sampler, of, s.sampled, s.run.Targets(items), verticesOf(items))
}

// verticesOf returns items as vertices.
func verticesOf(items []int) []int32 {
	vertices := make([]int32, len(items))
	for i, v := range items {
		vertices[i] = int32(v)
	}
	return vertices
}

// serve takes the network that batches are laid out for.
func (s *source) serve(n *autodiff.KernelNetwork) (err error) {
	s.network = n
	if s.sequences != nil {
		s.counts, err = n.Count(s.run.Examples.Whole(), s.known, s.sequences)
	}
	return err
}

// fewWalks reports whether the first layer is to pool over label sequences: if they are worth listing. It
// looks at all graphs, so that graphs on disk are pooled over as those in memory are. The recursion over walks
// is cheaper still.
func (s *source) fewWalks() (bool, error) {
	const piece = 1024 // graphs
	graphs, total := s.run.Examples.Graphs, 0.0
	for from := 0; from < graphs.NumGraphs() && !s.paths.walks && total <= maxSequenceWalks; from += piece {
		var some []int
		for g := from; g < min(from+piece, graphs.NumGraphs()); g++ {
			some = append(some, g)
		}
		b, err := graphs.Select(some)
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
	ids, err := s.run.Examples.Input.Index(b)
	if err != nil {
		return nil, nil, err
	}
	c := b.PathClasses(ids, nil, s.paths.size, s.paths.all, s.paths.walks, workers)
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
	if s.predicted != nil {
		return s.sample(items, s.predicted, 0)
	}
	if s.run.Examples.Vertices() {
		b, at, _ := s.cut.Of(verticesOf(items), s.hops)
		return s.prepare(b, autodiff.Features{}, items, at)
	}
	if s.counts != nil {
		return s.network.PrepareCounted(s.counts, items, s.labels, s.run.Targets(items))
	}
	b, err := s.run.Examples.Select(items)
	if err != nil {
		return nil, err
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
			return s.network.PrepareCounted(counts, split.All(len(items)), s.labels, s.run.Targets(items))
		}
	}
	return s.prepare(b, f, items, nil)
}

// prepare lays out a batch. Of its features the rows are filled in.
func (s *source) prepare(b *graph.Batch, f autodiff.Features, items []int, vertices []int32) (*autodiff.Batch, error) {
	targets := s.run.Targets(items)
	f.Own = true
	if s.labels != nil {
		var err error
		if f.Index, err = s.run.Examples.Input.Index(b); err != nil {
			return nil, err
		}
		f.Rows, f.Unit = s.labels, true
		return s.network.Prepare(b, f, targets, vertices)
	}
	var err error
	if f.Raw, err = s.run.Examples.Input.Raw(b); err != nil {
		return nil, err
	}
	return s.network.Prepare(b, f, targets, vertices)
}
