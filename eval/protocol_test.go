package eval

import (
	"context"
	"errors"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/split"
	"gorgonia.org/tensor"
)

// The classes of the test part decide nothing in nested selection.
func TestNestedChoosesWithoutTheTestClasses(t *testing.T) {
	p := problem(t, 60, 2, 1.5, 1.4, 1.3)
	for f, fold := range p.Folds {
		one := p
		one.Folds = []split.Fold{fold}
		before, err := Nested(context.Background(), one)
		if err != nil {
			t.Fatal(err)
		}
		one.Targets = &model.Targets{Classes: slices.Clone(p.Targets.Classes)}
		for _, i := range fold.Test {
			one.Targets.Classes[i] = 1 - one.Targets.Classes[i]
		}
		after, err := Nested(context.Background(), one)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(after.Chosen[0], before.Chosen[0]) {
			t.Errorf("fold %d: chose %+v, with other test classes %+v", f+1, before.Chosen[0], after.Chosen[0])
		}
		if diff := after.Folds[0] + before.Folds[0] - 1; diff > 1e-12 || diff < -1e-12 {
			t.Errorf("fold %d: accuracies %g and %g with all test classes exchanged", f+1, before.Folds[0], after.Folds[0])
		}
	}
}

// Of equal settings the first is chosen, and of equal values of C the smallest.
func TestTiesGoToTheFirst(t *testing.T) {
	p := problem(t, 40, 2, 0, 0)
	for name, protocol := range protocols {
		o, err := protocol(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range o.Chosen {
			if c.Setting != 0 || c.Value != 0.01 || c.Score != 1 {
				t.Errorf("%s: chose %+v", name, c)
			}
		}
	}
}

// A training part with one class predicts it; inner folds may be smaller than asked for.
func TestOneClassInTraining(t *testing.T) {
	y := []int{1, 1, 1, 0, 0, 1}
	p := Problem{
		Work: nowhere(), Targets: &model.Targets{Names: []string{"a", "b"}, Classes: y},
		Estimators: []model.Estimator{classified{vectors: &noisy{classes: y, noise: 0.1}}},
		Folds:      []split.Fold{{Train: []int{0, 1, 2}, Test: []int{3, 4, 5}}},
	}
	for name, protocol := range protocols {
		o, err := protocol(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		if o.Mean != 1.0/3 {
			t.Errorf("%s: accuracy %g, want a third", name, o.Mean)
		}
	}
	p.Folds = []split.Fold{{Train: []int{0}, Test: []int{3}}}
	if _, err := Nested(context.Background(), p); err == nil || !strings.Contains(err.Error(), "no inner folds") {
		t.Errorf("one training graph: error %v", err)
	}
}

func TestGivenInnerFolds(t *testing.T) {
	p := problem(t, 50, 2, 1)
	p.InnerFolds = make([][]split.Fold, len(p.Folds))
	for f, fold := range p.Folds {
		cut := len(fold.Train) * 3 / 4
		p.InnerFolds[f] = []split.Fold{{Train: fold.Train[:cut], Test: fold.Train[cut:]}}
	}
	a, err := Nested(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	p.Seed++ // decides nothing now
	b, err := Nested(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(a.Chosen, b.Chosen) {
		t.Errorf("chose %+v, then %+v", a.Chosen, b.Chosen)
	}
	for _, c := range a.Chosen {
		if n := c.Score * 10; n != float64(int(n+0.5)) {
			t.Errorf("inner accuracy %g is not a number of tenths", c.Score)
		}
	}
}

// protocols are both.
var protocols = map[string]func(context.Context, Problem) (*Outcome, error){"published": Published, "nested": Nested}

// counted is a setting that counts the matrices it has handed out and that are still alive.
type counted struct {
	noisy
	alive, most *atomic.Int64
}

func (s *counted) Represent(ctx context.Context, train []int) (*tensor.Dense, error) {
	runtime.GC()
	x, err := s.noisy.Represent(ctx, train)
	if err != nil {
		return nil, err
	}
	now := s.alive.Add(1)
	for most := s.most.Load(); now > most && !s.most.CompareAndSwap(most, now); most = s.most.Load() {
	}
	runtime.AddCleanup(x, func(alive *atomic.Int64) { alive.Add(-1) }, s.alive)
	return x, nil
}

// However many settings there are, few representations are alive at a time: the one in work, the one
// being made, and what the collector has not seen to yet.
func TestRepresentationsDoNotPileUp(t *testing.T) {
	for _, fromTrain := range []bool{false, true} {
		p := problem(t, 40, 2)
		p.FromTrain = fromTrain
		var alive, most atomic.Int64
		for range 20 {
			p.Estimators = append(p.Estimators, linear(&counted{noisy{classes: p.Targets.Classes, noise: 1}, &alive, &most}))
		}
		if _, err := Nested(context.Background(), p); err != nil {
			t.Fatal(err)
		}
		if most.Load() > 6 {
			t.Errorf("from the training part %v: %d representations alive", fromTrain, most.Load())
		}
	}
}

func TestProgressCountsEveryFoldOfEverySetting(t *testing.T) {
	for _, fromTrain := range []bool{false, true} {
		p := problem(t, 40, 2, 1, 2, 3)
		p.FromTrain, p.Workers = fromTrain, 4
		last := 0
		p.Progress = func(done, total int, text string) {
			if done != last+1 || total != 15 || !strings.Contains(text, "fold ") || !strings.Contains(text, "noise ") {
				t.Errorf("progress %d of %d after %d: %s", done, total, last, text)
			}
			last = done
		}
		if _, err := Published(context.Background(), p); err != nil {
			t.Fatal(err)
		}
		if last != 15 {
			t.Errorf("%d of 15 pieces reported", last)
		}
	}
}

// wrong is a setting with one row too few.
type wrong struct{ noisy }

func (s *wrong) Represent(ctx context.Context, train []int) (*tensor.Dense, error) {
	x, err := s.noisy.Represent(ctx, train)
	if err != nil {
		return nil, err
	}
	n, d := x.Shape()[0], x.Shape()[1]
	return tensor.New(tensor.WithShape(n-1, d), tensor.WithBacking(x.Data().([]float64)[:(n-1)*d])), nil
}

// broken fails in one fold only.
type broken struct {
	noisy
	train []int
}

func (s *broken) Represent(ctx context.Context, train []int) (*tensor.Dense, error) {
	if reflect.DeepEqual(train, s.train) {
		return nil, errors.New("no vertices")
	}
	return s.noisy.Represent(ctx, train)
}

func TestErrorsNameFoldAndSetting(t *testing.T) {
	p := problem(t, 20, 2)
	p.Estimators = []model.Estimator{linear(&wrong{noisy{classes: p.Targets.Classes, noise: 3}})}
	if _, err := Published(context.Background(), p); err == nil ||
		!strings.Contains(err.Error(), "noise 3: 20 classes for a matrix of 19 rows") {
		t.Errorf("one row too few: error %v", err)
	}
	p.FromTrain, p.Workers = true, 3
	p.Estimators = []model.Estimator{linear(&broken{noisy{classes: p.Targets.Classes, noise: 3}, p.Folds[3].Train})}
	for name, protocol := range protocols {
		if _, err := protocol(context.Background(), p); err == nil || err.Error() != "fold 4, noise 3: no vertices" {
			t.Errorf("%s: a fold that fails: error %v", name, err)
		}
	}
	for want, fold := range map[string]split.Fold{
		"trains on graph 3 twice": {Train: []int{3, 3}, Test: []int{1}},
		"tests on graph 1 twice":  {Train: []int{3}, Test: []int{1, 2, 1}},
		"trains on graph -1":      {Train: []int{-1}, Test: []int{1}},
	} {
		p.Folds = []split.Fold{fold}
		if _, err := Published(context.Background(), p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// interrupted cancels the evaluation when it is asked for a second time.
type interrupted struct {
	noisy
	cancel context.CancelFunc
	calls  atomic.Int64
}

func (s *interrupted) Represent(ctx context.Context, train []int) (*tensor.Dense, error) {
	if s.calls.Add(1) == 2 {
		s.cancel()
	}
	return s.noisy.Represent(ctx, train)
}

func TestCancellationStopsSoon(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	p := problem(t, 40, 2)
	p.FromTrain = true
	s := &interrupted{noisy: noisy{classes: p.Targets.Classes, noise: 1}, cancel: cancel}
	p.Estimators = []model.Estimator{linear(s)}
	if _, err := Nested(ctx, p); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if n := s.calls.Load(); n != 2 {
		t.Errorf("%d representations made, cancelled in the second", n)
	}
}
