package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/eval"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/modelfile"
	"github.com/grove-graph/grove/svm"
	"github.com/grove-graph/grove/wl"
	"github.com/spf13/pflag"
	"gorgonia.org/tensor"
)

func wlFamily() family {
	return family{
		name: "WL", kind: "wl", load: loadWL, inner: "5", verbs: []string{"eval", "train", "gram"},
		models: []modelName{
			{"wl", "Weisfeiler-Lehman subtree kernel: how often each rooted subtree occurs"},
			{"wl-oa", "Weisfeiler-Lehman optimal assignment kernel: how many vertices find a partner"},
		},
		flags: func(model string) modelFlags { return newWLFlags(model) },
	}
}

// wlFlags are the flags of the Weisfeiler-Lehman kernels.
type wlFlags struct {
	model      string
	iterations []int
	follow     string
	features   dataset.Features
	arcLabels  bool
	raw        bool
	machine    machineFlags
	options    []wl.Options // after check
}

func newWLFlags(model string) *wlFlags {
	return &wlFlags{model: model, iterations: []int{5}, follow: "out", features: dataset.AutoFeatures}
}

func (w *wlFlags) add(fs *pflag.FlagSet, verb string) {
	value := "`H,...` "
	if verb == "gram" {
		value = "`H` "
	}
	fs.Var(newList(&w.iterations, parseRounds), "iterations", value+"rounds of colour refinement")
	bound(fs, "iterations", 0, 1000)
	featuresVar(fs, &w.features, "auto", "labels", "degrees", "none")
	fs.BoolVar(&w.arcLabels, "arc-labels", false, "tell neighbours apart by the label of the arc")
	choiceVar(fs, &w.follow, "follow", []string{"out", "in", "both"}, "arcs of a directed graph that lead to neighbours")
	fs.BoolVar(&w.raw, "raw-kernel", w.raw, "do not divide kernel values by those of the graphs with themselves")
	if verb != "gram" {
		w.machine.add(fs, "7 values from 1e-3 to 1e3")
	}
}

// check implements modelFlags.
func (w *wlFlags) check(uint64) error {
	if err := w.machine.check(); err != nil {
		return err
	}
	w.options = nil
	for _, h := range w.iterations {
		opt := wl.DefaultOptions(wl.Subtree)
		if w.model != "wl" {
			opt.Kernel = wl.Assignment
		}
		opt.Iterations, opt.Normalise, opt.Follow, opt.ArcLabels = h, !w.raw, wl.Follow(w.follow), w.arcLabels
		if err := opt.Check(); err != nil {
			return &usageError{err}
		}
		w.options = append(w.options, opt)
	}
	return nil
}

// fits implements modelFlags. Vertices without labels are coloured alike.
func (w *wlFlags) fits(d *dataset.Dataset) (*dataset.Encoding, error) {
	if d.Task.PerVertex() {
		return nil, fmt.Errorf("%s compares graphs; data set %s has a task for every vertex", w.model, d.Name)
	}
	if w.features == dataset.AutoFeatures {
		w.features = dataset.LabelFeatures
		if d.Batch.Labels == nil {
			w.features = dataset.NoFeatures
		}
	}
	for i := range w.options {
		w.options[i].Uniform = w.features == dataset.NoFeatures
	}
	if w.arcLabels && d.Batch.ArcLabels == nil {
		return nil, usagef("--arc-labels: the arcs of data set %s have no labels", d.Name)
	}
	return w.encode(d)
}

func (w *wlFlags) encode(d *dataset.Dataset) (*dataset.Encoding, error) {
	encoding, err := dataset.FitEncoding(d, w.features, nil)
	if err != nil {
		return nil, usagef("--features %s: %w", w.features, err)
	}
	if w.arcLabels {
		encoding.KeepArcLabels(d)
	}
	return encoding, nil
}

