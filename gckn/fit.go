package gckn

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sort"

	"github.com/grove-graph/grove/autodiff"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/nystrom"
	"gorgonia.org/tensor"
)

// Fit learns the anchors of every layer without supervision (section 3.2): spherical k-means on up to
// opt.Samples paths drawn from the graphs of b, layer by layer from the bottom. Give it the training
// graphs alone for an honest estimate; the published experiments gave it all graphs.
//
// The host learns, also where e is a device, which finds the nearest anchors of the points: those that rounding decides
// about the host looks at itself, so that every device gives the same anchors.
func Fit(
	ctx context.Context, e engine.Engine, b *graph.Batch, input Input, opt Options, progress model.Progress,
) (*Model, error) {
	if err := opt.Check(); err != nil {
		return nil, err
	}
	m := newModel(e.Host(), input, opt)
	for l := range opt.Layers {
		progress.Report("sample", l, len(opt.Layers))
		points, err := m.sample(ctx, b, l)
		if err != nil {
			return nil, fmt.Errorf("layer %d: %w", l+1, err)
		}
		progress.Report("anchors", l, len(opt.Layers))
		clusters, err := nystrom.KMeans(ctx, e, points, opt.Layers[l].Filters, nystrom.KMeansOptions{
			Seed: opt.Seed*1000003 + uint64(l),
		})
		if err != nil {
			return nil, fmt.Errorf("layer %d: anchors: %w", l+1, err)
		}
		if err := m.add(clusters.Anchors); err != nil {
			return nil, err
		}
	}
	progress.Report("anchors", len(opt.Layers), len(opt.Layers))
	return m.moved(e)
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
func (m *Model) sample(ctx context.Context, b *graph.Batch, l int) (nystrom.Points, error) {
	size, channels := m.opt.Layers[l].PathSize, 1
	if l > 0 {
		channels = m.opt.channels(l - 1)
	}
	paths := b.NewPathIndex(size, m.opt.Walk, m.engine.Workers())
	total := paths.Total()
	if total == 0 {
		return nystrom.Points{},
			fmt.Errorf("the graphs have no path of %d vertices to learn anchors from; choose a smaller path size", size)
	}
	rng := rand.New(rand.NewPCG(m.opt.Seed, uint64(l)))
	drawn := nystrom.SampleSorted(total*int64(channels), m.opt.Samples, rng)

	g := &gatherer{size: size, width: m.input.dim(), dtype: m.opt.dtype()}
	if l > 0 {
		g.width = m.opt.Layers[l-1].Filters
	}
	vertices := make([][]int32, channels) // of the paths drawn in each channel
	for c := range vertices {
		from := sort.Search(len(drawn), func(i int) bool { return drawn[i] >= int64(c)*total })
		to := sort.Search(len(drawn), func(i int) bool { return drawn[i] >= int64(c+1)*total })
		numbers := make([]int64, to-from)
		for i := range numbers {
			numbers[i] = drawn[from+i] - int64(c)*total
		}
		vertices[c] = paths.At(numbers, m.engine.Workers())
	}
	err := m.channelsOf(ctx, b, func(run *graph.Batch, first int, in []autodiff.Features) error {
		shift := b.Offsets[first]
		for c := range in {
			done, err := g.add(m.engine, &in[c], vertices[c], shift, shift+int32(run.NumVertices()))
			if err != nil {
				return err
			}
			vertices[c] = vertices[c][done:]
		}
		return nil
	})
	if err != nil {
		return nystrom.Points{}, err
	}
	return g.points(m.engine.Host())
}

// channelsOf calls visit for runs of the graphs of b with what enters the layer above those that there are, in the
// model's dtype: anchors do not need the precision of [Model.encode]. Which vertices share a row decides which points
// are merged, so the free memory may not: the runs have a fixed size.
func (m *Model) channelsOf(
	ctx context.Context, b *graph.Batch, visit func(run *graph.Batch, first int, in []autodiff.Features) error,
) error {
	if len(m.layers) == 0 {
		return m.cut(ctx, b, maxRunBytes, nil, func(run *graph.Batch, first int) error {
			in, err := m.input.features(m.engine, m.opt.dtype(), run)
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
	return m.cut(ctx, b, maxRunBytes, nil, func(run *graph.Batch, first int) error {
		return m.on(n, m.opt.dtype(), run, func(x *autodiff.Batch) error {
			if err := n.ForwardVertices(x); err != nil {
				return err
			}
			return visit(run, first, n.Channels()[0])
		})
	})
}

// gatherer collects sampled paths as sequences of rows of one table, with each row that occurs taken
// up once.
type gatherer struct {
	size, width int
	dtype       tensor.Dtype
	unit        bool
	f32         []float32 // the table, in the model's dtype
	f64         []float64
	rows        []int32
	known       []int32 // of labels, whose rows are the same in every run: see add
}

// add takes up the leading paths whose first vertex is below to; vertex v of the batch is v-from in
// the channel. It returns how many elements of vertices it used.
func (g *gatherer) add(e engine.Engine, c *autodiff.Features, vertices []int32, from, to int32) (int, error) {
	g.unit = c.Unit
	row := g.known // row of the channel -> row of the table + 1
	if row == nil || !c.Unit {
		row = make([]int32, c.Rows.Shape()[0])
		g.known = row
	}
	known := int32((len(g.f32) + len(g.f64)) / g.width)
	var fresh []int32 // rows of the channel to append to the table
	done := 0
	for done < len(vertices) && vertices[done] < to {
		for _, v := range vertices[done : done+g.size] {
			r := v - from
			if c.Index != nil {
				r = c.Index[r]
			}
			if row[r] == 0 {
				fresh = append(fresh, r)
				row[r] = known + int32(len(fresh))
			}
			g.rows = append(g.rows, row[r]-1)
		}
		done += g.size
	}
	if len(fresh) == 0 {
		return done, nil
	}
	rows := e.Scratch(c.Rows.Dtype(), len(fresh), g.width)
	defer e.Release(rows)
	if err := e.Place(rows, c.Rows, fresh, engine.Placement{Stride: 1}); err != nil {
		return 0, err
	}
	taken := e.Host().New(g.dtype, len(fresh), g.width)
	if err := e.Convert(taken, rows); err != nil {
		return 0, err
	}
	if g.dtype == tensor.Float32 {
		g.f32 = append(g.f32, taken.Float32s()...)
	} else {
		g.f64 = append(g.f64, taken.Float64s()...)
	}
	return done, nil
}

// points returns what was gathered as unit rows and distinct sequences with their counts.
func (g *gatherer) points(e engine.Engine) (nystrom.Points, error) {
	n := (len(g.f32) + len(g.f64)) / g.width
	var backing any = g.f64
	if g.dtype == tensor.Float32 {
		backing = g.f32
	}
	table := tensor.New(tensor.WithEngine(e), tensor.WithShape(n, g.width), tensor.WithBacking(backing))
	if !g.unit {
		if err := e.NormalizeRows(table, nil, table, autodiff.NormEps); err != nil {
			return nystrom.Points{}, err
		}
	}
	rows, counts := nystrom.Distinct(g.rows, g.size, nil)
	if g.size == 1 {
		rows = nil // the table holds every row once, in the order of the points
	}
	return nystrom.Points{Points: engine.Points{Table: table, Rows: rows, Size: g.size}, Weights: counts}, nil
}
