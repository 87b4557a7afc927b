package eval

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/grove-graph/grove/parallel"
)

// Problem says what to evaluate and how.
type Problem struct {
	Classes  []int     // class of every graph, from 0 on; of graphs that no fold holds, anything
	Values   []float64 // or a number of every graph: regression
	Item     string    // what an index stands for, in messages, default "graph"
	Metric   Metric    // default: accuracy of classes, root mean squared error of numbers
	Folds    []Split   // outer folds; with several repeats those of one repeat after another, see [Repeats]
	Repeats  int       // repetitions that Folds holds, 0 meaning 1
	Settings []Setting // candidates, in the order in which ties are decided

	// FromTrain makes every fold learn its anchors, its kernel, ... from its training part. Otherwise
	// there is one learner of each setting for all folds, which has seen all graphs without their targets.
	FromTrain bool

	Inner      int       // stratified inner folds in Nested, default 5, at most one for each training graph
	HoldOut    bool      // validate on the first of the inner folds alone: 1/Inner of the training part is held out
	InnerFolds [][]Split // inner folds of every outer fold, in place of stratified ones; without its test part
	Seed       uint64    // decides the stratified inner folds

	// Workers is the number of folds worked on at the same time, default 1. With FromTrain one
	// learner is alive for each, otherwise one in all. Outcomes do not depend on it.
	Workers int
	// Progress, if not nil, is called after each fold of each setting, by one goroutine at a time.
	Progress func(done, total int, text string)

	// Forecast, if not nil, is called once, as soon as the first piece of the work shows how long the rest of it
	// will take. Its cost is roughly right where the settings cost the same.
	Forecast func(left time.Duration)

	grids    []Grid // of the settings
	forecast *forecast
	now      func() time.Time // of the forecast, default [time.Now]
}

const defaultInner = 5

// check fills in the defaults and reports what cannot be evaluated.
func (p *Problem) check() error {
	if p.Repeats == 0 {
		p.Repeats = 1
	}
	if p.Inner == 0 {
		p.Inner = defaultInner
	}
	if p.Metric == "" {
		p.Metric = MetricAccuracy
		if p.Classes == nil {
			p.Metric = MetricRMSE
		}
	}
	if p.Item == "" {
		p.Item = "graph"
	}
	p.Workers = max(p.Workers, 1)
	switch {
	case len(p.Settings) == 0:
		return fmt.Errorf("no settings to evaluate")
	case p.Inner < 2:
		return fmt.Errorf("%d inner folds: want at least 2", p.Inner)
	case p.InnerFolds != nil && len(p.InnerFolds) != len(p.Folds):
		return fmt.Errorf("inner folds of %d folds for %d folds", len(p.InnerFolds), len(p.Folds))
	}
	if p.Classes != nil && p.Values != nil {
		return fmt.Errorf("%d classes and %d numbers to predict: give one of the two", len(p.Classes), len(p.Values))
	}
	if err := p.Metric.check(p.targets()); err != nil {
		return err
	}
	p.grids = make([]Grid, len(p.Settings))
	for i, s := range p.Settings {
		p.grids[i] = s.Grid()
		if p.grids[i].Name != "" && len(p.grids[i].Values) == 0 {
			return fmt.Errorf("no values of %s to choose from", p.grids[i].Name)
		}
	}
	if err := p.checkFolds(p.Folds, "fold"); err != nil {
		return err
	}
	if p.Repeats < 1 || len(p.Folds)%p.Repeats != 0 {
		return fmt.Errorf("%d folds do not make %d repeats of equal size", len(p.Folds), p.Repeats)
	}
	return nil
}

// checkFolds reports folds that cannot be used, and items in them whose target is missing.
func (p *Problem) checkFolds(folds []Split, what string) error {
	if err := checkSplits(folds, p.targets().Len(), what, p.Item); err != nil {
		return err
	}
	for f, s := range folds {
		for _, part := range [][]int{s.Train, s.Test} {
			for _, i := range part {
				switch {
				case p.Classes != nil && p.Classes[i] < 0:
					return fmt.Errorf("%s %d holds %s %d, which has class %d: want classes from 0 on, and no %s without a class",
						what, f+1, p.Item, i, p.Classes[i], p.Item)
				case p.Values != nil && p.Values[i]-p.Values[i] != 0:
					return fmt.Errorf("%s %d holds %s %d, which has target %g: leave out what has no target",
						what, f+1, p.Item, i, p.Values[i])
				}
			}
		}
	}
	return nil
}

// targets returns what is to be predicted.
func (p *Problem) targets() Targets { return Targets{p.Classes, p.Values} }

// run counts the pieces of an evaluation and the time that goroutines spend on them.
type run struct {
	mu        sync.Mutex
	done      int
	represent time.Duration
	learn     time.Duration
}

func (r *run) spend(on *time.Duration, since time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	*on += time.Since(since)
}

func (r *run) finish(p *Problem, setting, fold int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done++
	if p.Progress != nil {
		p.Progress(r.done, len(p.Settings)*len(p.Folds), fmt.Sprintf("fold %d, %s", fold+1, p.Settings[setting]))
	}
}

