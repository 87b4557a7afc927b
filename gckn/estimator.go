package gckn

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/model/machine"
	"github.com/grove-graph/grove/model/param"
	"github.com/grove-graph/grove/svm"
)

// Estimator is a network whose anchors are learned without targets ([Fit]) with a linear support vector machine on the
// graphs that it represents ([svm.FitClassifier]).
type Estimator struct {
	Variant  string // registered name, see [Variants]; "" is that of the preset with as many layers
	Options  Options
	Features dataset.Features // what the vertices show, "" is [dataset.AutoFeatures]
	C        []float64        // to choose from, ascending; nil is [svm.CGrid]
}

// Name implements [model.Estimator].
func (s Estimator) Name() string { return s.Options.variant(s.Variant) }

// variant returns the given name, or that of the preset that comes nearest.
func (o *Options) variant(name string) string {
	switch {
	case name != "":
		return name
	case o.Walk:
		return "gckn-walk"
	case len(o.Layers) < 2:
		return "gckn-path"
	case len(o.Layers) == 2:
		return "gckn-subtree"
	}
	return "gckn-3layer"
}

// String implements [model.Estimator].
func (s Estimator) String() string { return s.Options.String() }

// String lists path sizes, filters, sigma and poolings, each once where all layers share it.
func (o Options) String() string {
	var sizes, filters, sigmas, poolings []string
	for _, l := range o.Layers {
		sizes = append(sizes, fmt.Sprint(l.PathSize))
		filters = append(filters, fmt.Sprint(l.Filters))
		sigmas = append(sigmas, fmt.Sprint(l.Sigma))
		poolings = append(poolings, string(l.Pooling))
	}
	text := fmt.Sprintf("path size %s, filters %s, sigma %s, pooling %s/%s",
		strings.Join(sizes, "+"), once(filters), once(sigmas), once(poolings), o.GlobalPooling)
	if o.Concat {
		text += ", layers concatenated"
	}
	return text
}

func once(values []string) string {
	for _, v := range values {
		if v != values[0] {
			return strings.Join(values, "+")
		}
	}
	return strings.Join(values[:min(1, len(values))], "")
}

// described are the options in the words of their names.
type described struct {
	Layers         []LayerOptions   `json:"layers"`
	GlobalPooling  Pooling          `json:"global_pooling"`
	Walk           bool             `json:"walk"`
	Lengths        string           `json:"lengths"`
	Concat         bool             `json:"concat"`
	Features       dataset.Features `json:"features"`
	Exponent       string           `json:"exponent"`
	Regularisation string           `json:"regularisation"`
	Samples        int              `json:"samples"`
	Seed           uint64           `json:"seed"`
	Precision      string           `json:"precision"`
}

// Params implements [model.Estimator].
func (s Estimator) Params() any {
	o := s.Options
	return described{
		Layers: o.Layers, GlobalPooling: o.GlobalPooling, Walk: o.Walk, Concat: o.Concat, Samples: o.Samples, Seed: o.Seed,
		Features: cmp.Or(s.Features, dataset.AutoFeatures), Lengths: word(o.AllLengths, "all", "last"),
		Exponent: word(o.SumExponent, "sum", "mean"), Regularisation: word(o.Rule == engine.InsideRoot, "paper", "code"),
		Precision: word(o.Double, "float64", "float32"),
	}
}

// word returns one of two words.
func word(first bool, one, other string) string {
	if first {
		return one
	}
	return other
}

// Grid implements [model.Estimator].
func (s Estimator) Grid() model.Grid { return machine.Grid(s.C, svm.CGrid()) }

// Sees implements [model.Estimator].
func (s Estimator) Sees(w *model.Work) (*dataset.Encoding, error) {
	return encode(w.Whole(), s.Features)
}

// Keys of what estimators with the same features share.
type (
	sharedEncoding struct{ features dataset.Features }
	sharedBatch    struct{ features dataset.Features }
)

// encode returns the encoding of the vertices of the graphs that w shows.
func encode(w *model.Work, features dataset.Features) (*dataset.Encoding, error) {
	features = cmp.Or(features, dataset.AutoFeatures)
	return model.Shared(w, sharedEncoding{features}, func() (*dataset.Encoding, error) {
		fit := func() (*dataset.Encoding, error) { return dataset.FitEncoding(w.Data, features, w.Seen) }
		if w.Shards != nil {
			fit = func() (*dataset.Encoding, error) { return w.Shards.FitEncoding(features) }
		}
		encoding, err := fit()
		if err != nil && features != dataset.AutoFeatures {
			return nil, param.Errorf("features", features, "%w", err)
		}
		return encoding, err
	})
}

// encoded returns the encoding of the graphs that w shows with all of its graphs, those in memory, and what a network
// gets to see of them.
func encoded(w *model.Work, features dataset.Features) (*dataset.Encoding, *graph.Batch, Input, error) {
	encoding, err := encode(w, features)
	if err != nil {
		return nil, nil, Input{}, err
	}
	b, err := model.Shared(w, sharedBatch{cmp.Or(features, dataset.AutoFeatures)}, func() (*graph.Batch, error) {
		return encoding.Apply(w.Data)
	})
	if err != nil {
		return nil, nil, Input{}, err
	}
	input, err := InputOf(b)
	return encoding, b, input, err
}

// fit learns the anchors from the graphs that w shows. It returns all graphs of the data beside the network.
func (s Estimator) fit(ctx context.Context, w *model.Work) (*network, *graph.Batch, error) {
	defer w.Spent.Fitting(time.Now())
	encoding, all, input, err := encoded(w, s.Features)
	if err != nil {
		return nil, nil, err
	}
	seen := all
	if w.Seen != nil {
		seen = all.Select(w.Seen)
	}
	m, err := Fit(ctx, w.Engine, seen, input, s.Options, w.Progress)
	return &network{encoding, m}, all, err
}

// Encoder implements [model.Encoder].
func (s Estimator) Encoder(ctx context.Context, w *model.Work, _ bool) (model.Embedder, error) {
	n, _, err := s.fit(ctx, w)
	return n, err
}

// Learner implements [model.Estimator]: anchors from the graphs that w shows, and the representation of all graphs.
func (s Estimator) Learner(ctx context.Context, w *model.Work) (model.Learner, error) {
	n, all, err := s.fit(ctx, w)
	if err != nil {
		return nil, err
	}
	defer w.Spent.Transforming(time.Now())
	x, err := n.fitted.Transform(ctx, all, w.Progress)
	if err != nil {
		return nil, err
	}
	vectors, err := machine.OnVectors(x, svm.VectorKernel{}, w.Engine)
	return &learner{vectors, n, model.HeadOf(s.Name(), w.Data)}, err
}

// learner holds the representation of all graphs.
type learner struct {
	*machine.Vectors
	network *network
	head    model.Head
}

// Model implements [model.Learner].
func (l *learner) Model(ctx context.Context, t model.Trial) (model.Model, error) {
	classifier, err := l.Fit(ctx, t)
	if err != nil {
		return nil, err
	}
	return &classifierModel{l.head, *l.network, classifier}, nil
}
