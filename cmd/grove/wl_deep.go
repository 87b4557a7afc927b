package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/eval"
	"github.com/grove-graph/grove/mkl"
	"github.com/grove-graph/grove/modelfile"
	"github.com/grove-graph/grove/wl"
	"github.com/spf13/pflag"
	"gorgonia.org/tensor"
)

func deepFamily() family {
	return family{
		name: "deep WL-OA", kind: "dwl-oa", load: loadDeep, verbs: []string{"eval", "train", "gram"}, inner: "1/5",
		models: []modelName{{"dwl-oa", "deep WL-OA: the assignment kernel with a weight for each colour, learned by EasyMKL"}},
		flags:  func(model string) modelFlags { return newDeepFlags(model) },
	}
}

// deepFlags are the flags of the deep Weisfeiler-Lehman assignment kernel. Lists are a grid to choose from.
type deepFlags struct {
	kernel  *wlFlags
	groups  []int
	lambdas []float64
	machine []float64
	opt     wl.DeepOptions // what the lists leave out
	norm    string
	deep    []wl.DeepOptions // after check
}

func newDeepFlags(model string) *deepFlags {
	kernel := newWLFlags(model)
	kernel.deep = true
	opt := wl.DefaultDeepOptions(0)
	return &deepFlags{
		kernel: kernel, groups: []int{0}, lambdas: []float64{opt.Lambda}, machine: []float64{opt.Machine}, opt: opt, norm: string(opt.Norm),
	}
}

func (f *deepFlags) add(fs *pflag.FlagSet, verb string) {
	f.kernel.add(fs, verb)
	fs.Var(newList(&f.groups, parseRounds), "groups", "`N,...` groups of colours that share a weight (DWL-OA2), 0: a weight for each colour (DWL-OA1)")
	fs.Var(newList(&f.lambdas, parseDecay), "lambda", "`L,...` regularisation of the weights, from 0 to 1")
	fs.Var(newList(&f.machine, parseDecay), "machine-lambda", "`L,...` regularisation of the machine on the weighted kernel, from 0 to 1")
	choiceVar(fs, &f.norm, "weight-norm", []string{"sum", "l2"}, "norm that is 1 for the weights: their sum or their length")
	fs.BoolVar(&f.opt.Scale, "scale-colours", false, "first divide the kernel of every colour by its mean diagonal")
}

// check implements modelFlags.
func (f *deepFlags) check(seed uint64) error {
	if err := f.kernel.check(seed); err != nil {
		return err
	}
	f.deep = nil
	for _, groups := range f.groups {
		for _, lambda := range f.lambdas {
			for _, machine := range f.machine {
				o := f.opt
				o.Groups, o.Lambda, o.Machine, o.Seed = groups, lambda, machine, seed
				o.Norm = mkl.Norm(f.norm)
				if err := o.Check(); err != nil {
					return &usageError{err}
				}
				f.deep = append(f.deep, o)
			}
		}
	}
	return nil
}

// fits implements modelFlags.
func (f *deepFlags) fits(d *dataset.Dataset) error {
	if err := wantsGraphClasses(f.kernel.model, d); err != nil {
		return err
	}
	return f.kernel.fits(d)
}

// settings implements modelFlags. Settings of the same number of rounds share their colours.
func (f *deepFlags) settings(w *work) []setting {
	var all []setting
	for _, o := range f.kernel.options {
		colours := &onePass[*coloured]{keep: 1, compute: func(ctx context.Context, _ []int) (*coloured, error) {
			encoding, m, err := f.kernel.fit(ctx, w, o)
			return &coloured{encoding, m}, err
		}}
		for _, deep := range f.deep {
			all = append(all, &deepSetting{w, o, deep, colours})
		}
	}
	return all
}

// coloured is a refinement of all graphs of a data set.
type coloured struct {
	encoding *dataset.Encoding
	model    *wl.Model
}

// deepSetting is one choice of options.
type deepSetting struct {
	work    *work
	opt     wl.Options
	deep    wl.DeepOptions
	colours *onePass[*coloured]
}

// String implements [eval.Setting].
func (s *deepSetting) String() string {
	groups := "a weight for each colour"
	if s.deep.Groups > 0 {
		groups = count(s.deep.Groups, "group") + " of colours"
	}
	return fmt.Sprintf("%s, %s, lambda %g, machine lambda %g", count(s.opt.Iterations, "round"), groups, s.deep.Lambda, s.deep.Machine)
}

