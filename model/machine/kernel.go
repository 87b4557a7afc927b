package machine

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/memory"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/model/param"
	"github.com/grove-graph/grove/modelfile"
	"github.com/grove-graph/grove/split"
	"github.com/grove-graph/grove/svm"
	"gorgonia.org/tensor"
)

// GraphKernel is a fitted kernel between graphs, or in a task on vertices between vertices, which it then counts and
// compares in place of graphs.
type GraphKernel interface {
	// NumGraphs returns the number of fitted graphs.
	NumGraphs() int
	// Gram returns the kernel matrix of the fitted graphs, N x N of Float64.
	Gram(ctx context.Context, progress model.Progress) (*tensor.Dense, error)
	// Cross returns the kernel matrix between other graphs and the fitted ones, M x N of Float64.
	Cross(ctx context.Context, b *graph.Batch, progress model.Progress) (*tensor.Dense, error)
	// Largest returns the largest kernel value of the fitted graphs.
	Largest() float64
	// CheckEncoding returns an error where an encoding from a file does not give the kernel what it wants.
	CheckEncoding(e *dataset.Encoding) error
	MarshalJSON() ([]byte, error)
	Tensors() map[string]*tensor.Dense
}

// keeper is a kernel that can forget all fitted graphs but some.
type keeper interface {
	Keep(graphs []int) error
}

// Sums returns sum_j coef_j k(x, x_j) over the fitted graphs for every graph x of b, a column for each list of
// coefficients that it was made for.
type Sums func(ctx context.Context, b *graph.Batch, progress model.Progress) (*tensor.Dense, error)

// Expander is a kernel that adds up its values with the fitted graphs without writing them down.
type Expander interface {
	// Sums makes ready what does not depend on other graphs.
	Sums(coefs [][]float64) Sums
}

// Choice says how a machine on a kernel with explicit features is trained.
type Choice string

// The choices. They have the same optimum.
const (
	Auto     Choice = "auto"   // by rows for classes of more than [ManyGraphs] graphs, else by the matrix
	ByKernel Choice = "kernel" // from the matrix of kernel values
	ByRows   Choice = "linear" // from sparse rows of features: classes alone
)

// ManyGraphs is the number of graphs from which on a matrix of kernel values is avoided: 200 MB and, with its
// computation, seconds.
const ManyGraphs = 5000

// Declare declares the choice.
func (c *Choice) Declare(s *param.Set) {
	param.Choice(s, c, "machine", []Choice{Auto, ByKernel, ByRows},
		"how the support vector machine is trained: kernel, on the matrix between all graphs; linear, on rows of features, "+
			"with memory and time that grow with the graphs, not with their square; both have the same optimum, within "+
			"0.001 of the decisions' margin; auto: linear for classes of more than 5000 graphs")
}

// Linear reports whether a data set is learned from rows. The error says where that cannot be.
func (c Choice) Linear(d *dataset.Dataset) (bool, error) {
	classes := !model.TargetsOf(d).Regression()
	if c == ByRows && !classes {
		return false, param.Errorf("machine", c, "it learns classes, not numbers: leave it out, or take kernel")
	}
	return c == ByRows || (c == Auto || c == "") && classes && d.NumGraphs() > ManyGraphs, nil
}

// AskForMatrices refuses so many kernel matrices between all examples of a data set, graphs or vertices, where there is
// no room for them, before work is put into what they are made of.
func AskForMatrices(d *dataset.Dataset, copies int) error {
	n := d.NumGraphs()
	if d.Task.PerVertex() {
		n = d.Batch.NumVertices()
	}
	return memory.ForMatrices("kernel matrix", copies, n, n)
}

// Kernel learns from a kernel between graphs: classes by a C-SVM for every pair of them ([svm.FitKernelClassifier]),
// numbers by an epsilon-SVR ([svm.FitKernelRegressor]). A training part with a single class is an error.
type Kernel struct {
	Gram    svm.Kernel  // between all graphs
	Rows    *svm.Sparse // or rows of which it is the product; they learn classes alone
	Epsilon float64     // half the width of the tube in which a number is right
}

