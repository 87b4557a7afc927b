package gnn

import (
	"fmt"
	"slices"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/model/param"
	"github.com/grove-graph/grove/train"
)

func init() {
	model.Register(model.Family{
		Title: "graph networks", Kind: "gnn", Verbs: []model.Verb{model.Eval, model.Train}, Inner: "1/10",
		Models: []model.Name{
			{Name: string(GCN), Short: "graph convolutional network: means over neighbours, weighted by degrees",
				Brief: "--epochs 50"},
			{Name: string(GIN), Short: "graph isomorphism network: sums over neighbours, a network of two layers on each",
				Brief: "--epochs 40 --halve-every 10"},
		},
		Tasks: []model.Task{model.GraphTask, model.NodeTask}, Classes: true, Regression: true, Weights: true, Streams: true,
		New: newFlags, Load: load,
	})
}

// flags are the options by name. Lists are a grid to choose from.
type flags struct {
	base     Options
	norm     bool
	layers   []int
	widths   []int
	dropouts []float64
	pooling  string
	rows     string
	features dataset.Features
	double   string
	training *train.Flags
	set      *param.Set // to know which were given
}

func newFlags(name string) model.Options {
	base := Default(Kind(name), model.GraphTask)
	f := &flags{
		base: base, layers: []int{base.Layers}, widths: []int{base.Width}, dropouts: []float64{base.Dropout},
		norm: base.Normalise, pooling: base.Pooling.String(), rows: scales[base.ByRow], features: dataset.AutoFeatures,
		double: "float32", training: train.NewFlags(base.Options),
	}
	f.training.FreeBatch = train.FreeBatch(defaultBatch)
	return f
}

// scales are the words for whether attributes are divided by row.
var scales = map[bool]string{false: "as-they-are", true: "by-row"}

// Declare implements [model.Options].
func (f *flags) Declare(s *param.Set, verb model.Verb) {
	f.set = s
	layers := "`N,...` layers, so many steps along arcs a vertex sees"
	if f.base.Kind == GCN {
		o := Default(GCN, model.NodeTask)
		layers += fmt.Sprintf("; on vertices, unless they are given, layers, width and dropout are %d, %d and %g, "+
			"attributes are %s, nothing is normalised, and there are %d epochs at one rate", o.Layers, o.Width, o.Dropout,
			scales[o.ByRow], o.Epochs)
	}
	s.Ints(&f.layers, "layers", 1, maxLayers, layers)
	s.Ints(&f.widths, "width", 1, maxWidth, "`N,...` numbers that a vertex has in a layer")
	s.Floats(&f.dropouts, "dropout", 0, maxDropout, "`P,...` probability that a number is left out in a step")
	if f.base.Kind == GCN {
		s.Bool(&f.norm, "batch-norm", "normalise the numbers of each layer over the batch")
	}
	param.Choice(s, &f.pooling, "pooling", []string{"sum", "mean", "max"},
		"how the vertices of a graph become one vector")
	model.DeclareFeatures(s, &f.features, "auto", "labels", "degrees", "attributes", "attributes+labels", "raw",
		"raw+labels")
	param.Choice(s, &f.rows, "attribute-scale", []string{scales[false], scales[true]},
		"by-row: attributes of a vertex are divided by the sum of their absolute values")
	param.Choice(s, &f.double, "precision", []string{"float32", "float64"}, "numbers to compute with")
	f.training.Declare(s, verb)
}

// maxDropout is the largest share that is left out.
const maxDropout = 0.99

// Check implements [model.Options].
func (f *flags) Check() error {
	all, err := f.Estimators(nil, 0)
	if err != nil {
		return err
	}
	return f.training.Check(string(f.base.Kind), len(all))
}

// on returns the flags with the defaults of a task for what was not given.
func (f *flags) on(task model.Task) *flags {
	own, o := *f, Default(f.base.Kind, task)
	set := func(name string, value func()) {
		if !f.set.Given(name) {
			value()
		}
	}
	set("layers", func() { own.layers = []int{o.Layers} })
	set("width", func() { own.widths = []int{o.Width} })
	set("dropout", func() { own.dropouts = []float64{o.Dropout} })
	set("pooling", func() { own.pooling = o.Pooling.String() })
	set("attribute-scale", func() { own.rows = scales[o.ByRow] })
	set("batch-norm", func() { own.norm = o.Normalise })
	own.training = f.training.Else(o.Options, o.Decay)
	return &own
}

// Estimators implements [model.Options].
func (f *flags) Estimators(w *model.Work, seed uint64) ([]model.Estimator, error) {
	if w != nil {
		f = f.on(model.TaskOf(w.Data))
	}
	var all []model.Estimator
	o := f.base
	pooling, err := engine.ParsePooling(f.pooling)
	if err != nil {
		return nil, param.Wrap(err)
	}
	o.Pooling, o.ByRow, o.Double, o.Seed = pooling, f.rows == scales[true], f.double == "float64", seed
	o.Normalise = f.norm
	for _, o.Layers = range slices.Clone(f.layers) {
		for _, o.Width = range f.widths {
			for _, o.Dropout = range f.dropouts {
				for _, o.Options = range f.training.All(w) {
					if err := o.Check(); err != nil {
						return nil, param.Wrap(err)
					}
					all = append(all, Estimator{Options: o, Features: f.features, Plan: f.training.Plan()})
				}
			}
		}
	}
	return all, nil
}
