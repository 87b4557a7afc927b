package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/eval"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/memory"
	"github.com/grove-graph/grove/modelfile"
	"github.com/grove-graph/grove/svm"
	"gorgonia.org/tensor"
)

// graphKernel is a fitted kernel between graphs.
type graphKernel interface {
	// NumGraphs returns the number of fitted graphs.
	NumGraphs() int
	// Gram returns the kernel matrix of the fitted graphs.
	gram(ctx context.Context, report func(string, int, int)) (*tensor.Dense, error)
	// cross returns the kernel matrix between other graphs and the fitted ones.
	cross(ctx context.Context, b *graph.Batch, report func(string, int, int)) (*tensor.Dense, error)
	// Largest returns the largest kernel value of the fitted graphs.
	Largest() float64
	// checkEncoding returns an error where an encoding from a file does not give the kernel what it wants.
	checkEncoding(e *dataset.Encoding) error
	MarshalJSON() ([]byte, error)
	Tensors() map[string]*tensor.Dense
}

// keeper is a kernel that can forget all fitted graphs but some.
type keeper interface {
	Keep(graphs []int) error
}

// kernelSetting is one choice of options of a graph kernel with a support vector machine on it.
type kernelSetting struct {
	eval.KernelSVM
	model   string
	options any
	work    *work
	fit     func(ctx context.Context) (*dataset.Encoding, graphKernel, error) // on all graphs
}

func (s *kernelSetting) params() any { return s.options }

// gram implements grammer.
func (s *kernelSetting) gram(ctx context.Context) (*tensor.Dense, error) {
	if err := s.work.askForMatrices(1); err != nil {
		return nil, err
	}
	_, k, err := s.fit(ctx)
	if err != nil {
		return nil, err
	}
	return k.gram(ctx, s.work.report)
}

// train implements setting: a machine on the kernel between all graphs that have a class or target. Where
// the kernel can forget graphs, the support vectors alone are kept.
func (s *kernelSetting) train(ctx context.Context, c float64) (predictor, error) {
	if err := s.work.askForMatrices(1); err != nil {
		return nil, err
	}
	fitting := time.Now()
	encoding, k, err := s.fit(ctx)
	if err != nil {
		return nil, err
	}
	s.work.spent.fitting(fitting)
	transforming := time.Now()
	gram, err := k.gram(ctx, s.work.report)
	if err != nil {
		return nil, err
	}
	s.work.spent.transforming(transforming)
	p := &kernelMachine{encoding: encoding, kernel: k}
	return p, p.fit(ctx, s, gram, c)
}

// askForMatrices refuses so many kernel matrices between all graphs where there is no room for them, before work is
// put into what they are made of.
func (w *work) askForMatrices(copies int) error {
	n := w.data.NumGraphs()
	return memory.ForMatrices("kernel matrix", copies, n, n)
}

// kernelMachine is a graph kernel with a support vector machine on it, a classifier or a regressor.
type kernelMachine struct {
	head
	encoding   *dataset.Encoding
	kernel     graphKernel
	classifier *svm.KernelClassifier
	regressor  *svm.KernelRegressor
}

// fit trains the machine and forgets the graphs that it does not need.
func (p *kernelMachine) fit(ctx context.Context, s *kernelSetting, gram *tensor.Dense, c float64) error {
	d := s.work.data
	matrix, err := svm.NewMatrix(gram)
	if err != nil {
		return err
	}
	x := examplesOf(d)
	p.head = head{Model: s.model, Task: x.task, Classes: d.ClassNames, Targets: d.TargetNames}
	opt := svm.KernelOptions{Workers: s.work.engine.Workers()}
	forgets, ok := p.kernel.(keeper)
	if x.classes != nil {
		trained, err := svm.FitKernelClassifier(ctx, matrix, x.known, x.classes, []float64{c}, opt)
		if err != nil {
			return err
		}
		if p.classifier = trained[0]; ok {
			p.classifier = trained[0].OnSupport()
			return forgets.Keep(trained[0].Support())
		}
		return nil
	}
	trained, err := svm.FitKernelRegressor(ctx, matrix, x.known, x.values, []float64{c}, s.Epsilon, opt)
	if err != nil {
		return err
	}
	if p.regressor = trained[0]; ok {
		p.regressor = trained[0].OnSupport()
		return forgets.Keep(trained[0].Support())
	}
	return nil
}

