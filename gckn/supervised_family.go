package gckn

import (
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/model/param"
	"github.com/grove-graph/grove/train"
)

// training are the options by name of how a network is trained end to end.
type training struct {
	*train.Flags
	own      SupervisedOptions // what other networks do not have
	products string
	from     string // file
	keep     bool
	read     *Pretrained // what is in the file; nil before it is read
}

// smoothedEpochs is the number of epochs before and after one whose scores count for it.
const smoothedEpochs = 2

func newTraining() *training {
	defaults := TunedSupervised(Options{})
	t := &training{Flags: train.NewFlags(defaults.Options), products: "float32",
		own: SupervisedOptions{Standardise: defaults.Standardise, Alternate: defaults.Alternate, Decays: defaults.Decays}}
	t.FreeDecay = "one of 0.1, 0.01 and 0.001, chosen by the unsupervised start"
	t.Start, t.Smooth = true, smoothedEpochs
	t.FreeBatch = train.FreeBatch(defaultBatch)
	return t
}

// stepped returns the options with the defaults of [tunedSteps] for what was not given: of trainings whose classifier
// is trained in the steps.
func (o *training) stepped(set *param.Set) *training {
	own, defaults := *o, tunedSteps(Options{})
	own.Flags = o.Flags.Else(defaults.Options, defaults.Decay, 10*defaults.Decay)
	if !set.Given("alternate") {
		own.own.Alternate = defaults.Alternate
	}
	own.own.Decays = nil
	return &own
}

// Declare declares the parameters that a verb knows.
func (o *training) Declare(s *param.Set, verb model.Verb) {
	o.Flags.Declare(s, verb)
	s.Bool(&o.own.Alternate, "alternate", "solve for the classifier exactly after every epoch, whose steps train the "+
		"anchors alone; on vertices, for more than 10000 graphs and without standardise it is off, and without it there "+
		"are 32 filters, 100 epochs and decay 0.01 or 0.1, but for what is given")
	s.Bool(&o.own.ExactGradient, "exact-gradient",
		"take the true derivative of the inverse square root, not that of the published code")
	s.Bool(&o.own.Standardise, "standardise",
		"let the classifier see numbers of mean 0 and deviation 1, as the unsupervised model's does")
	param.Choice(s, &o.products, "products", []string{"float32", "tf32", "bf16"},
		"precision of the matrix products on a GPU; sums are in float32")
	s.Text(&o.from, "from", "`FILE` GCKN to start from in place of k-means: its layers and anchors, on these data; "+
		"vertex labels are the same where their names are, and one that it never saw is unlike all others at first")
	s.Bool(&o.keep, "keep-classifier",
		"start from the classifier of that model too, where the classes have the same names")
	s.Int(&o.own.Freeze, "freeze", 0, 16, "`N` layers, from the bottom, whose anchors stay as they are")
	s.Float(&o.own.AnchorRate, "rate-anchors", 0, param.Huge, "`R` of Adam for the anchors; 0: as for the classifier")
	s.Int(&o.own.StartGraphs, "start-graphs", 0, param.Many,
		"`N` training graphs, drawn at random, from which the unsupervised start is learned; "+
			"0: all, or of graphs on disk 10000")
}

// estimators returns one for each rate, decay and loss. The classes of the work, where there is some, are weighed.
func (o *training) estimators(network Options, w *model.Work) ([]SupervisedEstimator, error) {
	base := SupervisedEstimator{Options: o.own, Plan: o.Plan(), From: o.read, KeepClassifier: o.keep}
	base.Options.Network = network
	base.Options.Precision = map[string]engine.Precision{
		"float32": engine.Full, "tf32": engine.TF32, "bf16": engine.BFloat16,
	}[o.products]
	var all []SupervisedEstimator
	for _, options := range o.All(w) {
		s := base
		s.Options.Options = options
		if err := s.Options.Check(); err != nil {
			return nil, param.Wrap(err)
		}
		all = append(all, s)
	}
	return all, nil
}
