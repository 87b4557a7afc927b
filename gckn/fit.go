package gckn

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/grove-graph/grove/autodiff"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/nystrom"
	"github.com/grove-graph/grove/train"
	"gorgonia.org/tensor"
)

// Fit learns the anchors of every layer without supervision (section 3.2): spherical k-means on up to
// opt.Samples paths drawn from the graphs of b, layer by layer from the bottom. Give it the training
// graphs alone for an honest estimate; the published experiments gave it all graphs.
//
// The host learns, also where e is a device, which finds the nearest anchors of the points: those that rounding decides
// about the host looks at itself, so that every device gives the same anchors.
func Fit(
	ctx context.Context, e engine.Engine, b *graph.Batch, input train.Input, opt Options, progress model.Progress,
) (*Model, error) {
	return FitGraphs(ctx, e, train.InMemory(b), input, opt, progress)
}

// FitGraphs is [Fit] for graphs that may be on disk, of which a run is in memory at a time. The anchors are the same.
func FitGraphs(
	ctx context.Context, e engine.Engine, graphs train.Graphs, input train.Input, opt Options, progress model.Progress,
) (*Model, error) {
	return fitWith(ctx, e, graphs, input, opt, progress,
		func(_ int, learn func() (*tensor.Dense, error)) (*tensor.Dense, error) { return learn() })
}

// fitWith is [FitGraphs] with anchors that may be known.
func fitWith(
	ctx context.Context, e engine.Engine, graphs train.Graphs, input train.Input, opt Options, progress model.Progress,
	anchors learnAnchors,
) (*Model, error) {
	if err := opt.Check(); err != nil {
		return nil, err
	}
	m := newModel(e.Host(), input, opt)
	for l := range opt.Layers {
		z, err := anchors(l, func() (*tensor.Dense, error) { return m.learn(ctx, e, graphs, l, progress) })
		if err != nil {
			return nil, fmt.Errorf("layer %d: %w", l+1, err)
		}
		if err := m.add(z); err != nil {
			return nil, err
		}
	}
	progress.Report("anchors", len(opt.Layers), len(opt.Layers))
	return m.moved(e)
}

// learn learns the anchors of the layer above those that there are.
func (m *Model) learn(
	ctx context.Context, e engine.Engine, graphs train.Graphs, l int, progress model.Progress,
) (*tensor.Dense, error) {
	progress.Report("sample", l, len(m.opt.Layers))
	points, err := m.sample(ctx, graphs, l)
	if err != nil {
		return nil, err
	}
	progress.Report("anchors", l, len(m.opt.Layers))
	clusters, err := nystrom.KMeans(ctx, e, points, m.opt.Layers[l].Filters, nystrom.KMeansOptions{
		Seed: m.opt.Seed*1000003 + uint64(l),
	})
	if err != nil {
		return nil, fmt.Errorf("anchors: %w", err)
	}
	if m.opt.whole(l) {
		return clusteredAnchors(m.engine, clusters.Anchors, m.opt.Layers[l].PathSize)
	}
	return clusters.Anchors, nil
}

// moved returns a model of the host on e. What the host has computed goes there as it is.
func (m *Model) moved(e engine.Engine) (*Model, error) {
	if m.engine == e {
		return m, nil
	}
	moved := newModel(e, m.input, m.opt)
	for _, y := range m.layers {
		y, err := y.on(e)
		if err != nil {
			return nil, err
		}
		moved.layers = append(moved.layers, y)
	}
	return moved, nil
}

