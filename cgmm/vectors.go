package cgmm

import (
	"context"
	"fmt"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/rounds"
	"github.com/grove-graph/grove/split"
	"gorgonia.org/tensor"
)

// fingerprints represents graphs, and vertices by their share in them.
type fingerprints struct {
	encoding *dataset.Encoding
	layers   *Model
	kind     Fingerprint
}

// check returns an error where the parts, as read from a file, do not fit each other.
func (f *fingerprints) check() error {
	if err := f.encoding.Check(); err != nil {
		return err
	}
	if want, have := f.layers.Input(), InputFor(f.encoding); want != have {
		return fmt.Errorf("an encoding of %+v for a model that wants %+v", have, want)
	}
	return f.kind.Check(f.layers.Layers())
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

// Encoder implements [model.Encoder]. It infers no states before something is embedded.
func (s Estimator) Encoder(ctx context.Context, w *model.Work, _ bool) (model.Embedder, error) {
	w, err := s.inMemory(w)
	if err != nil {
		return nil, err
	}
	g, err := s.grow(ctx, w, false)
	if err != nil {
		return nil, err
	}
	return g.fingerprints(&s), nil
}

// stored returns the fingerprints of all graphs of some work that stay on disk. They lie in a temporary file, or one of
// package rounds, mapped in memory as long as the work is open.
func (f *fingerprints) stored(ctx context.Context, w *model.Work) (*tensor.Dense, error) {
	n, dim := w.Store.NumGraphs(), f.layers.DimOf(f.kind)
	x, release, err := rounds.Matrix(ctx, w.Rounds, rounds.Pass[[]float64]{
		Name: "fingerprints of the graphs", First: rounds.Even(n, model.BlockGraphs),
		Progress: func(done, blocks int) { w.Progress.Report("states", done, blocks) },
		Compute: func(ctx context.Context, block int) (some []float64, err error) {
			end := min((block+1)*model.BlockGraphs, n)
			for from := block * model.BlockGraphs; from < end; from += readGraphs {
				d, err := w.Store.Select(split.All(min(from+readGraphs, end))[from:])
				if err != nil {
					return nil, err
				}
				if err := f.Embed(ctx, d, false, nil, func(rows *tensor.Dense) error {
					some = append(some, rows.Float64s()...)
					return nil
				}); err != nil {
					return nil, err
				}
			}
			return some, nil
		},
	}, n*dim)
	if err != nil {
		return nil, err
	}
	w.OnClose(release)
	return tensor.New(tensor.WithShape(n, dim), tensor.WithBacking(x)), nil
}