// predict implements predictor.
func (p *kernelMachine) predict(
	ctx context.Context, d *dataset.Dataset, report func(string, int, int),
) (*predictions, error) {
	b, err := p.encoding.Apply(d)
	if err != nil {
		return nil, err
	}
	k, err := p.kernel.cross(ctx, b, report)
	if err != nil {
		return nil, err
	}
	if p.regressor != nil {
		values, err := p.regressor.Predict(k)
		if err != nil {
			return nil, err
		}
		return &predictions{values: column(values)}, nil
	}
	return predictVotes(p.classifier, k)
}

// unknownLabels implements predictor.
func (p *kernelMachine) unknownLabels(d *dataset.Dataset) []string { return p.encoding.Unknown(d) }

// storedMachine is what a kernel machine adds to its model file.
type storedMachine struct {
	Encoding   *dataset.Encoding     `json:"encoding"`
	Kernel     json.RawMessage       `json:"kernel"`
	Classifier *svm.KernelClassifier `json:"classifier,omitempty"`
	Regressor  *svm.KernelRegressor  `json:"regressor,omitempty"`
}

// parts implements predictor.
func (p *kernelMachine) parts() (any, map[string]*tensor.Dense, error) {
	description, err := p.kernel.MarshalJSON()
	return storedMachine{p.encoding, description, p.classifier, p.regressor}, p.kernel.Tensors(), err
}

// loadMachine reads the parts of a kernel machine, the kernel by the given function.
func loadMachine(
	h *head, parts json.RawMessage, kernel func(description json.RawMessage) (graphKernel, error),
) (predictor, error) {
	var s storedMachine
	if err := modelfile.Unmarshal(parts, &s); err != nil {
		return nil, err
	}
	if s.Encoding == nil || (s.Classifier == nil) == (s.Regressor == nil) {
		return nil, fmt.Errorf("it wants an encoding, and a classifier or a regressor")
	}
	if err := s.Encoding.Check(); err != nil {
		return nil, err
	}
	k, err := kernel(s.Kernel)
	if err != nil {
		return nil, err
	}
	if err := k.checkEncoding(s.Encoding); err != nil {
		return nil, err
	}
	var support []int
	if s.Classifier != nil {
		if err := s.Classifier.Check(); err != nil {
			return nil, err
		}
		if err := s.Classifier.CheckKernel(k.Largest()); err != nil {
			return nil, err
		}
		if err := h.checkClasses(s.Classifier.Classes); err != nil {
			return nil, err
		}
		support = s.Classifier.Support()
	} else {
		if err := s.Regressor.Check(); err != nil {
			return nil, err
		}
		if len(h.Targets) != 1 || len(h.Classes) > 0 {
			return nil, fmt.Errorf("a regressor of one target on %d targets and %d classes", len(h.Targets), len(h.Classes))
		}
		support = s.Regressor.Support()
	}
	if _, forgets := k.(keeper); forgets && !slices.Equal(support, every(k.NumGraphs())) ||
		len(support) > 0 && support[len(support)-1] >= k.NumGraphs() {
		return nil, fmt.Errorf("a machine on %d support vectors of %d graphs", len(support), k.NumGraphs())
	}
	return &kernelMachine{*h, s.Encoding, k, s.Classifier, s.Regressor}, nil
}

// kernelOf is a kernel matrix under a name, for package eval.
type kernelOf struct {
	name   string
	matrix func(ctx context.Context, train []int) (svm.Kernel, error)
}

func (k kernelOf) String() string { return k.name }

// Gram implements [eval.Gram].
func (k kernelOf) Gram(ctx context.Context, train []int) (svm.Kernel, error) {
	return k.matrix(ctx, train)
}
