package eval

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/split"
)

// Entrant is a model that takes part in a comparison, with the settings that are chosen among inside each training
// part.
type Entrant struct {
	Name       string // no two have the same
	Estimators []model.Estimator

	// How settings are chosen, as in [Problem].
	Inner      int
	HoldOut    bool
	InnerFolds [][]split.Fold
}

// Comparison measures several models on the same folds, each by nested cross-validation.
type Comparison struct {
	Problem  // data, metric, folds, ...: all but estimators and inner folds
	Entrants []Entrant
	// Choose measures every model on inner folds, what has nothing to choose too, for [ChosenModels] and [VotedModels].
	Choose bool

	// Known returns what an earlier comparison found out about a fold, which is not computed again; nil where it found
	// out nothing. Keep is told of every fold that is done. Both may be left out.
	Known func(entrant, fold int) *Tested
	Keep  func(entrant, fold int, t *Tested) error
	// Watch, if not nil, is told how many folds of an entrant are done.
	Watch func(entrant, done, total int)
}

// Tested is what a fold says of a model.
type Tested struct {
	Choice
	Predicted *model.Predictions // of the test part
	Seconds   float64            // since the fold before it was done, or the model began
}

// Entry is what a comparison says of a model.
type Entry struct {
	Name    string
	Outcome *Outcome // nil where the model failed
	Seconds float64  // of all folds
	Err     error    // why it failed: a model that does, for want of memory for instance, does not end the comparison
}

// Compare measures the entrants one after another, in their order. What is said of one does not depend on the others.
// An error is that of the comparison: a cancelled context, or one of Keep.
func Compare(ctx context.Context, c Comparison) ([]Entry, error) {
	entries := make([]Entry, len(c.Entrants))
	for i := range c.Entrants {
		var kept error
		entries[i] = c.entry(ctx, i, &kept)
		if err := errors.Join(ctx.Err(), kept); err != nil {
			return nil, err
		}
	}
	return entries, nil
}

// entry measures an entrant. An error of Keep goes to kept.
func (c *Comparison) entry(ctx context.Context, i int, kept *error) Entry {
	e := Entry{Name: c.Entrants[i].Name}
	var p *Problem
	if p, e.Err = c.of(i); e.Err != nil {
		return e
	}
	tested := make([]*Tested, len(p.Folds))
	var missing []int
	for f := range tested {
		if c.Known != nil {
			tested[f] = c.Known(i, f)
		}
		if t := tested[f]; c.Choose && t != nil && (math.IsNaN(t.Score) || t.Voice == nil && p.Metric.Votes()) {
			tested[f] = nil // it was not measured to choose by
		}
		if tested[f] == nil {
			missing = append(missing, f)
		}
	}
	left := len(missing)
	watch := func() {
		if c.Watch != nil {
			c.Watch(i, len(tested)-left, len(tested))
		}
	}
	watch()
	if e.Err = c.Test(ctx, i, missing, func(fold int, t *Tested) error {
		tested[fold] = t
		left--
		watch()
		if c.Keep != nil {
			*kept = c.Keep(i, fold, t)
		}
		return *kept
	}); e.Err != nil {
		return e
	}
	predicted, chosen := make([]*model.Predictions, len(tested)), make([]Choice, len(tested))
	for f, t := range tested {
		predicted[f], chosen[f] = t.Predicted, t.Choice
		e.Seconds += t.Seconds
	}
	e.Outcome, e.Err = p.outcome(nestedProtocol, predicted, chosen, &run{})
	return e
}

// Test measures an entrant on some of the folds, and tells done of each, one after another in any order. What is said
// of a fold does not depend on the others.
func (c *Comparison) Test(
	ctx context.Context, entrant int, folds []int, done func(fold int, t *Tested) error,
) error {
	p, err := c.of(entrant)
	if err != nil || len(folds) == 0 {
		return err
	}
	some := *p
	some.Folds, some.Repeats, some.InnerFolds = split.Select(p.Folds, folds), 1, nil
	for _, f := range folds {
		inner, err := p.innerFolds(f)
		if err != nil {
			return fmt.Errorf("fold %d: %w", f+1, err)
		}
		some.InnerFolds = append(some.InnerFolds, inner)
	}
	since := time.Now()
	some.Tested = func(fold int, chosen Choice, said *model.Predictions) error {
		t := &Tested{chosen, said, time.Since(since).Seconds()}
		since = time.Now()
		return done(folds[fold], t)
	}
	_, err = Nested(ctx, some)
	return err
}

