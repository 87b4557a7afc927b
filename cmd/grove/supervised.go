package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/grove-graph/grove/autodiff"
	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/eval"
	"github.com/grove-graph/grove/gckn"
	"github.com/grove-graph/grove/modelfile"
	"github.com/spf13/pflag"
	"gorgonia.org/tensor"
)

// supervisedSuffix marks the models that are trained end to end.
const supervisedSuffix = "-sup"

func supervisedFamily() family {
	f := family{
		name: "supervised GCKN", kind: "gckn-sup", load: loadSupervised, verbs: []string{"eval", "train"}, learns: "anchors", inner: "1/10",
		flags: func(model string) modelFlags { return newSupervisedFlags(model) },
	}
	for _, m := range gcknFamily().models {
		f.models = append(f.models, modelName{m.name + supervisedSuffix, m.short + ", trained end to end"})
	}
	return f
}

// supervisedFlags are the flags of networks that are trained end to end.
type supervisedFlags struct {
	model     string
	network   *gcknFlags
	opt       gckn.SupervisedOptions // what the flags set but for the lists
	decays    []float64
	losses    []autodiff.Loss
	balanced  bool
	precision string

	// of grove train
	validation int // parts of which one is held out
	checkpoint autodiff.Checkpoint

	flags    *pflag.FlagSet
	training bool
	options  []gckn.SupervisedOptions // after check
}

func newSupervisedFlags(model string) *supervisedFlags {
	network := newGCKNFlags(strings.TrimSuffix(model, supervisedSuffix))
	network.grid.Filters, network.supervised = []int{32}, true
	opt := gckn.DefaultSupervised(gckn.Options{})
	return &supervisedFlags{
		model: model, network: network, opt: opt, decays: []float64{opt.Decay}, losses: []autodiff.Loss{""}, precision: "float32", validation: 10,
		checkpoint: autodiff.Checkpoint{Every: 1000},
	}
}

func (s *supervisedFlags) add(fs *pflag.FlagSet, verb string) {
	s.flags, s.training = fs, verb == "train"
	s.network.add(fs, verb)
	fs.IntVar(&s.opt.Epochs, "epochs", s.opt.Epochs, "`N` passes over the data at most; how many are taken is chosen")
	fs.IntVar(&s.opt.BatchSize, "batch-size", s.opt.BatchSize, "`N` graphs (or vertices) of a step")
	fs.Var(newSingle(&s.opt.Rate, parsePositive), "rate", "`R` of Adam in the first epochs")
	fs.IntVar(&s.opt.HalveEvery, "halve-every", s.opt.HalveEvery, "`N` epochs after which the rate is halved, 0: never")
	fs.Var(newList(&s.decays, parseDecay), "decay", "`L,...` L2 penalties of the classifier")
	losses := []autodiff.Loss{"auto", autodiff.CrossEntropy, autodiff.SquaredHinge, autodiff.Squared}
	fs.Var(newList(&s.losses, choice(losses...)), "loss", "what is minimised; auto: cross-entropy for classes, squared for targets")
	fs.BoolVar(&s.balanced, "balanced", false, "give all classes the same share of the loss")
	fs.BoolVar(&s.opt.Alternate, "alternate", false, "solve for the classifier exactly after every epoch, whose steps train the anchors alone")
	fs.BoolVar(&s.opt.ExactGradient, "exact-gradient", false, "take the true derivative of the inverse square root, not that of the published code")
	choiceVar(fs, &s.precision, "products", []string{"float32", "tf32", "bf16"}, "precision of the matrix products on a GPU; sums are in float32")
	if !s.training {
		return
	}
	fs.IntVar(&s.validation, "validation", s.validation, "`K` hold out one of K parts to choose the number of epochs by; 0: train all epochs on all data")
	fs.IntVar(&s.opt.Patience, "patience", 50, "`N` epochs without a better validation score after which training stops, 0: never")
	fs.StringVar(&s.checkpoint.Path, "checkpoint", "", "`FILE` state of the training, kept while it runs; a training that finds it goes on from there, to the same bits")
	fs.IntVar(&s.checkpoint.Every, "checkpoint-every", s.checkpoint.Every, "`N` steps from one checkpoint to the next")
}

