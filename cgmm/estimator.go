package cgmm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/model/machine"
	"github.com/grove-graph/grove/model/param"
	"github.com/grove-graph/grove/rounds"
	"github.com/grove-graph/grove/split"
	"github.com/grove-graph/grove/svm"
	"gorgonia.org/tensor"
)

// Estimator classifies graphs by support vector machines on their fingerprints. The layers are learned without classes,
// but for the choice among a pool and the end of the growth, which the classes of the training graphs decide. Vertices
// are classified by their share in the fingerprint ([machine.OnVertices]), by layers that have seen no class.
type Estimator struct {
	Options    Options
	Features   dataset.Features // of the vertices; default labels, else attributes, else degrees as labels
	ArcLabels  bool             // tell arcs apart by their labels
	Classifier svm.VectorKernel // on the fingerprints; default linear
	C          []float64        // to choose from, ascending; nil is svm.CGrid or, where not linear, [machine.KernelGrid]
	Checkpoint string           // of [Training], where all graphs and their classes are learned from; "" for none

	// OwnFeatures lets the machine see a vertex's own attributes or label beside its states, in a task on vertices.
	OwnFeatures bool

	shared *Fingerprint // that estimators which differ in it alone choose their common layers by; nil: their own
}

// Name implements [model.Estimator].
func (s Estimator) Name() string { return name }

// linear reports whether the machine is linear.
func (s *Estimator) linear() bool {
	return s.Classifier.Kind == "" || s.Classifier.Kind == svm.LinearKernel
}

// String implements [model.Estimator].
func (s Estimator) String() string {
	if s.linear() {
		return s.Options.String() + machine.OwnFeatures(s.OwnFeatures)
	}
	return fmt.Sprintf("%s, %s", s.Options, s.Classifier)
}

// Params implements [model.Estimator].
func (s Estimator) Params() any {
	if s.linear() {
		s.Classifier.Kind = svm.LinearKernel
	}
	return struct {
		Options
		Classifier  svm.VectorKernel `json:"classifier"`
		OwnFeatures bool             `json:"own_features,omitempty"`
	}{s.Options, s.Classifier, s.OwnFeatures}
}

// Grid implements [model.Estimator].
func (s Estimator) Grid() model.Grid {
	if s.linear() {
		return machine.Grid(s.C, svm.CGrid())
	}
	return machine.Grid(s.C, machine.KernelGrid())
}

// Sees implements [model.Estimator].
func (s Estimator) Sees(w *model.Work) (*dataset.Encoding, error) {
	if s.ArcLabels && w.Data.Batch.ArcLabels == nil {
		return nil, param.Errorf("arc-labels", nil, "the arcs of data set %s have no labels", w.Data.Name)
	}
	encoding, err := s.encode(w, nil)
	if err != nil && cmp.Or(s.Features, dataset.AutoFeatures) != dataset.AutoFeatures {
		return nil, param.Errorf("features", s.Features, "%w", err)
	}
	return encoding, err
}

// encode says what the vertices and arcs of the data show. Random starts depend on the order of labels, which follows
// from the graphs.
func (s *Estimator) encode(w *model.Work, train []int) (*dataset.Encoding, error) {
	features := cmp.Or(s.Features, dataset.AutoFeatures)
	if w.Store == nil {
		encoding, err := dataset.FitEncoding(w.Data, features, train)
		if err != nil {
			return nil, err
		}
		if s.ArcLabels {
			encoding.KeepArcLabels(w.Data)
		}
		encoding.Renumber(w.Data, train)
		return encoding, nil
	}
	return rounds.Keep(w.Rounds, func() (*dataset.Encoding, error) {
		encoding, err := dataset.FitStoredEncoding(w.Store, features, train)
		if err != nil {
			return nil, err
		}
		if s.ArcLabels {
			encoding.KeepArcLabels(w.Data)
		}
		return encoding, encoding.RenumberStored(w.Store, train)
	})
}

// InputFor returns the input of a model on the vertices that [dataset.Encoding.Apart] gives.
func InputFor(e *dataset.Encoding) Input {
	in := Input{Labels: len(e.Labels), Attributes: e.Attributes, ArcLabels: len(e.ArcLabels)}
	if e.Standardisation != nil {
		in.Attributes = len(e.Standardisation.Mean)
	}
	return in
}

// grown is a model that was fitted on the graphs that some work shows.
type grown struct {
	encoding *dataset.Encoding
	model    *Model
	states   *States // of all graphs; nil where nobody asked for them
}

// sharedLayers is the key of fitted layers.
type sharedLayers struct {
	options   string // without the depth of the fingerprint
	features  dataset.Features
	arcLabels bool
	blind     bool
	states    bool // of all graphs are there too
}

// grow fits a model, with the states of all graphs where they are asked for. Estimators that differ in the fingerprint
// alone share it.
func (s Estimator) grow(ctx context.Context, w *model.Work, states bool) (*grown, error) {
	o, checkpoint := s.Options, ""
	if w.Seen == nil && !w.Blind { // the one of the model
		checkpoint = s.Checkpoint
	} else if s.shared != nil {
		o.Fingerprint = *s.shared
	}
	o.Fingerprint.Depth = 0
	key := sharedLayers{fmt.Sprintf("%#v", o), cmp.Or(s.Features, dataset.AutoFeatures), s.ArcLabels, w.Blind, states}
	return model.Shared(w, key, func() (*grown, error) {
		defer w.Spent.Fitting(time.Now())
		g, err := s.fit(ctx, w, o, checkpoint)
		if err != nil || !states || w.Store != nil {
			return g, err
		}
		b, err := g.encoding.Apart(w.Data)
		if err != nil {
			return nil, err
		}
		g.states, err = g.model.States(ctx, b, w.Progress)
		return g, err
	})
}

