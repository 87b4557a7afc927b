package mpgk

import (
	"context"
	"fmt"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/model"
	"gorgonia.org/tensor"
)

// vectors represents graphs by their kernel with a few others, and vertices by kernel principal components.
type vectors struct {
	estimator Estimator
	work      *model.Work
}

// Encoder implements [model.Encoder].
func (v vectors) Encoder(ctx context.Context, perVertex bool) (model.Embedder, error) {
	if perVertex {
		encoding, err := v.estimator.encode(v.work.Data, v.work.Seen)
		return &vertexVectors{v.estimator, v.work.Engine, encoding}, err
	}
	f, err := v.estimator.fit(ctx, v.work)
	if err != nil {
		return nil, err
	}
	if f.model.nystrom == nil {
		return nil, errWithoutLandmarks
	}
	return &graphVectors{f.encoding, f.model.after(v.estimator.Options.Iterations)}, nil
}

// graphVectors gives the Nyström features of graphs.
type graphVectors struct {
	encoding *dataset.Encoding
	model    *Model
}

// Width implements [model.Embedder].
func (v *graphVectors) Width() (columns int, dtype tensor.Dtype) {
	return v.model.NumFeatures(), tensor.Float64
}

// Embed implements [model.Embedder].
func (v *graphVectors) Embed(
	ctx context.Context, d *dataset.Dataset, perVertex bool, progress model.Progress, visit func(*tensor.Dense) error,
) error {
	if perVertex {
		return fmt.Errorf("these are vectors of graphs, not of vertices")
	}
	b, err := v.encoding.Apply(d)
	if err != nil {
		return err
	}
	x, err := v.model.Features(ctx, b, progress)
	if err != nil {
		return err
	}
	return visit(x)
}

// vertexVectors gives coordinates of vertices by kernel principal components: those of the vertices themselves, so that
// vertices of other data have others.
type vertexVectors struct {
	estimator Estimator
	engine    engine.Engine
	encoding  *dataset.Encoding
}

// Width implements [model.Embedder].
func (v *vertexVectors) Width() (columns int, dtype tensor.Dtype) {
	if v.estimator.Dims > 0 {
		return v.estimator.Dims, tensor.Float64
	}
	return defaultDims, tensor.Float64
}

// Embed implements [model.Embedder].
func (v *vertexVectors) Embed(
	ctx context.Context, d *dataset.Dataset, perVertex bool, progress model.Progress, visit func(*tensor.Dense) error,
) error {
	if !perVertex {
		return fmt.Errorf("these are vectors of vertices, not of graphs")
	}
	b, err := v.encoding.Apply(d)
	if err != nil {
		return err
	}
	dims, _ := v.Width()
	x, err := EmbedVertices(ctx, v.engine, b, v.estimator.Options, dims, progress)
	if err != nil {
		return err
	}
	return visit(x)
}

// representation is an estimator for what it represents graphs or vertices by. It computes no kernel matrix unless
// something is to be predicted.
type representation struct{ Estimator }

// Learner implements [model.Estimator].
func (r representation) Learner(_ context.Context, w *model.Work) (model.Learner, error) {
	return &representing{vectors{r.Estimator, w}, model.Late{Of: r.Estimator, Work: w}}, nil
}

type representing struct {
	vectors
	model.Late
}
