package eval

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/split"
	"gorgonia.org/tensor"
)

// Nested evaluates by nested cross-validation. In every fold setting and value of its grid are those with
// the best mean score over inner folds of the training part (of equal ones the earlier setting, then the
// earlier value); the predictor is then trained on the whole training part and tested once on the test
// part.
//
// With FromTrain no step before the final test reads a graph of the test part. The inner folds share the
// learner of their fold, so that anchors, which know no targets, have seen the graphs that the choice is
// made by. Without FromTrain anchors have seen the test part too. With Halving settings that do badly on the first
// inner folds are not learned on the others.
//
// Errors name the fold and the setting; a cancelled context is an error.
func Nested(ctx context.Context, p Problem) (*Outcome, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	inner := make([][]split.Fold, len(p.Folds))
	for f := range p.Folds {
		var err error
		if inner[f], err = p.innerFolds(f); err != nil {
			return nil, fmt.Errorf("fold %d: %w", f+1, err)
		}
	}
	p.forecast = p.newForecast(p.nestedTrainings(inner[0]), len(p.Estimators)*len(p.Folds))
	var best []candidate
	r := run{known: p.Checkpoint.measured}
	var err error
	if p.abreast != nil && len(p.Estimators) > 1 {
		best, err = p.chooseAbreast(ctx, &r, inner)
	} else {
		best = make([]candidate, len(p.Folds))
		for f := range best {
			if p.Halving && len(p.Estimators) > 1 {
				best[f].halving = newHalving(len(inner[f]))
			}
		}
		err = p.forFolds(ctx, &r, func(ctx context.Context, setting, fold int, l model.Learner) error {
			if err := p.improve(ctx, &best[fold], l, setting, fold, inner[fold]); err != nil {
				return err
			}
			if setting == len(p.Estimators)-1 { // a fold sees the settings in their order
				return p.tell(&r, fold, &best[fold])
			}
			return nil
		})
	}
	if err != nil {
		return nil, err
	}
	predicted, chosen := make([]*model.Predictions, len(p.Folds)), make([]Choice, len(p.Folds))
	for f, c := range best {
		predicted[f], chosen[f] = c.predicted, c.Choice
	}
	protocol := nestedProtocol
	if p.Halving {
		protocol += ", by successive halving"
	}
	return p.outcome(protocol, predicted, chosen, &r)
}

const nestedProtocol = "nested: settings chosen inside each training fold"

// candidate is the best choice of a fold so far, with what it predicts of the test part after training on
// the whole training part.
type candidate struct {
	Choice
	predicted *model.Predictions
	halving   halving // of the fold
}

// tell tells of a fold that is done.
func (p *Problem) tell(r *run, fold int, c *candidate) error {
	if p.Tested == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return p.Tested(fold, c.Choice, c.predicted)
}

// improve replaces the candidate of a fold if another setting does better at some value of its grid.
func (p *Problem) improve(ctx context.Context, best *candidate, l model.Learner, setting, fold int,
	inner []split.Fold) error {
	known := p.Checkpoint.of(setting, fold)
	v, err := known.validation(p.Metric, &best.halving), error(nil)
	if l != nil {
		if v, err = p.validate(ctx, l, setting, inner, &best.halving); err != nil {
			return err
		}
	}
	found := v.piece(setting, fold)
	if k := p.Metric.firstBest(v.means); v.means != nil &&
		(best.predicted == nil || p.Metric.Better(v.means[k], best.Score)) {
		switch {
		case l != nil:
			if best.predicted, err = p.test(ctx, l, setting, k, v, fold); err != nil {
				return err
			}
			kept := keepPredictions(best.predicted)
			found.Said = &kept
		case known.Said == nil:
			return errors.New("the checkpoint is damaged; remove it")
		default:
			best.predicted = known.Said.predictions()
		}
		best.Choice = p.choice(setting, k, v.means, v.voice)
	}
	if l == nil {
		return nil
	}
	return p.Checkpoint.keep(found)
}