// check implements modelFlags.
func (s *supervisedFlags) check(seed uint64) error {
	if err := s.network.check(seed); err != nil {
		return err
	}
	if s.training && s.validation < 2 && s.validation != 0 {
		return usagef("--validation %d: want 2 parts or more, or 0 to hold nothing out", s.validation)
	}
	if s.checkpoint.Path != "" {
		if err := writable("--checkpoint", s.checkpoint.Path); err != nil {
			return err
		}
	}
	s.options = nil
	for _, network := range s.network.options {
		for _, decay := range s.decays {
			for _, loss := range s.losses {
				o := s.opt
				o.Network, o.Decay, o.Loss = network, decay, loss
				if loss == "auto" {
					o.Loss = ""
				}
				o.Precision = map[string]engine.Precision{"float32": engine.Full, "tf32": engine.TF32, "bf16": engine.BFloat16}[s.precision]
				if err := o.Check(); err != nil {
					return &usageError{err}
				}
				s.options = append(s.options, o)
			}
		}
	}
	if s.training && len(s.options) > 1 {
		return usagef("train %s: the flags ask for %d settings; grove eval compares settings, train takes one", s.model, len(s.options))
	}
	return nil
}

// fits implements modelFlags.
func (s *supervisedFlags) fits(d *dataset.Dataset) error { return s.network.encodes(d) }

// settings implements modelFlags.
func (s *supervisedFlags) settings(w *work) []setting {
	all := make([]setting, len(s.options))
	for i, o := range s.options {
		if x := examplesOf(w.data); s.balanced && x.classes != nil {
			o.ClassWeights = gckn.BalancedWeights(x.classes, w.data.NumClasses())
		}
		one := &supervisedSetting{flags: s, work: w, one: gckn.SupervisedSetting{
			Data: w.data, Features: s.network.features, Options: o, Engine: w.engine,
		}}
		one.Epochs = eval.Epochs{Name: o.String(), Most: o.Epochs, Train: one.epochs}
		all[i] = one
	}
	return all
}

// supervisedSetting is one choice of options of a network that is trained end to end.
type supervisedSetting struct {
	eval.Epochs
	flags *supervisedFlags
	work  *work
	one   gckn.SupervisedSetting
}

func (s *supervisedSetting) params() any { return s.one.Options }

// Grid implements [eval.Setting]. In training there is nothing to choose from outside.
func (s *supervisedSetting) Grid() eval.Grid {
	if s.flags.training {
		return eval.Grid{} // a part is held out for it
	}
	return s.Epochs.Grid()
}

// epochs trains on a task of package eval.
func (s *supervisedSetting) epochs(ctx context.Context, seen []int, t eval.Task, passes int) ([]eval.Targets, error) {
	known := gckn.Known{Classes: t.Known.Classes, Targets: t.Known.Values}
	outputs, err := s.one.Epochs(ctx, seen, t.Train, known, t.Test, passes)
	if err != nil {
		return nil, err
	}
	after := make([]eval.Targets, len(outputs))
	for k, x := range outputs {
		if known.Classes != nil {
			after[k].Classes = gckn.Classes(x)
		} else {
			after[k].Values = x.Float64s()
		}
	}
	return after, nil
}

// train implements setting.
func (s *supervisedSetting) train(ctx context.Context, _ float64) (predictor, error) {
	defer s.work.spent.fitting(time.Now())
	d := s.work.data
	t, encoding, err := s.whole()
	if err != nil {
		return nil, err
	}
	x := examplesOf(d)
	if parts := min(s.flags.validation, len(x.known)); parts >= 2 {
		folds, err := x.folds(parts, 1, s.one.Options.Network.Seed)
		if err != nil {
			return nil, err
		}
		t.Train, t.Validation = folds[0].Train, folds[0].Test
	}
	m, err := gckn.Supervise(ctx, s.work.engine, t)
	if err != nil {
		return nil, err
	}
	if path := t.Checkpoint.Path; path != "" {
		if err := os.Remove(path); err != nil {
			return nil, fmt.Errorf("--checkpoint %s: %w", path, plain(err))
		}
	}
	h := head{Model: s.flags.model, Task: x.task, Classes: d.ClassNames, Targets: d.TargetNames}
	return &supervisedModel{h, encoding, m}, nil
}

