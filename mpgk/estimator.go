package mpgk

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/model/machine"
	"github.com/grove-graph/grove/model/param"
	"github.com/grove-graph/grove/svm"
	"gorgonia.org/tensor"
)

// Estimator is a kernel with a support vector machine on it: on graphs, or in a task on vertices on these (see
// [Options].Vertices). Hierarchies and landmarks are learned from graphs without their targets.
type Estimator struct {
	Options  Options
	Features dataset.Features // of the vertices; default attributes as they are, else labels, else degrees
	C        []float64        // to choose from, ascending; nil is [machine.KernelGrid]
	Epsilon  float64          // of a regression: the error that costs nothing
	Machine  machine.Choice   // how the machine is trained, default auto
	Dims     int              // coordinates of a vertex, where vertices are represented; default 2

	shared int // most iterations among estimators that share a fit with this one; 0: its own
}

const defaultDims = 2

// Name implements [model.Estimator].
func (s Estimator) Name() string { return prefix + string(s.Options.Variant) }

// String implements [model.Estimator].
func (s Estimator) String() string {
	text := model.Count(s.Options.Iterations, "iteration")
	if s.Options.SumIterations {
		text = "sum of " + text
	}
	if s.Options.Landmarks > 0 {
		text += ", " + model.Count(s.Options.Landmarks, "landmark")
	}
	return text
}

// Params implements [model.Estimator].
func (s Estimator) Params() any { return s.Options }

// Grid implements [model.Estimator].
func (s Estimator) Grid() model.Grid { return machine.Grid(s.C, machine.KernelGrid()) }

// Sees implements [model.Estimator].
func (s Estimator) Sees(w *model.Work) (*dataset.Encoding, error) { return s.encode(w.Data, nil) }

// encode says what the vertices of d show: attributes as they are, else labels, else degrees, which are what the kernel
// compares where there is nothing else. Hierarchies depend on the order of labels, which follows from the graphs.
func (s Estimator) encode(d *dataset.Dataset, train []int) (*dataset.Encoding, error) {
	features := s.Features
	switch {
	case features == dataset.DegreeFeatures:
		features = dataset.NoFeatures
	case features != dataset.AutoFeatures && features != "":
	case d.Batch.AttributeDim > 0:
		features = dataset.RawAttributes
	case d.Batch.Labels != nil:
		features = dataset.LabelFeatures
	default:
		features = dataset.NoFeatures
	}
	encoding, err := dataset.FitEncoding(d, features, train)
	if err != nil {
		return nil, param.Errorf("features", s.Features, "%w", err)
	}
	encoding.Renumber(d, train)
	return encoding, nil
}

// fitted is a kernel that was fitted on the graphs that some work shows.
type fitted struct {
	encoding *dataset.Encoding
	model    *Model
	graphs   *Graphs // all of the data set
	seen     []int   // that it was fitted on; nil for all
}

// sharedFit is the key of a fitted kernel.
type sharedFit struct {
	options  Options
	features dataset.Features
}

// fit fits the kernel. The kernels of all numbers of iterations come out of one pass; only where it is fitted on all
// graphs and their targets there is one estimator, that of the model.
func (s Estimator) fit(ctx context.Context, w *model.Work) (*fitted, error) {
	o := s.Options
	if o.Vertices = w.Data.Task.PerVertex(); o.Vertices {
		w, o.GraphLandmarks = w.Whole(), 0 // the graphs belong to every part
	}
	if w.Seen != nil || w.Blind {
		o.Iterations = max(o.Iterations, s.shared)
	}
	return model.Shared(w, sharedFit{o, s.Features}, func() (*fitted, error) {
		encoding, err := s.encode(w.Data, w.Seen)
		if err != nil {
			return nil, err
		}
		all, err := encoding.Apply(w.Data)
		if err != nil {
			return nil, err
		}
		on := all
		if w.Seen != nil {
			on = all.Select(w.Seen)
		}
		fitting := time.Now()
		m, err := Fit(ctx, w.Engine, on, o, w.Progress)
		if err != nil {
			return nil, err
		}
		w.Spent.Fitting(fitting)
		f := &fitted{encoding, m, m.train, w.Seen}
		if w.Seen != nil {
			f.graphs, err = m.Transform(ctx, all, w.Progress)
		}
		return f, err
	})
}

// after returns the model of t iterations, which may forget graphs, with all graphs to compare others with.
func (f *fitted) after(t int) *Model {
	m := f.model.after(t)
	if f.seen == nil {
		return m
	}
	m.train, m.selected = f.graphs.under(&m.opt), slices.Repeat([]int{-1}, f.graphs.Len())
	for place, g := range f.seen {
		m.selected[g] = place
	}
	return m
}

// Learner implements [model.Estimator].
func (s Estimator) Learner(ctx context.Context, w *model.Work) (model.Learner, error) {
	byRows, err := s.Machine.Linear(w.Data)
	if err == nil && !byRows {
		err = machine.AskForMatrices(w.Data, 1)
	}
	if err != nil {
		return nil, err
	}
	f, err := s.fit(ctx, w)
	if err != nil {
		return nil, err
	}
	transforming := time.Now()
	if byRows {
		rows := f.graphs.rows(s.Options.Iterations)
		w.Spent.Transforming(transforming)
		return &machineLearner{machine.Kernel{Rows: rows}, s, w, f}, ctx.Err()
	}
	k, err := f.graphs.Gram(s.Options.Iterations)
	if err != nil {
		return nil, err
	}
	w.Progress.Report("gram", 1, 1)
	w.Spent.Transforming(transforming)
	matrix, err := svm.NewMatrix(k)
	if err != nil {
		return nil, err
	}
	return &machineLearner{machine.Kernel{Gram: matrix, Epsilon: s.Epsilon}, s, w, f}, ctx.Err()
}

// machineLearner learns by support vector machines.
type machineLearner struct {
	machine.Kernel
	estimator Estimator
	work      *model.Work
	fitted    *fitted
}

// Model implements [model.Learner].
func (l *machineLearner) Model(ctx context.Context, t model.Trial) (model.Model, error) {
	k := l.fitted.after(l.estimator.Options.Iterations)
	if slices.ContainsFunc(t.Train, func(g int) bool { return k.selected != nil && k.selected[g] < 0 }) {
		return nil, errors.New("a kernel machine learns from graphs that its kernel was fitted on, and from no others")
	}
	return l.Fit(ctx, t, model.HeadOf(l.estimator.Name(), l.work.Data), l.fitted.encoding, k)
}

// KernelMatrix implements [model.Grammer].
func (l *machineLearner) KernelMatrix(ctx context.Context, known *model.Targets) (*tensor.Dense, error) {
	if l.Gram != nil {
		return l.Kernel.KernelMatrix(ctx, known)
	}
	return l.fitted.graphs.Gram(l.estimator.Options.Iterations)
}

// CheckEncoding implements [machine.GraphKernel].
func (m *Model) CheckEncoding(e *dataset.Encoding) error {
	labels, attributes := e.Width()
	if want := (Input{labels, attributes}); m.input != want {
		return fmt.Errorf("an encoding of %+v for a kernel that wants %+v", want, m.input)
	}
	if !slices.IsSorted(m.selected) || len(slices.Compact(slices.Clone(m.selected))) < len(m.selected) {
		return errors.New("the support vectors are not in the order of the graphs")
	}
	return nil
}
