package gckn

import (
	"context"

	"github.com/grove-graph/grove/autodiff"
	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
)

// SupervisedSetting is one choice of options on one data set, the unit of model selection. Several of its
// trainings may run at once; on a CPU each takes one worker.
type SupervisedSetting struct {
	Data     *dataset.Dataset
	Features dataset.Features
	Options  SupervisedOptions
	Engine   engine.Engine
	Watch    func(seed uint64, r autodiff.Record) // told of every epoch of every training, by any goroutine; may be nil
}

// Curves trains on the items in train with the given number of epochs and seed, and returns the scores of
// every held-out part after each epoch from the first on. Where attributes are standardised, their
// statistics come from the training graphs alone.
func (s *SupervisedSetting) Curves(ctx context.Context, train []int, heldOut [][]int, epochs int, seed uint64) ([][]float64, error) {
	t, err := s.training(train)
	if err != nil {
		return nil, err
	}
	t.HeldOut, t.Options.Epochs, t.Options.Patience, t.Options.Network.Seed = heldOut, epochs, 0, seed
	if s.Watch != nil {
		t.Watch = func(r autodiff.Record) { s.Watch(seed, r) }
	}
	r, err := newSupervision(narrow(s.Engine), t)
	if err != nil {
		return nil, err
	}
	defer r.release()
	if err := r.trainer.Run(ctx); err != nil {
		return nil, err
	}
	curves := make([][]float64, len(heldOut))
	for _, record := range r.trainer.Records()[1:] {
		for i, score := range record.Scores {
			curves[i] = append(curves[i], score)
		}
	}
	return curves, nil
}

// Fit trains on the items in train, nil meaning all, with the setting's own seed and epochs, and returns
// the encoding of the vertices that the model was trained on as well.
func (s *SupervisedSetting) Fit(ctx context.Context, train []int, progress Progress) (*dataset.Encoding, *Supervised, error) {
	encoding, err := dataset.FitEncoding(s.Data, s.Features, s.encodeOn(train))
	if err != nil {
		return nil, nil, err
	}
	t, err := s.encoded(encoding, train)
	if err != nil {
		return nil, nil, err
	}
	t.Progress = progress
	m, err := Supervise(ctx, s.Engine, t)
	return encoding, m, err
}

func (s *SupervisedSetting) training(train []int) (*Training, error) {
	encoding, err := dataset.FitEncoding(s.Data, s.Features, s.encodeOn(train))
	if err != nil {
		return nil, err
	}
	return s.encoded(encoding, train)
}

// encodeOn returns the graphs that an encoding is fitted on; in a task on vertices all, which belong to
// every part.
func (s *SupervisedSetting) encodeOn(train []int) []int {
	if s.Data.Task.PerVertex() {
		return nil
	}
	return train
}

func (s *SupervisedSetting) encoded(encoding *dataset.Encoding, train []int) (*Training, error) {
	b, err := encoding.Apply(s.Data)
	if err != nil {
		return nil, err
	}
	input, err := InputOf(b)
	if err != nil {
		return nil, err
	}
	examples, err := ExamplesOf(s.Data, b)
	return &Training{Examples: examples, Input: input, Options: s.Options, Train: train}, err
}

// String lists the options that a search varies.
func (s *SupervisedSetting) String() string { return s.Options.String() }
