package treeg

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/treeg/internal/search"
	"github.com/grove-graph/grove/treeg/internal/splits"
)

// Targets say what to predict: a class or a number for each graph or vertex of a batch.
type Targets struct {
	Classes    []int     // class of each example from 0 on, -1 where it has none; nil for regression
	NumClasses int       // 0: one more than the largest class
	Values     []float64 // number of each example, NaN where it has none; nil for classification

	Train      []int // examples to learn from; nil: all that have a target
	Validation []int // examples that decide when boosting stops early; nil: some of Train
}

// Fit prepares a batch and fits a model to it. Errors say which option or target is wrong; a cancelled context
// is an error.
func Fit(
	ctx context.Context, e engine.Engine, b *graph.Batch, t Targets, opt Options, progress model.Progress,
) (*Model, error) {
	progress.Report("prepare", 0, 1)
	d, err := Prepare(ctx, e, b, opt)
	if err != nil {
		return nil, err
	}
	progress.Report("prepare", 1, 1)
	return d.Fit(ctx, t, opt, progress)
}

// Fit fits a model to prepared data. The model is the same for any number of workers.
func (d *Data) Fit(ctx context.Context, t Targets, opt Options, progress model.Progress) (*Model, error) {
	if err := opt.Check(); err != nil {
		return nil, err
	}
	if err := d.fits(&opt); err != nil {
		return nil, err
	}
	p, err := newProblem(d.Examples(), t, &opt)
	if err != nil {
		return nil, err
	}
	p.d, p.progress = d, progress
	d.resident.Hold()
	defer d.resident.Release(d.data.Engine)
	m := &Model{engine: d.data.Engine, opt: opt, input: d.data.Input, loss: p.loss, number: p.classes}
	if opt.Ensemble == Boosting {
		err = p.boost(ctx, m)
	} else {
		err = p.plant(ctx, m)
	}
	if err != nil {
		return nil, err
	}
	return m, nil
}

// problem is a fit that is going on.
type problem struct {
	d          *Data
	n          int // examples of the data
	opt        *Options
	loss       Loss
	classes    int // 0 for regression
	class      []int32
	values     []float64
	train      []int32 // ascending
	validation []int32

	progress model.Progress
	lock     sync.Mutex // of planted
	planted  int        // trees that are done
}

// newProblem checks the targets of n examples and chooses the loss and the validation part.
func newProblem(n int, t Targets, opt *Options) (*problem, error) {
	p := &problem{n: n, opt: opt, loss: opt.Loss, values: t.Values}
	switch {
	case (t.Classes == nil) == (t.Values == nil):
		return nil, errors.New("want either classes or values as targets")
	case len(t.Classes)+len(t.Values) != n:
		return nil, fmt.Errorf("%d targets for %d examples", len(t.Classes)+len(t.Values), n)
	}
	if t.Classes != nil {
		p.classes = t.NumClasses
		for i, c := range t.Classes {
			if c < -1 || t.NumClasses > 0 && c >= t.NumClasses {
				return nil, fmt.Errorf("example %d is of class %d: want -1 for none, or 0 to %d", i, c, t.NumClasses-1)
			}
			p.class = append(p.class, int32(c))
			if t.NumClasses == 0 {
				p.classes = max(p.classes, c+1)
			}
		}
		if p.classes < 1 {
			return nil, errors.New("no example has a class")
		}
	}
	if err := p.choose(t); err != nil {
		return nil, err
	}
	return p, p.chooseLoss()
}

// has reports whether an example has a target, and an error for a target that is no number.
func (p *problem) has(i int) (bool, error) {
	switch {
	case p.class != nil:
		return p.class[i] >= 0, nil
	case math.IsInf(p.values[i], 0):
		return false, fmt.Errorf("the target of example %d is %g: want a number, or NaN where there is none", i, p.values[i])
	}
	return !math.IsNaN(p.values[i]), nil
}

