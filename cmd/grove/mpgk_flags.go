package main

import (
	"fmt"

	"github.com/grove-graph/grove/autodiff"
	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/mpgk"
	"github.com/spf13/pflag"
)

// mpgkFlags are the flags of the message passing kernels.
type mpgkFlags struct {
	model      string
	iterations []int
	sums       []bool       // of the iterations
	opt        mpgk.Options // all but the iterations, their sum and the seed
	weights    string
	features   dataset.Features
	dims       int
	epsilon    float64
	head       string // of a regression
	network    autodiff.MLPOptions
	regression bool
	machine    machineFlags
	predicts   bool           // there is a machine on the kernel
	options    []mpgk.Options // after check
}

func newMPGKFlags(model string) *mpgkFlags {
	opt, err := mpgk.Preset(model)
	if err != nil {
		panic(err) // a model of the family
	}
	return &mpgkFlags{
		model: model, iterations: []int{opt.Iterations}, sums: []bool{false}, opt: opt, weights: string(opt.Weights),
		features: dataset.AutoFeatures, dims: 2, epsilon: 0.1, head: "svr", network: autodiff.DefaultMLP(),
	}
}

func (m *mpgkFlags) add(fs *pflag.FlagSet, verb string) {
	value := "`T,...` "
	if verb == "gram" || verb == "embed" {
		value = "`T` "
	}
	fs.Var(newList(&m.iterations, parseCount), "iterations", value+"updates of the kernel between vertices")
	bound(fs, "iterations", 1, 32)
	fs.Float64Var(&m.opt.Alpha, "alpha", m.opt.Alpha, "`A` weight of the vertex in an update")
	bound(fs, "alpha", 0, 1000)
	fs.Float64Var(&m.opt.Beta, "beta", m.opt.Beta, "`B` weight of its neighbourhood")
	bound(fs, "beta", 0, 1000)
	featuresVar(fs, &m.features, "auto", "labels", "degrees", "raw", "raw+labels", "attributes", "attributes+labels")
	fs.IntVar(&m.opt.Landmarks, "landmarks", m.opt.Landmarks,
		"`N` vertices of a Nyström approximation of the kernel between vertices (200 in the paper), 0: exact")
	bound(fs, "landmarks", 0, 1<<13)
	fs.IntVar(&m.opt.Branching, "branching", m.opt.Branching, "`N` children of a node of a hierarchy")
	bound(fs, "branching", 2, 64)
	fs.IntVar(&m.opt.Depth, "depth", m.opt.Depth, "`N` depth of a hierarchy")
	bound(fs, "depth", 1, 64)
	choiceVar(fs, &m.weights, "weights", []string{"paper", "published"},
		"of the nodes of a hierarchy: those of the paper or of the published code")
	value = "`true,false` "
	if verb == "gram" || verb == "embed" {
		value = ""
	}
	fs.Var(newList(&m.sums, parseBool), "sum-iterations",
		value+"add up the kernels of all iterations, as the published code does")
	fs.Lookup("sum-iterations").NoOptDefVal = "true"
	if verb == "embed" {
		fs.Var(newSingle(&m.dims, parseCount), "dims",
			"`N` coordinates of a vertex, by kernel principal components (with --task node)")
		bound(fs, "dims", 1, 1<<12)
		fs.IntVar(&m.opt.GraphLandmarks, "graph-landmarks", 200, "`N` graphs that represent the others (without --task node)")
		bound(fs, "graph-landmarks", 1, 1<<13)
		return
	}
	fs.BoolVar(&m.opt.Normalise, "normalise", false, "divide kernel values by those of the graphs with themselves")
	if m.predicts = verb != "gram"; m.predicts {
		fs.Var(newSingle(&m.epsilon, parsePositive), "epsilon",
			"`E` error that costs nothing in a regression, in units of the target")
		bound(fs, "epsilon", tiny, huge)
		choiceVar(fs, &m.head, "head", []string{"svr", "mlp"},
			"of a regression: support vector regression, or a network on the kernel with a few graphs")
		fs.IntVar(&m.opt.GraphLandmarks, "graph-landmarks", 0, "`N` those graphs (default 200 with --head mlp)")
		bound(fs, "graph-landmarks", 0, 1<<13)
		fs.IntVar(&m.network.Hidden, "hidden", m.network.Hidden, "`N` hidden units of the network")
		bound(fs, "hidden", 1, 1<<16)
		fs.IntVar(&m.network.Epochs, "epochs", m.network.Epochs, "`N` passes over the data that train the network")
		bound(fs, "epochs", 1, 1_000_000)
		m.machine.add(fs, "7 values from 1e-3 to 1e3")
	}
}

// parseBool reads true or false.
func parseBool(text string) (bool, error) {
	if text != "true" && text != "false" {
		return false, fmt.Errorf("%q is neither true nor false", text)
	}
	return text == "true", nil
}

// check implements modelFlags.
func (m *mpgkFlags) check(seed uint64) error {
	if err := m.machine.check(); err != nil {
		return err
	}
	m.network.Seed = seed
	if m.head == "mlp" {
		if m.opt.GraphLandmarks == 0 {
			m.opt.GraphLandmarks = 200
		}
		if err := m.network.Check(); err != nil {
			return &usageError{err}
		}
	}
	m.options = nil
	for _, sum := range m.sums {
		for _, t := range m.iterations {
			opt := m.opt
			opt.Iterations, opt.SumIterations, opt.Seed, opt.Weights = t, sum, seed, mpgk.Weights(m.weights)
			if err := opt.Check(); err != nil {
				return &usageError{err}
			}
			m.options = append(m.options, opt)
		}
	}
	return nil
}

// fits implements modelFlags.
func (m *mpgkFlags) fits(d *dataset.Dataset) (*dataset.Encoding, error) {
	if m.predicts {
		if err := wantsGraphs(m.model, d); err != nil {
			return nil, err
		}
	}
	m.regression = d.Task == dataset.GraphRegression
	if m.head == "mlp" && !m.regression {
		return nil, usagef("--head mlp: data set %s has no targets; classes are told apart by a support vector machine", d.Name)
	}
	return m.encode(d, nil)
}

// encode says what the vertices of d show: attributes as they are, else labels, else degrees, which are
// what the kernel compares where there is nothing else.
func (m *mpgkFlags) encode(d *dataset.Dataset, train []int) (*dataset.Encoding, error) {
	features := m.features
	switch {
	case features == dataset.DegreeFeatures:
		features = dataset.NoFeatures
	case features != dataset.AutoFeatures:
	case d.Batch.AttributeDim > 0:
		features = dataset.RawAttributes
	case d.Batch.Labels != nil:
		features = dataset.LabelFeatures
	default:
		features = dataset.NoFeatures
	}
	encoding, err := dataset.FitEncoding(d, features, train)
	if err != nil {
		return nil, usagef("--features %s: %w", m.features, err)
	}
	return encoding, nil
}
