package main

import (
	"context"
	"fmt"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/svm"
	"github.com/grove-graph/grove/wl"
)

// kernelOperations train kernel machines on the normalised Weisfeiler-Lehman subtree kernel of NCI1 with 5
// rounds, with the tolerance of the published code. LIBSVM (in its own process, precomputed kernel, one
// thread) takes the CPU seconds given here.
func kernelOperations() []operation {
	return []operation{
		{"c-svm-1", "C-SVM on a kernel matrix: the WL subtree kernel of NCI1, C = 1", kernelMachine(1, 0.19), onHost},
		{"c-svm-10", "the same with C = 10", kernelMachine(10, 0.45), onHost},
		{"c-svm-100", "the same with C = 100", kernelMachine(100, 0.49), onHost},
	}
}

func kernelMachine(c, libsvm float64) func(t *table) (*task, error) {
	return func(t *table) (*task, error) {
		s, err := t.inputs.molecules()
		if err != nil {
			return nil, err
		}
		ctx := context.Background()
		m, err := wl.Fit(ctx, t.engine.Host(), s.batch, wl.DefaultOptions(wl.Subtree), nil)
		if err != nil {
			return nil, err
		}
		gram, err := m.Gram(ctx, nil)
		if err != nil {
			return nil, err
		}
		k, err := svm.NewMatrix(gram)
		if err != nil {
			return nil, err
		}
		fit := func(workers int) (*svm.Expansion, error) {
			o := svm.KernelOptions{Workers: workers}
			trained, err := svm.FitKernelClassifier(ctx, k, nil, s.classes, []float64{c}, o)
			if err != nil {
				return nil, err
			}
			return &trained[0].Pairs[0].Expansion, nil
		}
		first, err := fit(1)
		if err != nil {
			return nil, err
		}
		out := &task{
			shape: fmt.Sprintf("%s: %d x %d, %d support vectors, %d steps, objective %.6g",
				s.from, k.Len(), k.Len(), len(first.Objects), first.Steps, first.Objective),
			run: func(e engine.Engine) error {
				_, err := fit(e.Workers())
				return err
			},
			units: 1, unit: "machines/s",
		}
		if s.from == "NCI1" {
			out.rate = target{"machines in a second, as many as LIBSVM trains", 1 / libsvm, atLeast}
			out.against = func(*runner) (*rival, error) {
				return &rival{Name: "LIBSVM on another machine", Seconds: libsvm}, nil
			}
		}
		return out, nil
	}
}