func (s *deepSetting) params() any {
	return struct {
		wl.Options
		Deep wl.DeepOptions `json:"deep"`
	}{s.opt, s.deep}
}

// Grid implements [eval.Setting].
func (s *deepSetting) Grid() eval.Grid { return eval.Grid{} }

// Learner implements [eval.Setting]: colours need no classes.
func (s *deepSetting) Learner(ctx context.Context, _ []int) (eval.Learner, error) {
	_, err := s.colours.get(ctx, nil)
	return s, err
}

// Learn implements [eval.Learner].
func (s *deepSetting) Learn(ctx context.Context, t eval.Task) ([]eval.Targets, error) {
	c, err := s.colours.get(ctx, nil)
	if err != nil {
		return nil, err
	}
	learned, err := c.model.Learn(ctx, t.Train, t.Known.Classes, s.deep, nil)
	if err != nil {
		return nil, err
	}
	decisions, err := learned.FittedDecisions(t.Test)
	if err != nil {
		return nil, err
	}
	return []eval.Targets{{Classes: learned.Choose(decisions)}}, nil
}

// learn learns from all graphs.
func (s *deepSetting) learn(ctx context.Context) (*dataset.Encoding, *wl.Deep, error) {
	defer s.work.spent.fitting(time.Now())
	c, err := s.colours.get(ctx, nil)
	if err != nil {
		return nil, nil, err
	}
	learned, err := c.model.Learn(ctx, nil, s.work.data.Classes, s.deep, s.work.report)
	return c.encoding, learned, err
}

// gram implements grammer: the weighted kernel, learned from all graphs.
func (s *deepSetting) gram(ctx context.Context) (*tensor.Dense, error) {
	_, learned, err := s.learn(ctx)
	if err != nil {
		return nil, err
	}
	return learned.Gram(ctx, s.work.report)
}

// train implements setting.
func (s *deepSetting) train(ctx context.Context, _ float64) (predictor, error) {
	encoding, learned, err := s.learn(ctx)
	if err != nil {
		return nil, err
	}
	return &deepModel{head{Model: "dwl-oa", Task: graphTask, Classes: s.work.data.ClassNames}, encoding, learned}, nil
}

// deepModel is a deep kernel with its machine and the encoding of the vertices.
type deepModel struct {
	head
	encoding *dataset.Encoding
	deep     *wl.Deep
}

// predict implements predictor.
func (m *deepModel) predict(ctx context.Context, d *dataset.Dataset, report func(string, int, int)) (*predictions, error) {
	b, err := m.encoding.Apply(d)
	if err != nil {
		return nil, err
	}
	decisions, err := m.deep.Decisions(ctx, b, report)
	if err != nil {
		return nil, err
	}
	return &predictions{m.deep.Choose(decisions), decisions, m.decisionColumns(m.deep.Classes())}, nil
}

// unknownLabels implements predictor.
func (m *deepModel) unknownLabels(d *dataset.Dataset) []string { return m.encoding.Unknown(d) }

// storedDeep is what the model adds to its file.
type storedDeep struct {
	Encoding *dataset.Encoding `json:"encoding"`
	Deep     json.RawMessage   `json:"deep"`
}

// parts implements predictor.
func (m *deepModel) parts() (any, map[string]*tensor.Dense, error) {
	description, err := m.deep.MarshalJSON()
	return storedDeep{m.encoding, description}, m.deep.Tensors(), err
}

// loadDeep reads the parts of a deep kernel.
func loadDeep(e engine.Engine, h *head, parts json.RawMessage, f *modelfile.File) (predictor, error) {
	var s storedDeep
	if err := json.Unmarshal(parts, &s); err != nil {
		return nil, err
	}
	if s.Encoding == nil {
		return nil, fmt.Errorf("its encoding is missing")
	}
	if err := s.Encoding.Check(); err != nil {
		return nil, err
	}
	deep, err := wl.LoadDeep(e, s.Deep, f)
	if err != nil {
		return nil, err
	}
	return &deepModel{*h, s.Encoding, deep}, h.checkClasses(deep.Classes())
}
