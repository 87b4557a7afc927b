package gnn

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/grove-graph/grove/autodiff"
	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/modelfile"
	"github.com/grove-graph/grove/train"
	"gorgonia.org/tensor"
)

// Model is a trained network. It is bound to the engine that it was made for and safe for concurrent use.
type Model struct {
	model.Head
	Records []autodiff.Record // of the start and of every epoch; nil for a model from a file

	described
	encoding *dataset.Encoding
	engine   engine.Engine
	tensors  *network

	mu       sync.Mutex // of what follows, which serves one at a time
	network  *autodiff.Network
	features *features
}

// described is the description of a model in its file, whose tensors are the parameters and the moving averages, by
// name.
type described struct {
	Options Options       `json:"options"`
	Input   train.Input   `json:"input"`
	Outputs train.Outputs `json:"outputs"`
	Best    int           `json:"epoch"`
}

// stored is what a model adds to its file.
type stored struct {
	Encoding *dataset.Encoding `json:"encoding"`
	Network  described         `json:"network"`
}

// items is the number of graphs that are predicted at a time.
const items = 256

// start makes the network that predicts.
func (m *Model) start() error {
	var err error
	if m.network, err = autodiff.New(m.engine, m.tensors.Definition); err != nil {
		return err
	}
	m.features, err = featuresOf(m.engine, &m.Options, m.Input)
	return err
}

// Encoding implements [model.Model].
func (m *Model) Encoding() *dataset.Encoding { return m.encoding }

// Predict implements [model.Model].
func (m *Model) Predict(ctx context.Context, d *dataset.Dataset, progress model.Progress) (*model.Predictions, error) {
	b, err := m.encoding.Apply(d)
	if err != nil {
		return nil, err
	}
	logits, err := m.logits(ctx, b, progress)
	if err != nil {
		return nil, err
	}
	return m.Options.Predictions(logits, len(m.Classes) == 0), nil
}

// logits returns the settled outputs for all items of b, in Float64 in host memory.
func (m *Model) logits(ctx context.Context, b *graph.Batch, progress model.Progress) (*tensor.Dense, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	defer m.network.Free()
	var all []float64
	for from := 0; from < b.NumGraphs(); from += items {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		progress.Report("predict", from, b.NumGraphs())
		some, vertices := m.cut(b, from, min(from+items, b.NumGraphs()))
		of, err := m.forward(some, vertices)
		if err != nil {
			return nil, err
		}
		all = append(all, of...)
	}
	progress.Report("predict", b.NumGraphs(), b.NumGraphs())
	outputs := m.network.Outputs()
	for r := 0; r < len(all); r += outputs {
		m.Outputs.Settle(all[r : r+outputs])
	}
	return tensor.New(tensor.WithShape(len(all)/outputs, outputs), tensor.WithBacking(all)), nil
}

// cut returns some consecutive graphs with the vertices that are items, nil where the graphs are.
func (m *Model) cut(b *graph.Batch, from, to int) (*graph.Batch, []int32) {
	graphs := make([]int, 0, to-from)
	for g := from; g < to; g++ {
		graphs = append(graphs, g)
	}
	some := b.Select(graphs)
	if m.Task != model.NodeTask {
		return some, nil
	}
	vertices := make([]int32, some.NumVertices())
	for v := range vertices {
		vertices[v] = int32(v)
	}
	return some, vertices
}

// forward returns the logits of the items of b.
func (m *Model) forward(b *graph.Batch, vertices []int32) ([]float64, error) {
	f, err := m.features.of(b)
	if err != nil {
		return nil, err
	}
	if _, fanOut, err := m.Options.FanOuts(m.Options.Layers); err != nil || fanOut != nil {
		if err != nil {
			return nil, err
		}
		return m.forwardSampled(b, f, fanOut, vertices)
	}
	at, err := m.network.Layout(b, f, autodiff.Targets{}, vertices)
	if err != nil {
		return nil, err
	}
	defer at.Release(m.engine)
	if err := m.network.Forward(at); err != nil {
		return nil, err
	}
	return engine.Float64s(m.network.Logits())
}

// forwardSampled is forward by some of the arcs.
func (m *Model) forwardSampled(b *graph.Batch, f autodiff.Features, fanOut []int, vertices []int32) ([]float64, error) {
	if f.Raw != nil {
		f.Rows = m.engine.New(m.Options.dtype(), f.Raw.Shape()...)
		defer m.engine.Release(f.Rows)
		if err := m.engine.Convert(f.Rows, f.Raw); err != nil {
			return nil, err
		}
	}
	var all []float64
	arcs, of := autodiff.NewArcs(b), autodiff.Sampling{FanOut: fanOut, Draw: m.Options.drawOf(0)}
	for some := range slices.Chunk(vertices, train.WholeBatch) {
		at, err := m.network.LayoutSampled(arcs, of, f, autodiff.Targets{}, some)
		if err != nil {
			return nil, err
		}
		err = m.network.Forward(at)
		at.Release(m.engine)
		if err != nil {
			return nil, err
		}
		logits, err := engine.Float64s(m.network.Logits())
		if err != nil {
			return nil, err
		}
		all = append(all, logits...)
	}
	return all, nil
}

// Parts implements [model.Model].
func (m *Model) Parts() (any, map[string]*tensor.Dense, error) {
	tensors := map[string]*tensor.Dense{}
	for name, t := range m.tensors.tensors() {
		var err error
		if tensors[name], err = engine.ToHost(t); err != nil {
			return nil, nil, err
		}
	}
	return stored{m.encoding, m.described}, tensors, nil
}

// load reads the parts of a model.
func load(e engine.Engine, h *model.Head, parts json.RawMessage, f *modelfile.File) (model.Model, error) {
	var s stored
	if err := modelfile.Unmarshal(parts, &s); err != nil {
		return nil, err
	}
	outputs := len(h.Classes)
	if outputs == 0 {
		outputs = len(h.Targets)
	}
	if err := s.check(outputs, len(h.Classes) == 0); err != nil {
		return nil, err
	}
	tensors, err := define(e, s.Network.Options, s.Network.Input, outputs)
	if err != nil {
		return nil, err
	}
	for name, t := range tensors.tensors() {
		from, err := f.Tensor(name, t.Dims())
		if err != nil {
			return nil, err
		}
		if !from.Shape().Eq(t.Shape()) || from.Dtype() != t.Dtype() {
			return nil, fmt.Errorf("tensor %s of shape %v and type %v, want %v and %v", name, from.Shape(), from.Dtype(),
				t.Shape(), t.Dtype())
		}
		if err := e.Convert(t, from); err != nil {
			return nil, err
		}
	}
	m := &Model{Head: *h, described: s.Network, encoding: s.Encoding, engine: e, tensors: tensors}
	return m, m.start()
}

// check reports a description that does not fit.
func (s *stored) check(outputs int, regression bool) error {
	d := &s.Network
	switch {
	case s.Encoding == nil:
		return fmt.Errorf("no encoding of vertices")
	case d.Input.Dim() < 1 || d.Input.Labels < 0 || d.Input.Attributes < 0:
		return fmt.Errorf("input %+v", d.Input)
	case d.Best < 0 || d.Best > d.Options.Epochs:
		return fmt.Errorf("epoch %d of %d", d.Best, d.Options.Epochs)
	}
	if err := d.Outputs.Check(outputs, regression); err != nil {
		return err
	}
	return d.Options.Check()
}

// Epochs implements [model.Trained].
func (m *Model) Epochs() []model.Epoch { return train.Epochs(m.Records) }
