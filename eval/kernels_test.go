package eval

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"

	"gorgonia.org/tensor"

	"github.com/grove-graph/grove/svm"
)

var protocols = map[string]func(context.Context, Problem) (*Outcome, error){"published": Published, "nested": Nested}

// kernelProblem has Gaussian kernels of noisy vectors for settings.
func kernelProblem(t *testing.T, n, classes int, gammas ...float64) (Problem, *calls) {
	t.Helper()
	p := problem(t, n, classes)
	v := &calls{Vectors: &noisy{classes: p.Classes, noise: 0.3}}
	for _, gamma := range gammas {
		kernel := svm.VectorKernel{Kind: svm.RBFKernel, Gamma: gamma}
		p.Settings = append(p.Settings, KernelSVM{Gram: OnVectors{Vectors: v, Kernel: kernel}, C: []float64{0.1, 1, 10}})
	}
	return p, v
}

// calls counts representations.
type calls struct {
	Vectors
	made atomic.Int64
}

func (c *calls) Represent(ctx context.Context, train []int) (*tensor.Dense, error) {
	c.made.Add(1)
	return c.Vectors.Represent(ctx, train)
}

func TestKernelMachinesLearn(t *testing.T) {
	for name, protocol := range protocols {
		for _, classes := range []int{2, 3} {
			p, v := kernelProblem(t, 90, classes, 1e9, 0.5)
			o, err := protocol(context.Background(), p)
			if err != nil {
				t.Fatal(err)
			}
			if o.Mean < 0.95 {
				t.Errorf("%s, %d classes: accuracy %g", name, classes, o.Mean)
			}
			for _, c := range o.Chosen {
				if c.Setting != 1 || c.Grid != "C" {
					t.Errorf("%s: chose %+v, want the kernel that tells graphs apart", name, c)
				}
			}
			if made := v.made.Load(); made != 2 {
				t.Errorf("%s: %d kernels made for 2 settings: folds are to share them", name, made)
			}
		}
	}
}