// Learn is that of [model.Learner].
func (l *Kernel) Learn(ctx context.Context, t model.Trial) ([]*model.Predictions, error) {
	machines, err := l.fit(ctx, &t)
	if err != nil {
		return nil, err
	}
	said := make([]*model.Predictions, len(machines))
	for i, m := range machines {
		if l.Rows != nil {
			said[i] = m.decide(m.Classifier.VotesOf(l.Rows.Decisions(m.Classifier, t.Test, t.Workers)), len(t.Known.Names))
			continue
		}
		if said[i], err = m.ofObjects(l.Gram, t.Test, len(t.Known.Names)); err != nil {
			return nil, err
		}
	}
	return said, nil
}

// fit trains the machines of a trial, one for every value of C.
func (l *Kernel) fit(ctx context.Context, t *model.Trial) ([]onKernel, error) {
	machines, o := make([]onKernel, len(t.Grid)), svm.KernelOptions{Workers: t.Workers}
	if l.Rows != nil {
		trained, err := svm.FitSparseClassifier(ctx, l.Rows, t.Train, t.Known.Classes, t.Grid, o)
		for i, m := range trained {
			machines[i].Classifier = m
		}
		return machines, err
	}
	if t.Known.Regression() {
		trained, err := svm.FitKernelRegressor(ctx, l.Gram, t.Train, t.Known.Values, t.Grid, l.Epsilon, o)
		for i, m := range trained {
			machines[i].Regressor = m
		}
		return machines, err
	}
	trained, err := svm.FitKernelClassifier(ctx, l.Gram, t.Train, t.Known.Classes, t.Grid, o)
	for i, m := range trained {
		machines[i].Classifier = m
	}
	return machines, err
}

// onKernel is a machine on a kernel, a classifier or a regressor.
type onKernel struct {
	Classifier *svm.KernelClassifier `json:"classifier,omitempty"` // nil in a regression
	Regressor  *svm.KernelRegressor  `json:"regressor,omitempty"`  // nil in a classification
}

// ofObjects predicts objects of the kernel that the machine was trained on; classes is the number of those of the data
// set.
func (m onKernel) ofObjects(k svm.Kernel, objects []int, classes int) (*model.Predictions, error) {
	if m.Regressor == nil {
		votes, err := m.Classifier.VotesOfObjects(k, objects)
		if err != nil {
			return nil, err
		}
		return m.decide(votes, classes), nil
	}
	values, err := m.Regressor.PredictObjects(k, objects)
	if err != nil {
		return nil, err
	}
	return &model.Predictions{Values: model.Column(values)}, nil
}

// predict predicts from the kernel with the graphs of the training; classes is the number of those of the data set.
func (m onKernel) predict(k *tensor.Dense, classes int) (*model.Predictions, error) {
	if m.Regressor == nil {
		votes, err := m.Classifier.Votes(k)
		if err != nil {
			return nil, err
		}
		return m.decide(votes, classes), nil
	}
	values, err := m.Regressor.Predict(k)
	if err != nil {
		return nil, err
	}
	return &model.Predictions{Values: model.Column(values)}, nil
}

// decide returns what the votes of a classifier speak for, of so many classes of the data set.
func (m onKernel) decide(votes *tensor.Dense, classes int) *model.Predictions {
	return model.Decide(votes, slices.Sorted(slices.Values(m.Classifier.Classes)), classes)
}

// support returns the objects that the machine depends on, ascending.
func (m onKernel) support() []int {
	if m.Regressor == nil {
		return m.Classifier.Support()
	}
	return m.Regressor.Support()
}

// onSupport returns the machine for kernel values with its support alone.
func (m onKernel) onSupport() onKernel {
	if m.Regressor == nil {
		return onKernel{Classifier: m.Classifier.OnSupport()}
	}
	return onKernel{Regressor: m.Regressor.OnSupport()}
}

// KernelMatrix implements [model.Grammer].
func (l *Kernel) KernelMatrix(context.Context, *model.Targets) (*tensor.Dense, error) {
	m, ok := l.Gram.(*svm.Matrix)
	if !ok {
		return nil, fmt.Errorf("the kernel is not held as a matrix")
	}
	return m.Dense(), nil
}

// Fit trains the machine of a trial with one value of C on a kernel, which l.Gram is the matrix of. Where the kernel
// can forget graphs it keeps the support vectors alone: it must not be used elsewhere.
func (l *Kernel) Fit(
	ctx context.Context, t model.Trial, h model.Head, encoding *dataset.Encoding, kernel GraphKernel,
) (*KernelMachine, error) {
	trained, err := l.fit(ctx, &t)
	if err != nil {
		return nil, err
	}
	p := &KernelMachine{Head: h, Kernel: kernel, onKernel: trained[0], encoding: encoding}
	if forgets, ok := kernel.(keeper); ok {
		support := p.support()
		p.onKernel = p.onSupport()
		return p, forgets.Keep(support)
	}
	return p, nil
}

