package eval

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/model/param"
	"github.com/grove-graph/grove/parallel"
	"github.com/grove-graph/grove/split"
)

// Problem says what to evaluate and how.
type Problem struct {
	Work       *model.Work       // data and engine
	Targets    *model.Targets    // of its examples, one number of each in a regression; default those of the data
	Metric     Metric            // what settings are chosen by; default accuracy of classes, RMSE of numbers
	Folds      []split.Fold      // outer folds; several repeats stand one after another, see [split.Repeats]
	Repeats    int               // repetitions that Folds holds, 0 meaning 1
	Estimators []model.Estimator // candidates, in the order in which ties are decided
	// Redrawn, where it is not nil, are the estimators of the repeats after the first: the same settings, each repeat
	// with the next seed, by which its inner folds are drawn too. It makes repeats of the same folds, for [Nested].
	Redrawn [][]model.Estimator

	// FromTrain makes every fold learn its anchors, its kernel, ... from its training part. Otherwise
	// there is one learner of each estimator for all folds, which has seen all graphs without their targets.
	FromTrain bool

	Inner      int            // stratified inner folds in Nested, default 5, at most one for each training graph
	HoldOut    bool           // validate on the first of the inner folds alone: 1/Inner of the training part is held out
	InnerFolds [][]split.Fold // inner folds of every outer fold, in place of stratified ones; without its test part
	Seed       uint64         // decides the stratified inner folds
	Halving    bool           // drop settings in Nested by successive halving over the inner folds, one after another
	// Calibration makes probabilities of decisions in Nested, in every fold learned from what its inner folds predict.
	Calibration Calibration

	// Validated measures a setting in Nested on the inner folds even where there is nothing to choose, so that it has a
	// score to compare with others by, and a voice.
	Validated bool
	// Tested, if not nil, is told in Nested of every fold whose test part was predicted, by one goroutine at a time.
	// Its error ends the evaluation.
	Tested func(fold int, chosen Choice, said *model.Predictions) error

	// Checkpoint, if not nil, is that of this evaluation: what it knows is not measured again.
	Checkpoint *Checkpoint

	// Workers is the number of folds worked on at the same time, default 1. With FromTrain one
	// learner is alive for each, otherwise one in all. Outcomes do not depend on it. Estimators that are
	// [model.SideBySide] train more models at a time where the engine computes for several at once.
	Workers int
	// Progress, if not nil, is called after each fold of each estimator, by one goroutine at a time.
	Progress func(done, total int, text string)

	// Forecast, if not nil, is called once, as soon as the first piece of the work shows how long the rest of it
	// will take. Its cost is roughly right where the estimators cost the same.
	Forecast func(left time.Duration)

	part     bool         // there are more settings to choose from, elsewhere
	grids    []model.Grid // of the estimators
	item     string       // what an example is called
	abreast  *abreast     // nil where trainings take turns
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
	switch {
	case len(p.Estimators) == 0:
		return fmt.Errorf("no estimators to evaluate")
	case p.Work == nil:
		return fmt.Errorf("no data to evaluate on")
	case p.Inner < 2:
		return fmt.Errorf("%d inner folds: want at least 2", p.Inner)
	case p.InnerFolds != nil && len(p.InnerFolds) != len(p.Folds):
		return fmt.Errorf("inner folds of %d folds for %d folds", len(p.InnerFolds), len(p.Folds))
	}
	if p.Targets == nil {
		p.Targets = model.TargetsOf(p.Work.Data)
	}
	if p.Targets.Regression() && p.Targets.Width() > 1 {
		return fmt.Errorf("%d numbers of each %s to predict: want one", p.Targets.Width(), p.Targets.Task.Noun())
	}
	p.item = p.Targets.Task.Noun()
	if p.Metric == "" {
		p.Metric = MetricAccuracy
		if p.Targets.Regression() {
			p.Metric = MetricRMSE
		}
	}
	p.Workers = max(p.Workers, 1)
	if p.trainsSideBySide() && !p.Halving {
		p.abreast = newAbreast()
	}
	if err := p.Metric.check(p.Targets); err != nil {
		return err
	}
	if p.Calibration != Uncalibrated && p.Targets.Regression() {
		return fmt.Errorf("numbers have no probabilities to calibrate")
	}
	p.grids = make([]model.Grid, len(p.Estimators))
	for i, s := range p.Estimators {
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
	if p.Redrawn != nil && len(p.Redrawn) != p.Repeats-1 {
		return fmt.Errorf("estimators of %d repeats after the first for %d repeats", len(p.Redrawn), p.Repeats)
	}
	for _, estimators := range p.Redrawn {
		if len(estimators) != len(p.Estimators) {
			return fmt.Errorf("%d estimators of a repeat, %d of the first", len(estimators), len(p.Estimators))
		}
	}
	return nil
}

// repeat is that of a fold, whose own number within it is returned too. Without Redrawn all folds are of one.
func (p *Problem) repeat(fold int) (repeat, own int) {
	if p.Redrawn == nil {
		return 0, fold
	}
	size := len(p.Folds) / p.Repeats
	return fold / size, fold % size
}

// estimator is the one of a setting in a fold.
func (p *Problem) estimator(setting, fold int) model.Estimator {
	if repeat, _ := p.repeat(fold); repeat > 0 {
		return p.Redrawn[repeat-1][setting]
	}
	return p.Estimators[setting]
}

// checkFolds reports folds that cannot be used, and items in them whose target is missing.
func (p *Problem) checkFolds(folds []split.Fold, what string) error {
	if err := split.Check(folds, p.Targets.Len(), what, p.item); err != nil {
		return err
	}
	for f, s := range folds {
		for _, part := range [][]int{s.Train, s.Test} {
			for _, i := range part {
				switch {
				case p.Targets.Classes != nil && p.Targets.Classes[i] < 0:
					return fmt.Errorf("%s %d holds %s %d, which has class %d: want classes from 0 on, and no %s without a class",
						what, f+1, p.item, i, p.Targets.Classes[i], p.item)
				case p.Targets.Values != nil && p.Targets.Values[i]-p.Targets.Values[i] != 0:
					return fmt.Errorf("%s %d holds %s %d, which has target %g: leave out what has no target",
						what, f+1, p.item, i, p.Targets.Values[i])
				}
			}
		}
	}
	return nil
}

// run counts the pieces of an evaluation and the time that goroutines spend on them.
type run struct {
	mu        sync.Mutex
	done      int
	folds     []int // the folds of the problem, among those of the evaluation; nil: they are all of them
	more      int   // pieces that are not in the problem
	represent time.Duration
	learn     time.Duration

	known func(setting, fold int) bool // by the checkpoint: they need no learner; nil for none
}

// number is that of a fold of the problem among those of the evaluation, from 0.
func (r *run) number(fold int) int {
	if r.folds == nil {
		return fold
	}
	return r.folds[fold]
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
		p.Progress(r.done, len(p.Estimators)*len(p.Folds)+r.more, fmt.Sprintf("fold %d, %s", r.number(fold)+1,
			p.Estimators[setting]))
	}
}

