package main

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/eval"
	"github.com/grove-graph/grove/modelfile"
	"github.com/grove-graph/grove/svm"
	"gorgonia.org/tensor"
)

// vectorMachine classifies vectors: by a linear support vector machine, or by one on a kernel between
// vectors, with those that it needs.
type vectorMachine struct {
	linear     *svm.Model
	kernel     svm.VectorKernel
	classifier *svm.KernelClassifier
	support    *tensor.Dense // support vectors x columns
	workers    int
}

// trainMachine trains a machine on the rows of x.
func trainMachine(
	ctx context.Context, x *tensor.Dense, classes []int, kernel svm.VectorKernel, c float64, e engine.Engine,
) (*vectorMachine, error) {
	workers := e.Workers()
	if kernel.Kind == svm.LinearKernel {
		trained, err := svm.FitClassifier(ctx, x, nil, classes, []float64{c}, svm.Options{Workers: workers})
		if err != nil {
			return nil, err
		}
		return &vectorMachine{linear: trained.Model(0), workers: workers}, nil
	}
	k, err := eval.KernelOn(x, kernel, e, 0)
	if err != nil {
		return nil, err
	}
	trained, err := svm.FitKernelClassifier(ctx, k, nil, classes, []float64{c}, svm.KernelOptions{Workers: workers})
	if err != nil {
		return nil, err
	}
	m := &vectorMachine{kernel: kernel, classifier: trained[0].OnSupport(), workers: workers}
	m.support = pickRows(x, trained[0].Support())
	return m, nil
}

// pickRows returns some rows of a Float64 matrix.
func pickRows(x *tensor.Dense, rows []int) *tensor.Dense {
	width := x.Shape()[1]
	var picked []float64
	for _, r := range rows {
		picked = append(picked, x.Float64s()[r*width:(r+1)*width]...)
	}
	return tensor.New(tensor.WithShape(len(rows), width), tensor.WithBacking(picked))
}

// predict classifies the rows of x.
func (m *vectorMachine) predict(x *tensor.Dense) (*predictions, error) {
	if m.linear != nil {
		decisions, err := m.linear.Decisions(x, nil)
		if err != nil {
			return nil, err
		}
		return byDecision(decisions), nil
	}
	k, err := m.kernel.Cross(x, m.support, m.workers)
	if err != nil {
		return nil, err
	}
	return predictVotes(m.classifier, k)
}

// predictVotes classifies by the kernel values k of a machine.
func predictVotes(m *svm.KernelClassifier, k *tensor.Dense) (*predictions, error) {
	decisions, err := m.Votes(k)
	if err != nil {
		return nil, err
	}
	return byDecision(decisions), nil
}

// storedVectors is a machine in a model file; its support vectors are the tensor of the name supportTensor.
type storedVectors struct {
	Linear     *svm.Model            `json:"linear,omitempty"`
	Kernel     *svm.VectorKernel     `json:"kernel,omitempty"`
	Classifier *svm.KernelClassifier `json:"classifier,omitempty"`
}

const supportTensor = "support"

// store describes the machine and adds its support vectors to the tensors of a file.
func (m *vectorMachine) store(tensors map[string]*tensor.Dense) *storedVectors {
	if m.linear != nil {
		return &storedVectors{Linear: m.linear}
	}
	tensors[supportTensor] = m.support
	return &storedVectors{Kernel: &m.kernel, Classifier: m.classifier}
}

// load returns the machine on vectors of the given number of columns.
func (s *storedVectors) load(h *head, f *modelfile.File, columns int) (*vectorMachine, error) {
	if s.Linear != nil {
		if err := s.Linear.Check(); err != nil {
			return nil, err
		}
		if have := len(s.Linear.Scaler.Mean); have != columns {
			return nil, fmt.Errorf("a classifier of %d features on %d columns", have, columns)
		}
		return &vectorMachine{linear: s.Linear, workers: 1}, h.checkLinear(s.Linear)
	}
	if s.Kernel == nil || s.Classifier == nil {
		return nil, fmt.Errorf("its classifier is missing")
	}
	if err := s.Kernel.Check(); err != nil {
		return nil, err
	}
	if err := s.Classifier.Check(); err != nil {
		return nil, err
	}
	x := f.Take(supportTensor)
	switch support := s.Classifier.Support(); {
	case x == nil || x.Dtype() != tensor.Float64 || len(x.Shape()) != 2 || x.Shape()[1] != columns:
		return nil, fmt.Errorf("its support vectors do not have %d columns", columns)
	case !slices.Equal(support, every(x.Shape()[0])):
		return nil, fmt.Errorf("a machine on %d support vectors of %d", len(support), x.Shape()[0])
	}
	for _, v := range x.Float64s() {
		if !(v >= 0 && v <= math.MaxUint32) { // no graph has more vertices or arcs
			return nil, fmt.Errorf("a fingerprint of %g in a support vector", v)
		}
	}
	if err := s.Classifier.CheckKernel(1); err != nil {
		return nil, err
	}
	return &vectorMachine{kernel: *s.Kernel, classifier: s.Classifier, support: x, workers: 1},
		h.checkClasses(s.Classifier.Classes)
}
