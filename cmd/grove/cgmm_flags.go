package main

import (
	"github.com/grove-graph/grove/cgmm"
	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/svm"
	"github.com/spf13/pflag"
)

// cgmmFlags are the flags of the contextual graph Markov model. Lists are a grid to choose from.
type cgmmFlags struct {
	states, depths []int
	previous       []int
	opt            cgmm.Options // what the lists leave out
	fingerprint    []string
	kernels        []string
	gammas         []float64
	features       dataset.Features
	arcLabels      bool
	machine        machineFlags
	checkpoint     string

	verb    string
	options []cgmm.Options // after check
}

func newCGMMFlags() *cgmmFlags {
	opt := cgmm.DefaultOptions()
	return &cgmmFlags{
		states: []int{opt.States}, depths: []int{0}, previous: opt.Previous, opt: opt, fingerprint: []string{"counts"},
		kernels: []string{"linear"}, gammas: []float64{1}, features: dataset.AutoFeatures,
	}
}

func (g *cgmmFlags) add(fs *pflag.FlagSet, verb string) {
	g.verb = verb
	value := "`N,...` "
	if verb == "embed" {
		value = "`N` "
	}
	fs.Var(newList(&g.states, parseCount), "states", value+"hidden states of a layer")
	bound(fs, "states", 1, 1<<12)
	fs.IntVar(&g.opt.Layers, "layers", g.opt.Layers, "`N` layers, the most where growth may stop")
	bound(fs, "layers", 1, 256)
	fs.Var(newList(&g.depths, parseRounds), "depth", value+"layers that represent a graph, from the first on; 0: all")
	bound(fs, "depth", 0, 256)
	fs.Var(newList(&g.previous, parseCount), "previous",
		"`D,...` preceding layers that a layer looks at, as distances: 1 is the layer below")
	bound(fs, "previous", 1, 256)
	fs.BoolVar(&g.opt.Soft, "soft", false, "let layers see posteriors of states, not the most likely states")
	fs.IntVar(&g.opt.Iterations, "iterations", g.opt.Iterations,
		"`N` iterations of expectation maximisation in a layer, at most")
	bound(fs, "iterations", 1, many)
	fs.Float64Var(&g.opt.Tolerance, "tolerance", g.opt.Tolerance,
		"`T` gain of the log-likelihood, as a share of it, at which they stop")
	bound(fs, "tolerance", 0, 1)
	fs.Float64Var(&g.opt.Smoothing, "smoothing", g.opt.Smoothing, "`S` added to every expected count")
	bound(fs, "smoothing", 0, huge)
	fs.IntVar(&g.opt.Pool, "pool", g.opt.Pool,
		"`N` candidates of a layer with different random starts; the best on graphs held out is taken")
	bound(fs, "pool", 1, 1<<12)
	fs.IntVar(&g.opt.Patience, "patience", g.opt.Patience,
		"`N` layers without a better score after which growth stops, 0: never")
	bound(fs, "patience", 0, many)
	choicesVar(fs, &g.fingerprint, "fingerprint", []string{"counts", "frequencies"},
		"how the states of its vertices represent a graph")
	fs.BoolVar(&g.opt.Fingerprint.Bigrams, "bigrams", false, "count pairs of states of neighbours too")
	fs.BoolVar(&g.opt.Fingerprint.Last, "last", false, "represent a graph by the last layer alone")
	featuresVar(fs, &g.features, "auto", "labels", "degrees", "attributes", "attributes+labels")
	fs.BoolVar(&g.arcLabels, "arc-labels", false, "tell neighbours apart by the label of the arc")
	if verb == "embed" {
		return
	}
	choicesVar(fs, &g.kernels, "classifier", []string{svm.LinearKernel, svm.RBFKernel, svm.JaccardKernel},
		"support vector machine on the fingerprints")
	fs.Var(newList(&g.gammas, parsePositive), "gamma", "`G,...` of the rbf kernel")
	bound(fs, "gamma", tiny, huge)
	g.machine.add(fs, "60 values for linear machines, 7 for others")
	if verb == "train" {
		fs.StringVar(&g.checkpoint, "checkpoint", "",
			"`FILE` finished layers, kept while training runs; a training that finds it goes on from there, to the same bits")
	}
}

// check implements modelFlags.
func (g *cgmmFlags) check(seed uint64) error {
	if err := g.machine.check(); err != nil {
		return err
	}
	if g.checkpoint != "" {
		if err := writable("--checkpoint", g.checkpoint); err != nil {
			return err
		}
	}
	g.options = nil
	for _, states := range g.states {
		for _, fingerprint := range g.fingerprint {
			for _, depth := range g.depths {
				o := g.opt
				o.States, o.Previous, o.Seed = states, g.previous, seed
				o.Fingerprint.Depth, o.Fingerprint.Frequencies = depth, fingerprint == "frequencies"
				if depth > o.Layers {
					return usagef("--depth %d: there are %s, see --layers", depth, count(o.Layers, "layer"))
				}
				if err := o.Check(); err != nil {
					return &usageError{err}
				}
				g.options = append(g.options, o)
			}
		}
	}
	if g.verb == "embed" && len(g.options) > 1 {
		return usagef("embed cgmm: the flags ask for %d settings; one, please: there is nothing to choose by here",
			len(g.options))
	}
	return nil
}

// fits implements modelFlags.
func (g *cgmmFlags) fits(d *dataset.Dataset) (*dataset.Encoding, error) {
	if g.verb != "embed" {
		if err := wantsGraphClasses("cgmm", d); err != nil {
			return nil, err
		}
	}
	if g.arcLabels && d.Batch.ArcLabels == nil {
		return nil, usagef("--arc-labels: the arcs of data set %s have no labels", d.Name)
	}
	seen, err := dataset.FitEncoding(d, g.features, nil)
	switch {
	case err != nil && g.features != dataset.AutoFeatures:
		return nil, usagef("--features %s: %w", g.features, err)
	case err == nil && g.arcLabels:
		seen.KeepArcLabels(d)
	}
	return seen, err
}
