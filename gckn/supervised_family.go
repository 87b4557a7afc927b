package gckn

import (
	"github.com/grove-graph/grove/autodiff"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/model/param"
)

// training are the options by name of how a network is trained end to end.
type training struct {
	opt        SupervisedOptions // what the parameters set but for the lists
	decays     []float64
	losses     []autodiff.Loss
	balanced   bool
	products   string
	validation int // parts of which one is held out
	checkpoint autodiff.Checkpoint
}

func newTraining() *training {
	opt := DefaultSupervised(Options{})
	return &training{
		opt: opt, decays: []float64{opt.Decay}, losses: []autodiff.Loss{"auto"}, products: "float32", validation: 10,
		checkpoint: autodiff.Checkpoint{Every: 1000},
	}
}

// declare declares the parameters that a verb knows.
func (o *training) declare(s *param.Set, verb model.Verb) {
	s.Int(&o.opt.Epochs, "epochs", 0, 1_000_000, "`N` passes over the data at most; how many are taken is chosen")
	s.Int(&o.opt.BatchSize, "batch-size", 1, param.Many, "`N` graphs (or vertices) of a step")
	s.Float(&o.opt.Rate, "rate", param.Tiny, param.Huge, "`R` of Adam in the first epochs")
	s.Int(&o.opt.HalveEvery, "halve-every", 0, param.Many, "`N` epochs after which the rate is halved, 0: never")
	s.Floats(&o.decays, "decay", 0, param.Huge, "`L,...` L2 penalties of the classifier")
	losses := []autodiff.Loss{"auto", autodiff.CrossEntropy, autodiff.SquaredHinge, autodiff.Squared}
	param.Choices(s, &o.losses, "loss", losses,
		"what is minimised; auto: cross-entropy for classes, squared for targets")
	s.Bool(&o.balanced, "balanced", "give all classes the same share of the loss")
	s.Bool(&o.opt.Alternate, "alternate",
		"solve for the classifier exactly after every epoch, whose steps train the anchors alone")
	s.Bool(&o.opt.ExactGradient, "exact-gradient",
		"take the true derivative of the inverse square root, not that of the published code")
	param.Choice(s, &o.products, "products", []string{"float32", "tf32", "bf16"},
		"precision of the matrix products on a GPU; sums are in float32")
	s.Int(&o.opt.StartGraphs, "start-graphs", 0, param.Many,
		"`N` training graphs, drawn at random, from which the unsupervised start is learned; "+
			"0: all, or of graphs on disk 10000")
	if verb != model.Train {
		return
	}
	s.Int(&o.validation, "validation", 0, param.Many,
		"`K` hold out one of K parts to choose the number of epochs by; 0: train all epochs on all data")
	o.opt.Patience = 50
	s.Int(&o.opt.Patience, "patience", 0, param.Many,
		"`N` epochs without a better validation score after which training stops, 0: never")
	s.Text(&o.checkpoint.Path, "checkpoint",
		"`FILE` state of the training, kept while it runs; a training that finds it goes on from there, to the same bits")
	s.Int(&o.checkpoint.Every, "checkpoint-every", 1, param.Many, "`N` steps from one checkpoint to the next")
}

// check reports what makes no sense for a verb, of a model for which there are so many estimators.
func (o *training) check(verb model.Verb, name string, estimators int) error {
	switch {
	case verb == model.Train && o.validation == 1:
		return param.Errorf("validation", 1, "want 2 parts or more, or 0 to hold nothing out")
	case verb == model.Eval && o.opt.Epochs == 0:
		return param.Errorf("epochs", 0, "an evaluation chooses among the epochs from 1 on")
	case verb == model.Train && estimators > 1:
		return param.Errorf("", nil, "train %s: the flags ask for %d settings; grove eval compares settings, train takes one",
			name, estimators)
	}
	return nil
}

// estimators returns one for each decay and loss. In an evaluation the number of epochs is chosen, in a training a part
// that is held out does that. The classes of the work, where there is some, are weighed.
func (o *training) estimators(network Options, w *model.Work, verb model.Verb) ([]SupervisedEstimator, error) {
	base := SupervisedEstimator{Options: o.opt, EachEpoch: verb == model.Eval}
	if !base.EachEpoch {
		base.Validation, base.Checkpoint = o.validation, o.checkpoint
	}
	base.Options.Network = network
	base.Options.Precision = map[string]engine.Precision{
		"float32": engine.Full, "tf32": engine.TF32, "bf16": engine.BFloat16,
	}[o.products]
	if o.balanced && w != nil {
		if t := model.TargetsOf(w.Data); !t.Regression() {
			base.Options.ClassWeights = BalancedWeights(t.Classes, len(t.Names))
		}
	}
	var all []SupervisedEstimator
	for _, decay := range o.decays {
		for _, loss := range o.losses {
			s := base
			if s.Options.Decay, s.Options.Loss = decay, loss; loss == "auto" {
				s.Options.Loss = ""
			}
			if err := s.Options.Check(); err != nil {
				return nil, param.Wrap(err)
			}
			all = append(all, s)
		}
	}
	return all, nil
}
