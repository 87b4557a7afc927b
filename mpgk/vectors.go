package mpgk

import (
	"context"
	"fmt"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/model"
	"gorgonia.org/tensor"
)

// Encoder implements [model.Encoder]: graphs by their kernel with a few others, vertices by kernel principal
// components.
func (s Estimator) Encoder(ctx context.Context, w *model.Work, perVertex bool) (model.Embedder, error) {
	if perVertex {
		encoding, err := s.encode(w.Data, w.Seen)
		return &vertexVectors{s, w.Engine, encoding}, err
	}
	f, err := s.fit(ctx, w)
	if err != nil {
		return nil, err
	}
	if f.model.nystrom == nil {
		return nil, errWithoutLandmarks
	}
	return &graphVectors{f.encoding, f.model.after(s.Options.Iterations)}, nil
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