// settings implements modelFlags. The kernels of all numbers of rounds come out of one pass.
func (w *wlFlags) settings(k *work) []setting {
	most := w.options[0]
	for _, o := range w.options {
		if o.Iterations > most.Iterations {
			most = o
		}
	}
	shared := &eval.Shared[map[int]svm.Kernel]{Compute: func(ctx context.Context, _ []int) (map[int]svm.Kernel, error) {
		copies := 1
		if len(w.iterations) > 1 {
			copies = 2 + len(w.iterations) // EachGram has two at hand
		}
		if err := k.askForMatrices(copies); err != nil {
			return nil, err
		}
		_, m, err := w.fit(ctx, k, most)
		if err != nil {
			return nil, err
		}
		if copies == 1 {
			gram, err := m.Gram(ctx, k.report)
			if err != nil {
				return nil, err
			}
			matrix, err := svm.NewMatrix(gram)
			return map[int]svm.Kernel{most.Iterations: matrix}, err
		}
		return matrices(func(visit func(int, *tensor.Dense) error) error {
			return m.EachGram(ctx, k.report, func(h int, gram *tensor.Dense) error {
				if !slices.Contains(w.iterations, h) {
					return nil
				}
				return visit(h, gram)
			})
		})
	}}
	all := make([]setting, len(w.options))
	for i, o := range w.options {
		gram := kernelOf{fmt.Sprintf("%d rounds", o.Iterations), func(ctx context.Context, _ []int) (svm.Kernel, error) {
			// The kernel of two graphs does not depend on others: there is nothing to learn from train.
			kernels, err := shared.Get(ctx, nil)
			return kernels[o.Iterations], err
		}}
		all[i] = &kernelSetting{
			KernelSVM: eval.KernelSVM{Gram: gram, C: w.machine.grid}, model: w.model, options: o, work: k,
			fit: func(ctx context.Context) (*dataset.Encoding, graphKernel, error) {
				encoding, m, err := w.fit(ctx, k, o)
				return encoding, wlKernel{m}, err
			},
		}
	}
	return all
}

func (w *wlFlags) fit(ctx context.Context, k *work, o wl.Options) (*dataset.Encoding, *wl.Model, error) {
	encoding, err := w.encode(k.data)
	if err != nil {
		return nil, nil, err
	}
	b, err := encoding.Apply(k.data)
	if err != nil {
		return nil, nil, err
	}
	m, err := wl.Fit(ctx, k.engine, b, o, k.report)
	return encoding, m, err
}

// wlKernel is a fitted Weisfeiler-Lehman kernel.
type wlKernel struct{ *wl.Model }

func (k wlKernel) gram(ctx context.Context, report func(string, int, int)) (*tensor.Dense, error) {
	return k.Gram(ctx, report)
}

func (k wlKernel) cross(ctx context.Context, b *graph.Batch, report func(string, int, int)) (*tensor.Dense, error) {
	return k.Cross(ctx, b, report)
}

func (k wlKernel) checkEncoding(e *dataset.Encoding) error {
	return k.CheckInput(len(e.Labels), len(e.ArcLabels) > 0)
}

// loadWL reads the parts of a machine on a Weisfeiler-Lehman kernel.
func loadWL(e engine.Engine, h *head, parts json.RawMessage, f *modelfile.File) (predictor, error) {
	return loadMachine(h, parts, func(description json.RawMessage) (graphKernel, error) {
		m, err := wl.Load(e, description, f)
		if err != nil {
			return nil, err
		}
		return wlKernel{m}, nil
	})
}

// matrices copies the kernel matrices that each hands over, as kernels to train on, by iteration.
func matrices(each func(visit func(t int, k *tensor.Dense) error) error) (map[int]svm.Kernel, error) {
	all := map[int]svm.Kernel{}
	err := each(func(t int, k *tensor.Dense) (err error) {
		all[t], err = svm.NewMatrix(k.Clone().(*tensor.Dense))
		return err
	})
	return all, err
}