// test trains a setting, at a place of its grid, on the whole training part of a fold and predicts the test part.
func (p *Problem) test(
	ctx context.Context, l model.Learner, setting, place int, v *validation, fold int,
) (*model.Predictions, error) {
	predicted, err := p.learn(ctx, l, p.grids[setting].At(place), &p.Folds[fold])
	if err != nil {
		return nil, err
	}
	return v.calibrated(place, predicted[0]), nil
}

// validation is what the inner folds of a fold say of a setting, for every value of its grid.
type validation struct {
	rungs       []float64     // scores that decided about dropping the setting
	means       []float64     // of the scores; NaN where there is nothing to choose, nil where the setting is dropped
	calibrators []*Calibrator // learned from what all inner folds predict; nil unless asked for
	voice       *Voice        // of the value that does best
}

// piece is what is kept of it.
func (v *validation) piece(setting, fold int) piece {
	return piece{Setting: setting, Fold: fold, Rungs: v.rungs, Scores: v.means, Voice: v.voice}
}

// validation is what is kept of one, without calibrators. What dropped the setting is noted; of no piece it is nil.
func (k *piece) validation(m Metric, drop *halving) *validation {
	if k == nil {
		return nil
	}
	for rung, score := range k.Rungs[:min(len(k.Rungs), len(drop.rungs))] {
		drop.passes(rung, m, score)
	}
	return &validation{rungs: k.Rungs, means: k.Scores, voice: k.Voice}
}

// calibrated returns predictions of a place of the grid with calibrated probabilities.
func (v *validation) calibrated(place int, said *model.Predictions) *model.Predictions {
	if v.calibrators == nil {
		return said
	}
	with := *said
	with.Probabilities = v.calibrators[place].Probabilities(said)
	return &with
}

// choice is that of a setting with the value at a place of its grid, by the mean scores of all of them.
func (p *Problem) choice(setting, place int, scores []float64, voice *Voice) Choice {
	grid := p.grids[setting]
	c := Choice{Setting: setting, Name: p.Estimators[setting].String(), Grid: grid.Name, Value: grid.Value(place),
		Score: scores[place], Voice: voice}
	if len(grid.Values) > 1 {
		c.Validation = scores
	}
	return c
}

// validate measures a setting on inner folds, for every value of its grid.
func (p *Problem) validate(
	ctx context.Context, l model.Learner, setting int, inner []split.Fold, drop *halving,
) (*validation, error) {
	v := &validation{means: []float64{math.NaN()}}
	if p.candidates() == 1 && !p.part && p.Calibration == Uncalibrated && !p.Validated {
		return v, nil
	}
	var said [][]*model.Predictions
	measure := func(folds int) error { // so many from the first, in all
		more, err := p.innerPredictions(ctx, l, p.grids[setting], inner[len(said):folds])
		if err != nil {
			return err
		}
		said = append(said, more...)
		return p.judge(v, setting, said, inner[:folds])
	}
	for rung, folds := range drop.rungs {
		if err := measure(folds); err != nil {
			return nil, err
		}
		score := v.means[p.Metric.firstBest(v.means)]
		v.rungs = append(v.rungs, score)
		if !drop.passes(rung, p.Metric, score) {
			v.means = nil
			return v, nil
		}
	}
	if err := measure(len(inner)); err != nil {
		return nil, err
	}
	best := p.Metric.firstBest(v.means)
	v.voice = p.voice(v.means[best], column(said, best), tested(inner))
	return v, nil
}

// judge takes the mean scores of a setting from what inner folds predict, calibrated where that is asked for.
func (p *Problem) judge(v *validation, setting int, said [][]*model.Predictions, inner []split.Fold) error {
	if p.Calibration != Uncalibrated {
		v.calibrators = nil
		if err := p.calibrate(v, said, inner); err != nil {
			return err
		}
	}
	scores := make([][]float64, len(inner))
	for i := range inner {
		scores[i] = p.scores(said[i], &inner[i])
	}
	v.means = make([]float64, p.grids[setting].Size())
	for k := range v.means {
		v.means[k], _ = MeanStd(column(scores, k))
	}
	v.means = smoothed(p.grids[setting], v.means)
	return nil
}

// tested lists what folds test on, one fold after another.
func tested(folds []split.Fold) (all []int) {
	for _, f := range folds {
		all = append(all, f.Test...)
	}
	return all
}

