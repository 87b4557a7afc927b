package gckn

import (
	"context"
	"fmt"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/nystrom"
	"github.com/grove-graph/grove/rounds"
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
	return fitWith(ctx, e, graphs, input, opt, nil, progress, nothingKnown)
}

// nothingKnown is a [makeLayer] that learns.
func nothingKnown(
	_ int, learn func() (*tensor.Dense, error), root func(*tensor.Dense) (*layer, error),
) (*layer, error) {
	anchors, err := learn()
	if err != nil {
		return nil, err
	}
	return root(anchors)
}

// fitWith is [FitGraphs] with layers that may be known, in rounds.
func fitWith(
	ctx context.Context, e engine.Engine, graphs train.Graphs, input train.Input, opt Options, by *rounds.Rounds,
	progress model.Progress, made makeLayer,
) (*Model, error) {
	if err := opt.Check(); err != nil {
		return nil, err
	}
	m := newModel(e.Host(), input, opt)
	for l := range opt.Layers {
		learn := func() (*tensor.Dense, error) { return m.learn(ctx, e, graphs, l, by, progress) }
		y, err := made(l, learn, m.next)
		if err != nil {
			return nil, fmt.Errorf("layer %d: %w", l+1, err)
		}
		m.layers = append(m.layers, y)
	}
	progress.Report("anchors", len(opt.Layers), len(opt.Layers))
	return m.moved(e)
}

// learn learns the anchors of the layer above those that there are.
func (m *Model) learn(
	ctx context.Context, e engine.Engine, graphs train.Graphs, l int, by *rounds.Rounds, progress model.Progress,
) (*tensor.Dense, error) {
	progress.Report("sample", l, len(m.opt.Layers))
	sampled, err := m.sample(ctx, graphs, l, by)
	if err != nil {
		return nil, err
	}
	return keepTensor(by, m.engine, func() (*tensor.Dense, error) { return m.cluster(ctx, e, sampled, l, progress) })
}

// cluster learns the anchors of a layer from the paths that were drawn for it.
func (m *Model) cluster(
	ctx context.Context, e engine.Engine, sampled *gathered, l int, progress model.Progress,
) (*tensor.Dense, error) {
	points, err := sampled.points(m.engine.Host(), m.opt.dtype(), m.opt.Layers[l].PathSize, m.opt.whole(l))
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
