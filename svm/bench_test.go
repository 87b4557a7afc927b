package svm

import (
	"context"
	"fmt"
	"math"
	"testing"
	"time"

	"gorgonia.org/tensor"

	"github.com/grove-graph/grove/split"
)

// BenchmarkFitPath solves one fold for the grid of 60 values on one core. The shapes are those of
// MUTAG and of NCI1 with few and with many filters.
func BenchmarkFitPath(b *testing.B) {
	for _, shape := range [][2]int{{170, 512}, {1000, 512}, {3700, 512}, {3700, 3072}, {3700, 6144}} {
		b.Run(fmt.Sprintf("%dx%d", shape[0], shape[1]), func(b *testing.B) {
			x, y := sample(shape[0], shape[1], tensor.Float32, 1)
			scaler, err := fitScaler(x, nil)
			if err != nil {
				b.Fatal(err)
			}
			z, err := scaler.Transform(x, nil)
			if err != nil {
				b.Fatal(err)
			}
			steps := 0
			for b.Loop() {
				p, err := FitPath(context.Background(), z, nil, y, CGrid(), Options{})
				if err != nil {
					b.Fatal(err)
				}
				steps = 0
				for _, s := range p.Iterations {
					steps += s
				}
			}
			b.ReportMetric(float64(steps)/60, "Newton-steps/C")
		})
	}
}

// BenchmarkFitFolds chooses among 60 values of C by five folds, side by side and one after another.
func BenchmarkFitFolds(b *testing.B) {
	x, y := sample(3700, 512, tensor.Float32, 1)
	classes := make([]int, len(y))
	for i, v := range y {
		classes[i] = int(v)
	}
	folds, err := split.Stratified(classes, 5, 1)
	if err != nil {
		b.Fatal(err)
	}
	o := Options{Tolerance: 1e-5}
	b.Run("together", func(b *testing.B) {
		for b.Loop() {
			if _, err := FitFolds(context.Background(), InMemory(x), classes, folds, CGrid(), o); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("alone", func(b *testing.B) {
		for b.Loop() {
			for _, fold := range folds {
				if _, err := FitClassifier(context.Background(), x, fold.Train, classes, CGrid(), Options{}); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}

// BenchmarkGram computes the kernel matrix of 2000 rows of 640 numbers, of which a twentieth are not zero, on one core,
// by turns with the plain double loop over all pairs and all numbers.
func BenchmarkGram(b *testing.B) {
	x, _ := sample(2000, 640, tensor.Float64, 1)
	for at, v := range x.Float64s() {
		if x.Float64s()[at] = math.Abs(v); at*7919%20 != 0 {
			x.Float64s()[at] = 0
		}
	}
	for _, k := range []VectorKernel{{Kind: LinearKernel}, {Kind: RBFKernel, Gamma: 0.01}, {Kind: JaccardKernel}} {
		b.Run(k.Kind, func(b *testing.B) {
			var gram, plain time.Duration
			for b.Loop() {
				start := time.Now()
				if _, err := k.Gram(x, 1); err != nil {
					b.Fatal(err)
				}
				gram += time.Since(start)
				start = time.Now()
				plainGram(k, x)
				plain += time.Since(start)
			}
			b.ReportMetric(gram.Seconds()/float64(b.N), "s")
			b.ReportMetric(plain.Seconds()/gram.Seconds(), "times")
		})
	}
}

// plainGram computes a kernel matrix entry by entry.
func plainGram(k VectorKernel, x *tensor.Dense) []float64 {
	n, d, data := x.Shape()[0], x.Shape()[1], x.Float64s()
	out := make([]float64, n*n)
	for i := range n {
		for j := range n {
			out[i*n+j] = plainKernels[k.Kind](k.Gamma, data[i*d:(i+1)*d], data[j*d:(j+1)*d])
		}
	}
	return out
}
