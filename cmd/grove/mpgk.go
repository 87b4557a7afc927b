package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/eval"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/modelfile"
	"github.com/grove-graph/grove/mpgk"
	"github.com/grove-graph/grove/svm"
	"gorgonia.org/tensor"
)

func mpgkFamily() family {
	return family{
		name: "MPGK", kind: "mpgk", load: loadMPGK, inner: "5", verbs: []string{"eval", "train", "embed", "gram"},
		learns: "hierarchies",
		models: []modelName{
			{"mpgk-rr", "message passing kernel, neighbourhoods and graphs by all pairs"},
			{"mpgk-ra", "message passing kernel, neighbourhoods by all pairs, graphs by an assignment"},
			{"mpgk-ar", "message passing kernel, neighbourhoods by an assignment, graphs by all pairs"},
			{"mpgk-aa", "message passing kernel, neighbourhoods and graphs by an assignment"},
		},
		flags: func(model string) modelFlags { return newMPGKFlags(model) },
	}
}

// settings implements modelFlags. The kernels of all numbers of iterations come out of one pass.
func (m *mpgkFlags) settings(w *work) []setting {
	shared := map[bool]*eval.Shared[*mpgk.Graphs]{}
	for _, sum := range m.sums {
		shared[sum] = m.graphs(w, sum)
	}
	settings := make([]setting, len(m.options))
	for i, o := range m.options {
		gram := kernelOf{mpgkName(o), func(ctx context.Context, train []int) (svm.Kernel, error) {
			if err := w.askForMatrices(1); err != nil {
				return nil, err
			}
			graphs, err := shared[o.SumIterations].Get(ctx, train)
			if err != nil {
				return nil, err
			}
			k, err := graphs.Gram(o.Iterations)
			if err != nil {
				return nil, err
			}
			return svm.NewMatrix(k)
		}}
		one := mpgkSetting{kernelSetting{
			KernelSVM: eval.KernelSVM{Gram: gram, C: m.machine.grid, Epsilon: m.epsilon}, model: m.model, options: o, work: w,
			fit: func(ctx context.Context) (*dataset.Encoding, graphKernel, error) {
				encoding, k, _, err := m.fit(ctx, w, o, nil)
				return encoding, mpgkKernel{k}, err
			},
		}, m, o}
		settings[i] = &one
		if m.head == "mlp" {
			settings[i] = &networkSetting{one, m.network}
		}
	}
	return settings
}

// graphs returns the graphs under the kernels of all numbers of iterations, or under their sums.
func (m *mpgkFlags) graphs(w *work, sum bool) *eval.Shared[*mpgk.Graphs] {
	var most mpgk.Options
	for _, o := range m.options {
		if o.SumIterations == sum && o.Iterations > most.Iterations {
			most = o
		}
	}
	return &eval.Shared[*mpgk.Graphs]{Compute: func(ctx context.Context, train []int) (*mpgk.Graphs, error) {
		_, k, all, err := m.fit(ctx, w, most, train)
		switch {
		case err != nil:
			return nil, err
		case train == nil:
			return k.Training(), nil
		}
		return k.Transform(ctx, all, w.report)
	}}
}

// mpgkName names a setting in one line.
func mpgkName(o mpgk.Options) string {
	text := count(o.Iterations, "iteration")
	if o.SumIterations {
		text = "sum of " + text
	}
	if o.Landmarks > 0 {
		text += ", " + count(o.Landmarks, "landmark")
	}
	return text
}

// fit fits a kernel on the graphs in train, or on all where train is nil, and returns all graphs as it
// sees them.
func (m *mpgkFlags) fit(
	ctx context.Context, w *work, o mpgk.Options, train []int,
) (*dataset.Encoding, *mpgk.Model, *graph.Batch, error) {
	encoding, err := m.encode(w.data, train)
	if err != nil {
		return nil, nil, nil, err
	}
	all, err := encoding.Apply(w.data)
	if err != nil {
		return nil, nil, nil, err
	}
	on := all
	if train != nil {
		on = all.Select(train)
	}
	k, err := mpgk.Fit(ctx, w.engine, on, o, w.report)
	return encoding, k, all, err
}

// mpgkSetting is a kernel setting that represents vertices and graphs too.
type mpgkSetting struct {
	kernelSetting
	flags *mpgkFlags
	opt   mpgk.Options
}

// embed implements embedder: kernel principal components of the vertices, or the kernel with a few graphs.
func (s *mpgkSetting) embed(ctx context.Context, perVertex bool) (rowStream, error) {
	w := s.work
	if !perVertex {
		_, k, b, err := s.flags.fit(ctx, w, s.opt, nil)
		if err != nil {
			return nil, err
		}
		x, err := k.Features(ctx, b, w.report)
		return matrixRows{x}, err
	}
	encoding, err := s.flags.encode(w.data, nil)
	if err != nil {
		return nil, err
	}
	b, err := encoding.Apply(w.data)
	if err != nil {
		return nil, err
	}
	x, err := mpgk.EmbedVertices(ctx, w.engine, b, s.opt, s.flags.dims, w.report)
	return matrixRows{x}, err
}

// mpgkKernel is a fitted message passing kernel.
type mpgkKernel struct{ *mpgk.Model }

func (k mpgkKernel) gram(ctx context.Context, report func(string, int, int)) (*tensor.Dense, error) {
	return k.Gram(ctx, report)
}

func (k mpgkKernel) cross(ctx context.Context, b *graph.Batch, report func(string, int, int)) (*tensor.Dense, error) {
	return k.Cross(ctx, b, report)
}

func (k mpgkKernel) checkEncoding(e *dataset.Encoding) error {
	want := mpgk.Input{}
	if want.Labels, want.Attributes = e.Width(); want.Attributes > 0 {
		want.Labels = 0
	}
	if k.Input() != want {
		return fmt.Errorf("an encoding of %+v for a kernel that wants %+v", want, k.Input())
	}
	if kept := k.Kept(); !slices.IsSorted(kept) || len(slices.Compact(kept)) < k.NumGraphs() && kept != nil {
		return errors.New("the support vectors are not in the order of the graphs")
	}
	return nil
}

// loadMPGK reads the parts of a machine, or of a network, on a message passing kernel.
func loadMPGK(e engine.Engine, h *head, parts json.RawMessage, f *modelfile.File) (predictor, error) {
	var s struct {
		Network json.RawMessage `json:"network"`
	}
	if err := json.Unmarshal(parts, &s); err != nil {
		return nil, err
	}
	if s.Network != nil {
		return loadKernelNetwork(e, h, parts, f)
	}
	return loadMachine(h, parts, func(description json.RawMessage) (graphKernel, error) {
		k, err := mpgk.Load(e, description, f)
		if err != nil {
			return nil, err
		}
		return mpgkKernel{k}, nil
	})
}
