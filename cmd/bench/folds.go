package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/grove-graph/grove/autodiff"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/gckn"
	"github.com/grove-graph/grove/split"
)

// stageFolds is an epoch of the training parts of ten folds, on a device that computes for several models at once.
const stageFolds = "folds"

// foldsTarget is what side by side should be worth.
var foldsTarget = target{"ten folds one after another over side by side", 5, atLeast}

// ofFolds returns the trainings of the training parts of n folds.
func ofFolds(run *gckn.Training, n int) ([]*gckn.Training, error) {
	folds, err := split.Stratified(run.Examples.Targets.Classes, n, 0)
	if err != nil {
		return nil, err
	}
	runs := make([]*gckn.Training, n)
	for i := range runs {
		one := *run
		one.Train, runs[i] = folds[i].Train, &one
	}
	return runs, nil
}

// meeting is where trainings wait for each other at the end of every epoch.
type meeting struct {
	mu      sync.Mutex
	all     int
	arrived int
	open    chan struct{} // closed when all have come
	at      func(epoch int) (more bool, err error)
	failed  error
}

// wait returns when all have come, or ctx ends; the last one to come calls at, and ends the trainings after the last
// epoch.
func (m *meeting) wait(ctx context.Context, stop func(), epoch int) {
	m.mu.Lock()
	open := m.open
	if m.arrived++; m.arrived == m.all {
		more, err := m.at(epoch)
		if m.failed = err; err != nil || !more {
			stop()
		}
		m.arrived, m.open = 0, make(chan struct{})
		close(open)
	}
	m.mu.Unlock()
	select {
	case <-open:
	case <-ctx.Done():
	}
}

// errNotMet is the error of trainings that end before the last epoch that is looked at.
var errNotMet = errors.New("the trainings ended early")

// trainAbreast trains several models side by side and calls at when all have come to the end of an epoch and none goes
// on, until that wants no more.
func trainAbreast(
	ctx context.Context, e engine.Engine, runs []*gckn.Training, at func(epoch int) (more bool, err error),
) error {
	running, stop := context.WithCancel(ctx)
	defer stop()
	ended := false
	m := &meeting{all: len(runs), open: make(chan struct{}), at: func(epoch int) (bool, error) {
		more, err := at(epoch)
		ended = !more
		return more, err
	}}
	errs := make([]error, len(runs))
	var all sync.WaitGroup
	for i, run := range runs {
		one := *run
		one.Options.Epochs = math.MaxInt32
		one.Watch = func(r autodiff.Record) {
			if r.Epoch > 0 {
				m.wait(running, stop, r.Epoch)
			}
		}
		all.Go(func() {
			defer stop()
			errs[i] = superviseBeside(running, e, &one)
		})
	}
	all.Wait()
	switch {
	case m.failed != nil:
		return m.failed
	case ended:
		return nil // they were stopped
	}
	return errors.Join(append(errs, ctx.Err(), errNotMet)...)
}

// superviseBeside trains on an engine beside others.
func superviseBeside(ctx context.Context, e engine.Engine, run *gckn.Training) error {
	beside, done, err := engine.Beside(e)
	if err != nil {
		return err
	}
	_, err = gckn.Supervise(ctx, beside, run)
	return errors.Join(err, done())
}

// epochsAbreast returns the seconds of epochs of trainings side by side, after one to warm up.
func (g *pipeline) epochsAbreast(ctx context.Context, runs []*gckn.Training, epochs int) ([]float64, error) {
	var seconds []float64
	var since time.Time
	err := trainAbreast(ctx, g.engine, runs, func(epoch int) (bool, error) {
		if epoch > 1 {
			seconds = append(seconds, time.Since(since).Seconds())
		}
		since = time.Now()
		return epoch <= epochs, nil
	})
	return seconds, err
}

// foldsStage measures an epoch of ten folds side by side against ten one after another.
func (g *pipeline) foldsStage(ctx context.Context) error {
	if _, shared := g.engine.(engine.Sharer); !shared || !g.wanted(stageFolds) {
		return nil
	}
	g.log("model %s: %s", g.model.name, stageFolds)
	t, err := g.training()
	if err != nil {
		return err
	}
	runs, err := ofFolds(t, abreast)
	if err != nil {
		return err
	}
	side, err := g.epochsAbreast(ctx, runs, g.clock.repeat)
	if err != nil {
		return err
	}
	turns := 0.0
	for _, run := range runs {
		alone, err := g.epochsAbreast(ctx, []*gckn.Training{run}, g.clock.repeat)
		if err != nil {
			return err
		}
		turns += median(alone)
	}
	r := newResult(g.name(stageFolds), g.on, timing{Wall: side})
	r.Rate, r.Unit = float64(abreast)/r.Seconds, "epochs/s"
	g.add(r)
	ratio := turns / r.Seconds
	g.report.Notes = append(g.report.Notes, fmt.Sprintf("%s: %d folds side by side are %.2f times as fast as one after "+
		"another", g.model.name, abreast, ratio))
	g.decide(foldsTarget.judge(g.model.name, ratio))
	return nil
}
