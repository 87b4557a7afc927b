package main

import (
	"context"
	"fmt"
	"time"

	"github.com/grove-graph/grove/autodiff"
	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/eval"
	"github.com/grove-graph/grove/gckn"
)

// supervisedSetting is one choice of options of a network that is trained end to end.
type supervisedSetting struct {
	eval.Epochs
	flags *supervisedFlags
	work  *work
	one   gckn.SupervisedSetting
}

func (s *supervisedSetting) params() any { return s.one.Options }

// Grid implements [eval.Setting]. In training there is nothing to choose from outside.
func (s *supervisedSetting) Grid() eval.Grid {
	if s.flags.training {
		return eval.Grid{} // a part is held out for it
	}
	return s.Epochs.Grid()
}

// epochs trains on a task of package eval.
func (s *supervisedSetting) epochs(ctx context.Context, seen []int, t eval.Task, passes int) ([]eval.Targets, error) {
	known := gckn.Known{Classes: t.Known.Classes, Targets: t.Known.Values}
	one := s.one
	if t.Progress != nil {
		one.Watch = func(r autodiff.Record) { t.Progress(r.Epoch, passes) }
	}
	outputs, err := one.Epochs(ctx, seen, t.Train, known, t.Test, passes)
	if err != nil {
		return nil, err
	}
	after := make([]eval.Targets, len(outputs))
	for k, x := range outputs {
		if known.Classes != nil {
			after[k].Classes = gckn.Classes(x)
		} else {
			after[k].Values = x.Float64s()
		}
	}
	return after, nil
}

// train implements setting.
func (s *supervisedSetting) train(ctx context.Context, _ float64) (predictor, error) {
	defer s.work.spent.fitting(time.Now())
	d := s.work.data
	t, encoding, err := s.whole()
	if err != nil {
		return nil, err
	}
	x := examplesOf(d)
	if parts := min(s.flags.validation, len(x.known)); parts >= 2 {
		folds, err := x.folds(parts, 1, s.one.Options.Network.Seed)
		if err != nil {
			return nil, err
		}
		t.Train, t.Validation = folds[0].Train, folds[0].Test
	}
	m, err := gckn.Supervise(ctx, s.work.engine, t)
	if err != nil {
		return nil, err
	}
	h := head{Model: s.flags.model, Task: x.task, Classes: d.ClassNames, Targets: d.TargetNames}
	return &supervisedModel{h, encoding, m, s.flags.stored}, nil
}

// whole returns a training on all of the data.
func (s *supervisedSetting) whole() (*gckn.Training, *dataset.Encoding, error) {
	encoding, err := s.encoding()
	if err != nil {
		return nil, nil, err
	}
	b, err := encoding.Apply(s.work.data)
	if err != nil {
		return nil, nil, err
	}
	t := &gckn.Training{Options: s.one.Options, Checkpoint: s.flags.checkpoint}
	if t.Input, err = gckn.InputOf(b); err != nil {
		return nil, nil, err
	}
	if t.Examples, err = gckn.ExamplesOf(s.work.data, b); err != nil {
		return nil, nil, err
	}
	if stored := s.flags.stored; stored != nil {
		t.Examples.Graphs = gckn.Streamed(stored.shards, encoding)
	}
	training := "train"
	t.Watch = func(r autodiff.Record) { training = s.stage(r) }
	if report := s.work.report; report != nil {
		t.Progress = func(stage string, done, total int) {
			if stage == "train" {
				stage = training
			}
			report(stage, done, total)
		}
	}
	return t, encoding, nil
}

// encoding returns the encoding of all of the data.
func (s *supervisedSetting) encoding() (*dataset.Encoding, error) {
	if stored := s.flags.stored; stored != nil {
		return stored.encoding, nil
	}
	return dataset.FitEncoding(s.work.data, s.one.Features, nil)
}

// stage names the training by what its last epoch achieved.
func (s *supervisedSetting) stage(r autodiff.Record) string {
	text := fmt.Sprintf("train, epoch %d of %d: loss %.4f, accuracy %.1f %%", r.Epoch, s.one.Options.Epochs, r.Loss,
		100*r.Accuracy)
	if len(r.Scores) > 0 {
		text += fmt.Sprintf(", on the part held out %.1f %%", 100*r.Scores[0])
	}
	return text
}
