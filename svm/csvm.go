package svm

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"gorgonia.org/tensor"

	"github.com/grove-graph/grove/parallel"
	"github.com/grove-graph/grove/split"
)

// KernelOptions holds the numerical settings of the kernel machines; the zero value stands for the
// defaults.
type KernelOptions struct {
	// Tolerance bounds the violation of the conditions of the optimum, in units of the decision,
	// default 1e-3.
	Tolerance float64
	// ClassWeights multiply C for the objects of a class, default 1.
	ClassWeights map[int]float64
	// NoShrinking keeps all variables in work all the time. The optimum is the same.
	NoShrinking bool
	// MaxSteps bounds the steps for one C of one problem, default 10 million or 100 for each object.
	MaxSteps int
	// Workers is the number of pairs of classes that are worked on at the same time, default 1. The
	// result does not depend on it.
	Workers int

	pairsOnly bool // no steps of Newton's method
}

const (
	kernelTolerance = 1e-3
	leastSteps      = 10_000_000
	stepsPerObject  = 100
)

func (o KernelOptions) withDefaults(objects int) KernelOptions {
	if o.Tolerance <= 0 {
		o.Tolerance = kernelTolerance
	}
	if o.MaxSteps <= 0 {
		o.MaxSteps = max(leastSteps, stepsPerObject*objects)
	}
	o.Workers = max(o.Workers, 1)
	return o
}

// KernelClassifier is a trained C-SVM: one machine for every pair of classes.
type KernelClassifier struct {
	Classes []int        `json:"classes"` // in the order in which they win equal votes
	C       float64      `json:"c"`
	Pairs   []KernelPair `json:"pairs"` // (0, 1), (0, 2), ..., (1, 2), ...
}

// KernelPair separates two classes: a positive decision speaks for Classes[First].
type KernelPair struct {
	First  int `json:"first"`
	Second int `json:"second"`
	Expansion
}

// FitKernelClassifier solves, for every pair of classes and every C of an ascending grid,
//
//	min over w, b of 1/2 |w|^2 + sum_i C_i max(0, 1 - y_i (<w, phi(x_i)> + b)),
//
// where phi is the feature map of the kernel, y_i is +1 for the first class of the pair and -1 for the
// second, and C_i is C times the weight of the class of i. Each C starts at the solution for the one
// before it. The machines vote; of equal votes the class that comes first in Classes wins. These are
// LIBSVM's formulation and rules (Chang and Lin, LIBSVM, sections 2.1 and 7), its order of the classes
// too: that of their first appearance, but +1 before -1 where these two are the classes.
//
// Beside the kernel the memory is linear in the objects, and for each pair in work quadratic in those
// between their bounds, 128 MiB at most.
//
// classes holds the class of each of the N objects of the kernel, any integers; rows selects the objects to
// train on, nil means all. The result has one classifier for every C. Errors name a number of classes
// that is not N, a row out of range, fewer than two classes, a grid that is not positive and ascending, a
// weight that is not positive, too many steps, and a cancelled context.
func FitKernelClassifier(
	ctx context.Context, k Kernel, rows, classes []int, grid []float64, o KernelOptions,
) ([]*KernelClassifier, error) {
	if len(classes) != k.Len() {
		return nil, fmt.Errorf("%d classes for a kernel of %d objects: give each object its class", len(classes), k.Len())
	}
	rows, err := checkRows(k.Len(), rows)
	if err != nil {
		return nil, err
	}
	for class, w := range o.ClassWeights {
		if !(w > 0) || math.IsInf(w, 0) {
			return nil, fmt.Errorf("class %d has weight %g: give a positive number", class, w)
		}
	}
	out, err := pairsOf(rows, classes, grid)
	if err != nil {
		return nil, err
	}
	order := out[0].Classes
	o = o.withDefaults(len(rows))
	errs := make([]error, len(out[0].Pairs))
	parallel.For(o.Workers, len(errs), func(pair int) {
		p := out[0].Pairs[pair]
		expansions, err := fitPair(ctx, k, rows, classes, order[p.First], order[p.Second], grid, o)
		if err != nil {
			errs[pair] = fmt.Errorf("class %d against class %d: %w", order[p.First], order[p.Second], err)
			return
		}
		for g := range out {
			out[g].Pairs[pair].Expansion = expansions[g]
		}
	})
	if err := cmp.Or(errs...); err != nil {
		return nil, err
	}
	return out, nil
}

