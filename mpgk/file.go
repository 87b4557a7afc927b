package mpgk

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/modelfile"
	"gorgonia.org/tensor"
)

// A model file holds the graphs of Fit, and for each k^t what was learned from it in terms of their vertices: the
// parents of the hierarchy's nodes, the leaf of every vertex, strays and landmarks. All else follows from these and
// is computed again when the file is loaded. Whole numbers are stored as Float64; empty lists are left out.

// stored is the description of a model in a model file.
type stored struct {
	Options Options `json:"options"`
	Input   Input   `json:"input"`
}

// MarshalJSON describes the model without its graphs and hierarchies.
func (m *Model) MarshalJSON() ([]byte, error) { return json.Marshal(stored{m.opt, m.input}) }

// Names of tensors; those of an iteration are followed by its number.
const (
	nameOffsets    = prefix + "offsets"
	nameRows       = prefix + "rows"
	nameArcs       = prefix + "arcs"
	nameLabels     = prefix + "labels"
	nameAttributes = prefix + "attributes"
	nameSelected   = prefix + "kept"
	nameGraphs     = prefix + "graph-landmarks"

	nameParents   = prefix + "parents-%d"
	nameLeaves    = prefix + "leaves-%d"
	nameStrays    = prefix + "strays-%d" // node, vertex, child one after another
	nameLandmarks = prefix + "landmarks-%d"
)

// Tensors returns what a model file must hold beside the description.
func (m *Model) Tensors() map[string]*tensor.Dense {
	out := map[string]*tensor.Dense{}
	put := func(name string, x []float64) {
		if len(x) > 0 {
			out[name] = tensor.New(tensor.WithShape(len(x)), tensor.WithBacking(x))
		}
	}
	put(nameOffsets, floats(m.batch.Offsets))
	put(nameRows, floats(m.batch.RowPtr))
	put(nameArcs, floats(m.batch.Col))
	if m.input.Attributes > 0 {
		put(nameAttributes, m.batch.Attributes)
	} else if m.input.Labels > 0 {
		labels := make([]float64, len(m.batch.Labels))
		for v := range labels {
			labels[v] = float64(m.input.label(m.batch, v))
		}
		put(nameLabels, labels)
	}
	put(nameSelected, floats(m.selected))
	if m.nystrom != nil {
		put(nameGraphs, floats(m.nystrom.numbers))
	}
	for t := range m.fitted {
		f := &m.fitted[t]
		if f.hierarchy != nil {
			put(fmt.Sprintf(nameParents, t), floats(f.hierarchy.parent))
			leaves := make([]float64, len(f.class))
			for v, c := range f.class {
				leaves[v] = float64(f.hierarchy.leaf[c])
			}
			put(fmt.Sprintf(nameLeaves, t), leaves)
		}
		if f.hierarchy == nil && f.vertices == nil {
			continue
		}
		vertex := make([]int32, len(f.class)) // one of each point; there are not more points than vertices
		for v, c := range f.class {
			vertex[c] = int32(v)
		}
		if f.hierarchy != nil {
			var strays []int32
			for _, s := range f.hierarchy.strays {
				strays = append(strays, s.node, vertex[s.point], s.child)
			}
			put(fmt.Sprintf(nameStrays, t), floats(strays))
		}
		var marks []int32
		for _, p := range f.marks {
			marks = append(marks, vertex[p])
		}
		put(fmt.Sprintf(nameLandmarks, t), floats(marks))
	}
	return out
}

func floats[T int | int32](x []T) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = float64(v)
	}
	return out
}

// Load makes a model from its description and the tensors of its file. Its kernels have the same bits as those of
// the one that was stored, on the same kind of processor.
func Load(e engine.Engine, description json.RawMessage, f *modelfile.File) (*Model, error) {
	var s stored
	if err := modelfile.Unmarshal(description, &s); err != nil {
		return nil, modelfile.Damaged(err)
	}
	if err := s.Options.Check(); err != nil {
		return nil, modelfile.Damaged(err)
	}
	in := s.Input
	if in.Labels < 0 || in.Labels > maxLabels || in.Attributes < 0 || in.Labels > 0 && in.Attributes > 0 {
		return nil, damaged("input %+v", in)
	}
	m := &Model{opt: s.Options, input: in, engine: e, fitted: make([]iteration, s.Options.Iterations+1)}
	r := &reader{file: f}
	m.batch = r.batch(in)
	replay := replayer{Model: m, stored: make([]storedIteration, len(m.fitted))}
	for t := range replay.stored {
		replay.stored[t] = r.iteration(t, &m.opt, m.batch)
	}
	selected := r.numbers(nameSelected, 0, m.opt.objects(m.batch)-1)
	numbers := r.numbers(nameGraphs, 0, m.batch.NumGraphs()-1)
	want := min(m.opt.GraphLandmarks, m.batch.NumGraphs())
	if distinct := slices.Compact(slices.Sorted(slices.Values(numbers))); r.err == nil &&
		(len(numbers) != want || !slices.Equal(distinct, numbers)) {
		r.err = damaged("the graph landmarks are not %d of %d in their order", want, m.batch.NumGraphs())
	}
	if r.err != nil {
		return nil, r.err
	}
	var err error
	if m.train, err = m.represent(context.Background(), m.batch, replay, nil); err != nil {
		return nil, modelfile.Damaged(err)
	}
	if len(numbers) > 0 {
		if err := m.markGraphs(m.train, numbers); err != nil {
			return nil, modelfile.Damaged(err)
		}
	}
	if len(selected) > 0 {
		return m, m.Keep(selected)
	}
	return m, nil
}

func damaged(format string, args ...any) error {
	return modelfile.Damaged(fmt.Errorf(format, args...))
}
