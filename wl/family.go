package wl

import (
	"encoding/json"
	"fmt"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/mkl"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/model/machine"
	"github.com/grove-graph/grove/model/param"
	"github.com/grove-graph/grove/modelfile"
)

func init() {
	verbs := []model.Verb{model.Eval, model.Train, model.Gram}
	model.Register(model.Family{
		Title: "WL", Kind: "wl", Verbs: verbs, Inner: "5",
		Models: []model.Name{
			{Name: "wl", Short: "Weisfeiler-Lehman subtree kernel: how often each rooted subtree occurs"},
			{Name: "wl-oa", Short: "Weisfeiler-Lehman optimal assignment kernel: how many vertices find a partner"},
		},
		Tasks: []model.Task{model.GraphTask, model.NodeTask}, Classes: true, Regression: true, Streams: true,
		New: func(name string) model.Options { return newOptions(name) },
		Load: func(e engine.Engine, h *model.Head, parts json.RawMessage, f *modelfile.File) (model.Model, error) {
			return machine.Load(h, parts, func(description json.RawMessage) (machine.GraphKernel, error) {
				m, err := Load(e, description, f)
				if err == nil && m.opt.Vertices != (h.Task == model.NodeTask) {
					err = fmt.Errorf("a kernel of other things than the task has: %s", h.Task)
				}
				return m, err
			})
		},
	})
	model.Register(model.Family{
		Title: "deep WL-OA", Kind: "dwl-oa", Verbs: verbs, Inner: "5",
		Models: []model.Name{{Name: deepName,
			Short: "deep WL-OA: the assignment kernel with a weight for each colour, learned by EasyMKL"}},
		Tasks: []model.Task{model.GraphTask}, Classes: true, Streams: true,
		New: func(string) model.Options { return newDeepOptions() },
		Load: func(e engine.Engine, h *model.Head, parts json.RawMessage, f *modelfile.File) (model.Model, error) {
			m, err := machine.Load(h, parts, func(description json.RawMessage) (machine.GraphKernel, error) {
				return LoadDeep(e, description, f)
			})
			if err != nil {
				return nil, err
			}
			return &deepModel{m}, nil
		},
	})
}

// options are the options of the kernels by name. Iterations are a grid to choose from.
type options struct {
	estimator  Estimator
	iterations []int
	raw        bool
	constants  machine.Constants
}

func newOptions(name string) *options {
	kernel := Assignment
	if name == string(Subtree) {
		kernel = Subtree
	}
	o := DefaultOptions(kernel)
	return &options{estimator: Estimator{Options: o, Features: dataset.AutoFeatures, Machine: machine.Auto},
		iterations: []int{o.Iterations}}
}

// Declare implements [model.Options].
func (o *options) Declare(s *param.Set, verb model.Verb) {
	value := "`H,...` "
	if verb == model.Gram {
		value = "`H` "
	}
	opt := &o.estimator.Options
	s.Ints(&o.iterations, "iterations", 0, maxIterations, value+"rounds of colour refinement")
	model.DeclareFeatures(s, &o.estimator.Features, "auto", "labels", "degrees", "none")
	s.Bool(&opt.ArcLabels, "arc-labels", "tell neighbours apart by the label of the arc")
	param.Choice(s, &opt.Follow, "follow", follows,
		"arcs of a directed graph that lead to neighbours")
	s.Bool(&o.raw, "raw-kernel", "do not divide kernel values by those of the graphs with themselves")
	if verb != model.Gram {
		o.constants.Declare(s, "7 values from 1e-3 to 1e3")
		o.estimator.Machine.Declare(s)
	}
}

// Check implements [model.Options].
func (o *options) Check() error {
	_, err := o.constants.Values()
	return err
}

// grid returns an estimator for each number of rounds.
func (o *options) grid(w *model.Work) ([]Estimator, error) {
	base := o.estimator
	base.Options.Normalise = !o.raw
	base.settle(w.Data)
	var err error
	if base.C, err = o.constants.Values(); err != nil {
		return nil, err
	}
	all := make([]Estimator, len(o.iterations))
	for i, h := range o.iterations {
		all[i] = base
		all[i].Options.Iterations = h
		if err := all[i].Options.Check(); err != nil {
			return nil, param.Wrap(err)
		}
	}
	return all, nil
}

// Estimators implements [model.Options].
func (o *options) Estimators(w *model.Work, _ uint64) ([]model.Estimator, error) {
	grid, err := o.grid(w)
	if err != nil {
		return nil, err
	}
	all := make([]model.Estimator, len(grid))
	for i := range grid {
		grid[i].rounds = o.iterations
		all[i] = grid[i]
	}
	return all, nil
}

// deepOptions are the options of the deep kernel by name. Lists are a grid to choose from.
type deepOptions struct {
	kernel  *options
	groups  []int
	lambdas []float64
	norm    mkl.Norm
}

func newDeepOptions() *deepOptions {
	o := DefaultDeepOptions(0)
	d := &deepOptions{kernel: newOptions(deepName), groups: []int{0}, lambdas: []float64{o.Lambda}, norm: o.Norm}
	d.kernel.raw = true
	return d
}

// Declare implements [model.Options].
func (o *deepOptions) Declare(s *param.Set, verb model.Verb) {
	o.kernel.Declare(s, verb)
	value := "`L,...` "
	if verb == model.Gram {
		value = "`L` "
	}
	s.Floats(&o.lambdas, "lambda", 0, 1, value+"regularisation of the weights, from 0 to 1")
	s.Ints(&o.groups, "groups", 0, param.Many,
		"`N,...` groups of colours that share a weight (DWL-OA2), 0: a weight for each colour (DWL-OA1)")
	param.Choice(s, &o.norm, "weight-norm", []mkl.Norm{"sum", "l2"},
		"norm that is 1 for the weights: their sum or their length")
}

// Check implements [model.Options].
func (o *deepOptions) Check() error { return o.kernel.Check() }

// Estimators implements [model.Options].
func (o *deepOptions) Estimators(w *model.Work, seed uint64) ([]model.Estimator, error) {
	kernels, err := o.kernel.grid(w)
	if err != nil {
		return nil, err
	}
	var all []model.Estimator
	for _, kernel := range kernels {
		for _, groups := range o.groups {
			for _, lambda := range o.lambdas {
				d := DefaultDeepOptions(groups)
				d.Lambda, d.Norm, d.Seed = lambda, o.norm, seed
				if err := d.Check(); err != nil {
					return nil, param.Wrap(err)
				}
				all = append(all, DeepEstimator{Kernel: kernel, Deep: d})
			}
		}
	}
	return all, nil
}