// KernelMachine is a graph kernel with a support vector machine on it, a classifier or a regressor.
type KernelMachine struct {
	model.Head
	Kernel GraphKernel
	onKernel
	encoding *dataset.Encoding

	ready sync.Once // sums are
	sums  Sums      // of the decisions, without the constants
}

// Encoding implements [model.Model].
func (p *KernelMachine) Encoding() *dataset.Encoding { return p.encoding }

// Predict implements [model.Model].
func (p *KernelMachine) Predict(
	ctx context.Context, d *dataset.Dataset, progress model.Progress,
) (*model.Predictions, error) {
	b, err := p.encoding.Apply(d)
	if err != nil {
		return nil, err
	}
	if expands, ok := p.Kernel.(Expander); ok && p.Classifier != nil && p.Kernel.NumGraphs() > ManyGraphs {
		return p.expand(ctx, expands, b, progress)
	}
	k, err := p.Kernel.Cross(ctx, b, progress)
	if err != nil {
		return nil, err
	}
	return p.predict(k, len(p.Classes))
}

// expand predicts without the matrix of kernel values.
func (p *KernelMachine) expand(
	ctx context.Context, kernel Expander, b *graph.Batch, progress model.Progress,
) (*model.Predictions, error) {
	pairs := p.Classifier.Pairs
	p.ready.Do(func() {
		coefs := make([][]float64, len(pairs))
		for i, pair := range pairs {
			coefs[i] = make([]float64, p.Kernel.NumGraphs())
			for s, g := range pair.Objects {
				coefs[i][g] = pair.Coefficients[s]
			}
		}
		p.sums = kernel.Sums(coefs)
	})
	decisions, err := p.sums(ctx, b, progress)
	if err != nil {
		return nil, err
	}
	for i, values := 0, decisions.Float64s(); i < len(values); i++ {
		values[i] += pairs[i%len(pairs)].Bias
	}
	return model.Decide(p.Classifier.VotesOf(decisions), slices.Sorted(slices.Values(p.Classifier.Classes)),
		len(p.Head.Classes)), nil
}

// storedMachine is what a kernel machine adds to its model file.
type storedMachine struct {
	Encoding *dataset.Encoding `json:"encoding"`
	Kernel   json.RawMessage   `json:"kernel"`
	onKernel
}

// Parts implements [model.Model].
func (p *KernelMachine) Parts() (any, map[string]*tensor.Dense, error) {
	description, err := p.Kernel.MarshalJSON()
	return storedMachine{p.encoding, description, p.onKernel}, p.Kernel.Tensors(), err
}

// Load reads the parts of a kernel machine, the kernel by the given function.
func Load(
	h *model.Head, parts json.RawMessage, kernel func(description json.RawMessage) (GraphKernel, error),
) (*KernelMachine, error) {
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
	if err := k.CheckEncoding(s.Encoding); err != nil {
		return nil, err
	}
	p := &KernelMachine{Head: *h, Kernel: k, onKernel: s.onKernel, encoding: s.Encoding}
	if err := p.check(); err != nil {
		return nil, err
	}
	support := p.support()
	if _, forgets := k.(keeper); forgets && !slices.Equal(support, split.All(k.NumGraphs())) ||
		len(support) > 0 && support[len(support)-1] >= k.NumGraphs() {
		return nil, fmt.Errorf("a machine on %d support vectors of %d graphs", len(support), k.NumGraphs())
	}
	return p, nil
}

// check returns an error where the machine is none on its kernel or of its head.
func (p *KernelMachine) check() error {
	if p.Regressor != nil {
		if len(p.Targets) != 1 || len(p.Classes) > 0 {
			return fmt.Errorf("a regressor of one target on %d targets and %d classes", len(p.Targets), len(p.Classes))
		}
		return p.Regressor.Check()
	}
	if err := p.Classifier.Check(); err != nil {
		return err
	}
	if err := p.Classifier.CheckKernel(p.Kernel.Largest()); err != nil {
		return err
	}
	return checkClasses(&p.Head, p.Classifier.Classes)
}