// pairsOf returns a classifier for every C of a grid, with a machine to be trained for every pair of classes.
func pairsOf(rows, classes []int, grid []float64) ([]*KernelClassifier, error) {
	if err := checkGrid(grid); err != nil {
		return nil, err
	}
	order := classOrder(rows, classes)
	if len(order) < 2 {
		return nil, fmt.Errorf("all %d objects to train on have class %d: a C-SVM needs two classes", len(rows), order[0])
	}
	out := make([]*KernelClassifier, len(grid))
	for g, c := range grid {
		out[g] = &KernelClassifier{Classes: slices.Clone(order), C: c}
		for i := range order {
			for j := i + 1; j < len(order); j++ {
				out[g].Pairs = append(out[g].Pairs, KernelPair{First: i, Second: j})
			}
		}
	}
	return out, nil
}

// fitPair separates two classes.
func fitPair(
	ctx context.Context, k Kernel, rows, classes []int, first, second int, grid []float64, o KernelOptions,
) ([]Expansion, error) {
	d := dual{kernel: k}
	weight := func(class int) float64 {
		if w, ok := o.ClassWeights[class]; ok {
			return w
		}
		return 1
	}
	for _, r := range rows {
		switch classes[r] {
		case first:
			d.add(r, -1, 0, weight(first))
		case second:
			d.add(r, 1, -weight(second), 0)
		}
	}
	return d.path(ctx, grid, o)
}

// classOrder returns the classes of the rows in LIBSVM's order.
func classOrder(rows, classes []int) []int {
	var order []int
	seen := map[int]bool{}
	for _, r := range rows {
		if c := classes[r]; !seen[c] {
			seen[c] = true
			order = append(order, c)
		}
	}
	if len(order) == 2 && order[0] == -1 && order[1] == 1 {
		order[0], order[1] = 1, -1
	}
	return order
}

// checkRows returns the rows to train on.
func checkRows(objects int, rows []int) ([]int, error) {
	if rows == nil {
		rows = split.All(objects)
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("no objects to train on")
	}
	for _, r := range rows {
		if r < 0 || r >= objects {
			return nil, fmt.Errorf("object %d is not in a kernel of %d objects", r, objects)
		}
	}
	return rows, nil
}

// Check returns an error where the parts do not fit each other, as they may in a file, or where a training without
// weights of the classes cannot have led to them.
func (m *KernelClassifier) Check() error {
	n := len(m.Classes)
	if n < 2 {
		return fmt.Errorf("the model has %d classes: want two at least", n)
	}
	if sorted := slices.Sorted(slices.Values(m.Classes)); len(slices.Compact(sorted)) != n {
		return fmt.Errorf("the model has a class twice")
	}
	if len(m.Pairs) != n*(n-1)/2 {
		return fmt.Errorf("the model has %d machines for %d classes: want one for every pair", len(m.Pairs), n)
	}
	if err := checkC(m.C); err != nil {
		return err
	}
	pair := 0
	for i := range n {
		for j := i + 1; j < n; j++ {
			p := &m.Pairs[pair]
			if p.First != i || p.Second != j {
				return fmt.Errorf("machine %d of the model is for the pair (%d, %d): want (%d, %d)", pair, p.First, p.Second, i, j)
			}
			if err := p.check(m.C); err != nil {
				return fmt.Errorf("machine %d of the model: %w", pair, err)
			}
			pair++
		}
	}
	return nil
}

// CheckKernel returns an error where no training gives the biases of the machines on a kernel that is nowhere larger
// than largest: some object of the training has a decision of at most 1.
func (m *KernelClassifier) CheckKernel(largest float64) error {
	for i := range m.Pairs {
		p := &m.Pairs[i]
		sum := 0.0
		for _, c := range p.Coefficients {
			sum += math.Abs(c)
		}
		if most := trainedSlack * (1 + sum*largest); !(math.Abs(p.Bias) <= most) {
			return fmt.Errorf("machine %d of the model has the bias %g, its kernel gives at most %g", i, p.Bias, most)
		}
	}
	return nil
}

// Support returns the objects that the machines depend on, ascending.
func (m *KernelClassifier) Support() []int {
	return supportOf(m.expansions())
}

// OnSupport returns the classifier for kernel values whose column s belongs to object Support()[s], in
// place of a column for every object that it was trained among.
func (m *KernelClassifier) OnSupport() *KernelClassifier {
	out := &KernelClassifier{Classes: slices.Clone(m.Classes), C: m.C, Pairs: slices.Clone(m.Pairs)}
	renumber(out.expansions())
	return out
}

