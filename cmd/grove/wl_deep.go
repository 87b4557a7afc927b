package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/eval"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/mkl"
	"github.com/grove-graph/grove/modelfile"
	"github.com/grove-graph/grove/svm"
	"github.com/grove-graph/grove/wl"
	"github.com/spf13/pflag"
	"gorgonia.org/tensor"
)

func deepFamily() family {
	return family{
		name: "deep WL-OA", kind: "dwl-oa", load: loadDeep, verbs: []string{"eval", "train", "gram"}, inner: "5",
		models: []modelName{{"dwl-oa",
			"deep WL-OA: the assignment kernel with a weight for each colour, learned by EasyMKL"}},
		flags: func(model string) modelFlags { return newDeepFlags(model) },
	}
}

// deepFlags are the flags of the deep Weisfeiler-Lehman assignment kernel. Lists are a grid to choose from.
type deepFlags struct {
	kernel  *wlFlags
	groups  []int
	lambdas []float64
	norm    string
	deep    []wl.DeepOptions // after check
}

func newDeepFlags(model string) *deepFlags {
	opt := wl.DefaultDeepOptions(0)
	kernel := newWLFlags(model)
	kernel.raw = true
	return &deepFlags{kernel: kernel, groups: []int{0}, lambdas: []float64{opt.Lambda}, norm: string(opt.Norm)}
}

func (f *deepFlags) add(fs *pflag.FlagSet, verb string) {
	f.kernel.add(fs, verb)
	value := "`L,...` "
	if verb == "gram" {
		value = "`L` "
	}
	fs.Var(newList(&f.lambdas, parseDecay), "lambda", value+"regularisation of the weights, from 0 to 1")
	bound(fs, "lambda", 0, 1)
	fs.Var(newList(&f.groups, parseRounds), "groups",
		"`N,...` groups of colours that share a weight (DWL-OA2), 0: a weight for each colour (DWL-OA1)")
	bound(fs, "groups", 0, many)
	choiceVar(fs, &f.norm, "weight-norm", []string{"sum", "l2"},
		"norm that is 1 for the weights: their sum or their length")
}

// check implements modelFlags.
func (f *deepFlags) check(seed uint64) error {
	if err := f.kernel.check(seed); err != nil {
		return err
	}
	f.deep = nil
	for _, groups := range f.groups {
		for _, lambda := range f.lambdas {
			o := wl.DefaultDeepOptions(groups)
			o.Lambda, o.Norm, o.Seed = lambda, mkl.Norm(f.norm), seed
			if err := o.Check(); err != nil {
				return &usageError{err}
			}
			f.deep = append(f.deep, o)
		}
	}
	return nil
}

// fits implements modelFlags.
func (f *deepFlags) fits(d *dataset.Dataset) (*dataset.Encoding, error) {
	if err := wantsGraphClasses(f.kernel.model, d); err != nil {
		return nil, err
	}
	return f.kernel.fits(d)
}

// settings implements modelFlags. Settings of the same number of rounds share their colours.
func (f *deepFlags) settings(w *work) []setting {
	var all []setting
	for _, o := range f.kernel.options {
		colours := &eval.Shared[*coloured]{Compute: func(ctx context.Context, _ []int) (*coloured, error) {
			encoding, m, err := f.kernel.fit(ctx, w, o)
			return &coloured{encoding, m}, err
		}}
		for _, deep := range f.deep {
			all = append(all, newDeepSetting(f, w, o, deep, colours))
		}
	}
	return all
}

// coloured is a refinement of all graphs of a data set.
type coloured struct {
	encoding *dataset.Encoding
	model    *wl.Model
}

// deepSetting is one choice of options with a support vector machine on the learned kernel.
type deepSetting struct {
	kernelSetting
	name    string
	deep    wl.DeepOptions
	colours *eval.Shared[*coloured]
}

func newDeepSetting(
	f *deepFlags, w *work, o wl.Options, deep wl.DeepOptions, colours *eval.Shared[*coloured],
) *deepSetting {
	groups := "a weight for each colour"
	if deep.Groups > 0 {
		groups = count(deep.Groups, "group") + " of colours"
	}
	params := struct {
		wl.Options
		Deep wl.DeepOptions `json:"deep"`
	}{o, deep}
	s := &deepSetting{
		name: fmt.Sprintf("%s, %s, lambda %g", count(o.Iterations, "round"), groups, deep.Lambda), deep: deep,
		colours: colours,
	}
	s.kernelSetting = kernelSetting{
		KernelSVM: eval.KernelSVM{C: f.kernel.machine.grid}, model: f.kernel.model, options: params, work: w,
		fit: func(ctx context.Context) (*dataset.Encoding, graphKernel, error) {
			c, err := colours.Get(ctx, nil)
			if err != nil {
				return nil, nil, err
			}
			learned, err := c.model.Learn(ctx, nil, w.data.Classes, deep, w.report)
			return c.encoding, deepKernel{learned}, err
		},
	}
	return s
}

// String implements [eval.Setting].
func (s *deepSetting) String() string { return s.name }

// Learner implements [eval.Setting]: colours need no classes.
func (s *deepSetting) Learner(ctx context.Context, _ []int) (eval.Learner, error) {
	_, err := s.colours.Get(ctx, nil)
	return s, err
}

// Learn implements [eval.Learner]: weights and machines learn from the classes of the training part alone.
func (s *deepSetting) Learn(ctx context.Context, t eval.Task) ([]eval.Targets, error) {
	if err := s.work.askForMatrices(1); err != nil {
		return nil, err
	}
	c, err := s.colours.Get(ctx, nil)
	if err != nil {
		return nil, err
	}
	learned, err := c.model.Learn(ctx, t.Train, t.Known.Classes, s.deep, nil)
	if err != nil {
		return nil, err
	}
	k, err := learned.Gram(ctx, nil)
	if err != nil {
		return nil, err
	}
	matrix, err := svm.NewMatrix(k)
	if err != nil {
		return nil, err
	}
	classes := filled(matrix.Len(), 0)
	for i, g := range t.Train {
		classes[g] = t.Known.Classes[i]
	}
	machines, err := svm.FitKernelClassifier(ctx, matrix, t.Train, classes, t.Grid, svm.KernelOptions{Workers: t.Workers})
	if err != nil {
		return nil, err
	}
	predicted := make([]eval.Targets, len(machines))
	for i, m := range machines {
		if predicted[i].Classes, err = m.PredictObjects(matrix, t.Test); err != nil {
			return nil, err
		}
	}
	return predicted, nil
}

// deepKernel is a kernel with learned weights. It keeps all graphs, from which the weights come.
type deepKernel struct{ *wl.Deep }

func (k deepKernel) NumGraphs() int { return k.Model().NumGraphs() }

func (k deepKernel) gram(ctx context.Context, report func(string, int, int)) (*tensor.Dense, error) {
	return k.Gram(ctx, report)
}

func (k deepKernel) cross(ctx context.Context, b *graph.Batch, report func(string, int, int)) (*tensor.Dense, error) {
	return k.Cross(ctx, b, report)
}

func (k deepKernel) checkEncoding(e *dataset.Encoding) error {
	return k.Model().CheckInput(len(e.Labels), len(e.ArcLabels) > 0)
}

// loadDeep reads the parts of a machine on a kernel with learned weights.
func loadDeep(e engine.Engine, h *head, parts json.RawMessage, f *modelfile.File) (predictor, error) {
	return loadMachine(h, parts, func(description json.RawMessage) (graphKernel, error) {
		d, err := wl.LoadDeep(e, description, f)
		if err != nil {
			return nil, err
		}
		return deepKernel{d}, nil
	})
}
