package wl

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/mkl"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/model/machine"
	"github.com/grove-graph/grove/split"
	"gorgonia.org/tensor"
)

// DeepOptions say how the colours of an [Assignment] kernel are weighed. Start from [DefaultDeepOptions].
type DeepOptions struct {
	mkl.Options        // of EasyMKL
	Groups      int    `json:"groups"` // 0: a weight for each colour (DWL-OA1), else for each group (DWL-OA2)
	Seed        uint64 `json:"seed"`   // of the k-means that groups colours
}

// DefaultDeepOptions returns the default options; groups says how many groups of colours share a weight, 0 for none.
// EasyMKL has the lambda of its published code. The kernels of groups are divided by their mean diagonals first: a
// group holds from one colour to almost all of them.
func DefaultDeepOptions(groups int) DeepOptions {
	opt := DeepOptions{Options: mkl.DefaultOptions(), Groups: groups}
	opt.Scale = groups > 0
	return opt
}

// Check reports the first option that makes no sense.
func (o *DeepOptions) Check() error {
	if o.Groups < 0 {
		return fmt.Errorf("%d groups of colours, want 0 or more", o.Groups)
	}
	return o.Options.Check()
}

// Deep is a deep Weisfeiler-Lehman assignment kernel (Kriege, ESANN 2019): the kernel
//
//	k(x, y) = sum_t sum_c w_tc min(x_tc, y_tc)
//
// over the colours c of all rounds t, with weights that EasyMKL learned from classes. With more than two classes
// weights are learned for each class against the rest, and the kernel has their mean.
type Deep struct {
	model *Model // with the weights, which are not negative
	opt   DeepOptions
	group [][]int32 // of every colour of every round, -1 for none; nil without groups
}

// newDeep returns the kernel of a model with a weight for every node of the hierarchy.
func newDeep(m *Model, opt DeepOptions, weight func(node int) float64) *Deep {
	weighted := *m
	weighted.weights = byRound(m, weight)
	return &Deep{model: &weighted, opt: opt}
}

// Learn weighs the colours of a model of kernel [Assignment] by EasyMKL on some of its graphs. graphs are those to
// learn from, each once, nil for all; classes holds the class of each of them. With [Options].Normalise the kernel of
// every colour is first divided by the self-values under uniform weights, so that graphs of any size count alike.
// Time goes to the products that [mkl.Solve] asks for, each linear in the different colours of the graphs; memory is
// as linear.
//
// Errors are options that make no sense, graphs that are not there, fewer than two classes and
// [mkl.ErrInseparable].
func (m *Model) Learn(ctx context.Context, graphs, classes []int, opt DeepOptions,
	progress model.Progress) (*Deep, error) {
	if graphs == nil {
		graphs = split.All(m.NumGraphs())
	}
	if err := m.checkLearn(graphs, classes, &opt); err != nil {
		return nil, err
	}
	positive := slices.Compact(slices.Sorted(slices.Values(classes)))
	if len(positive) < 2 {
		return nil, errors.New("all graphs to learn from are of one class: weights need two")
	}
	if len(positive) == 2 {
		positive = positive[1:]
	}
	tree, err := m.tree(ctx, graphs, &opt, progress)
	if err != nil {
		return nil, err
	}
	mean := make([]float64, tree.Kernels())
	for k, class := range positive {
		progress.Report("learn weights", k, len(positive))
		labels := make([]float64, len(graphs))
		for i, c := range classes {
			labels[i] = -1
			if c == class {
				labels[i] = 1
			}
		}
		s, err := mkl.Solve(ctx, tree, labels, opt.Options)
		if err != nil {
			return nil, err
		}
		for i, w := range s.Combined() {
			mean[i] += w / float64(len(positive))
		}
	}
	progress.Report("learn weights", len(positive), len(positive))
	d := newDeep(m, opt, func(node int) float64 {
		if k := tree.kernelOf(node); k >= 0 {
			return mean[k]
		}
		return 0
	})
	if opt.Groups > 0 {
		d.group = byRound(m, tree.kernelOf)
	}
	return d, nil
}

// tree returns the hierarchy of the colours over some graphs, with its nodes grouped where that is asked for.
func (m *Model) tree(ctx context.Context, graphs []int, opt *DeepOptions, progress model.Progress) (*hierarchy, error) {
	t := newHierarchy(m.index(), graphs, m.NumGraphs(), m.engine.Workers())
	t.root = split.Select(m.factors(m.self(m.train)), graphs) // under uniform weights
	if opt.Groups == 0 {
		return t, nil
	}
	progress.Report("group colours", 0, 1)
	return t, t.groupNodes(ctx, m.engine, opt.Groups, opt.Seed)
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

// Gram returns the matrix of the weighted kernel between all fitted graphs, also those that were not learned from,
// N x N, normalised where the model is.
func (d *Deep) Gram(ctx context.Context, progress model.Progress) (*tensor.Dense, error) {
	return d.model.Gram(ctx, progress)
}

// Cross returns the weighted kernel between the graphs of b and the fitted ones, NumGraphs of b x N.
func (d *Deep) Cross(ctx context.Context, b *graph.Batch, progress model.Progress) (*tensor.Dense, error) {
	return d.model.Cross(ctx, b, progress)
}

// Sums implements [machine.Expander] for the weighted kernel.
func (d *Deep) Sums(coefs [][]float64) machine.Sums { return d.model.Sums(coefs) }

// Contributions is that of [Model.Contributions] for the weighted kernel.
func (d *Deep) Contributions(ctx context.Context, b *graph.Batch, coef []float64) ([]float64, error) {
	return d.model.Contributions(ctx, b, coef)
}

// Largest returns the largest value of the kernel, that of a fitted graph with itself.
func (d *Deep) Largest() float64 { return d.model.Largest() }

// NumGraphs returns the number of graphs that the kernel compares with.
func (d *Deep) NumGraphs() int { return d.model.NumGraphs() }

// CheckEncoding implements [machine.GraphKernel].
func (d *Deep) CheckEncoding(e *dataset.Encoding) error { return d.model.CheckEncoding(e) }