// fit fits a model. Candidates of a pool are chosen by the classes of the graphs seen. Where no targets may be looked
// the likelihood chooses, and growth does not stop.
func (s *Estimator) fit(ctx context.Context, w *model.Work, o Options, checkpoint string) (*grown, error) {
	d := w.Data
	encoding, err := s.encode(w, w.Seen)
	if err != nil {
		return nil, err
	}
	if w.Store != nil {
		if w.Blind {
			o.Patience = 0
		}
		seen := w.Seen
		if seen == nil {
			seen = split.All(w.Store.NumGraphs())
		}
		graphs := &Blocks{Rounds: w.Rounds, Graphs: len(seen), Read: func(from, to int) (*graph.Batch, error) {
			d, err := w.Store.Select(seen[from:to])
			if err != nil {
				return nil, err
			}
			return encoding.Apart(d)
		}}
		m, err := FitBlocks(ctx, w.Engine, graphs, InputFor(encoding), o, Training{
			Progress: w.Progress, Checkpoint: checkpoint,
		})
		return &grown{encoding: encoding, model: m}, err
	}
	b, err := encoding.Apart(d)
	if err != nil {
		return nil, err
	}
	if w.Seen != nil {
		b = b.Select(w.Seen)
	}
	t := Training{Progress: w.Progress, Checkpoint: checkpoint}
	switch {
	case o.Pool == 1 && o.Patience == 0:
	case w.Blind || d.Task.PerVertex():
		o.Patience = 0
	case d.Classes == nil:
		return nil, fmt.Errorf("data set %s: a pool is chosen by classes, and its graphs have none", d.Name)
	default:
		criterion := Accuracy{Classes: d.Classes, Seed: o.Seed, Workers: w.Engine.Workers()}
		if w.Seen != nil {
			criterion.Classes = split.Select(d.Classes, w.Seen)
		}
		t.Criterion = criterion
	}
	m, err := Fit(ctx, w.Engine, b, InputFor(encoding), o, t)
	return &grown{encoding: encoding, model: m}, err
}

// fingerprints returns the representation that an estimator asks for, of the layers that there are.
func (g *grown) fingerprints(s *Estimator) *fingerprints {
	kind := s.Options.Fingerprint
	kind.Depth = min(kind.Depth, g.model.Layers())
	return &fingerprints{g.encoding, g.model, kind}
}

// Learner implements [model.Estimator].
func (s Estimator) Learner(ctx context.Context, w *model.Work) (model.Learner, error) {
	if w.Data.Task.PerVertex() {
		return s.onVertices(ctx, w)
	}
	w, err := s.inMemory(w)
	if err != nil {
		return nil, err
	}
	g, err := s.grow(ctx, w, true)
	if err != nil {
		return nil, err
	}
	transforming := time.Now()
	f := g.fingerprints(&s)
	var x *tensor.Dense
	if w.Store != nil {
		x, err = f.stored(ctx, w)
	} else {
		x, err = g.states.Fingerprints(f.kind)
	}
	if err != nil {
		return nil, err
	}
	w.Spent.Transforming(transforming)
	v, err := machine.OnVectors(x, s.Classifier, w.Engine)
	if err != nil {
		return nil, err
	}
	v.Rounds = w.Rounds
	return &learner{v, f, model.HeadOf(name, w.Data)}, nil
}

// inMemory returns some work with all of its graphs in memory where these options look at all graphs at once: the
// posteriors of neighbours, or how well the layers so far classify.
func (s *Estimator) inMemory(w *model.Work) (*model.Work, error) {
	if s.streams(w.Blind) {
		return w, nil
	}
	return w.InMemory()
}

// streams reports whether the graphs may come some at a time.
func (s *Estimator) streams(blind bool) bool {
	o := &s.Options
	return !o.Soft && !o.Fingerprint.Soft && (blind || o.Pool == 1 && o.Patience == 0)
}

// InRounds implements [model.InRounds].
func (s Estimator) InRounds() error {
	if !s.streams(false) || !s.linear() {
		return errors.New("soft states, a pool, patience and kernels look at all graphs at once")
	}
	return nil
}

// learner learns by machines on the fingerprints of all graphs.
type learner struct {
	*machine.Vectors
	fingerprints *fingerprints
	head         model.Head
}

// Model implements [model.Learner].
func (l *learner) Model(ctx context.Context, t model.Trial) (model.Model, error) {
	m, err := l.Fit(ctx, t)
	if err != nil {
		return nil, err
	}
	return &Classifier{l.head, l.fingerprints, m}, nil
}

// Depth implements [model.Layered].
func (s Estimator) Depth() (layers int, others string) {
	o := s.Options
	if layers = o.Fingerprint.Depth; layers == 0 {
		layers = o.Layers
	}
	o.Fingerprint.Depth = 0
	return layers, fmt.Sprintf("%s, %s", o, s.Classifier)
}