// sample draws paths of exactly the layer's size, uniformly and without replacement over all channels
// that enter the layer, and merges those with the same rows.
func (m *Model) sample(ctx context.Context, graphs train.Graphs, l int) (nystrom.Points, error) {
	size, channels := m.opt.Layers[l].PathSize, 1
	if l > 0 {
		channels = m.opt.channels(l - 1)
	}
	paths, err := m.numberPaths(ctx, graphs, size)
	if err != nil {
		return nystrom.Points{}, err
	}
	total := paths.total()
	if total == 0 {
		return nystrom.Points{},
			fmt.Errorf("the graphs have no path of %d vertices to learn anchors from; choose a smaller path size", size)
	}
	rng := rand.New(rand.NewPCG(m.opt.Seed, uint64(l)))
	drawn := nystrom.SampleSorted(total*int64(channels), m.opt.Samples, rng)

	g := &gatherer{size: size, width: m.input.Dim(), dtype: m.opt.dtype(), whole: m.opt.whole(l)}
	if l > 0 {
		g.width = m.opt.Layers[l-1].Filters
	}
	err = m.channelsOf(ctx, paths, func(run *graph.Batch, first int, in []autodiff.Features) error {
		from, to, at := paths.of(run, first)
		for c := range in {
			before := int64(c) * total
			lo, _ := slices.BinarySearch(drawn, before+from)
			hi, _ := slices.BinarySearch(drawn, before+to)
			numbers := make([]int64, hi-lo) // of the paths drawn in this run and channel
			for i := range numbers {
				numbers[i] = drawn[lo+i] - before
			}
			if err := g.add(m.engine, &in[c], at(numbers)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nystrom.Points{}, err
	}
	return g.points(m.engine.Host())
}

// learnedBytes is the memory for the features of a run that anchors are learned from.
const learnedBytes = 1 << 30

// numbered gives the paths of graphs numbers, and the graphs in the runs in which they are looked at.
type numbered struct {
	graphs  train.Graphs
	whole   *graph.Batch     // of graphs in memory
	index   *graph.PathIndex // of these
	size    int
	walks   bool
	workers int
	count   graph.PathCount // of graphs on disk
	before  graph.PathCount // of those in runs before
	ends    []int           // of the runs on disk: the graph after each
}

// numberPaths counts the paths of so many vertices, and cuts graphs on disk into the runs that they would have in
// memory.
func (m *Model) numberPaths(ctx context.Context, graphs train.Graphs, size int) (*numbered, error) {
	n := &numbered{graphs: graphs, size: size, walks: m.opt.Walk, workers: m.engine.Workers()}
	if n.whole = (&train.Examples{Graphs: graphs}).Whole(); n.whole != nil {
		n.index = n.whole.NewPathIndex(size, n.walks, n.workers)
		return n, nil
	}
	limit, vertices := m.runVertices(m.runs), int64(0)
	err := eachPiece(ctx, graphs, nil, func(b *graph.Batch, first int) error {
		n.count.Add(b, size, n.walks, n.workers)
		for g := range b.NumGraphs() {
			more := int64(b.Offsets[g+1] - b.Offsets[g])
			if first+g > 0 && vertices+more > limit {
				n.ends, vertices = append(n.ends, first+g), 0
			}
			vertices += more
		}
		return nil
	})
	n.ends = append(n.ends, graphs.NumGraphs())
	return n, err
}

func (n *numbered) total() int64 {
	if n.whole != nil {
		return n.index.Total()
	}
	return n.count.Total()
}

// of returns the number of the first path of a run, that after the last one, and what gives the vertices of paths in
// the run. Runs on disk come in their order.
func (n *numbered) of(run *graph.Batch, first int) (from, to int64, at func(numbers []int64) []int32) {
	index, shift := n.index, int32(0)
	if n.whole != nil {
		shift = n.whole.Offsets[first]
	} else {
		if first == 0 {
			n.before = graph.PathCount{}
		}
		index = run.NewPathIndexAfter(n.before, n.count.Walks, n.size, n.walks, n.workers)
		n.before.Add(run, n.size, n.walks, n.workers)
	}
	from, to = index.Before(int(shift)), index.Before(int(shift)+run.NumVertices())
	return from, to, func(numbers []int64) []int32 {
		vertices := index.At(numbers, n.workers)
		for i := range vertices {
			vertices[i] -= shift
		}
		return vertices
	}
}

// channelsOf calls visit for runs of the graphs with what enters the layer above those that there are, in the
// model's dtype: anchors do not need the precision of [Model.encode]. Which vertices share a row decides which points
// are merged, so the free memory may not: the runs have a fixed size.
func (m *Model) channelsOf(
	ctx context.Context, graphs *numbered, visit func(run *graph.Batch, first int, in []autodiff.Features) error,
) error {
	if len(m.layers) == 0 {
		return m.runsOf(ctx, graphs, func(run *graph.Batch, first int) error {
			in, err := features(m.input, m.engine, m.opt.dtype(), run)
			if err != nil {
				return err
			}
			defer m.engine.Release(in.Rows)
			return visit(run, first, []autodiff.Features{in})
		})
	}
	n, err := m.network(m.opt.dtype(), false)
	if err != nil {
		return err
	}
	defer n.Release()
	return m.runsOf(ctx, graphs, func(run *graph.Batch, first int) error {
		return m.on(n, m.opt.dtype(), run, func(x *autodiff.Batch) error {
			if err := n.ForwardVertices(x); err != nil {
				return err
			}
			return visit(run, first, n.Channels()[0])
		})
	})
}

// runsOf calls visit for the runs of graphs in memory or on disk.
func (m *Model) runsOf(ctx context.Context, n *numbered, visit func(run *graph.Batch, first int) error) error {
	if n.whole != nil {
		return m.cut(ctx, n.whole, m.runs, nil, visit)
	}
	first := 0
	for _, end := range n.ends {
		if err := ctx.Err(); err != nil {
			return err
		}
		run, err := selectRange(n.graphs, first, end)
		if err != nil {
			return err
		}
		if err := visit(run, first); err != nil {
			return err
		}
		first = end
	}
	return nil
}

// gatherer collects sampled paths as sequences of rows of one table, with each row that occurs taken
// up once.
type gatherer struct {
	size, width int
	dtype       tensor.Dtype
	unit        bool
	whole       bool      // paths are points of one vector
	f32         []float32 // the table, in the model's dtype
	f64         []float64
	rows        []int32
	known       []int32 // of labels, whose rows are the same in every run: see add
}

// add takes up paths of a run, by their vertices in the channel.
func (g *gatherer) add(e engine.Engine, c *autodiff.Features, vertices []int32) error {
	g.unit = c.Unit
	row := g.known // row of the channel -> row of the table + 1
	if row == nil || !c.Unit {
		row = make([]int32, c.Rows.Shape()[0])
		g.known = row
	}
	known := int32((len(g.f32) + len(g.f64)) / g.width)
	var fresh []int32 // rows of the channel to append to the table
	for _, r := range vertices {
		if c.Index != nil {
			r = c.Index[r]
		}
		if row[r] == 0 {
			fresh = append(fresh, r)
			row[r] = known + int32(len(fresh))
		}
		g.rows = append(g.rows, row[r]-1)
	}
	if len(fresh) == 0 {
		return nil
	}
	rows := e.Scratch(c.Rows.Dtype(), len(fresh), g.width)
	defer e.Release(rows)
	if err := e.Place(rows, c.Rows, fresh, engine.Placement{Stride: 1}); err != nil {
		return err
	}
	taken := e.Host().New(g.dtype, len(fresh), g.width)
	if err := e.Convert(taken, rows); err != nil {
		return err
	}
	if g.dtype == tensor.Float32 {
		g.f32 = append(g.f32, taken.Float32s()...)
	} else {
		g.f64 = append(g.f64, taken.Float64s()...)
	}
	return nil
}

// points returns what was gathered as unit rows and distinct sequences with their counts, or as one unit vector for
// each sequence.
func (g *gatherer) points(e engine.Engine) (nystrom.Points, error) {
	n := (len(g.f32) + len(g.f64)) / g.width
	var backing any = g.f64
	if g.dtype == tensor.Float32 {
		backing = g.f32
	}
	table := tensor.New(tensor.WithEngine(e), tensor.WithShape(n, g.width), tensor.WithBacking(backing))
	if !g.unit && !g.whole {
		if err := e.NormalizeRows(table, nil, table, autodiff.NormEps); err != nil {
			return nystrom.Points{}, err
		}
	}
	rows, counts := nystrom.Distinct(g.rows, g.size, nil)
	if g.whole {
		vectors, err := wholeVectors(e, table, rows, g.size)
		return nystrom.Points{Points: engine.Points{Table: vectors, Size: 1}, Weights: counts}, err
	}
	if g.size == 1 {
		rows = nil // the table holds every row once, in the order of the points
	}
	return nystrom.Points{Points: engine.Points{Table: table, Rows: rows, Size: g.size}, Weights: counts}, nil
}
