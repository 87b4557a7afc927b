package cgmm

import (
	"context"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/model"
	"gorgonia.org/tensor"
)

// fingerprints represents graphs, and vertices by their share in them.
type fingerprints struct {
	encoding *dataset.Encoding
	layers   *Model
	kind     Fingerprint
}

// Width implements [model.Embedder].
func (f *fingerprints) Width() (columns int, dtype tensor.Dtype) {
	return f.layers.DimOf(f.kind), tensor.Float64
}

// Embed implements [model.Embedder].
func (f *fingerprints) Embed(
	ctx context.Context, d *dataset.Dataset, perVertex bool, progress model.Progress, visit func(*tensor.Dense) error,
) error {
	b, err := f.encoding.Apart(d)
	if err != nil {
		return err
	}
	return f.layers.EachRun(ctx, b, f.kind, perVertex, progress, visit)
}

// representation is an estimator for the fingerprints alone. It infers no states unless something is to be predicted.
type representation struct{ Estimator }

// Learner implements [model.Estimator].
func (r representation) Learner(ctx context.Context, w *model.Work) (model.Learner, error) {
	g, err := r.grow(ctx, w, false)
	if err != nil {
		return nil, err
	}
	return &representing{model.Late{Of: r.Estimator, Work: w}, g.fingerprints(&r.Estimator)}, nil
}

type representing struct {
	model.Late
	fingerprints *fingerprints
}

// Encoder implements [model.Encoder].
func (l *representing) Encoder(context.Context, bool) (model.Embedder, error) {
	return l.fingerprints, nil
}
