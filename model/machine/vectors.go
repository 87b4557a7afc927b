package machine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/modelfile"
	"github.com/grove-graph/grove/rounds"
	"github.com/grove-graph/grove/split"
	"github.com/grove-graph/grove/svm"
	"gorgonia.org/tensor"
)

// Vectors learns classes from vectors: by linear support vector machines with the squared hinge loss on features that
// are standardised on the training part ([svm.FitClassifier], and [svm.FitFolds] to choose C), or by machines on a
// kernel between the vectors.
type Vectors struct {
	OneScale bool           // of a linear machine: see [svm.Options]
	Rounds   *rounds.Rounds // who goes over the rows of the machine that is kept; nil: this process

	x      *tensor.Dense
	kernel svm.VectorKernel
	gram   svm.Kernel // nil where the machine is linear
}

// kernelMemory bounds the bytes of a kernel matrix. The rows of a larger one are computed when they are asked for, and
// as many as fit are kept.
const kernelMemory = 1 << 30

// OnVectors returns a learner on the rows of x, N x D of Float32 or Float64. The zero kernel is the linear one.
func OnVectors(x *tensor.Dense, kernel svm.VectorKernel, e engine.Engine) (*Vectors, error) {
	if x == nil || len(x.Shape()) != 2 {
		return nil, fmt.Errorf("the representation is not a matrix with a row for each graph")
	}
	v := &Vectors{x: x, kernel: kernel}
	if linear(kernel) {
		return v, nil
	}
	var err error
	v.gram, err = kernelOn(x, kernel, e, kernelMemory)
	return v, err
}

func linear(k svm.VectorKernel) bool { return k.Kind == "" || k.Kind == svm.LinearKernel }

// kernelOn returns the kernel between the rows of x: its matrix, or where that takes too many bytes its rows.
func kernelOn(x *tensor.Dense, kernel svm.VectorKernel, e engine.Engine, memory int) (svm.Kernel, error) {
	if n := x.Shape()[0]; 8*n*n > memory {
		return kernel.Rows(e, x, memory)
	}
	k, err := kernel.Gram(x, e.Workers())
	if err != nil {
		return nil, err
	}
	return svm.NewMatrix(k)
}

var errNumbers = errors.New("a classifier of vectors cannot learn numbers")

// options are those of a linear machine.
func (v *Vectors) options(t *model.Trial) svm.Options {
	return svm.Options{Workers: t.Workers, OneScale: v.OneScale}
}

