package gckn

import (
	"strings"

	"github.com/grove-graph/grove/autodiff"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/model/param"
)

// supervisedByName are the options by name of networks that are trained end to end.
type supervisedByName struct {
	name      string
	network   *optionsByName
	opt       SupervisedOptions // what the parameters set but for the lists
	decays    []float64
	losses    []autodiff.Loss
	balanced  bool
	precision string
	verb      model.Verb

	// Of a training.
	validation int // parts of which one is held out
	checkpoint autodiff.Checkpoint
}

func newSupervisedByName(name string) *supervisedByName {
	network := newOptionsByName(strings.TrimSuffix(name, supervisedSuffix))
	network.grid.Filters, network.supervised = []int{32}, true
	opt := DefaultSupervised(Options{})
	return &supervisedByName{
		name: name, network: network, opt: opt, decays: []float64{opt.Decay}, losses: []autodiff.Loss{"auto"},
		precision: "float32", validation: 10, checkpoint: autodiff.Checkpoint{Every: 1000},
	}
}

// Declare implements [model.Options].
func (o *supervisedByName) Declare(s *param.Set, verb model.Verb) {
	o.verb = verb
	o.network.Declare(s, verb)
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
	param.Choice(s, &o.precision, "products", []string{"float32", "tf32", "bf16"},
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

// Check implements [model.Options].
func (o *supervisedByName) Check() error {
	all, err := o.all(0)
	switch {
	case err != nil:
		return err
	case o.verb == model.Train && o.validation == 1:
		return param.Errorf("validation", 1, "want 2 parts or more, or 0 to hold nothing out")
	case o.verb == model.Eval && o.opt.Epochs == 0:
		return param.Errorf("epochs", 0, "an evaluation chooses among the epochs from 1 on")
	case o.verb == model.Train && len(all) > 1:
		return param.Errorf("", nil, "train %s: the flags ask for %d settings; grove eval compares settings, train takes one",
			o.name, len(all))
	}
	return nil
}

// all returns the options of every network that is asked for.
func (o *supervisedByName) all(seed uint64) ([]SupervisedOptions, error) {
	networks, err := o.network.all(seed)
	if err != nil {
		return nil, err
	}
	var all []SupervisedOptions
	for _, network := range networks {
		for _, decay := range o.decays {
			for _, loss := range o.losses {
				opt := o.opt
				opt.Network, opt.Decay, opt.Loss = network, decay, loss
				if loss == "auto" {
					opt.Loss = ""
				}
				opt.Precision = map[string]engine.Precision{
					"float32": engine.Full, "tf32": engine.TF32, "bf16": engine.BFloat16,
				}[o.precision]
				if err := opt.Check(); err != nil {
					return nil, param.Wrap(err)
				}
				all = append(all, opt)
			}
		}
	}
	return all, nil
}

// Estimators implements [model.Options]. In an evaluation the number of epochs is chosen, in a training a part that is
// held out does that.
func (o *supervisedByName) Estimators(w *model.Work, seed uint64) ([]model.Estimator, error) {
	grid, err := o.all(seed)
	if err != nil {
		return nil, err
	}
	t := model.TargetsOf(w.Data)
	all := make([]model.Estimator, len(grid))
	for i, opt := range grid {
		if o.balanced && !t.Regression() {
			opt.ClassWeights = BalancedWeights(t.Classes, len(t.Names))
		}
		s := SupervisedEstimator{Variant: o.network.variant, Options: opt, Features: o.network.features}
		if s.EachEpoch = o.verb == model.Eval; !s.EachEpoch {
			s.Validation, s.Checkpoint = o.validation, o.checkpoint
		}
		all[i] = s
	}
	return all, nil
}
