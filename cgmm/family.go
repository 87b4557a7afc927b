package cgmm

import (
	"fmt"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/model/machine"
	"github.com/grove-graph/grove/model/param"
	"github.com/grove-graph/grove/svm"
)

const name = "cgmm"

func init() {
	model.Register(model.Family{
		Title: "CGMM", Kind: name, Inner: "5", Learns: "states",
		Verbs: []model.Verb{model.Eval, model.Train, model.Embed},
		Models: []model.Name{{Name: name,
			Short: "contextual graph Markov model: layers of hidden states, each seeing its neighbours' states below"}},
		Tasks: []model.Task{model.GraphTask, model.NodeTask}, Classes: true, Streams: true,
		New: newOptions, Load: loadClassifier,
	})
}

// kind is how the states of its vertices represent a graph.
type kind string

const (
	byCounts      kind = "counts"
	byFrequencies kind = "frequencies"
)

// options are the options of the model by name. Lists are a grid to choose from.
type options struct {
	estimator      Estimator // what the lists leave out
	states, depths []int
	fingerprints   []kind
	bigrams        []bool
	kernels        []string
	gammas         []float64
	own            []bool
	constants      machine.Constants
	verb           model.Verb
}

func newOptions(string) model.Options {
	o := DefaultOptions()
	return &options{
		estimator: Estimator{Options: o, Features: dataset.AutoFeatures}, states: []int{o.States}, depths: []int{0},
		fingerprints: []kind{byCounts}, kernels: []string{svm.LinearKernel}, gammas: []float64{1},
		bigrams: []bool{false}, own: []bool{false},
	}
}

// Declare implements [model.Options].
func (o *options) Declare(s *param.Set, verb model.Verb) {
	o.verb = verb
	value, bools := "`N,...` ", "`true,false` "
	if verb == model.Embed {
		value, bools = "`N` ", ""
	}
	opt := &o.estimator.Options
	s.Ints(&o.states, "states", 1, maxStates, value+"hidden states of a layer")
	s.Int(&opt.Layers, "layers", 1, maxLayers, "`N` layers, the most where growth may stop")
	s.Ints(&o.depths, "depth", 0, maxLayers, value+"layers that represent a graph, from the first on; 0: all")
	s.Ints(&opt.Previous, "previous", 1, maxLayers,
		"`D,...` preceding layers that a layer looks at, as distances: 1 is the layer below")
	s.Bool(&opt.Soft, "soft", "let layers see posteriors of states, not the most likely states")
	s.Int(&opt.Iterations, "iterations", 1, param.Many,
		"`N` iterations of expectation maximisation in a layer, at most")
	s.Float(&opt.Tolerance, "tolerance", 0, 1, "`T` gain of the log-likelihood, as a share of it, at which they stop")
	s.Float(&opt.Smoothing, "smoothing", 0, param.Huge, "`S` added to every expected count")
	s.Int(&opt.Pool, "pool", 1, maxPool,
		"`N` candidates of a layer with different random starts; the best on graphs held out is taken")
	s.Int(&opt.Patience, "patience", 0, param.Many,
		"`N` layers without a better score after which growth stops, 0: never")
	param.Choices(s, &o.fingerprints, "fingerprint", []kind{byCounts, byFrequencies},
		"how the states of its vertices represent a graph")
	s.Add(&param.Param{Value: param.List(&o.bigrams, param.ParseBool), Name: "bigrams", Alone: "true",
		Usage: bools + "count pairs of states of neighbours too"})
	s.Bool(&opt.Fingerprint.Last, "last", "represent a graph by the last layer alone")
	model.DeclareFeatures(s, &o.estimator.Features, "auto", "labels", "degrees", "attributes", "attributes+labels")
	s.Bool(&o.estimator.ArcLabels, "arc-labels", "tell neighbours apart by the label of the arc")
	if verb == model.Embed {
		return
	}
	param.Choices(s, &o.kernels, "classifier", []string{svm.LinearKernel, svm.RBFKernel, svm.JaccardKernel},
		"support vector machine on the fingerprints")
	s.Floats(&o.gammas, "gamma", param.Tiny, param.Huge, "`G,...` of the rbf kernel")
	machine.DeclareOwnFeatures(s, &o.own)
	o.constants.Declare(s, "60 values for linear machines, 7 for others")
	if verb == model.Train {
		s.Text(&o.estimator.Checkpoint, "checkpoint",
			"`FILE` finished layers, kept while training runs; a training that finds it goes on from there, to the same bits")
	}
}

// Estimators implements [model.Options]: one for every choice of states, fingerprint and machine, in this order.
func (o *options) Estimators(_ *model.Work, seed uint64) ([]model.Estimator, error) {
	base := o.estimator
	base.Options.Seed = seed
	var err error
	if base.C, err = o.constants.Values(); err != nil {
		return nil, err
	}
	shared := base.Options.Fingerprint
	shared.Frequencies, shared.Bigrams = o.fingerprints[0] == byFrequencies, o.bigrams[0]
	base.shared = &shared
	var all []model.Estimator
	for _, states := range o.states {
		for _, fingerprint := range o.prints() {
			one := base
			one.Options.States, one.Options.Fingerprint = states, fingerprint
			if fingerprint.Depth > one.Options.Layers {
				return nil, param.Errorf("depth", fingerprint.Depth, "there are %d layers, see --layers", one.Options.Layers)
			}
			if err := one.Options.Check(); err != nil {
				return nil, param.Wrap(err)
			}
			for _, own := range o.own {
				one.OwnFeatures = own
				all = append(all, one.classifiers(o.kernels, o.gammas)...)
			}
		}
	}
	if o.verb == model.Embed && len(all) > 1 {
		return nil, param.Wrap(fmt.Errorf(
			"embed cgmm: the flags ask for %d settings; one, please: there is nothing to choose by here", len(all)))
	}
	return all, nil
}

// prints returns the fingerprints to choose from.
func (o *options) prints() []Fingerprint {
	var all []Fingerprint
	for _, kind := range o.fingerprints {
		for _, bigrams := range o.bigrams {
			for _, depth := range o.depths {
				one := o.estimator.Options.Fingerprint
				one.Frequencies, one.Bigrams, one.Depth = kind == byFrequencies, bigrams, depth
				all = append(all, one)
			}
		}
	}
	return all
}

// classifiers returns the estimator with each of the kernels.
func (s Estimator) classifiers(kernels []string, gammas []float64) []model.Estimator {
	var all []model.Estimator
	for _, kernel := range kernels {
		widths := gammas
		if kernel != svm.RBFKernel {
			widths = []float64{0}
		}
		for _, gamma := range widths {
			s.Classifier = svm.VectorKernel{Kind: kernel, Gamma: gamma}
			all = append(all, s)
		}
	}
	return all
}

// Check implements [model.Options].
func (o *options) Check() error {
	_, err := o.Estimators(nil, 0)
	return err
}
