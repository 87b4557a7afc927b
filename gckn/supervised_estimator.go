package gckn

import (
	"context"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/model/param"
	"github.com/grove-graph/grove/train"
)

// supervisedSuffix marks the models that are trained end to end.
const supervisedSuffix = "-sup"

// SupervisedEstimator is a network that is trained end to end ([Supervise]) on classes or numbers of graphs, or of
// vertices. Several of its trainings may run at once; on a CPU each takes one worker.
type SupervisedEstimator struct {
	Variant  string // registered name without "-sup", see [Variants]; "" is that of the preset with as many layers
	Options  SupervisedOptions
	Features dataset.Features // what the vertices show, "" is [dataset.AutoFeatures]
	Plan     train.Plan

	// From, unless nil, is the network whose anchors trainings start from, with the same layers as Options.Network; of
	// its classifier too with KeepClassifier. Features are those of the network.
	From           *Pretrained
	KeepClassifier bool
}

// Name implements [model.Estimator].
func (s SupervisedEstimator) Name() string {
	return s.Options.Network.variant(s.Variant) + supervisedSuffix
}

// String implements [model.Estimator].
func (s SupervisedEstimator) String() string { return s.described().String() }

// Params implements [model.Estimator].
func (s SupervisedEstimator) Params() any { return s.described() }

// described returns the options with the origin of the start.
func (s SupervisedEstimator) described() SupervisedOptions {
	o := s.Options
	if s.From != nil {
		o.From = &s.From.Origin
	}
	return o
}

// Grid implements [model.Estimator].
func (s SupervisedEstimator) Grid() model.Grid { return s.Plan.Grid(s.Options.Epochs) }

// SideBySide implements [model.SideBySide].
func (s SupervisedEstimator) SideBySide() {}

// Sees implements [model.Estimator].
func (s SupervisedEstimator) Sees(w *model.Work) (*dataset.Encoding, error) {
	encoding, err := train.Encoding(w.Whole(), s.shown())
	if err != nil || s.From == nil {
		return encoding, err
	}
	encoding, _, err = s.start(w.Data, encoding)
	return encoding, err
}

// shown says what the vertices show.
func (s SupervisedEstimator) shown() dataset.Features {
	if s.From != nil {
		return s.From.Features()
	}
	return s.Features
}

// start returns what trainings start from, and the encoding of the data for it.
func (s SupervisedEstimator) start(d *dataset.Dataset, by *dataset.Encoding) (*dataset.Encoding, *Start, error) {
	network := s.From.Options()
	if name, value, want := s.Options.Network.difference(&network); name != "" {
		return nil, nil, param.Errorf(name, value, "the %s has %v", s.From, want)
	}
	var classes []string
	if s.KeepClassifier {
		classes = model.TargetsOf(d).Names
	}
	encoding, start, err := s.From.Start(by, classes)
	if err != nil {
		return nil, nil, param.Errorf("from", nil, "%s and data set %s: %w", s.From, d.Name, err)
	}
	return encoding, start, nil
}

// Learner implements [model.Estimator]. It encodes the graphs; what else there is to learn without targets is part of
// every training.
func (s SupervisedEstimator) Learner(ctx context.Context, w *model.Work) (model.Learner, error) {
	data, err := train.Open(ctx, w, s.shown())
	if err != nil {
		return nil, err
	}
	var from *Start
	if s.From != nil {
		var encoding *dataset.Encoding
		if encoding, from, err = s.start(data.Work.Data, data.Encoding); err != nil {
			return nil, err
		}
		if err := data.Recode(encoding); err != nil {
			return nil, err
		}
	}
	head := model.HeadOf(s.Name(), data.Work.Data)
	return &train.Learner{
		Data: data, Plan: s.Plan, Options: s.Options.Options, Seed: s.Options.Network.Seed,
		New: func(e engine.Engine, t *train.Training, o train.Options) (train.Trainee, error) {
			training := &Training{*t, s.described(), from}
			training.Options.Options = o
			n, err := newSupervision(e, training)
			return &trainee{n, head, data.Encoding}, err
		},
	}, nil
}

// trainee is a network of an estimator that is about to be trained.
type trainee struct {
	*supervision
	head     model.Head
	encoding *dataset.Encoding
}

// Model implements [train.Trainee].
func (t *trainee) Model() (model.Model, error) {
	trained, err := t.result()
	if err != nil {
		return nil, err
	}
	return &supervisedModel{t.head, network{t.encoding, trained.Model}, trained}, nil
}