// Learn is that of [model.Learner].
func (v *Vectors) Learn(ctx context.Context, t model.Trial) ([]*model.Predictions, error) {
	all, err := v.LearnAll(ctx, []model.Trial{t})
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// alone trains the machines of a trial by themselves.
func (v *Vectors) alone(ctx context.Context, t model.Trial) ([]*model.Predictions, error) {
	if t.Known.Regression() {
		return nil, errNumbers
	}
	if v.gram != nil {
		return (&Kernel{Gram: v.gram}).Learn(ctx, t)
	}
	classifier, err := svm.FitClassifier(ctx, v.x, t.Train, t.Known.Classes, t.Grid, v.options(&t))
	if err != nil {
		return nil, err
	}
	decisions, err := classifier.Decisions(v.x, t.Test)
	if err != nil {
		return nil, err
	}
	return said(decisions, classifier.Classes, len(t.Known.Names)), nil
}

// said are predictions for every value of a grid, by decisions about the known ones of so many classes.
func said(decisions []*tensor.Dense, known []int, classes int) []*model.Predictions {
	all := make([]*model.Predictions, len(decisions))
	for k, of := range decisions {
		all[k] = model.Decide(of, known, classes)
	}
	return all
}

// LearnAll is that of [model.JointLearner]: machines with few columns for their rows take their steps side by side,
// unless those do not end.
func (v *Vectors) LearnAll(ctx context.Context, trials []model.Trial) ([][]*model.Predictions, error) {
	if v.gram == nil && !v.OneScale && !slices.ContainsFunc(trials, func(t model.Trial) bool {
		return t.Known.Regression() || len(t.Grid) < 2 || !manyRows(len(t.Train), v.x.Shape()[1])
	}) {
		all, err := learnFolds(ctx, svm.InMemory(v.x), trials)
		if hidden := (*svm.NoSolutionError)(nil); !errors.As(err, &hidden) {
			return all, err
		}
	}
	all := make([][]*model.Predictions, len(trials))
	for i, t := range trials {
		var err error
		if all[i], err = v.alone(ctx, t); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// manyRows says where normal equations over the columns are the way, whatever rows are active.
func manyRows(rows, columns int) bool { return rows >= rowsPerColumn*columns }

const rowsPerColumn = 4

// choiceTolerance bounds how far weights that a constant is chosen by are from the optimum, in terms of their length.
const choiceTolerance = 1e-5

// learnFolds trains the machines of trials with the same grid side by side.
func learnFolds(ctx context.Context, x svm.Source, trials []model.Trial) ([][]*model.Predictions, error) {
	folds, classes := make([]split.Fold, len(trials)), slices.Clone(trials[0].Known.Classes)
	for i, t := range trials {
		folds[i] = split.Fold{Train: t.Train, Test: t.Test}
		for _, row := range t.Train {
			classes[row] = t.Known.Classes[row]
		}
	}
	paths, err := svm.FitFolds(ctx, x, classes, folds, trials[0].Grid,
		svm.Options{Workers: trials[0].Workers, Tolerance: choiceTolerance})
	if err != nil {
		return nil, err
	}
	all := make([][]*model.Predictions, len(trials))
	for i, path := range paths {
		all[i] = said(path.Decisions, path.Classes, len(trials[i].Known.Names))
	}
	return all, nil
}

// Fit trains the machine of a trial with one value of C.
func (v *Vectors) Fit(ctx context.Context, t model.Trial) (*VectorMachine, error) {
	if t.Known.Regression() {
		return nil, errNumbers
	}
	m := &VectorMachine{classes: len(t.Known.Names), workers: t.Workers}
	if v.gram != nil {
		trained, err := (&Kernel{Gram: v.gram}).fit(ctx, &t)
		if err != nil {
			return nil, err
		}
		m.kernel, m.onKernel, m.support = v.kernel, trained[0].onSupport(), model.Rows(v.x, trained[0].support())
		return m, nil
	}
	rows := t.Train
	if len(rows) == v.x.Shape()[0] {
		rows = nil // all, without a copy
	}
	var err error
	if svm.Rowwise(len(t.Train), v.x.Shape()[1]) {
		m.Linear, err = svm.FitRows(ctx, v.x, rows, t.Known.Classes, t.Grid[0], v.options(&t), v.Rounds)
		if hidden := (*svm.NoSolutionError)(nil); !errors.As(err, &hidden) {
			return m, err
		}
	}
	m.Linear, err = rounds.Keep(v.Rounds, func() (*svm.Model, error) {
		trained, err := svm.FitClassifier(ctx, v.x, rows, t.Known.Classes, t.Grid, v.options(&t))
		if err != nil {
			return nil, err
		}
		return trained.Model(0), nil
	})
	return m, err
}

// VectorMachine classifies vectors: by a linear machine, or by one on a kernel with the vectors that it needs.
type VectorMachine struct {
	Linear   *svm.Model // nil where it is not linear
	onKernel            // where it is not linear
	kernel   svm.VectorKernel
	support  *tensor.Dense // support vectors x columns
	classes  int           // of the data set
	workers  int
}

// Predict classifies the rows of x.
func (m *VectorMachine) Predict(x *tensor.Dense) (*model.Predictions, error) {
	if m.Linear != nil {
		decisions, err := m.Linear.Decisions(x, nil)
		if err != nil {
			return nil, err
		}
		return model.Decide(decisions, m.Linear.Classes, m.classes), nil
	}
	k, err := m.kernel.Cross(x, m.support, m.workers)
	if err != nil {
		return nil, err
	}
	return m.predict(k, m.classes)
}

// StoredVectors is a machine on vectors in a model file; its support vectors are the tensor "support".
type StoredVectors struct {
	Linear     *svm.Model            `json:"linear,omitempty"`
	Kernel     *svm.VectorKernel     `json:"kernel,omitempty"`
	Classifier *svm.KernelClassifier `json:"classifier,omitempty"`
}

const supportTensor = "support"

// Store describes the machine and adds its support vectors to the tensors of a file.
func (m *VectorMachine) Store(tensors map[string]*tensor.Dense) *StoredVectors {
	if m.Linear != nil {
		return &StoredVectors{Linear: m.Linear}
	}
	tensors[supportTensor] = m.support
	return &StoredVectors{Kernel: &m.kernel, Classifier: m.Classifier}
}

// Load returns the machine on vectors of the given number of columns. It returns an error where the stored one is none
// on such vectors, or none of the classes of the head.
func (s *StoredVectors) Load(h *model.Head, f *modelfile.File, columns int) (*VectorMachine, error) {
	if s.Linear != nil {
		examples := 0
		if h.Task == model.GraphTask { // of vertices the head does not know the number, see LoadVertices
			examples = h.Training.Graphs
		}
		return LoadLinear(h, s.Linear, columns, examples)
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
	case !slices.Equal(support, split.All(x.Shape()[0])):
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
	return &VectorMachine{
		onKernel: onKernel{Classifier: s.Classifier}, kernel: *s.Kernel, support: x, classes: len(h.Classes), workers: 1,
	}, checkClasses(h, s.Classifier.Classes)
}

// LoadLinear returns a linear machine from a file, and an error where it is none on vectors of so many columns, none of
// the classes of the head, or none that was trained on so many examples; 0 stands for a number that is not known.
func LoadLinear(h *model.Head, m *svm.Model, columns, examples int) (*VectorMachine, error) {
	if err := m.Check(); err != nil {
		return nil, err
	}
	if have := len(m.Scaler.Mean); have != columns {
		return nil, fmt.Errorf("a classifier of %d features on %d columns", have, columns)
	}
	if examples > 0 {
		if err := m.CheckTrained(examples); err != nil {
			return nil, err
		}
	}
	return &VectorMachine{Linear: m, classes: len(h.Classes), workers: 1}, checkClasses(h, m.Classes)
}

// checkClasses returns an error where a classifier tells apart others than classes of the head, each once.
func checkClasses(h *model.Head, classes []int) error {
	sorted := slices.Sorted(slices.Values(classes))
	if len(slices.Compact(sorted)) < len(classes) || sorted[0] < 0 || sorted[len(sorted)-1] >= len(h.Classes) {
		return fmt.Errorf("a classifier of the classes %v for %d names of classes", classes, len(h.Classes))
	}
	return nil
}
