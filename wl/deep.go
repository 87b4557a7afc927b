package wl

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/mkl"
	"gorgonia.org/tensor"
)

// DeepOptions say how the colours of an [Assignment] kernel are weighed. Start from [DefaultDeepOptions].
type DeepOptions struct {
	mkl.Options         // of EasyMKL
	Groups      int     `json:"groups"`         // 0: a weight for each colour (DWL-OA1), else for each group (DWL-OA2)
	Machine     float64 `json:"machine_lambda"` // lambda of the K-OMD machine on the weighted kernel
	Seed        uint64  `json:"seed"`           // of the k-means that groups colours
}

// DefaultDeepOptions returns the options of the published code; groups says how many groups of colours share a weight,
// 0 for none. The kernels of groups are divided by their mean diagonals first: a group holds from one colour to almost
// all of them.
func DefaultDeepOptions(groups int) DeepOptions {
	opt := DeepOptions{Options: mkl.DefaultOptions(), Groups: groups, Machine: 0.1}
	opt.Scale = groups > 0
	return opt
}

// Check reports the first option that makes no sense.
func (o *DeepOptions) Check() error {
	switch {
	case o.Groups < 0:
		return fmt.Errorf("%d groups of colours, want 0 or more", o.Groups)
	case !(o.Machine >= 0 && o.Machine <= 1):
		return fmt.Errorf("lambda %g of the machine, want 0 to 1", o.Machine)
	}
	return o.Options.Check()
}

// Deep is a deep Weisfeiler-Lehman assignment kernel (Kriege, ESANN 2019): the kernel
//
//	k(x, y) = sum_t sum_c w_tc min(x_tc, y_tc)
//
// over the colours c of all rounds t, with weights that EasyMKL learned from classes, and a classifier on it. With
// more than two classes there are weights and a classifier for each class against the rest.
type Deep struct {
	model    *Model
	opt      DeepOptions
	classes  []int       // ascending
	problems []problem   // one for two classes (the larger one is positive), else one for each class
	weights  [][]float64 // of every colour of every round: the mean over the problems
	group    [][]int32   // of every colour of every round, -1 for none; nil without groups
}

// problem is one class against another, or the rest.
type problem struct {
	weights [][]float64 // of every colour of every round; not negative
	coef    []float64   // of every fitted graph: gamma y times the factor of normalisation, 0 if not learned from
	bias    float64
	curves  [][]curve // of every colour of every round: what occurrences add to the decision
}

// Learn weighs the colours of a model of kernel [Assignment] by EasyMKL on some of its graphs, and trains a K-OMD
// machine on the weighted kernel. graphs are those to learn from, each once, nil for all; classes holds the class of
// each of them. With [Options].Normalise the kernel of every colour is first divided by the self-values under
// uniform weights, so that graphs of any size count alike. Time goes to the products that [mkl.Solve] asks for, each
// linear in the different colours of the graphs; memory is as linear.
//
// Errors are options that make no sense, graphs that are not there, fewer than two classes and
// [mkl.ErrInseparable].
func (m *Model) Learn(ctx context.Context, graphs, classes []int, opt DeepOptions, progress Progress) (*Deep, error) {
	if graphs == nil {
		graphs = make([]int, m.NumGraphs())
		for g := range graphs {
			graphs[g] = g
		}
	}
	if err := m.checkLearn(graphs, classes, &opt); err != nil {
		return nil, err
	}
	d := &Deep{model: m, opt: opt, classes: slices.Clone(classes)}
	slices.Sort(d.classes)
	d.classes = slices.Compact(d.classes)
	if len(d.classes) < 2 {
		return nil, errors.New("all graphs to learn from are of one class: weights need two")
	}
	tree := newHierarchy(m.index, graphs, m.NumGraphs(), m.engine.Workers())
	factors := m.uniformFactors()
	if factors != nil {
		tree.root = make([]float64, len(graphs))
		for i, g := range graphs {
			tree.root[i] = factors[g]
		}
	}
	if opt.Groups > 0 {
		progress.report("group colours", 0, 1)
		if err := tree.groupNodes(ctx, opt.Groups, opt.Seed); err != nil {
			return nil, err
		}
		d.group = byRound(m, tree.kernelOf)
	}
	positive := d.classes
	if len(positive) == 2 {
		positive = positive[1:]
	}
	labels := make([]float64, len(graphs))
	for k, class := range positive {
		progress.report("learn weights", k, len(positive))
		for i, c := range classes {
			labels[i] = -1
			if c == class {
				labels[i] = 1
			}
		}
		p, err := m.learn(ctx, tree, labels, &opt)
		if err != nil {
			return nil, err
		}
		p.spread(graphs, factors, m.NumGraphs())
		d.problems = append(d.problems, *p)
	}
	progress.report("learn weights", len(positive), len(positive))
	d.prepare()
	return d, nil
}