func (m *KernelClassifier) expansions() []*Expansion {
	all := make([]*Expansion, len(m.Pairs))
	for i := range m.Pairs {
		all[i] = &m.Pairs[i].Expansion
	}
	return all
}

// Decisions returns the decisions of all machines, a Float64 matrix with a row for each row of k and a
// column for each pair. k holds kernel values, Float32 or Float64: one row for each object to classify,
// column j for its kernel with object j of those that the machine was trained among.
func (m *KernelClassifier) Decisions(k *tensor.Dense) (*tensor.Dense, error) {
	return decisionsOf(k, m.expansions())
}

// Predict returns the classes that the machines vote for, given kernel values as in Decisions.
func (m *KernelClassifier) Predict(k *tensor.Dense) ([]int, error) {
	decisions, err := m.Decisions(k)
	if err != nil {
		return nil, err
	}
	return m.vote(decisions.Float64s()), nil
}

// Votes returns decisions about the classes, given kernel values as in Decisions: a Float64 matrix with a row for each
// row of k. With two classes it has one column, which speaks for the larger class where it is positive. With more it
// has a column for each class in ascending order, the number of votes for it, and half a vote more for a class that
// wins equal votes: the largest is the class that Predict returns.
func (m *KernelClassifier) Votes(k *tensor.Dense) (*tensor.Dense, error) {
	decisions, err := m.Decisions(k)
	if err != nil {
		return nil, err
	}
	return m.VotesOf(decisions), nil
}

// VotesOfObjects returns the decisions of [KernelClassifier.Votes] about objects of the kernel itself.
func (m *KernelClassifier) VotesOfObjects(k Kernel, objects []int) (*tensor.Dense, error) {
	decisions, err := objectDecisions(k, objects, m.expansions())
	if err != nil {
		return nil, err
	}
	pairs := len(m.Pairs)
	return m.VotesOf(tensor.New(tensor.WithShape(len(decisions)/pairs, pairs), tensor.WithBacking(decisions))), nil
}

// VotesOf is Votes for the decisions of all machines, a column each, which it may overwrite.
func (m *KernelClassifier) VotesOf(decisions *tensor.Dense) *tensor.Dense {
	values, pairs := decisions.Float64s(), len(m.Pairs)
	rows, width := decisions.Shape()[0], len(m.Classes)
	if width == 2 {
		if m.Classes[0] < m.Classes[1] {
			for i, v := range values {
				values[i] = 0 - v // no -0
			}
		}
		return decisions
	}
	columns := placesIn(slices.Sorted(slices.Values(m.Classes)), m.Classes)
	out := make([]float64, rows*width)
	votes := make([]int, width)
	for i := range rows {
		best, tie := m.count(values[i*pairs:(i+1)*pairs], votes)
		row := out[i*width : (i+1)*width]
		for c, v := range votes {
			row[columns[c]] = float64(v)
		}
		if tie {
			row[columns[best]] += 0.5
		}
	}
	return tensor.New(tensor.WithShape(rows, width), tensor.WithBacking(out))
}

// PredictObjects returns the classes that the machines vote for, of objects of the kernel itself.
func (m *KernelClassifier) PredictObjects(k Kernel, objects []int) ([]int, error) {
	decisions, err := objectDecisions(k, objects, m.expansions())
	if err != nil {
		return nil, err
	}
	return m.vote(decisions), nil
}

// vote returns the class with most votes for every row of decisions.
func (m *KernelClassifier) vote(decisions []float64) []int {
	width := len(m.Pairs)
	out := make([]int, len(decisions)/width)
	votes := make([]int, len(m.Classes))
	for i := range out {
		best, _ := m.count(decisions[i*width:(i+1)*width], votes)
		out[i] = m.Classes[best]
	}
	return out
}

// count counts the votes for each of Classes in the decisions of one row, and returns which of them wins and whether
// another one has as many votes.
func (m *KernelClassifier) count(decisions []float64, votes []int) (best int, tie bool) {
	clear(votes)
	for p, pair := range m.Pairs {
		if decisions[p] > 0 {
			votes[pair.First]++
		} else {
			votes[pair.Second]++
		}
	}
	for c, v := range votes {
		switch {
		case v > votes[best]:
			best, tie = c, false
		case c != best && v == votes[best]:
			tie = true
		}
	}
	return best, tie
}