// calibrate learns, for every value of a grid, from what all inner folds predict, and gives them the probabilities.
func (p *Problem) calibrate(v *validation, said [][]*model.Predictions, inner []split.Fold) error {
	truth := p.Targets.Of(tested(inner))
	for k := range said[0] {
		c, err := p.Calibration.Fit(joined(column(said, k)), truth)
		if err != nil {
			return err
		}
		v.calibrators = append(v.calibrators, c)
		for i := range said {
			said[i][k] = v.calibrated(k, said[i][k])
		}
	}
	return nil
}

// joined puts predictions one after another.
func joined(parts []*model.Predictions) *model.Predictions {
	all := &model.Predictions{}
	for _, p := range parts {
		all.Classes = append(all.Classes, p.Classes...)
		all.Decisions = below(all.Decisions, p.Decisions)
		all.Probabilities = below(all.Probabilities, p.Probabilities)
	}
	return all
}

// below returns a matrix with another's rows after its own.
func below(a, b *tensor.Dense) *tensor.Dense {
	if a == nil || b == nil {
		return b
	}
	rows := slices.Concat(a.Float64s(), b.Float64s())
	return tensor.New(tensor.WithShape(len(rows)/b.Shape()[1], b.Shape()[1]), tensor.WithBacking(rows))
}

// smoothed returns the means of the scores of every value of a grid and of its neighbours.
func smoothed(g model.Grid, scores []float64) []float64 {
	if g.Smooth == 0 {
		return scores
	}
	out := make([]float64, len(scores))
	for k := range scores {
		n := 0.0
		for i := max(k-g.Smooth, 0); i <= min(k+g.Smooth, len(scores)-1); i++ {
			if i == k || g.Values[i] != 0 && g.Values[k] != 0 && !math.IsNaN(scores[i]) {
				out[k] += scores[i]
				n++
			}
		}
		out[k] /= n
	}
	return out
}

// innerPredictions returns what is said of the test part of each inner fold, for every value of a grid.
func (p *Problem) innerPredictions(
	ctx context.Context, l model.Learner, grid model.Grid, inner []split.Fold,
) ([][]*model.Predictions, error) {
	if joint, ok := l.(model.JointLearner); ok && p.abreast == nil && len(inner) > 1 {
		trials := make([]model.Trial, len(inner))
		for i := range inner {
			trials[i] = p.trial(grid, &inner[i])
		}
		since := p.clock()
		said, err := joint.LearnAll(ctx, trials)
		if err != nil {
			return nil, err
		}
		p.learned(p.clock().Sub(since) / time.Duration(len(inner)))
		for i := range inner {
			if err := p.checkPredicted(said[i], grid, &inner[i]); err != nil {
				return nil, fmt.Errorf("inner fold %d: %w", i+1, err)
			}
		}
		return said, nil
	}
	workers := 1
	if p.abreast != nil {
		workers = len(inner)
	}
	said := make([][]*model.Predictions, len(inner))
	err := together(ctx, workers, len(inner), func(ctx context.Context, i int) (err error) {
		if said[i], err = p.learn(ctx, l, grid, &inner[i]); err != nil {
			err = fmt.Errorf("inner fold %d: %w", i+1, err)
		}
		return err
	})
	return said, err
}

// candidates counts the settings with the values of their grids.
func (p *Problem) candidates() int {
	n := 0
	for _, g := range p.grids {
		n += g.Size()
	}
	return n
}

// innerFolds returns the given inner folds of a fold, checked, or makes them.
func (p *Problem) innerFolds(fold int) ([]split.Fold, error) {
	outer := p.Folds[fold]
	if p.InnerFolds != nil {
		return p.InnerFolds[fold], p.checkInner(p.InnerFolds[fold], outer)
	}
	k := min(p.Inner, len(outer.Train))
	if k < 2 {
		return nil, fmt.Errorf("a training part of one %s has no inner folds: want larger folds", p.item)
	}
	repeat, own := p.repeat(fold)
	folds, err := split.Inner(outer.Train, p.Targets.Classes, k, p.Seed+uint64(repeat), own)
	if p.HoldOut && err == nil {
		folds = folds[:1]
	}
	return folds, err
}