func (m *Model) checkLearn(graphs, classes []int, opt *DeepOptions) error {
	if err := opt.Check(); err != nil {
		return err
	}
	if m.opt.Kernel != Assignment {
		return fmt.Errorf("weights are learned for kernel %s, not %s", Assignment, m.opt.Kernel)
	}
	if len(graphs) != len(classes) {
		return fmt.Errorf("%d classes for %d graphs", len(classes), len(graphs))
	}
	seen := make([]bool, m.NumGraphs())
	for _, g := range graphs {
		switch {
		case g < 0 || g >= len(seen):
			return fmt.Errorf("graph %d: the model has %d graphs, counted from 0", g, len(seen))
		case seen[g]:
			return fmt.Errorf("graph %d is given twice", g)
		}
		seen[g] = true
	}
	return nil
}

// uniformFactors returns the factors of the fitted graphs under uniform weights.
func (m *Model) uniformFactors() []float64 {
	self := make([]float64, m.NumGraphs())
	addSelf(self, Assignment, m.train, nil)
	return m.factors(self)
}

// learn solves one problem on the objects of a tree.
func (m *Model) learn(ctx context.Context, tree *hierarchy, labels []float64, opt *DeepOptions) (*problem, error) {
	s, err := mkl.Solve(ctx, tree, labels, opt.Options)
	if err != nil {
		return nil, err
	}
	combined := s.Combined()
	machine, err := mkl.FitKOMD(ctx, tree, combined, labels, opt.Machine)
	if err != nil {
		return nil, err
	}
	p := &problem{coef: machine.Coef, bias: machine.Bias}
	p.weights = byRound(m, func(node int) float64 {
		if k := tree.kernelOf(node); k >= 0 {
			return combined[k]
		}
		return 0
	})
	return p, nil
}

// byRound collects a value of every node of the hierarchy by round and colour.
func byRound[T any](m *Model, of func(node int) T) [][]T {
	rounds := make([][]T, len(m.train))
	node := 0
	for t, h := range m.train {
		rounds[t] = make([]T, h.columns)
		for c := range rounds[t] {
			rounds[t][c] = of(node)
			node++
		}
	}
	return rounds
}

// spread turns the coefficients of the graphs that were learned from into those of all fitted graphs.
func (p *problem) spread(graphs []int, factors []float64, numGraphs int) {
	coef := make([]float64, numGraphs)
	for i, g := range graphs {
		coef[g] = p.coef[i]
		if factors != nil {
			coef[g] *= factors[g]
		}
	}
	p.coef = coef
}

// prepare computes what follows from the problems.
func (d *Deep) prepare() {
	d.weights = make([][]float64, len(d.model.index))
	for t := range d.weights {
		d.weights[t] = make([]float64, len(d.problems[0].weights[t]))
		for _, p := range d.problems {
			for c, w := range p.weights[t] {
				d.weights[t][c] += w / float64(len(d.problems))
			}
		}
	}
	for k := range d.problems {
		p := &d.problems[k]
		p.curves = curves(d.model.index, p.weights, p.coef)
	}
}

// Model returns the model whose colours are weighed.
func (d *Deep) Model() *Model { return d.model }

// Options returns the options of the weights.
func (d *Deep) Options() DeepOptions { return d.opt }

// Classes returns the classes that were learned, ascending.
func (d *Deep) Classes() []int { return d.classes }

// Gram returns the matrix of the weighted kernel between all fitted graphs, also those that were not learned from,
// N x N, normalised where the model is. With several problems the weights are the mean of theirs.
func (d *Deep) Gram(ctx context.Context, progress Progress) (*tensor.Dense, error) {
	return d.model.gram(ctx, d.weights, progress)
}

// Cross returns the weighted kernel between the graphs of b and the fitted ones, NumGraphs of b x N.
func (d *Deep) Cross(ctx context.Context, b *graph.Batch, progress Progress) (*tensor.Dense, error) {
	return d.model.cross(ctx, b, d.weights, progress)
}
