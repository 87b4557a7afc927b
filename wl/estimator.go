package wl

import (
	"context"
	"fmt"
	"slices"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/model/machine"
	"github.com/grove-graph/grove/model/param"
	"github.com/grove-graph/grove/svm"
	"gorgonia.org/tensor"
)

// Estimator is a kernel with a support vector machine on it: on graphs, or in a task on vertices on these (see
// [Options].Vertices). The kernel of two graphs does not depend on others, so that it learns nothing without targets.
type Estimator struct {
	Options  Options
	Features dataset.Features // of the vertices; default labels where there are any, else nothing
	C        []float64        // to choose from, ascending; nil is [machine.KernelGrid]
	Epsilon  float64          // of a regression: the error that costs nothing
	Machine  machine.Choice   // how the machine is trained, default auto

	rounds []int // numbers of rounds of estimators that share a refinement with this one; nil: its own
}

// Name implements [model.Estimator].
func (s Estimator) Name() string { return string(s.Options.Kernel) }

// String implements [model.Estimator].
func (s Estimator) String() string { return fmt.Sprintf("%d rounds", s.Options.Iterations) }

// Params implements [model.Estimator].
func (s Estimator) Params() any { return s.Options }

// Grid implements [model.Estimator].
func (s Estimator) Grid() model.Grid { return machine.Grid(s.C, machine.KernelGrid()) }

// settle replaces automatic features by what d has.
func (s *Estimator) settle(d *dataset.Dataset) {
	if s.Features == dataset.AutoFeatures || s.Features == "" {
		s.Features = dataset.LabelFeatures
		if d.Batch.Labels == nil {
			s.Features = dataset.NoFeatures
		}
	}
	s.Options.Uniform = s.Features == dataset.NoFeatures
	s.Options.Vertices = d.Task.PerVertex()
}

// Sees implements [model.Estimator].
func (s Estimator) Sees(w *model.Work) (*dataset.Encoding, error) {
	s.settle(w.Data)
	if s.Options.ArcLabels && w.Data.Batch.ArcLabels == nil {
		return nil, param.Errorf("arc-labels", nil, "the arcs of data set %s have no labels", w.Data.Name)
	}
	encoding, err := w.Whole().FitEncoding(s.Features)
	if err != nil {
		return nil, param.Errorf("features", s.Features, "%w", err)
	}
	if s.Options.ArcLabels {
		encoding.KeepArcLabels(w.Data)
	}
	return encoding, nil
}

// coloured is a refinement of all graphs of a data set.
type coloured struct {
	encoding *dataset.Encoding
	model    *Model
}

// sharedColours is the key of a refinement.
type sharedColours struct {
	options  Options
	features dataset.Features
}

// colours refines the colours of all graphs. Estimators with the same options share it.
func (s Estimator) colours(ctx context.Context, w *model.Work) (*coloured, error) {
	s.settle(w.Data)
	return model.Shared(w, sharedColours{s.Options, s.Features}, func() (*coloured, error) {
		return inBlocks(ctx, s, w, nil, func(c *coloured) (*coloured, error) { return c, nil })
	})
}

// sharedRows is the key of the rows of several numbers of rounds.
type sharedRows sharedGrams

// features returns the rows of all numbers of rounds that are asked for, out of one refinement.
func (s Estimator) features(ctx context.Context, w *model.Work) (map[int]*svm.Sparse, error) {
	most, rounds, key := s.most(w)
	return model.Shared(w, sharedRows(key), func() (map[int]*svm.Sparse, error) {
		colours, err := most.colours(ctx, w)
		if err != nil {
			return nil, err
		}
		all := map[int]*svm.Sparse{}
		for _, h := range rounds {
			all[h] = colours.model.rows(h)
		}
		return all, nil
	})
}

// most returns the estimator with the most rounds that are asked for, all of them, and their key.
func (s Estimator) most(w *model.Work) (most Estimator, rounds []int, key sharedGrams) {
	s.settle(w.Data)
	rounds = s.rounds
	if rounds == nil {
		rounds = []int{s.Options.Iterations}
	}
	o := s.Options
	key = sharedGrams{o.Kernel, s.Features, o.Normalise, o.ArcLabels, o.Follow, fmt.Sprint(rounds)}
	s.Options.Iterations = slices.Max(rounds)
	return s, rounds, key
}