// of is the problem of choosing among the settings of an entrant.
func (c *Comparison) of(entrant int) (*Problem, error) {
	p, e := c.Problem, &c.Entrants[entrant]
	p.Estimators, p.Inner, p.HoldOut, p.InnerFolds = e.Estimators, e.Inner, e.HoldOut, e.InnerFolds
	p.Validated = c.Choose
	return &p, p.check()
}

// ChosenModels returns the outcome of choosing the model too inside each training part: of every fold that of the entry
// with the best mean score over the inner folds, of equal ones the first; and the place of that entry. It is the honest
// figure of all entries together. The error says that no entry has an outcome.
func ChosenModels(c *Comparison, entries []Entry) (*Outcome, []int, error) {
	p, err := c.among()
	if err != nil {
		return nil, nil, err
	}
	predicted, choices := make([]*model.Predictions, len(p.Folds)), make([]Choice, len(p.Folds))
	models := make([]int, len(p.Folds))
	for f := range p.Folds {
		best := -1
		for i, e := range entries {
			if e.Outcome == nil {
				continue
			}
			if best < 0 || p.Metric.Better(e.Outcome.Chosen[f].Score, entries[best].Outcome.Chosen[f].Score) {
				best = i
			}
		}
		if best < 0 {
			return nil, nil, fmt.Errorf("no model to choose")
		}
		models[f] = best
		predicted[f], choices[f] = entries[best].Outcome.Predicted[f], entries[best].Outcome.Chosen[f]
	}
	o, err := p.outcome("nested: models and settings chosen inside each training fold", predicted, choices, &run{})
	return o, models, err
}

// among is the problem of choosing among the settings of all entrants.
func (c *Comparison) among() (*Problem, error) {
	p := c.Problem
	p.Estimators = []model.Estimator{}
	for _, e := range c.Entrants {
		p.Estimators = append(p.Estimators, e.Estimators...)
	}
	return &p, p.check()
}

// Against compares a model with the best one.
type Against struct {
	Model, Best int     // places among the entries
	Difference  float64 // of the mean scores, best less model; NaN stands for none
	T, Wilcoxon float64 // p of [CorrectedT] and [Wilcoxon]
	// The same corrected by [Holm] for the number of models.
	THolm, WilcoxonHolm float64
}

// CompareWithBest holds every other entry against that with the best mean, of equal ones the first, by their scores on
// the folds. Signed ranks take folds for independent, which they are not: their p is too small by some, and there to
// compare with the literature; go by the corrected t-test.
func CompareWithBest(c *Comparison, entries []Entry) []Against {
	best := -1
	for i, e := range entries {
		if e.Outcome == nil {
			continue
		}
		if best < 0 || e.Outcome.Metric.Better(e.Outcome.Mean, entries[best].Outcome.Mean) {
			best = i
		}
	}
	var all []Against
	share := 0.0
	for _, f := range c.Folds {
		share += float64(len(f.Test)) / float64(len(f.Train)) / float64(len(c.Folds))
	}
	var t, w []float64
	for i, e := range entries {
		if e.Outcome == nil || i == best {
			continue
		}
		top, other := both(entries[best].Outcome.Folds, e.Outcome.Folds)
		a := Against{Model: i, Best: best, Difference: entries[best].Outcome.Mean - e.Outcome.Mean,
			T: CorrectedT(top, other, share), Wilcoxon: Wilcoxon(top, other)}
		all, t, w = append(all, a), append(t, a.T), append(w, a.Wilcoxon)
	}
	t, w = Holm(t), Holm(w)
	for k := range all {
		all[k].THolm, all[k].WilcoxonHolm = t[k], w[k]
	}
	return all
}

// both returns the pairs of scores of which neither is missing.
func both(a, b []float64) (x, y []float64) {
	for i := range a {
		if !math.IsNaN(a[i]) && !math.IsNaN(b[i]) {
			x, y = append(x, a[i]), append(y, b[i])
		}
	}
	return x, y
}
