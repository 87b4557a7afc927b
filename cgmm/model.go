package cgmm

import (
	"context"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/model"
	"gorgonia.org/tensor"
)

// Model is a fitted stack of layers: everything needed to represent graphs that were never seen. A model is
// bound to the engine that it was made for and safe for concurrent use.
type Model struct {
	opt      Options
	input    Input
	standard standard
	engine   engine.Engine
	layers   []*layer
	history  []LayerHistory
}

// LayerHistory is what the training of a layer went through.
type LayerHistory struct {
	// LogLikelihood is that of the vertices that have a context (Eq. 2, natural logarithm, real attributes
	// standardised), before the first and after every iteration, for the candidate that was chosen.
	LogLikelihood []float64 `json:"log_likelihood"`
	Candidate     int       `json:"candidate"` // that was chosen
	Score         float64   `json:"score"`     // that it was chosen for
	Scores        []float64 `json:"scores"`    // of the whole pool
}

// Input returns what the model wants of the vertices.
func (m *Model) Input() Input { return m.input }

// Layers returns the number of layers: fewer than Options.Layers where growth stopped.
func (m *Model) Layers() int { return len(m.layers) }

// Dim returns the length of a graph's fingerprint.
func (m *Model) Dim() int { return m.DimOf(m.opt.Fingerprint) }

// DimOf returns the length of a fingerprint of another kind.
func (m *Model) DimOf(f Fingerprint) int {
	return f.dim(len(m.layers), func(l int) int { return m.layers[l].states })
}

// previous returns the layers that the next one looks at, as far as they exist, and their states.
func (m *Model) previous() (previous, below []int) {
	for _, distance := range m.opt.Previous {
		if l := len(m.layers) - distance; l >= 0 {
			previous = append(previous, l)
			below = append(below, m.layers[l].states)
		}
	}
	return previous, below
}

// States infers the states of all vertices of a batch in every layer (Eqs. 4 and 5).
func (m *Model) States(ctx context.Context, b *graph.Batch, progress model.Progress) (*States, error) {
	s, err := newStates(&m.input, m.standard, b)
	if err != nil {
		return nil, err
	}
	for l, y := range m.layers {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		progress.Report("states", l, len(m.layers))
		if err := s.add(m.engine, y, m.opt.Soft); err != nil {
			return nil, err
		}
	}
	progress.Report("states", len(m.layers), len(m.layers))
	return s, nil
}

// Transform returns the fingerprint of every graph of b, a NumGraphs x Dim matrix of Float64 in host memory.
func (m *Model) Transform(ctx context.Context, b *graph.Batch, progress model.Progress) (*tensor.Dense, error) {
	out := make([]float64, 0, b.NumGraphs()*m.Dim())
	err := m.EachRun(ctx, b, m.opt.Fingerprint, false, progress, func(x *tensor.Dense) error {
		out = append(out, x.Float64s()...)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return tensor.New(tensor.WithShape(b.NumGraphs(), m.Dim()), tensor.WithBacking(out)), nil
}

// EachRun is [Model.Transform] for more graphs than memory has room for, and for a fingerprint of any kind: it calls
// visit with the rows of consecutive runs of graphs, which are good until visit returns. Where perVertex is set there
// is a row for every vertex, its share in the fingerprint of its graph: those of a graph add up to the graph's row.
func (m *Model) EachRun(
	ctx context.Context, b *graph.Batch, f Fingerprint, perVertex bool, progress model.Progress,
	visit func(x *tensor.Dense) error,
) error {
	limit := int64(runBytes / m.vertexBytes(f))
	return model.EachRun(ctx, b, limit, progress, func(run *graph.Batch, _ int) error {
		s, err := m.States(ctx, run, nil)
		if err != nil {
			return err
		}
		rows := s.Fingerprints
		if perVertex {
			rows = s.VertexFeatures
		}
		x, err := rows(f)
		if err != nil {
			return err
		}
		return visit(x)
	})
}

// runBytes bounds the memory for one run of graphs. It is the same on every machine, so that a run holds the
// same graphs everywhere.
const runBytes = 1 << 28

// vertexBytes returns the memory for a vertex: prior, likelihood and posterior of one layer, the posteriors of
// the others, its context and its row of features.
func (m *Model) vertexBytes(f Fingerprint) int {
	bytes := 8 * m.DimOf(f)
	for _, y := range m.layers {
		bytes += 8 * y.states
		context := 128
		if m.opt.Soft {
			context = 12 * y.columns()
		}
		bytes = max(bytes, 16*y.states+context)
	}
	return bytes
}
