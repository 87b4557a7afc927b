package gckn

import (
	"context"

	"github.com/grove-graph/grove/autodiff"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/train"
	"gorgonia.org/tensor"
)

// unitRows divides the attributes of vertices by their norms.
func unitRows(e engine.Engine, dtype tensor.Dtype, raw *tensor.Dense) (unit, norms *tensor.Dense, err error) {
	unit, norms = e.New(dtype, raw.Shape()...), e.New(dtype, raw.Shape()[0])
	if err := e.Convert(unit, raw); err != nil {
		return nil, nil, err
	}
	return unit, norms, e.NormalizeRows(unit, norms, unit, autodiff.NormEps)
}

// samplingFeatures returns what samples of paths of b are laid out from. Rows and norms belong to the caller.
func samplingFeatures(e engine.Engine, dtype tensor.Dtype, in train.Input, b *graph.Batch) (autodiff.Features, error) {
	f := autodiff.Features{Unit: true}
	var err error
	if in.Labels > 0 {
		if f.Index, err = in.Index(b); err == nil {
			f.Rows, err = in.LabelRows(e, dtype)
		}
		return f, err
	}
	raw, err := in.Raw(b)
	if err == nil {
		f.Rows, f.Norms, err = unitRows(e, dtype, raw)
	}
	return f, err
}

// samples tells the draws of paths from other uses of the seed.
const samples = 0x5a3b1e

// drawOf returns the draw of paths of an epoch, or with 0 that of scores and predictions.
func (o *Options) drawOf(epoch int) graph.Draw { return graph.NewDraw(o.Seed, samples, epoch) }

// representSampled is [Model.VertexFeatures] by some of the paths.
func (m *Model) representSampled(
	ctx context.Context, b *graph.Batch, fanOut []int, progress model.Progress,
) (*tensor.Dense, error) {
	n, err := m.network(tensor.Float64, m.opt.Concat)
	if err != nil {
		return nil, err
	}
	defer n.Release()
	f, err := samplingFeatures(m.engine, tensor.Float64, m.input, b)
	if err != nil {
		return nil, err
	}
	defer m.engine.Release(f.Rows, f.Norms)
	out, sampler := m.engine.Host().New(m.opt.dtype(), b.NumVertices(), m.opt.Dim()), b.Sampler()
	of := autodiff.Sampling{FanOut: fanOut, Draw: m.opt.drawOf(0)}
	for from := 0; from < b.NumVertices(); from += train.WholeBatch {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		progress.Report("encode", from, b.NumVertices())
		vertices := make([]int32, min(train.WholeBatch, b.NumVertices()-from))
		for i := range vertices {
			vertices[i] = int32(from + i)
		}
		err := engine.Record(m.engine, func() error {
			x, err := n.PrepareSampled(sampler, of, f, autodiff.Targets{}, vertices)
			if err != nil {
				return err
			}
			defer x.Release(m.engine)
			if err := n.Forward(x); err != nil {
				return err
			}
			return m.engine.Convert(rows(out, from, len(vertices)), n.Representation())
		})
		if err != nil {
			return nil, err
		}
	}
	progress.Report("encode", b.NumVertices(), b.NumVertices())
	return out, nil
}