// whole returns a training on all of the data.
func (s *supervisedSetting) whole() (*gckn.Training, *dataset.Encoding, error) {
	encoding, err := dataset.FitEncoding(s.work.data, s.one.Features, nil)
	if err != nil {
		return nil, nil, err
	}
	b, err := encoding.Apply(s.work.data)
	if err != nil {
		return nil, nil, err
	}
	t := &gckn.Training{Options: s.one.Options, Checkpoint: s.flags.checkpoint}
	if t.Input, err = gckn.InputOf(b); err != nil {
		return nil, nil, err
	}
	if t.Examples, err = gckn.ExamplesOf(s.work.data, b); err != nil {
		return nil, nil, err
	}
	training := "train"
	t.Watch = func(r autodiff.Record) { training = s.stage(r) }
	if report := s.work.report; report != nil {
		t.Progress = func(stage string, done, total int) {
			if stage == "train" {
				stage = training
			}
			report(stage, done, total)
		}
	}
	return t, encoding, nil
}

// stage names the training by what its last epoch achieved.
func (s *supervisedSetting) stage(r autodiff.Record) string {
	text := fmt.Sprintf("train, epoch %d of %d: loss %.4f, accuracy %.1f %%", r.Epoch, s.one.Options.Epochs, r.Loss, 100*r.Accuracy)
	if len(r.Scores) > 0 {
		text += fmt.Sprintf(", on the part held out %.1f %%", 100*r.Scores[0])
	}
	return text
}

// supervisedModel is a network that was trained end to end, with the encoding of its vertices.
type supervisedModel struct {
	head
	encoding *dataset.Encoding
	model    *gckn.Supervised
}

// predict implements predictor.
func (m *supervisedModel) predict(ctx context.Context, d *dataset.Dataset, report func(string, int, int)) (*predictions, error) {
	b, err := m.encoding.Apply(d)
	if err != nil {
		return nil, err
	}
	outputs, err := m.model.Outputs(ctx, b, report)
	if err != nil {
		return nil, err
	}
	if m.model.Regression() {
		return &predictions{values: outputs, columns: predictedColumns(m.Targets)}, nil
	}
	classes := gckn.Classes(outputs)
	if len(m.Classes) == 2 {
		outputs = margins(outputs)
	}
	return &predictions{classes, outputs, m.decisionColumns(every(len(m.Classes)))}, nil
}

// margins returns how far the second of two columns is above the first.
func margins(logits *tensor.Dense) *tensor.Dense {
	x := logits.Float64s()
	margins := make([]float64, len(x)/2)
	for i := range margins {
		margins[i] = x[2*i+1] - x[2*i]
	}
	return column(margins)
}

// every returns the numbers from 0 to n-1.
func every(n int) []int {
	numbers := make([]int, n)
	for i := range numbers {
		numbers[i] = i
	}
	return numbers
}

// unknownLabels implements predictor.
func (m *supervisedModel) unknownLabels(d *dataset.Dataset) []string { return m.encoding.Unknown(d) }

// width implements rowStream.
func (m *supervisedModel) width() (columns int, dtype tensor.Dtype) {
	return (&network{m.encoding, m.model.Model()}).width()
}

// each implements rowStream.
func (m *supervisedModel) each(ctx context.Context, d *dataset.Dataset, perVertex bool, report func(string, int, int), visit func(*tensor.Dense) error) error {
	return (&network{m.encoding, m.model.Model()}).each(ctx, d, perVertex, report, visit)
}

// storedSupervised is what a network that was trained end to end adds to its model file.
type storedSupervised struct {
	Encoding *dataset.Encoding `json:"encoding"`
	Network  json.RawMessage   `json:"network"`
}

// parts implements predictor.
func (m *supervisedModel) parts() (any, map[string]*tensor.Dense, error) {
	description, err := m.model.MarshalJSON()
	return storedSupervised{m.encoding, description}, m.model.Tensors(), err
}

// loadSupervised reads the parts of a network that was trained end to end.
func loadSupervised(e engine.Engine, h *head, parts json.RawMessage, f *modelfile.File) (predictor, error) {
	var s storedSupervised
	if err := json.Unmarshal(parts, &s); err != nil {
		return nil, err
	}
	if s.Encoding == nil {
		return nil, fmt.Errorf("its encoding is missing")
	}
	model, err := gckn.LoadSupervised(e, s.Network, f)
	if err != nil {
		return nil, err
	}
	if err := checkEncoding(s.Encoding, model.Model().Input()); err != nil {
		return nil, err
	}
	outputs, what := len(h.Classes), "classes"
	if model.Regression() {
		outputs, what = len(h.Targets), "targets"
	}
	if have := len(model.Classifier().Bias); have != outputs || model.Vertices() != (h.Task == nodeTask) {
		return nil, fmt.Errorf("a network of %d outputs on %d %s of a %s", have, outputs, what, h.Task.noun())
	}
	return &supervisedModel{*h, s.Encoding, model}, nil
}
