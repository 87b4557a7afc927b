package gckn

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/grove-graph/grove/autodiff"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/nystrom"
	"github.com/grove-graph/grove/rounds"
	"github.com/grove-graph/grove/train"
)

// learnedBytes is the memory for the features of a run that anchors are learned from.
const learnedBytes = 1 << 30

// sample draws paths of exactly the layer's size, uniformly and without replacement over all channels
// that enter the layer, and takes up the rows of their vertices.
func (m *Model) sample(ctx context.Context, graphs train.Graphs, l int, by *rounds.Rounds) (*gathered, error) {
	size, width := m.opt.Layers[l].PathSize, m.input.Dim()
	if l > 0 {
		width = m.opt.Layers[l-1].Filters
	}
	s := &sampler{m: m, size: size, width: width}
	whole, workers := (&train.Examples{Graphs: graphs}).Whole(), m.engine.Workers()
	all := &gathered{Width: width}
	if whole != nil {
		index := whole.NewPathIndex(size, m.opt.Walk, workers)
		if err := s.draw(index.Total(), l); err != nil {
			return nil, err
		}
		defer s.release()
		return all, m.cut(ctx, whole, m.runs, nil, func(run *graph.Batch, first int) error {
			some, err := s.of(run, index, whole.Offsets[first])
			if err != nil {
				return err
			}
			return all.add(some)
		})
	}
	paths, err := m.numberPaths(ctx, graphs, l, by)
	if err != nil {
		return nil, err
	}
	if err := s.draw(paths.Count.Total(), l); err != nil {
		return nil, err
	}
	defer s.release()
	return rounds.Collect(ctx, by, rounds.Pass[*gathered]{
		Name: fmt.Sprintf("sampled paths for the anchors of layer %d", l+1), First: paths.First,
		Compute: func(_ context.Context, r int) (*gathered, error) {
			end := graphs.NumGraphs()
			if r+1 < len(paths.First) {
				end = paths.First[r+1]
			}
			run, err := selectRange(graphs, paths.First[r], end)
			if err != nil {
				return nil, err
			}
			return s.of(run, run.NewPathIndexAfter(paths.Before[r], paths.Count.Walks, size, m.opt.Walk, workers), 0)
		},
	}, all, func(all **gathered, some *gathered) error { return (*all).add(some) })
}

// sampler takes up the paths that were drawn for the layer above those that there are.
type sampler struct {
	m           *Model
	size, width int
	total       int64   // paths of all graphs
	drawn       []int64 // numbers of paths, counted over all channels one behind the other

	network *autodiff.KernelNetwork // of the layers below; nil without
}

// draw draws among so many paths in each channel.
func (s *sampler) draw(total int64, l int) (err error) {
	switch {
	case total == 0:
		return fmt.Errorf("the graphs have no path of %d vertices to learn anchors from; choose a smaller path size", s.size)
	case total >= graph.MaxPaths && !s.m.opt.Walk:
		return fmt.Errorf("the graphs have 2^48 paths of %d vertices or more, too many to draw from; choose a smaller path "+
			"size, or walks", s.size)
	}
	channels := 1
	if l > 0 {
		channels = s.m.opt.channels(l - 1)
		if s.network, err = s.m.network(s.m.opt.dtype(), false); err != nil {
			return err
		}
	}
	rng := rand.New(rand.NewPCG(s.m.opt.Seed, uint64(l)))
	s.total, s.drawn = total, nystrom.SampleSorted(total*int64(channels), s.m.opt.Samples, rng)
	return nil
}

// release gives the memory of the network back.
func (s *sampler) release() {
	if s.network != nil {
		s.network.Release()
	}
}

// of takes up the paths that were drawn in a run, whose vertices have numbers from shift on in the index. What enters
// the layer has the model's dtype: anchors do not need the precision of [Model.encode]. Which vertices share a row
// decides which points are merged, so the free memory may not: the runs have a fixed size.
func (s *sampler) of(run *graph.Batch, index *graph.PathIndex, shift int32) (*gathered, error) {
	m, g := s.m, &gathered{Width: s.width}
	from, to := index.Before(int(shift)), index.Before(int(shift)+run.NumVertices())
	take := func(in []autodiff.Features) error {
		for c := range in {
			before := int64(c) * s.total
			lo, _ := slices.BinarySearch(s.drawn, before+from)
			hi, _ := slices.BinarySearch(s.drawn, before+to)
			numbers := make([]int64, hi-lo) // of the paths drawn in this run and channel
			for i := range numbers {
				numbers[i] = s.drawn[lo+i] - before
			}
			vertices := index.At(numbers, m.engine.Workers())
			for i := range vertices {
				vertices[i] -= shift
			}
			if err := g.take(m.engine, &in[c], vertices, m.opt.dtype()); err != nil {
				return err
			}
		}
		return nil
	}
	if s.network == nil {
		in, err := features(m.input, m.engine, m.opt.dtype(), run)
		if err != nil {
			return nil, err
		}
		defer m.engine.Release(in.Rows)
		return g, take([]autodiff.Features{in})
	}
	return g, m.on(s.network, m.opt.dtype(), run, func(x *autodiff.Batch) error {
		if err := s.network.ForwardVertices(x); err != nil {
			return err
		}
		return take(s.network.Channels()[0])
	})
}

// numbered gives the paths of graphs on disk numbers, and the graphs the runs that they would have in memory.
type numbered struct {
	First  []int             // graph of each run
	Before []graph.PathCount // each run
	Count  graph.PathCount   // of all

	Graphs   int   // so far
	Vertices int64 // of the run so far
}

// counted is what is counted of consecutive graphs.
type counted struct {
	Paths    []graph.PathCount
	Vertices []int32
}

// numberPaths counts the paths that a layer is learned from and cuts the graphs into runs.
func (m *Model) numberPaths(
	ctx context.Context, graphs train.Graphs, l int, by *rounds.Rounds,
) (*numbered, error) {
	size, limit := m.opt.Layers[l].PathSize, m.runVertices(m.runs)
	return rounds.Collect(ctx, by, rounds.Pass[counted]{
		Name: fmt.Sprintf("numbers of paths for layer %d", l+1), First: rounds.Even(graphs.NumGraphs(), model.BlockGraphs),
		Compute: func(ctx context.Context, block int) (c counted, err error) {
			return c, eachOfBlock(ctx, graphs, block, func(b *graph.Batch, _ int) error {
				c.Paths = append(c.Paths, b.CountPaths(size, m.opt.Walk, m.engine.Workers())...)
				for g := range b.NumGraphs() {
					c.Vertices = append(c.Vertices, b.Offsets[g+1]-b.Offsets[g])
				}
				return nil
			})
		},
	}, &numbered{}, func(n **numbered, c counted) error {
		for g, vertices := range c.Vertices {
			(*n).add(c.Paths[g], int64(vertices), limit)
		}
		return nil
	})
}

// add takes the next graph into the run, or begins another one with it.
func (n *numbered) add(paths graph.PathCount, vertices, limit int64) {
	if n.Graphs == 0 || n.Vertices+vertices > limit {
		n.First, n.Before, n.Vertices = append(n.First, n.Graphs), append(n.Before, n.Count), 0
	}
	n.Graphs++
	n.Vertices += vertices
	n.Count.Add(paths)
}