// sharedGrams is the key of the kernel matrices of several numbers of rounds.
type sharedGrams struct {
	kernel          Kernel
	features        dataset.Features
	normalise, arcs bool
	follow          Follow
	rounds          string
}

// grams returns the kernels of all numbers of rounds that are asked for, out of one refinement.
func (s Estimator) grams(ctx context.Context, w *model.Work) (map[int]svm.Kernel, error) {
	most, rounds, key := s.most(w)
	return model.Shared(w, key, func() (map[int]svm.Kernel, error) {
		copies := 1
		if len(rounds) > 1 {
			copies = 2 + len(rounds) // EachGram has two at hand
		}
		if err := machine.AskForMatrices(w.Data, copies); err != nil {
			return nil, err
		}
		colours, err := most.colours(ctx, w)
		if err != nil {
			return nil, err
		}
		m, all := colours.model, map[int]svm.Kernel{}
		if copies == 1 {
			k, err := m.Gram(ctx, w.Progress)
			if err == nil {
				all[rounds[0]], err = svm.NewMatrix(k)
			}
			return all, err
		}
		err = m.EachGram(ctx, w.Progress, func(h int, k *tensor.Dense) (err error) {
			if slices.Contains(rounds, h) {
				all[h], err = svm.NewMatrix(k.Clone().(*tensor.Dense))
			}
			return err
		})
		return all, err
	})
}

// Learner implements [model.Estimator].
func (s Estimator) Learner(ctx context.Context, w *model.Work) (model.Learner, error) {
	l := &learner{estimator: s, work: w.Whole()}
	if w.Rounds != nil { // colours are refined where the model is made
		return l, nil
	}
	byRows, err := s.Machine.Linear(w.Data)
	if err != nil {
		return nil, err
	}
	if byRows {
		rows, err := s.features(ctx, l.work)
		l.Rows = rows[s.Options.Iterations]
		return l, err
	}
	grams, err := s.grams(ctx, l.work)
	if err != nil {
		return nil, err
	}
	l.Gram, l.Epsilon = grams[s.Options.Iterations], s.Epsilon
	return l, nil
}

type learner struct {
	machine.Kernel
	estimator Estimator
	work      *model.Work
}

// Model implements [model.Learner].
func (l *learner) Model(ctx context.Context, t model.Trial) (model.Model, error) {
	if l.work.Rounds != nil {
		return l.estimator.modelInRounds(ctx, l.work, t)
	}
	most, _, _ := l.estimator.most(l.work)
	colours, err := most.colours(ctx, l.work)
	if err != nil {
		return nil, err
	}
	m := colours.model.first(l.estimator.Options.Iterations)
	return l.Fit(ctx, t, model.HeadOf(l.estimator.Name(), l.work.Data), colours.encoding, m)
}

// GramRows implements [model.RowGrammer].
func (s Estimator) GramRows(ctx context.Context, w *model.Work, columns []int) (model.GramRows, error) {
	colours, err := s.colours(ctx, w.Whole())
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, rows []int) (*tensor.Dense, error) {
		return colours.model.GramRows(ctx, rows, columns, w.Progress)
	}, nil
}

// KernelMatrix implements [model.Grammer].
func (l *learner) KernelMatrix(ctx context.Context, known *model.Targets) (*tensor.Dense, error) {
	if l.Gram == nil {
		grams, err := l.estimator.grams(ctx, l.work)
		if err != nil {
			return nil, err
		}
		return (&machine.Kernel{Gram: grams[l.estimator.Options.Iterations]}).KernelMatrix(ctx, known)
	}
	return l.Kernel.KernelMatrix(ctx, known)
}

// CheckEncoding implements [machine.GraphKernel].
func (m *Model) CheckEncoding(e *dataset.Encoding) error {
	return m.CheckInput(len(e.Labels), len(e.ArcLabels) > 0)
}
