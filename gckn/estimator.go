package gckn

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/model/machine"
	"github.com/grove-graph/grove/svm"
	"github.com/grove-graph/grove/train"
)

// Estimator is a network whose anchors are learned without targets ([Fit]) with a linear support vector machine on the
// graphs that it represents ([svm.FitClassifier]), or in a task on vertices on these ([machine.OnVertices]).
type Estimator struct {
	Variant  string // registered name, see [Variants]; "" is that of the preset with as many layers
	Options  Options
	Features dataset.Features // what the vertices show, "" is [dataset.AutoFeatures]
	C        []float64        // to choose from, ascending; nil is [svm.CGrid]

	// OwnFeatures lets the machine see a vertex's own attributes or label beside its representation, in a task on
	// vertices.
	OwnFeatures bool

	poolings []Pooling // global poolings of the settings that are the same but for that, its own among them
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
func (s Estimator) String() string { return s.Options.String() + machine.OwnFeatures(s.OwnFeatures) }

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
	if o.PathNorms {
		text += ", norms of paths"
	}
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
	OwnFeatures    bool             `json:"own_features,omitempty"`
	Norms          string           `json:"norms,omitempty"`
}

// Params implements [model.Estimator].
func (s Estimator) Params() any {
	o := s.Options
	return described{
		Layers: o.Layers, GlobalPooling: o.GlobalPooling, Walk: o.Walk, Concat: o.Concat, Samples: o.Samples, Seed: o.Seed,
		Features: cmp.Or(s.Features, dataset.AutoFeatures), Lengths: word(o.AllLengths, "all", "last"),
		Exponent: word(o.SumExponent, "sum", "mean"), Regularisation: word(o.Rule == engine.InsideRoot, "paper", "code"),
		Precision: word(o.Double, "float64", "float32"), OwnFeatures: s.OwnFeatures,
		Norms: word(o.PathNorms, "path", ""),
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
	return train.Encoding(w.Whole(), s.Features)
}

// fit learns the anchors from the graphs that w shows. It returns all graphs of the data beside the network.
func (s Estimator) fit(ctx context.Context, w *model.Work) (*network, train.Graphs, error) {
	defer w.Spent.Fitting(time.Now())
	encoding, b, input, err := train.Encode(w, s.Features)
	if err != nil {
		return nil, nil, err
	}
	all := train.InMemory(b)
	seen := all
	switch {
	case w.Store != nil:
		all = train.Streamed(w.Store, encoding)
		if seen = all; w.Seen != nil {
			seen = train.Part(all, w.Seen)
		}
	case w.Seen != nil:
		seen = train.InMemory(b.Select(w.Seen))
	}
	m, err := fitWith(ctx, w.Engine, seen, input, s.Options, w.Rounds, w.Progress, s.remembered(w))
	return &network{encoding, m}, all, err
}

// InRounds implements [model.InRounds].
func (s Estimator) InRounds() error { return nil }

// Encoder implements [model.Encoder].
func (s Estimator) Encoder(ctx context.Context, w *model.Work, _ bool) (model.Embedder, error) {
	n, _, err := s.fit(ctx, w)
	return n, err
}

// Learner implements [model.Estimator]: anchors from the graphs that w shows, and the representation of all graphs.
func (s Estimator) Learner(ctx context.Context, w *model.Work) (model.Learner, error) {
	if w.Data.Task.PerVertex() {
		return s.onVertices(ctx, w.Whole())
	}
	n, all, err := s.fit(ctx, w)
	if err != nil {
		return nil, err
	}
	defer w.Spent.Transforming(time.Now())
	x, err := s.represent(ctx, n.fitted, all, w)
	if err != nil {
		return nil, err
	}
	vectors, err := machine.OnVectors(x, svm.VectorKernel{}, w.Engine)
	if err != nil {
		return nil, err
	}
	vectors.Rounds = w.Rounds
	return &learner{vectors, n, model.HeadOf(s.Name(), w.Data)}, nil
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