// choose lists the examples to learn from and to validate on.
func (p *problem) choose(t Targets) error {
	n := p.n
	used := make([]bool, n)
	list := func(what string, examples []int) ([]int32, error) {
		var out []int32
		for _, i := range examples {
			switch {
			case i < 0 || i >= n:
				return nil, fmt.Errorf("%s example %d of %d", what, i, n)
			case used[i]:
				return nil, fmt.Errorf("%s example %d is given twice", what, i)
			}
			used[i] = true
			if has, err := p.has(i); err != nil {
				return nil, err
			} else if has {
				out = append(out, int32(i))
			}
		}
		slices.Sort(out)
		return out, nil
	}
	var err error
	if p.validation, err = list("validation", t.Validation); err != nil {
		return err
	}
	train := t.Train
	if train == nil {
		for i := range n {
			if !used[i] {
				train = append(train, i)
			}
		}
	}
	if p.train, err = list("training", train); err != nil {
		return err
	}
	if len(p.train) == 0 {
		return errors.New("no example with a target to learn from")
	}
	if p.opt.Ensemble == Boosting && p.opt.Patience > 0 && t.Validation == nil {
		return p.holdOut()
	}
	return nil
}

// Streams of random numbers, second halves of seeds.
const (
	treeStream       = 0x7472 << 32 // of tree i: + i
	sampleStream     = 0x7361 << 32 // of round or tree i: + i
	validationStream = 0x7661 << 32
)

// holdOut moves some of the training examples to the validation part, of every class its share.
func (p *problem) holdOut() error {
	random := rand.New(rand.NewPCG(p.opt.Seed, validationStream))
	order := slices.Clone(p.train)
	random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	if p.class != nil {
		slices.SortStableFunc(order, func(a, b int32) int { return int(p.class[a] - p.class[b]) })
	}
	// Every stride-th example: a share of each class, since classes stand together.
	p.train = nil
	carry := 0.5
	for _, i := range order {
		if carry += p.opt.ValidationShare; carry >= 1 {
			carry--
			p.validation = append(p.validation, i)
		} else {
			p.train = append(p.train, i)
		}
	}
	if len(p.train) == 0 || len(p.validation) == 0 {
		return fmt.Errorf("%d examples are too few to hold out a share of %g: give a validation part or no patience",
			len(order), p.opt.ValidationShare)
	}
	slices.Sort(p.train)
	slices.Sort(p.validation)
	return nil
}

// chooseLoss fills in the loss and checks that it suits the targets.
func (p *problem) chooseLoss() error {
	boosting := p.opt.Ensemble == Boosting
	if p.loss == "" {
		switch {
		case p.classes == 0:
			p.loss = Squared
		case !boosting:
			p.loss = Gini
		case p.classes == 2:
			p.loss = Logistic
		case p.opt.Scheme == Reference:
			p.loss = OneVsAll
		default:
			p.loss = Softmax
		}
	}
	switch {
	case (p.loss == Squared) != (p.classes == 0):
		return fmt.Errorf("loss %s does not suit these targets: values want squared, classes want logistic, softmax, "+
			"one-vs-all, gini or entropy", p.loss)
	case p.loss == Logistic && p.classes > 2:
		return fmt.Errorf("loss logistic for %d classes: use softmax or one-vs-all", p.classes)
	}
	if p.loss == Logistic && p.classes == 1 {
		p.loss = Softmax // which a single class suits
	}
	return nil
}

// targetsOf returns targets for splits by the squared loss: values by position in examples, each with its weight.
func (p *problem) targetsOf(examples []int32, values, weights []float64) *search.Targets {
	t := &search.Targets{Examples: len(examples), Width: 1, Criterion: splits.Variance}
	of := engine.TreeTargets{Values: values, Weights: weights}
	of.Centre()
	t.Weight, t.Target, t.Shift = make([]float64, p.n), make([]float64, p.n), of.Shift
	t.Values = make([]float64, p.n)
	for i, e := range examples {
		t.Weight[e], t.Target[e], t.Values[e] = weights[i], of.Targets[i], values[i]
	}
	return t
}

// classTargets returns targets for splits by an impurity of classes.
func (p *problem) classTargets(examples []int32, weights []float64) *search.Targets {
	t := &search.Targets{Examples: len(examples), Width: p.classes, Criterion: splits.Gini}
	if p.loss == Entropy {
		t.Criterion = splits.Entropy
	}
	t.Weight, t.Class = make([]float64, p.n), p.class
	for i, e := range examples {
		t.Weight[e] = weights[i]
	}
	return t
}
