package svm

import (
	"context"
	"testing"
)

// No training leads out of the bounds that a stored classifier is held against, and weights far beyond are refused.
func TestTrainedClassifiersAreWithinTheirBounds(t *testing.T) {
	ctx, grid := context.Background(), []float64{1e-4, 1e-2, 1, 100, 1e6}
	for _, p := range randomProblems(42) {
		classes := make([]int, len(p.y))
		for i, y := range p.y {
			if y > 0 {
				classes[i] = 1
			}
		}
		trained, err := FitClassifier(ctx, p.x(), nil, classes, grid, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for k := range grid {
			m := trained.Model(k)
			if err := m.Check(); err != nil {
				t.Errorf("%s, C %g: %v", p.name, grid[k], err)
			}
			if err := m.CheckTrained(len(p.rows)); err != nil {
				t.Errorf("%s, C %g: %v", p.name, grid[k], err)
			}
			for i := range m.Weights {
				m.Bias[i] = 1e30
				if m.CheckTrained(len(p.rows)) == nil {
					t.Errorf("%s, C %g: a bias of 1e30 is taken", p.name, grid[k])
				}
				m.Bias[i], m.Weights[i][0] = 0, 1e30
				if m.CheckTrained(len(p.rows)) == nil {
					t.Errorf("%s, C %g: a weight of 1e30 is taken", p.name, grid[k])
				}
			}
		}
	}
}

func TestTrainedKernelMachinesAreWithinTheirBounds(t *testing.T) {
	ctx, grid := context.Background(), []float64{1e-3, 1, 1e3}
	for seed := range uint64(12) {
		kernel := []string{"linear", "gaussian"}[seed%2]
		k, y := cloud(40, 3, 2+int(seed%3), kernel, seed)
		largest := 0.0
		for i := range k {
			largest = max(largest, k[i][i])
		}
		machines, err := FitKernelClassifier(ctx, kernelOf(t, k), nil, y, grid, KernelOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for i, m := range machines {
			if err := m.Check(); err != nil {
				t.Errorf("%s, C %g: %v", kernel, grid[i], err)
			}
			if err := m.CheckKernel(largest); err != nil {
				t.Errorf("%s, C %g: %v", kernel, grid[i], err)
			}
			m.Pairs[0].Bias = 1e30
			if m.CheckKernel(largest) == nil {
				t.Errorf("%s, C %g: a bias of 1e30 is taken", kernel, grid[i])
			}
		}
		targets := make([]float64, len(y))
		for i, c := range y {
			targets[i] = float64(c) * 10
		}
		regressors, err := FitKernelRegressor(ctx, kernelOf(t, k), nil, targets, grid, 0.1, KernelOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for i, m := range regressors {
			if err := m.Check(); err != nil {
				t.Errorf("%s, C %g: %v", kernel, grid[i], err)
			}
		}
	}
}
