package main

import (
	"fmt"

	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

// learningOperations are the ends of a training step.
func learningOperations() []operation {
	return []operation{
		{"softmax-cross-entropy", "loss and gradient of 300 000 rows of 10 classes", softmaxCrossEntropy, everywhere},
		{"adam", "one step of the optimiser for 4 million parameters", adam, everywhere},
	}
}

func softmaxCrossEntropy(t *table) (*task, error) {
	const classes = 10
	n, r := t.sizes.points, newRandom("softmax")
	logits, err := r.matrix(t.engine, tensor.Float32, n, classes)
	if err != nil {
		return nil, err
	}
	loss, grad := t.engine.New(tensor.Float32, n), t.engine.New(tensor.Float32, n, classes)
	classOf := r.indices(n, classes)
	return &task{
		shape: fmt.Sprintf("%d x %d", n, classes),
		run:   func(e engine.Engine) error { return e.SoftmaxCrossEntropy(loss, grad, logits, classOf, nil) },
		units: float64(n), unit: "rows/s",
		floor: floor{exps32: float64(n * classes), bytes: 4 * float64(2*n*classes+2*n)},
	}, nil
}

func adam(t *table) (*task, error) {
	n, r := t.sizes.parameters, newRandom("adam")
	parameter, err := r.matrix(t.engine, tensor.Float32, n)
	if err != nil {
		return nil, err
	}
	gradient, err := r.matrix(t.engine, tensor.Float32, n)
	if err != nil {
		return nil, err
	}
	first, second := t.engine.New(tensor.Float32, n), t.engine.New(tensor.Float32, n)
	step := engine.Adam{Rate: 1e-3, Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8, Step: 1}
	of := []engine.AdamState{{Parameter: parameter, Moment1: first, Moment2: second, Gradient: gradient}}
	return &task{
		shape: fmt.Sprintf("%d parameters", n),
		run:   func(e engine.Engine) error { return e.Adam(of, step) },
		units: float64(n), unit: "parameters/s",
		floor: floor{flops32: 12 * float64(n), bytes: 28 * float64(n)},
	}, nil
}
