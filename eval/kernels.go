package eval

import (
	"context"
	"fmt"
	"slices"

	"github.com/grove-graph/grove/svm"
)

// Gram gives kernels between graphs.
type Gram interface {
	// String names the hyperparameters in one line.
	String() string
	// Gram returns the kernel between ALL graphs. What is learned (landmarks, a hierarchy, statistics)
	// may depend only on the graphs in train, or on all of them where train is nil, and never on
	// targets. The result must depend on the arguments alone. It may be called from several goroutines
	// at once.
	Gram(ctx context.Context, train []int) (svm.Kernel, error)
}

// KernelSVM predicts by support vector machines on a kernel: classes by a C-SVM for every pair of them, see
// [svm.FitKernelClassifier], numbers by an epsilon-SVR, see [svm.FitKernelRegressor]. A kernel is made
// once for all folds, or once for every fold with Problem.FromTrain; training on a part reads it in place.
// A training part with a single class is an error.
type KernelSVM struct {
	Gram
	C       []float64 // ascending; nil means KernelGrid()
	Epsilon float64   // half the width of the tube in which a number is right
	Options svm.KernelOptions
}

// KernelGrid returns the values of C that kernel machines choose from where none are given, 10^-3, 10^-2,
// ..., 10^3.
func KernelGrid() []float64 { return []float64{1e-3, 1e-2, 1e-1, 1, 10, 100, 1000} }

// Grid implements [Setting].
func (s KernelSVM) Grid() Grid {
	if s.C == nil {
		return Grid{"C", KernelGrid()}
	}
	return Grid{"C", s.C}
}

// Learner implements [Setting].
func (s KernelSVM) Learner(ctx context.Context, train []int) (Learner, error) {
	k, err := s.Gram.Gram(ctx, slices.Clone(train))
	if err != nil {
		return nil, err
	}
	if k == nil {
		return nil, fmt.Errorf("no kernel was given")
	}
	return &kernelLearner{k, s.Epsilon, s.Options}, nil
}

type kernelLearner struct {
	kernel  svm.Kernel
	epsilon float64
	options svm.KernelOptions
}

func (l *kernelLearner) size() int { return l.kernel.Len() }

// Learn implements [Learner].
func (l *kernelLearner) Learn(ctx context.Context, t Task) ([]Targets, error) {
	o := l.options
	o.Workers = t.Workers
	out := make([]Targets, len(t.Grid))
	if t.Known.Classes != nil {
		classes := spread(t.Known.Classes, t.Train, l.size())
		machines, err := svm.FitKernelClassifier(ctx, l.kernel, t.Train, classes, t.Grid, o)
		if err != nil {
			return nil, err
		}
		for i, m := range machines {
			if out[i].Classes, err = m.PredictObjects(l.kernel, t.Test); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	values := spread(t.Known.Values, t.Train, l.size())
	machines, err := svm.FitKernelRegressor(ctx, l.kernel, t.Train, values, t.Grid, l.epsilon, o)
	if err != nil {
		return nil, err
	}
	for i, m := range machines {
		if out[i].Values, err = m.PredictObjects(l.kernel, t.Test); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// spread puts the values of some graphs at their places among all.
func spread[T any](values []T, graphs []int, n int) []T {
	out := make([]T, n)
	for i, g := range graphs {
		out[g] = values[i]
	}
	return out
}
