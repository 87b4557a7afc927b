package main

import (
	"errors"
	"fmt"

	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

// The sizes of a training step of GCKN-path: the filters and graphs of a batch, and the lengths of paths.
const (
	stepFilters = 32
	stepGraphs  = 32
	stepLengths = 4
	stepLabels  = 37 // of NCI1
)

// stepOperations are those of a training step whose data are so few that it is their launches that take time.
func stepOperations() []operation {
	return []operation{
		{"project", "4 channels of 32 rows, interleaved, by matrices of order 32", projectRows, everywhere},
		{"project-grad", "the gradients of the rows and of the matrices", projectGradients, everywhere},
		{"gram-grad", "gradient of 4 kernel matrices of order 32, labels of NCI1", gramGradient, everywhere},
		{"invsqrt-grad-step", "gradient through 4 inverse square roots of order 32", invSqrtGradStep, everywhere},
		{"linear", "2 outputs of 32 rows of 128 numbers", linearLayer, everywhere},
	}
}

// projected returns the rows, the matrices and the interleaved result of a projection.
func projected(t *table, name string) (x, a, y *tensor.Dense, p engine.Projection, err error) {
	r := newRandom(name)
	p = engine.Projection{Offsets: make([]int32, stepLengths+1), Interleaved: true}
	for c := range p.Offsets {
		p.Offsets[c] = int32(c * stepGraphs)
	}
	if x, err = r.matrix(t.engine, tensor.Float32, stepLengths*stepGraphs, stepFilters); err != nil {
		return
	}
	if y, err = r.matrix(t.engine, tensor.Float32, stepGraphs, stepLengths*stepFilters); err != nil {
		return
	}
	a, err = r.matrix(t.engine, tensor.Float64, stepLengths, stepFilters, stepFilters)
	return
}

const projectFlops = 2 * stepLengths * stepGraphs * stepFilters * stepFilters

func projectRows(t *table) (*task, error) {
	x, a, y, p, err := projected(t, "project")
	if err != nil {
		return nil, err
	}
	return &task{
		shape: fmt.Sprintf("%d channels of %d x %d", stepLengths, stepGraphs, stepFilters),
		run:   func(e engine.Engine) error { return e.Project(y, x, a, p) },
		units: projectFlops, unit: "FLOP/s",
		floor: floor{flops32: projectFlops, bytes: 4*float64(x.Size()+y.Size()) + 8*float64(a.Size())},
	}, nil
}

func projectGradients(t *table) (*task, error) {
	x, a, y, p, err := projected(t, "project-grad")
	if err != nil {
		return nil, err
	}
	xGrad, aGrad := t.engine.New(tensor.Float32, x.Shape()...), t.engine.New(tensor.Float64, a.Shape()...)
	return &task{
		shape: fmt.Sprintf("%d channels of %d x %d", stepLengths, stepGraphs, stepFilters),
		run:   func(e engine.Engine) error { return e.ProjectGrad(xGrad, aGrad, y, x, a, p) },
		units: 2 * projectFlops, unit: "FLOP/s",
		floor: floor{flops32: 2 * projectFlops, bytes: 4*float64(2*x.Size()+y.Size()) + 16*float64(a.Size())},
	}, nil
}

func gramGradient(t *table) (*task, error) {
	r := newRandom("gram-grad")
	z, err := r.unit(t.engine, tensor.Float32, stepLengths, stepFilters, stepLabels)
	if err != nil {
		return nil, err
	}
	shape := []int{stepLengths, stepFilters, stepFilters}
	gradient, err := r.matrix(t.engine, tensor.Float64, shape...)
	if err != nil {
		return nil, err
	}
	k := t.engine.New(tensor.Float64, shape...)
	if err := t.engine.Gram(k, z, gramKernel(), true); err != nil {
		return nil, err
	}
	out := t.engine.New(tensor.Float32, z.Shape()...)
	const flops = 2 * stepLengths * stepFilters * stepFilters * stepLabels
	return &task{
		shape: fmt.Sprintf("%d x %d x %d", stepLengths, stepFilters, stepLabels),
		run:   func(e engine.Engine) error { return e.GramGrad(out, nil, z, gradient, k, gramKernel(), true) },
		units: flops, unit: "FLOP/s",
		floor: floor{flops64: flops, bytes: 8 * float64(z.Size()+2*k.Size())},
	}, nil
}

func invSqrtGradStep(t *table) (*task, error) { return invSqrtGrad(t, stepLengths, stepFilters) }

func linearLayer(t *table) (*task, error) {
	const outputs, d = 2, stepLengths * stepFilters
	r := newRandom("linear")
	x, errX := r.matrix(t.engine, tensor.Float32, stepGraphs, d)
	w, errW := r.matrix(t.engine, tensor.Float32, outputs, d)
	b, errB := r.matrix(t.engine, tensor.Float32, 1, outputs)
	if err := errors.Join(errX, errW, errB); err != nil {
		return nil, err
	}
	y := t.engine.New(tensor.Float32, stepGraphs, outputs)
	const flops = 2 * stepGraphs * outputs * d
	return &task{
		shape: fmt.Sprintf("%d x %d, %d outputs", stepGraphs, d, outputs),
		run:   func(e engine.Engine) error { return e.Linear(y, x, w, b) },
		units: flops, unit: "FLOP/s",
		floor: floor{flops32: flops, bytes: 4 * float64(x.Size()+w.Size()+y.Size())},
	}, nil
}