// A kernel that does not fit in its memory is computed by rows, with the same outcome.
func TestKernelBeyondMemory(t *testing.T) {
	p, v := kernelProblem(t, 60, 2, 0.5)
	want, err := Nested(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	g := OnVectors{Vectors: v, Kernel: svm.VectorKernel{Kind: svm.RBFKernel, Gamma: 0.5}, Memory: 8 * 60 * 20}
	k, err := g.Gram(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, byRow := k.(*svm.RowCache); !byRow {
		t.Fatalf("a %T for 60 rows in the memory of 20", k)
	}
	p.Settings = []Setting{KernelSVM{Gram: g, C: []float64{0.1, 1, 10}}}
	got, err := Nested(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got.Folds, want.Folds) {
		t.Errorf("accuracies %v by rows, %v by the matrix", got.Folds, want.Folds)
	}
}

// A fold by hand: a machine on the training part of the matrix, tested on the rest.
func TestKernelFoldByHand(t *testing.T) {
	p, _ := kernelProblem(t, 60, 3, 0.5)
	o, err := Published(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	kernel, err := p.Settings[0].(KernelSVM).Gram.Gram(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for f, fold := range p.Folds {
		grid := []float64{o.Chosen[0].Value}
		m, err := svm.FitKernelClassifier(context.Background(), kernel, fold.Train, p.Classes, grid, svm.KernelOptions{})
		if err != nil {
			t.Fatal(err)
		}
		predicted, err := m[0].PredictObjects(kernel, fold.Test)
		if err != nil {
			t.Fatal(err)
		}
		if want := Accuracy(predicted, pick(p.Classes, fold.Test)); o.Folds[f] != want {
			t.Errorf("fold %d: accuracy %g, by hand %g", f+1, o.Folds[f], want)
		}
	}
}

func TestKernelMachinesSameBits(t *testing.T) {
	var first string
	for _, workers := range []int{1, 2, 8} {
		for _, fromTrain := range []bool{false, true} {
			p, _ := kernelProblem(t, 50, 3, 0.1, 1)
			p.Workers, p.FromTrain = workers, fromTrain // the vectors look at no graph, so that both are the same
			o, err := Nested(context.Background(), p)
			if err != nil {
				t.Fatal(err)
			}
			got := fmt.Sprint(o.Folds, o.Chosen)
			if first == "" {
				first = got
			}
			if got != first {
				t.Errorf("%d workers, from the training part %v: %s, before %s", workers, fromTrain, got, first)
			}
		}
	}
}

func TestKernelRegression(t *testing.T) {
	x := make([]float64, 60)
	p := Problem{}
	for i := range x {
		x[i] = float64(i*17%60) / 10
		p.Values = append(p.Values, math.Sin(x[i]))
	}
	var err error
	if p.Folds, err = Shuffled(60, 5, 1, 2); err != nil {
		t.Fatal(err)
	}
	points := given{tensor.New(tensor.WithShape(60, 1), tensor.WithBacking(x))}
	for _, gamma := range []float64{1e9, 1} {
		kernel := svm.VectorKernel{Kind: svm.RBFKernel, Gamma: gamma}
		p.Settings = append(p.Settings, KernelSVM{Gram: OnVectors{Vectors: points, Kernel: kernel}, Epsilon: 0.01})
	}
	for name, protocol := range protocols {
		o, err := protocol(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		if o.Metric != MetricRMSE || o.Mean > 0.05 || o.Chosen[0].Setting != 1 {
			t.Errorf("%s: %s %g, chose %+v", name, o.Metric, o.Mean, o.Chosen[0])
		}
	}
}

// given are vectors that need no learning.
type given struct{ x *tensor.Dense }

func (given) String() string                                            { return "points" }
func (g given) Represent(context.Context, []int) (*tensor.Dense, error) { return g.x, nil }

// matrixGram is a kernel matrix as it is.
type matrixGram struct{ k *tensor.Dense }

func (matrixGram) String() string { return "matrix" }
func (g matrixGram) Gram(context.Context, []int) (svm.Kernel, error) {
	m, err := svm.NewMatrix(g.k)
	if err != nil {
		return nil, err
	}
	return m, nil
}

func TestKernelMistakesAreNamed(t *testing.T) {
	square := func(n int, values ...float64) matrixGram {
		k := make([]float64, n*n)
		for i := range n {
			k[i*n+i] = 1
		}
		copy(k, values)
		return matrixGram{tensor.New(tensor.WithShape(n, n), tensor.WithBacking(k))}
	}
	folds := []Split{{Train: []int{0, 1, 2, 3}, Test: []int{4, 5}}, {Train: []int{1, 3, 5}, Test: []int{0}}}
	y := []int{0, 1, 0, 1, 0, 1}
	more := append(y[:6:6], 1)
	nan := math.NaN()
	wide := matrixGram{tensor.New(tensor.WithShape(6, 2), tensor.WithBacking(make([]float64, 12)))}
	one := func(y []int, s KernelSVM) Problem {
		return Problem{Classes: y, Folds: folds[:1], Settings: []Setting{s}}
	}
	for want, p := range map[string]Problem{
		"fold 2, matrix: all 3 objects to train on have class 1": {
			Classes: y, Folds: folds, Settings: []Setting{KernelSVM{Gram: square(6)}},
		},
		"matrix: a representation of 6 rows for 7 targets": one(more, KernelSVM{Gram: square(6)}),
		"fold 1 holds graph 4, which has class -1":         one([]int{0, 1, 0, 1, -1, 1}, KernelSVM{Gram: square(6)}),
		"grid of C is 0":       one(y, KernelSVM{Gram: square(6), C: []float64{0, 1}}),
		"no values of C":       one(y, KernelSVM{Gram: square(6), C: []float64{}}),
		"not symmetric":        one(y, KernelSVM{Gram: square(6, 1, 0.5)}),
		"is NaN":               one(y, KernelSVM{Gram: square(6, nan)}),
		"6 rows and 2 columns": one(y, KernelSVM{Gram: wide}),
		"epsilon is -1": {
			Values: []float64{1, 2, 3, 4, 5, 6}, Folds: folds[:1],
			Settings: []Setting{KernelSVM{Gram: square(6), Epsilon: -1}},
		},
	} {
		if _, err := Published(context.Background(), p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// sharedVectors are vectors that several settings share.
type sharedVectors struct{ *Shared[*tensor.Dense] }

func (sharedVectors) String() string { return "shared" }

func (v sharedVectors) Represent(ctx context.Context, train []int) (*tensor.Dense, error) {
	return v.Get(ctx, train)
}

// Settings that share their vectors compute them once for every training part, and get what they would
// have computed.
func TestSharedVectors(t *testing.T) {
	for _, workers := range []int{1, 3} {
		p, _ := kernelProblem(t, 40, 2)
		plain := p
		v := &calls{Vectors: &noisy{classes: p.Classes, noise: 1}}
		shared := &Shared[*tensor.Dense]{Compute: v.Represent}
		for _, gamma := range []float64{0.1, 1, 10} {
			kernel := svm.VectorKernel{Kind: svm.RBFKernel, Gamma: gamma}
			p.Settings = append(p.Settings, KernelSVM{Gram: OnVectors{Vectors: sharedVectors{shared}, Kernel: kernel}})
			plain.Settings = append(plain.Settings, KernelSVM{Gram: OnVectors{Vectors: v.Vectors, Kernel: kernel}})
		}
		p.FromTrain, plain.FromTrain, p.Workers = true, true, workers
		a, err := Nested(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		if made := v.made.Load(); made != int64(len(p.Folds)) {
			t.Errorf("%d workers: %d representations for %d folds of 3 settings", workers, made, len(p.Folds))
		}
		b, err := Nested(context.Background(), plain)
		if err != nil {
			t.Fatal(err)
		}
		for i := range b.Chosen { // settings are named by their vectors
			if a.Chosen[i].Setting != b.Chosen[i].Setting || a.Chosen[i].Value != b.Chosen[i].Value {
				t.Errorf("fold %d: chose %+v with shared vectors, %+v without", i+1, a.Chosen[i], b.Chosen[i])
			}
		}
		if !reflect.DeepEqual(a.Folds, b.Folds) {
			t.Error("another outcome with shared vectors")
		}
	}
	failed := &Shared[*tensor.Dense]{Compute: failing{}.Represent}
	for range 2 {
		if _, err := failed.Get(context.Background(), nil); err == nil || err.Error() != "no paths" {
			t.Errorf("error %v", err)
		}
	}
}
