package gnn

import (
	"context"
	"fmt"
	"math"
	"sort"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/model"
	"gorgonia.org/tensor"
)

// Methods implements [model.Explainer].
func (m *Model) Methods() []model.Method { return []model.Method{model.Importance} }

// Explain implements [model.Explainer]. The importance of a vertex is the absolute value of gradient times input
// (Shrikumar et al., 2016): of the sum over its features of the feature times the derivative of the output that is
// predicted, by itself for numbers and less the mean of all outputs for classes. Importances have sum 1.
func (m *Model) Explain(
	ctx context.Context, d *dataset.Dataset, examples []int, opt model.ExplainOptions,
) ([]model.Explanation, error) {
	if opt.Method != "" && opt.Method != model.Importance {
		return nil, fmt.Errorf("%s is not explained by %s", m.Model, opt.Method)
	}
	b, err := m.encoding.Apply(d)
	if err != nil {
		return nil, err
	}
	out := make([]model.Explanation, len(examples))
	for i, example := range examples {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		opt.Progress.Report("explain", i, len(examples))
		if out[i], err = m.explain(ctx, b, example); err != nil {
			return nil, err
		}
	}
	opt.Progress.Report("explain", len(examples), len(examples))
	return out, nil
}

// explain explains one example.
func (m *Model) explain(ctx context.Context, b *graph.Batch, example int) (x model.Explanation, err error) {
	g, at, row := example, []int32(nil), 0
	if m.Task == model.NodeTask {
		g = sort.Search(b.NumGraphs(), func(g int) bool { return int(b.Offsets[g+1]) > example })
		first, _ := b.Vertices(g)
		at, row = []int32{int32(example) - first}, example-int(first)
	}
	one := b.Select([]int{g})
	logits, err := m.logits(ctx, one, nil)
	if err != nil {
		return x, err
	}
	said := m.Options.Predictions(logits, len(m.Classes) == 0)
	outputs := logits.Shape()[1]
	x = model.Explanation{Graph: g, Predicted: -1}
	weights := make([]float64, outputs)
	if len(m.Classes) == 0 {
		value := said.Values.Float64s()[row*outputs]
		x.Value, weights[0] = &value, 1
	} else {
		x.Predicted = said.Classes[row]
		for k := range weights {
			weights[k] = -1 / float64(outputs)
		}
		weights[x.Predicted]++
	}
	x.Vertices, err = m.importance(one, weights, at)
	x.Seen = x.Vertices
	return x, err
}

// importance returns the share of every vertex of one graph in gradient times input.
func (m *Model) importance(b *graph.Batch, weights []float64, at []int32) ([]float64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	defer m.network.Free()
	f, err := m.features.of(b)
	if err != nil {
		return nil, err
	}
	of := tensor.New(tensor.WithShape(1, len(weights)), tensor.WithBacking(weights))
	gradient, err := m.network.Explain(b, f, of, at)
	if err != nil {
		return nil, err
	}
	slopes, err := engine.Float64s(gradient)
	if err != nil {
		return nil, err
	}
	rows := f.Raw
	if rows == nil {
		rows = f.Rows
	}
	values, err := engine.Float64s(rows)
	if err != nil {
		return nil, err
	}
	d, total := m.Input.Dim(), 0.0
	out := make([]float64, b.NumVertices())
	for v := range out {
		r := v
		if f.Index != nil {
			r = int(f.Index[v])
		}
		sum := 0.0
		for j := range d {
			sum += slopes[v*d+j] * values[r*d+j]
		}
		out[v] = math.Abs(sum)
		total += out[v]
	}
	for v := range out {
		if out[v] /= total; !(total > 0) {
			out[v] = 1 / float64(len(out))
		}
	}
	return out, nil
}
