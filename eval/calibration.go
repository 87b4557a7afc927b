package eval

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/grove-graph/grove/model"
	"gorgonia.org/tensor"
)

// Calibration is a way to make probabilities of decisions, learned from examples that were not trained on.
type Calibration string

// The calibrations.
const (
	Uncalibrated Calibration = ""         // the probabilities that the model gives, if any
	Platt        Calibration = "platt"    // a sigmoid of the decision (Platt 1999)
	Isotonic     Calibration = "isotonic" // the best non-decreasing function of the decision (Zadrozny and Elkan 2002)
)

// Calibrations lists the calibrations by name.
func Calibrations() []Calibration { return []Calibration{Platt, Isotonic} }

// Calibrator makes probabilities of decisions.
type Calibrator struct {
	classes int
	of      []func(score float64) float64 // of each class of [model.ToldApart]
}

// Fit learns a calibration from predictions, with decisions or probabilities, of examples that the model was not
// trained on. Of two classes it is one function of the decision, of more one of each class against the rest. Where no
// example has a class, or all have it, its probability is constant.
func (c Calibration) Fit(said *model.Predictions, truth *model.Targets) (*Calibrator, error) {
	if truth.Classes == nil || !MetricAUC.Measures(said) {
		return nil, fmt.Errorf("there are no decisions to calibrate")
	}
	calibrator := &Calibrator{classes: len(truth.Names)}
	switch c {
	case Platt:
		for _, s := range fitSigmoids(said, truth) {
			calibrator.of = append(calibrator.of, s.At)
		}
	case Isotonic:
		eachTold(said, truth, func(scores []float64, positive []bool) {
			calibrator.of = append(calibrator.of, fitIsotonic(scores, positive))
		})
	default:
		return nil, fmt.Errorf("calibration %q: want %s or %s", string(c), Platt, Isotonic)
	}
	return calibrator, nil
}

// fitSigmoids learns the sigmoids of all classes.
func fitSigmoids(said *model.Predictions, truth *model.Targets) (all model.Sigmoids) {
	eachTold(said, truth, func(scores []float64, positive []bool) { all = append(all, fitSigmoid(scores, positive)) })
	return all
}

// eachTold calls visit for every class of [model.ToldApart] with the scores for it and whether examples have it.
func eachTold(said *model.Predictions, truth *model.Targets, visit func(scores []float64, positive []bool)) {
	for _, class := range model.ToldApart(len(truth.Names)) {
		positive := make([]bool, len(truth.Classes))
		for i, t := range truth.Classes {
			positive[i] = t == class
		}
		visit(said.Scores(class), positive)
	}
}

// Probabilities returns the probabilities of all classes, a row of sum 1 for each example.
func (c *Calibrator) Probabilities(said *model.Predictions) *tensor.Dense {
	return model.Calibrated(said, c.classes, func(class int, score float64) float64 { return c.of[class](score) })
}

// fitSigmoid returns 1 / (1 + exp(a score + b)) of greatest likelihood, for targets (N+ + 1) / (N+ + 2) of the positive
// examples and 1 / (N- + 2) of the others, by Newton's method with backtracking (Lin, Lin and Weng 2007).
func fitSigmoid(scores []float64, positive []bool) model.Sigmoid {
	scores = bounded(scores) // those of a class that was never seen too, so that squares do not overflow
	n := 0.0
	for _, p := range positive {
		if p {
			n++
		}
	}
	high, low := (n+1)/(n+2), 1/(float64(len(positive))-n+2)
	a, b := 0.0, math.Log((float64(len(positive))-n+1)/(n+1))
	scale := 0.0 // scores of any unit are brought to 1 first, so that the steps are well conditioned
	for _, s := range scores {
		scale = max(scale, math.Abs(s))
	}
	scale = cmp.Or(scale, 1)
	loss := func(a, b float64) float64 {
		sum := 0.0
		for i, s := range scores {
			t := low
			if positive[i] {
				t = high
			}
			z := a*s/scale + b
			sum += t*z + softplus(-z)
		}
		return sum
	}
	const steps, ridge, enough = 100, 1e-12, 1e-10
	now := loss(a, b)
	for range steps {
		var ga, gb, haa, hab, hbb float64
		for i, s := range scores {
			t, s := low, s/scale
			if positive[i] {
				t = high
			}
			p := sigmoid(-(a*s + b))
			d, w := t-p, p*(1-p)
			ga, gb = ga+s*d, gb+d
			haa, hab, hbb = haa+s*s*w, hab+s*w, hbb+w
		}
		if math.Abs(ga)+math.Abs(gb) < enough {
			break
		}
		haa, hbb = haa+ridge, hbb+ridge
		det := haa*hbb - hab*hab
		da, db := -(hbb*ga-hab*gb)/det, -(haa*gb-hab*ga)/det
		step, slope := 1.0, ga*da+gb*db
		for ; step > 1e-10; step /= 2 {
			if next := loss(a+step*da, b+step*db); next < now+1e-4*step*slope {
				a, b, now = a+step*da, b+step*db, next
				break
			}
		}
		if step <= 1e-10 {
			break
		}
	}
	return model.Sigmoid{Slope: a / scale, Offset: b}
}

// bounded returns scores in the range of [model.Bounded].
func bounded(scores []float64) []float64 {
	out := make([]float64, len(scores))
	for i, s := range scores {
		out[i] = model.Bounded(s)
	}
	return out
}

func sigmoid(z float64) float64 { return 1 / (1 + math.Exp(-z)) }

// softplus is log(1 + exp(z)) without overflow.
func softplus(z float64) float64 { return max(z, 0) + math.Log1p(math.Exp(-math.Abs(z))) }

// fitIsotonic returns the non-decreasing function of the least squares, by pooling adjacent violators. Between the
// scores that it was learned from it is linear, outside of them constant.
func fitIsotonic(scores []float64, positive []bool) func(float64) float64 {
	order := falling(scores)
	slices.Reverse(order)
	type pool struct{ from, to, sum, n float64 } // scores from and to, positive examples and all of them
	var pools []pool
	for i, at := range order {
		one := pool{from: scores[at], to: scores[at], n: 1}
		if positive[at] {
			one.sum = 1
		}
		if i > 0 && scores[at] == scores[order[i-1]] {
			last := &pools[len(pools)-1]
			last.sum, last.n = last.sum+one.sum, last.n+1
		} else {
			pools = append(pools, one)
		}
		if i+1 < len(order) && scores[order[i+1]] == scores[at] {
			continue
		}
		for n := len(pools); n > 1 && pools[n-2].sum*pools[n-1].n >= pools[n-1].sum*pools[n-2].n; n = len(pools) {
			a, b := pools[n-2], pools[n-1]
			pools = append(pools[:n-2], pool{a.from, b.to, a.sum + b.sum, a.n + b.n})
		}
	}
	var x, y []float64
	for _, p := range pools {
		x, y = append(x, p.from), append(y, p.sum/p.n)
		if p.to > p.from {
			x, y = append(x, p.to), append(y, p.sum/p.n)
		}
	}
	return func(s float64) float64 {
		if len(x) == 0 {
			return 0.5
		}
		k := sort.SearchFloat64s(x, s)
		switch {
		case k == len(x):
			return y[len(x)-1]
		case k == 0 || x[k] == s:
			return y[k]
		}
		return y[k-1] + (y[k]-y[k-1])*(s-x[k-1])/(x[k]-x[k-1])
	}
}