// forFolds calls work with every estimator and fold and the learner for the two, nil where the run knows what comes of
// it, several folds at a time, the estimators of a fold in their order. It stops at an error.
func (p *Problem) forFolds(
	ctx context.Context, r *run, work func(ctx context.Context, setting, fold int, l model.Learner) error,
) error {
	one := func(ctx context.Context, setting, fold int, l model.Learner) error {
		start := time.Now()
		err := work(ctx, setting, fold, l)
		r.spend(&r.learn, start)
		if err != nil {
			return fmt.Errorf("fold %d, %s: %w", r.number(fold)+1, p.Estimators[setting], err)
		}
		r.finish(p, setting, fold)
		return nil
	}
	known := func(setting, fold int) bool { return r.known != nil && r.known(setting, fold) }
	if p.FromTrain {
		train := func(ctx context.Context, setting, fold int, w *model.Work) error {
			if known(setting, fold) {
				return one(ctx, setting, fold, nil)
			}
			l, err := p.learner(ctx, r, p.estimator(setting, fold), w)
			if err != nil {
				return fmt.Errorf("fold %d, %w", r.number(fold)+1, err)
			}
			return one(ctx, setting, fold, l)
		}
		if p.abreast != nil {
			return p.forAll(ctx, train)
		}
		return together(ctx, p.Workers, len(p.Folds), func(ctx context.Context, fold int) error {
			w := p.inFold(fold)
			for setting := range p.Estimators {
				if err := train(ctx, setting, fold, w); err != nil {
					return err
				}
			}
			return nil
		})
	}
	w, size := p.Work.Whole(), len(p.Folds)/(1+len(p.Redrawn))
	for first := 0; first < len(p.Folds); first += size {
		for setting := range p.Estimators {
			var l model.Learner
			for fold := first; fold < first+size && l == nil; fold++ {
				if known(setting, fold) {
					continue
				}
				var err error
				if l, err = p.learner(ctx, r, p.estimator(setting, first), w); err != nil {
					return err
				}
			}
			err := together(ctx, p.Workers, size, func(ctx context.Context, fold int) error {
				if known(setting, first+fold) {
					return one(ctx, setting, first+fold, nil)
				}
				return one(ctx, setting, first+fold, l)
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// inFold is the work of the training part of a fold.
func (p *Problem) inFold(fold int) *model.Work {
	w := p.Work.InFold(slices.Clone(p.Folds[fold].Train))
	w.Engine, w.Progress = p.Work.Engine.WithWorkers(p.Workers/len(p.Folds)), nil
	return w
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

// learner asks an estimator for its learner.
func (p *Problem) learner(ctx context.Context, r *run, s model.Estimator, w *model.Work) (model.Learner, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	defer r.spend(&r.represent, time.Now())
	if f := p.forecast; f != nil {
		since := p.now()
		all, fold := w.SharedTime()
		defer func() {
			allNow, foldNow := w.SharedTime()
			f.learner(since, allNow-all, foldNow-fold)
		}()
	}
	l, err := s.Learner(ctx, w)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s, err)
	}
	return l, nil
}

// learn trains on one part of a split and predicts the other, for every value of a grid.
func (p *Problem) learn(
	ctx context.Context, l model.Learner, grid model.Grid, s *split.Fold,
) ([]*model.Predictions, error) {
	t, since := p.trial(grid, s), p.clock()
	if p.forecast != nil {
		t.Progress = p.forecast.watch(since)
	}
	predicted, err := p.abreast.learn(ctx, l, t)
	if err != nil {
		return nil, err
	}
	p.learned(p.clock().Sub(since))
	return predicted, p.checkPredicted(predicted, grid, s)
}

// trial is that of one part of a split.
func (p *Problem) trial(grid model.Grid, s *split.Fold) model.Trial {
	return model.Trial{
		Train: slices.Clone(s.Train), Known: p.Targets.Only(s.Train), Test: slices.Clone(s.Test),
		Grid: slices.Clone(grid.Values), Workers: max(p.Workers/len(p.Folds), 1), // folds come before the workers of one
	}
}

// clock returns the time of the forecast, the zero time where there is none.
func (p *Problem) clock() time.Time {
	if p.forecast == nil {
		return time.Time{}
	}
	return p.now()
}

// learned tells the forecast how long a training has taken.
func (p *Problem) learned(training time.Duration) {
	if p.forecast != nil {
		p.forecast.learned(training)
	}
}

// checkPredicted reports predictions that are none of the test part of a split.
func (p *Problem) checkPredicted(predicted []*model.Predictions, grid model.Grid, s *split.Fold) error {
	if len(predicted) != grid.Size() {
		return fmt.Errorf("%d predictions for %d values of the grid", len(predicted), grid.Size())
	}
	for _, one := range predicted {
		if one.Len() != len(s.Test) || (one.Classes == nil) != p.Targets.Regression() {
			return fmt.Errorf("predictions of another kind or number than the %d targets", len(s.Test))
		}
		if p.Calibration == Uncalibrated && !p.Metric.Measures(one) {
			return param.Errorf("metric", p.Metric, "it needs probabilities, which the model does not give; "+
				"--calibrate makes them of its decisions")
		}
		if one.Values == nil {
			continue
		}
		for i, y := range one.Values.Float64s() {
			if y-y != 0 {
				return fmt.Errorf("the prediction of %s %d is %g", p.item, s.Test[i], y)
			}
		}
	}
	return nil
}

// scores measures predictions of the test part of a split, one for every value of a grid.
func (p *Problem) scores(predicted []*model.Predictions, s *split.Fold) []float64 {
	truth := p.Targets.Of(s.Test)
	out := make([]float64, len(predicted))
	for k, one := range predicted {
		out[k] = p.Metric.Score(one, truth)
	}
	return out
}

// checkInner wants inner folds to stay away from the test part of their fold.
func (p *Problem) checkInner(inner []split.Fold, outer split.Fold) error {
	if err := p.checkFolds(inner, "inner fold"); err != nil {
		return err
	}
	tested := make(map[int]bool, len(outer.Test))
	for _, i := range outer.Test {
		tested[i] = true
	}
	for f, s := range inner {
		for _, part := range [][]int{s.Train, s.Test} {
			for _, i := range part {
				if tested[i] {
					return fmt.Errorf("inner fold %d holds %s %d, which its fold tests on", f+1, p.item, i)
				}
			}
		}
	}
	return nil
}
