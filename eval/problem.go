package eval

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"gorgonia.org/tensor"

	"github.com/grove-graph/grove/parallel"
	"github.com/grove-graph/grove/svm"
)

// Setting is one setting of the hyperparameters of a representation of graphs.
type Setting interface {
	// String names the setting in one line.
	String() string
	// Represent returns the representations of ALL graphs, N x D, Float32 or Float64, contiguous by
	// rows. What is learned (anchors, statistics) may depend only on the graphs in train, or on all
	// of them where train is nil, and never on classes. The result must depend on the arguments
	// alone. It may be called from several goroutines at once.
	Represent(ctx context.Context, train []int) (*tensor.Dense, error)
}

// Problem says what to evaluate and how.
type Problem struct {
	Classes  []int     // class of every graph, from 0 on
	Folds    []Split   // outer folds; with several repeats those of one repeat after another, see [Repeats]
	Repeats  int       // repetitions that Folds holds, 0 meaning 1
	Settings []Setting // candidates, in the order in which ties are decided
	C        []float64 // candidates for C, ascending; nil means svm.CGrid()

	// FromTrain makes every fold learn its representation from its training part. Otherwise there is
	// one for all folds, learned from all graphs without their classes.
	FromTrain bool

	Inner      int       // stratified inner folds in Nested, default 5, at most one for each training graph
	InnerFolds [][]Split // inner folds of every outer fold, in place of stratified ones; within its training part
	Seed       uint64    // decides the stratified inner folds

	// Workers is the number of folds worked on at the same time, default 1. With FromTrain one
	// representation is alive for each, otherwise one in all. Outcomes do not depend on it.
	Workers int
	// Progress, if not nil, is called after each fold of each setting, by one goroutine at a time.
	Progress func(done, total int, text string)
}

const defaultInner = 5

// check fills in the defaults and reports what cannot be evaluated.
func (p *Problem) check() error {
	if p.C == nil {
		p.C = svm.CGrid()
	}
	if p.Repeats == 0 {
		p.Repeats = 1
	}
	if p.Inner == 0 {
		p.Inner = defaultInner
	}
	p.Workers = max(p.Workers, 1)
	switch {
	case len(p.Settings) == 0:
		return fmt.Errorf("no settings to evaluate")
	case len(p.C) == 0:
		return fmt.Errorf("no values of C to choose from")
	case p.Inner < 2:
		return fmt.Errorf("%d inner folds: want at least 2", p.Inner)
	case p.InnerFolds != nil && len(p.InnerFolds) != len(p.Folds):
		return fmt.Errorf("inner folds of %d folds for %d folds", len(p.InnerFolds), len(p.Folds))
	}
	for i, class := range p.Classes {
		if class < 0 {
			return fmt.Errorf("graph %d has class %d: want classes from 0 on", i, class)
		}
	}
	if err := checkSplits(p.Folds, len(p.Classes)); err != nil {
		return err
	}
	if p.Repeats < 1 || len(p.Folds)%p.Repeats != 0 {
		return fmt.Errorf("%d folds do not make %d repeats of equal size", len(p.Folds), p.Repeats)
	}
	return nil
}

// run counts the pieces of an evaluation and the time that goroutines spend on them.
type run struct {
	mu        sync.Mutex
	done      int
	represent time.Duration
	classify  time.Duration
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

// forFolds calls work with every setting and fold and the representation for the two, several folds
// at a time, the settings of a fold in their order. It stops at an error.
func (p *Problem) forFolds(ctx context.Context, r *run, work func(ctx context.Context, setting, fold int, x *tensor.Dense) error) error {
	one := func(ctx context.Context, setting, fold int, x *tensor.Dense) error {
		start := time.Now()
		err := work(ctx, setting, fold, x)
		r.spend(&r.classify, start)
		if err != nil {
			return fmt.Errorf("fold %d, %s: %w", fold+1, p.Settings[setting], err)
		}
		r.finish(p, setting, fold)
		return nil
	}
	if p.FromTrain {
		return together(ctx, p.Workers, len(p.Folds), func(ctx context.Context, fold int) error {
			for setting := range p.Settings {
				x, err := p.represent(ctx, r, setting, p.Folds[fold].Train)
				if err != nil {
					return fmt.Errorf("fold %d, %w", fold+1, err)
				}
				if err := one(ctx, setting, fold, x); err != nil {
					return err
				}
			}
			return nil
		})
	}
	for setting := range p.Settings {
		x, err := p.represent(ctx, r, setting, nil)
		if err != nil {
			return err
		}
		err = together(ctx, p.Workers, len(p.Folds), func(ctx context.Context, fold int) error {
			return one(ctx, setting, fold, x)
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

// represent asks a setting for its matrix and checks the number of rows.
func (p *Problem) represent(ctx context.Context, r *run, setting int, train []int) (*tensor.Dense, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	defer r.spend(&r.represent, time.Now())
	x, err := p.Settings[setting].Represent(ctx, slices.Clone(train))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.Settings[setting], err)
	}
	if x == nil || len(x.Shape()) != 2 || x.Shape()[0] != len(p.Classes) {
		return nil, fmt.Errorf("%s: the representation has not one row for each of the %d graphs", p.Settings[setting], len(p.Classes))
	}
	return x, nil
}

// accuracies trains on one part of a split and returns the accuracy on the other for every C.
func (p *Problem) accuracies(ctx context.Context, x *tensor.Dense, s *Split) ([]float64, error) {
	classifier, err := p.fit(ctx, x, s.Train, p.C)
	if err != nil {
		return nil, err
	}
	predicted, err := classifier.Predict(x, s.Test)
	if err != nil {
		return nil, err
	}
	truth := p.classesOf(s.Test)
	out := make([]float64, len(p.C))
	for k := range out {
		out[k] = Accuracy(predicted[k], truth)
	}
	return out, nil
}

// fit trains classifiers; folds come before the workers of one classifier.
func (p *Problem) fit(ctx context.Context, x *tensor.Dense, train []int, grid []float64) (*svm.Classifier, error) {
	workers := max(p.Workers/len(p.Folds), 1)
	return svm.FitClassifier(ctx, x, train, p.Classes, grid, svm.Options{Workers: workers})
}

func (p *Problem) classesOf(graphs []int) []int {
	out := make([]int, len(graphs))
	for i, g := range graphs {
		out[i] = p.Classes[g]
	}
	return out
}
