package main

import (
	"strings"

	"github.com/grove-graph/grove/autodiff"
	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/eval"
	"github.com/grove-graph/grove/gckn"
	"github.com/spf13/pflag"
)

// supervisedSuffix marks the models that are trained end to end.
const supervisedSuffix = "-sup"

func supervisedFamily() family {
	f := family{
		name: "supervised GCKN", kind: "gckn-sup", load: loadSupervised, verbs: []string{"eval", "train"},
		learns: "anchors", inner: "1/10",
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
	stored   *storedGraphs            // what is trained on, if not in memory
}

func newSupervisedFlags(model string) *supervisedFlags {
	network := newGCKNFlags(strings.TrimSuffix(model, supervisedSuffix))
	network.grid.Filters, network.supervised = []int{32}, true
	opt := gckn.DefaultSupervised(gckn.Options{})
	return &supervisedFlags{
		model: model, network: network, opt: opt, decays: []float64{opt.Decay}, losses: []autodiff.Loss{"auto"},
		precision: "float32", validation: 10, checkpoint: autodiff.Checkpoint{Every: 1000},
	}
}

func (s *supervisedFlags) add(fs *pflag.FlagSet, verb string) {
	s.flags, s.training = fs, verb == "train"
	s.network.add(fs, verb)
	fs.IntVar(&s.opt.Epochs, "epochs", s.opt.Epochs, "`N` passes over the data at most; how many are taken is chosen")
	bound(fs, "epochs", 0, 1_000_000)
	fs.IntVar(&s.opt.BatchSize, "batch-size", s.opt.BatchSize, "`N` graphs (or vertices) of a step")
	bound(fs, "batch-size", 1, many)
	fs.Var(newSingle(&s.opt.Rate, parsePositive), "rate", "`R` of Adam in the first epochs")
	bound(fs, "rate", tiny, huge)
	fs.IntVar(&s.opt.HalveEvery, "halve-every", s.opt.HalveEvery, "`N` epochs after which the rate is halved, 0: never")
	bound(fs, "halve-every", 0, many)
	fs.Var(newList(&s.decays, parseDecay), "decay", "`L,...` L2 penalties of the classifier")
	bound(fs, "decay", 0, huge)
	losses := []autodiff.Loss{"auto", autodiff.CrossEntropy, autodiff.SquaredHinge, autodiff.Squared}
	choicesVar(fs, &s.losses, "loss", losses,
		"what is minimised; auto: cross-entropy for classes, squared for targets")
	fs.BoolVar(&s.balanced, "balanced", false, "give all classes the same share of the loss")
	fs.BoolVar(&s.opt.Alternate, "alternate", false,
		"solve for the classifier exactly after every epoch, whose steps train the anchors alone")
	fs.BoolVar(&s.opt.ExactGradient, "exact-gradient", false,
		"take the true derivative of the inverse square root, not that of the published code")
	choiceVar(fs, &s.precision, "products", []string{"float32", "tf32", "bf16"},
		"precision of the matrix products on a GPU; sums are in float32")
	fs.IntVar(&s.opt.StartGraphs, "start-graphs", 0,
		"`N` training graphs, drawn at random, from which the unsupervised start is learned; "+
			"0: all, or of graphs on disk 10000")
	bound(fs, "start-graphs", 0, many)
	if !s.training {
		return
	}
	fs.IntVar(&s.validation, "validation", s.validation,
		"`K` hold out one of K parts to choose the number of epochs by; 0: train all epochs on all data")
	bound(fs, "validation", 0, many)
	fs.IntVar(&s.opt.Patience, "patience", 50,
		"`N` epochs without a better validation score after which training stops, 0: never")
	bound(fs, "patience", 0, many)
	fs.StringVar(&s.checkpoint.Path, "checkpoint", "",
		"`FILE` state of the training, kept while it runs; a training that finds it goes on from there, to the same bits")
	fs.IntVar(&s.checkpoint.Every, "checkpoint-every", s.checkpoint.Every,
		"`N` steps from one checkpoint to the next")
	bound(fs, "checkpoint-every", 1, many)
}

// check implements modelFlags.
func (s *supervisedFlags) check(seed uint64) error {
	if err := s.network.check(seed); err != nil {
		return err
	}
	if s.training && s.validation < 2 && s.validation != 0 {
		return usagef("--validation %d: want 2 parts or more, or 0 to hold nothing out", s.validation)
	}
	if !s.training && s.opt.Epochs == 0 {
		return usagef("--epochs 0: an evaluation chooses among the epochs from 1 on")
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
				o.Precision = map[string]engine.Precision{
					"float32": engine.Full, "tf32": engine.TF32, "bf16": engine.BFloat16,
				}[s.precision]
				if err := o.Check(); err != nil {
					return &usageError{err}
				}
				s.options = append(s.options, o)
			}
		}
	}
	if s.training && len(s.options) > 1 {
		return usagef("train %s: the flags ask for %d settings; grove eval compares settings, train takes one", s.model,
			len(s.options))
	}
	return nil
}

// fits implements modelFlags.
func (s *supervisedFlags) fits(d *dataset.Dataset) (*dataset.Encoding, error) {
	if s.stored != nil {
		err := s.stored.encode(s.network.features)
		return s.stored.encoding, err
	}
	return s.network.encodes(d)
}

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