// forFolds calls work with every setting and fold and the learner for the two, several folds at a time,
// the settings of a fold in their order. It stops at an error.
func (p *Problem) forFolds(
	ctx context.Context, r *run, work func(ctx context.Context, setting, fold int, l Learner) error,
) error {
	one := func(ctx context.Context, setting, fold int, l Learner) error {
		start := time.Now()
		err := work(ctx, setting, fold, l)
		r.spend(&r.learn, start)
		if err != nil {
			return fmt.Errorf("fold %d, %s: %w", fold+1, p.Settings[setting], err)
		}
		r.finish(p, setting, fold)
		return nil
	}
	if p.FromTrain {
		return together(ctx, p.Workers, len(p.Folds), func(ctx context.Context, fold int) error {
			ctx = withParts(ctx)
			for setting := range p.Settings {
				l, err := p.learner(ctx, r, setting, p.Folds[fold].Train)
				if err != nil {
					return fmt.Errorf("fold %d, %w", fold+1, err)
				}
				if err := one(ctx, setting, fold, l); err != nil {
					return err
				}
			}
			return nil
		})
	}
	ctx = withParts(ctx)
	for setting := range p.Settings {
		l, err := p.learner(ctx, r, setting, nil)
		if err != nil {
			return err
		}
		err = together(ctx, p.Workers, len(p.Folds), func(ctx context.Context, fold int) error {
			return one(ctx, setting, fold, l)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// together calls work for the pieces 0 to n-1 on several goroutines and stops at an error. Of several
// errors that of the first piece is returned.
func together(ctx context.Context, workers, n int, work func(ctx context.Context, piece int) error) error {
	running, stop := context.WithCancel(ctx)
	defer stop()
	errs := make([]error, n)
	parallel.For(workers, n, func(piece int) {
		if running.Err() != nil {
			return
		}
		if errs[piece] = work(running, piece); errs[piece] != nil {
			stop()
		}
	})
	if err := ctx.Err(); err != nil {
		return err
	}
	var stopped error
	for _, err := range errs {
		switch {
		case err == nil:
		case errors.Is(err, context.Canceled):
			stopped = err // most likely by the error of another piece
		default:
			return err
		}
	}
	return stopped
}

// sized is a learner that knows for how many graphs it was made.
type sized interface{ size() int }

// learner asks a setting for its learner and checks the number of graphs.
func (p *Problem) learner(ctx context.Context, r *run, setting int, train []int) (Learner, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	defer r.spend(&r.represent, time.Now())
	if f, s := p.forecast, sharingOf(ctx); f != nil {
		since, once, fold := p.now(), s.once.Load(), s.fold.Load()
		defer func() {
			f.learner(since, time.Duration(s.once.Load()-once), time.Duration(s.fold.Load()-fold))
		}()
	}
	l, err := p.Settings[setting].Learner(ctx, slices.Clone(train))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.Settings[setting], err)
	}
	if s, ok := l.(sized); ok && s.size() != p.targets().Len() {
		return nil, fmt.Errorf("%s: a representation of %d rows for %d targets",
			p.Settings[setting], s.size(), p.targets().Len())
	}
	return l, nil
}

// learn trains on one part of a split and predicts the other, for every value of a grid.
func (p *Problem) learn(ctx context.Context, l Learner, grid Grid, s *Split) ([]Targets, error) {
	t := Task{
		Train: slices.Clone(s.Train), Known: p.targets().Of(s.Train), Test: slices.Clone(s.Test),
		Grid: slices.Clone(grid.Values), Workers: max(p.Workers/len(p.Folds), 1), // folds come before the workers of one
	}
	var since time.Time
	if p.forecast != nil {
		since = p.now()
		t.Progress = p.forecast.watch(since)
	}
	predicted, err := l.Learn(ctx, t)
	if err != nil {
		return nil, err
	}
	if p.forecast != nil {
		p.forecast.learned(p.now().Sub(since))
	}
	if len(predicted) != grid.size() {
		return nil, fmt.Errorf("%d predictions for %d values of the grid", len(predicted), grid.size())
	}
	for _, one := range predicted {
		if one.Len() != len(s.Test) || (one.Classes == nil) != (p.Classes == nil) {
			return nil, fmt.Errorf("predictions of another kind or number than the %d targets", len(s.Test))
		}
		for i, y := range one.Values {
			if y-y != 0 {
				return nil, fmt.Errorf("the prediction of %s %d is %g", p.Item, s.Test[i], y)
			}
		}
	}
	return predicted, nil
}

// scores trains on one part of a split and returns the score on the other for every value of a grid.
func (p *Problem) scores(ctx context.Context, l Learner, grid Grid, s *Split) ([]float64, error) {
	predicted, err := p.learn(ctx, l, grid, s)
	if err != nil {
		return nil, err
	}
	truth := p.targets().Of(s.Test)
	out := make([]float64, len(predicted))
	for k, one := range predicted {
		out[k] = p.Metric.Score(one, truth)
	}
	return out, nil
}
