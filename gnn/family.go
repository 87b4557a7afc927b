package gnn

import (
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
				Brief: "--epochs 100"},
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
	layers   []int
	widths   []int
	dropouts []float64
	pooling  string
	rows     string
	features dataset.Features
	double   string
	training *train.Flags
	verb     model.Verb
}

func newFlags(name string) model.Options {
	base := Default(Kind(name))
	f := &flags{
		base: base, layers: []int{base.Layers}, widths: []int{base.Width}, dropouts: []float64{base.Dropout},
		pooling: base.Pooling.String(), rows: "as-they-are", features: dataset.AutoFeatures, double: "float32",
		training: train.NewFlags(base.Options),
	}
	if base.ByRow {
		f.rows = "by-row"
	}
	f.training.FreeBatch = train.FreeBatch(defaultBatch)
	return f
}

// Declare implements [model.Options].
func (f *flags) Declare(s *param.Set, verb model.Verb) {
	f.verb = verb
	s.Ints(&f.layers, "layers", 1, maxLayers, "`N,...` layers, so many steps along arcs a vertex sees")
	s.Ints(&f.widths, "width", 1, maxWidth, "`N,...` numbers that a vertex has in a layer")
	s.Floats(&f.dropouts, "dropout", 0, maxDropout, "`P,...` probability that a number is left out in a step")
	param.Choice(s, &f.pooling, "pooling", []string{"sum", "mean", "max"},
		"how the vertices of a graph become one vector")
	model.DeclareFeatures(s, &f.features, "auto", "labels", "degrees", "attributes", "attributes+labels", "raw",
		"raw+labels")
	param.Choice(s, &f.rows, "attribute-scale", []string{"as-they-are", "by-row"},
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

// Estimators implements [model.Options].
func (f *flags) Estimators(w *model.Work, seed uint64) ([]model.Estimator, error) {
	var all []model.Estimator
	o := f.base
	pooling, err := engine.ParsePooling(f.pooling)
	if err != nil {
		return nil, param.Wrap(err)
	}
	o.Pooling, o.ByRow, o.Double, o.Seed = pooling, f.rows == "by-row", f.double == "float64", seed
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
