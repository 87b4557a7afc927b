package train

import (
	"github.com/grove-graph/grove/autodiff"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/model/param"
)

// Flags are the options by name of how a network is trained end to end. A family declares its own beside them.
type Flags struct {
	Options // what the parameters set but for the lists

	// FreeBatch says in the help what a batch size of 0 stands for. "" where the family needs another.
	FreeBatch string
	// FreeDecay says in the help what stands for a decay that is not given, in place of that of the defaults; "" for none.
	FreeDecay string
	// Start says that the start of a training is a model already, which an evaluation may choose.
	Start bool
	// Smooth is that of the grid of epochs.
	Smooth int

	rates    []float64
	decays   []float64
	losses   []autodiff.Loss
	balanced bool
	plan     Plan // of a training
	verb     model.Verb
	set      *param.Set // to know which were given
}

// NewFlags returns flags whose defaults are the given options.
func NewFlags(defaults Options) *Flags {
	return &Flags{
		Options: defaults, rates: []float64{defaults.Rate}, decays: []float64{defaults.Decay},
		losses: []autodiff.Loss{"auto"}, plan: Plan{Validation: 10, Checkpoint: autodiff.Checkpoint{Every: 1000}},
	}
}

// Declare declares the parameters that a verb knows.
func (f *Flags) Declare(s *param.Set, verb model.Verb) {
	f.set = s
	least, batch := 1.0, "`N` graphs (or vertices) of a step"
	if f.FreeBatch != "" {
		least, batch = 0, batch+"; 0: "+f.FreeBatch
	}
	s.Int(&f.Epochs, "epochs", 0, 1_000_000, "`N` passes over the data at most; how many are taken is chosen")
	s.Int(&f.BatchSize, "batch-size", least, param.Many, batch)
	s.Floats(&f.rates, "rate", param.Tiny, param.Huge, "`R,...` of Adam in the first epochs")
	s.Int(&f.HalveEvery, "halve-every", 0, param.Many, "`N` epochs after which the rate is halved, 0: never")
	decay := "`L,...` L2 penalties of the classifier"
	if f.FreeDecay != "" {
		f.decays, decay = nil, decay+"; without, "+f.FreeDecay
	}
	s.Floats(&f.decays, "decay", 0, param.Huge, decay)
	losses := []autodiff.Loss{"auto", autodiff.CrossEntropy, autodiff.SquaredHinge, autodiff.Squared}
	param.Choices(s, &f.losses, "loss", losses,
		"what is minimised; auto: cross-entropy for classes, squared for targets")
	s.Ints(&f.FanOut, "fanout", 1, param.Many, "`N,...` on vertices of a large graph: arcs drawn at most in a step, "+
		"for every step away from a vertex (or one number for all), as 10,10; without, all arcs")
	s.Ints(&f.PredictFanOut, "predict-fanout", 1, param.Many,
		"`N,...` the same where vertices are scored or predicted; without, all arcs")
	s.Bool(&f.balanced, "balanced", "give all classes the same share of the loss")
	if f.verb = verb; verb != model.Train {
		return
	}
	s.Int(&f.plan.Validation, "validation", 0, param.Many,
		"`K` hold out one of K parts to choose the number of epochs by; 0: train all epochs on all data")
	f.Patience = 50
	s.Int(&f.Patience, "patience", 0, param.Many,
		"`N` epochs without a better validation score after which training stops, 0: never")
	s.Text(&f.plan.Checkpoint.Path, "checkpoint",
		"`FILE` state of the training, kept while it runs; a training that finds it goes on from there, to the same bits")
	s.Int(&f.plan.Checkpoint.Every, "checkpoint-every", 1, param.Many, "`N` steps from one checkpoint to the next")
}

// Check reports what makes no sense for the verb, of a model for which there are so many estimators.
func (f *Flags) Check(name string, estimators int) error {
	switch {
	case f.verb == model.Train && f.plan.Validation == 1:
		return param.Errorf("validation", 1, "want 2 parts or more, or 0 to hold nothing out")
	case f.verb == model.Eval && f.Epochs == 0 && !f.Start:
		return param.Errorf("epochs", 0, "an evaluation chooses among the epochs from 1 on")
	case f.verb == model.Train && estimators > 1:
		return param.Errorf("", nil, "train %s: the flags ask for %d settings; grove eval compares settings, train takes one",
			name, estimators)
	}
	return nil
}

// Else returns the flags with other defaults for what was not given: the number of epochs, the rate and when it is
// halved, and the decays that an evaluation chooses from, of which a training takes the first.
func (f *Flags) Else(defaults Options, decays ...float64) *Flags {
	own := *f
	if !f.set.Given("epochs") {
		own.Epochs = defaults.Epochs
	}
	if !f.set.Given("rate") {
		own.rates = []float64{defaults.Rate}
	}
	if !f.set.Given("halve-every") {
		own.HalveEvery = defaults.HalveEvery
	}
	if !f.set.Given("decay") {
		if own.decays = decays; f.verb == model.Train {
			own.decays = decays[:1]
		}
	}
	return &own
}

// Plan returns how the number of epochs is chosen: in an evaluation among all of them, in a training by a part that is
// held out.
func (f *Flags) Plan() Plan {
	if f.verb == model.Eval {
		return Plan{EachEpoch: true, Start: f.Start, Smooth: f.Smooth}
	}
	return f.plan
}

// All returns options for each rate, decay and loss. The classes of the work, where there is some, are weighed.
func (f *Flags) All(w *model.Work) []Options {
	base := f.Options
	if f.balanced && w != nil {
		if t := model.TargetsOf(w.Data); !t.Regression() {
			base.ClassWeights = BalancedWeights(t.Classes, len(t.Names))
		}
	}
	var all []Options
	decays := f.decays
	if decays == nil {
		decays = []float64{base.Decay}
	}
	for _, rate := range f.rates {
		for _, decay := range decays {
			for _, loss := range f.losses {
				o := base
				if o.Rate, o.Decay, o.Loss = rate, decay, loss; loss == "auto" {
					o.Loss = ""
				}
				all = append(all, o)
			}
		}
	}
	return all
}
