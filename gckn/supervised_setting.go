package gckn

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/grove-graph/grove/autodiff"
	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

// SupervisedSetting is one choice of options on one data set, the unit of model selection. Several of its
// trainings may run at once; on a CPU each takes one worker.
type SupervisedSetting struct {
	Data     *dataset.Dataset
	Features dataset.Features
	Options  SupervisedOptions
	Engine   engine.Engine
	Watch    func(autodiff.Record) // told of every epoch of every training, by any goroutine; may be nil
}

// Known are the targets of some items, in the order of a list of them: their classes, or Outputs numbers
// of each.
type Known struct {
	Classes []int
	Targets []float64
}

// Epochs trains on the items in train, of which it is told the targets, and returns the outputs for the
// items in test after every epoch: a row of logits, or of targets, for each. Encodings that have to be
// fitted are fitted on the graphs in seen, nil meaning all. Of the targets in Data nothing is used.
func (s *SupervisedSetting) Epochs(
	ctx context.Context, seen, train []int, known Known, test []int, epochs int,
) ([]*tensor.Dense, error) {
	encoding, err := dataset.FitEncoding(s.Data, s.Features, s.encodeOn(seen))
	if err != nil {
		return nil, err
	}
	t, err := s.training(encoding, train)
	if err != nil {
		return nil, err
	}
	if err := t.Examples.hide(train, known); err != nil {
		return nil, err
	}
	outputs := make([]*tensor.Dense, epochs+1)
	t.Unseen, t.Predicted = test, func(epoch int, x *tensor.Dense) { outputs[epoch] = x }
	t.Options.Epochs, t.Options.Patience, t.Watch = epochs, 0, s.Watch
	r, err := newSupervision(s.Engine.Narrow(1), t)
	if err != nil {
		return nil, err
	}
	defer r.release()
	return outputs[1:], r.trainer.Run(ctx)
}

// hide replaces all targets by the known ones of some items.
func (x *Examples) hide(items []int, known Known) error {
	if (known.Classes == nil) == (x.Classes != nil) || len(known.Classes)+len(known.Targets)/x.Outputs != len(items) {
		return fmt.Errorf("%d classes and %d targets for %d items", len(known.Classes), len(known.Targets), len(items))
	}
	if x.Classes != nil {
		x.Classes = slices.Repeat([]int{-1}, x.Items())
	} else {
		x.Targets = slices.Repeat([]float64{math.NaN()}, len(x.Targets))
	}
	for k, i := range items {
		switch {
		case i < 0 || i >= x.Items():
			return fmt.Errorf("item %d of %d", i, x.Items())
		case x.Classes != nil:
			x.Classes[i] = known.Classes[k]
		default:
			copy(x.Targets[i*x.Outputs:(i+1)*x.Outputs], known.Targets[k*x.Outputs:])
		}
	}
	return nil
}

// Fit trains on the items in train, nil meaning all, with the setting's own seed and epochs, and returns
// the encoding of the vertices that the model was trained on as well.
func (s *SupervisedSetting) Fit(
	ctx context.Context, train []int, progress Progress,
) (*dataset.Encoding, *Supervised, error) {
	encoding, err := dataset.FitEncoding(s.Data, s.Features, s.encodeOn(train))
	if err != nil {
		return nil, nil, err
	}
	t, err := s.training(encoding, train)
	if err != nil {
		return nil, nil, err
	}
	t.Progress, t.Watch = progress, s.Watch
	m, err := Supervise(ctx, s.Engine, t)
	return encoding, m, err
}

// encodeOn returns the graphs that an encoding is fitted on; in a task on vertices all, which belong to
// every part.
func (s *SupervisedSetting) encodeOn(train []int) []int {
	if s.Data.Task.PerVertex() {
		return nil
	}
	return train
}

func (s *SupervisedSetting) training(encoding *dataset.Encoding, train []int) (*Training, error) {
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
