package wl

import (
	"context"
	"fmt"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/model/machine"
	"github.com/grove-graph/grove/split"
	"github.com/grove-graph/grove/svm"
	"gorgonia.org/tensor"
)

const deepName = "dwl-oa"

// DeepEstimator is the assignment kernel with a learned weight for each colour, or group of colours, and a support
// vector machine on it. Weights and machine learn from the classes of the training part alone.
type DeepEstimator struct {
	Kernel Estimator // of kernel [Assignment]; its C is that of the machine
	Deep   DeepOptions
}

// Name implements [model.Estimator].
func (s DeepEstimator) Name() string { return deepName }

// String implements [model.Estimator].
func (s DeepEstimator) String() string {
	groups := "a weight for each colour"
	switch {
	case s.Deep.Groups == 1:
		groups = "1 group of colours"
	case s.Deep.Groups > 1:
		groups = fmt.Sprintf("%d groups of colours", s.Deep.Groups)
	}
	rounds := "1 round"
	if h := s.Kernel.Options.Iterations; h != 1 {
		rounds = fmt.Sprintf("%d rounds", h)
	}
	return fmt.Sprintf("%s, %s, lambda %g", rounds, groups, s.Deep.Lambda)
}

// Params implements [model.Estimator].
func (s DeepEstimator) Params() any {
	return struct {
		Options
		Deep DeepOptions `json:"deep"`
	}{s.Kernel.Options, s.Deep}
}

// Grid implements [model.Estimator].
func (s DeepEstimator) Grid() model.Grid { return s.Kernel.Grid() }

// Sees implements [model.Estimator].
func (s DeepEstimator) Sees(w *model.Work) (*dataset.Encoding, error) { return s.Kernel.Sees(w) }

// Learner implements [model.Estimator]: colours need no classes. Estimators of the same number of rounds share them.
func (s DeepEstimator) Learner(ctx context.Context, w *model.Work) (model.Learner, error) {
	w = w.Whole()
	s.Kernel.settle(w.Data)
	byRows, err := s.Kernel.Machine.Linear(w.Data)
	if err != nil {
		return nil, err
	}
	colours, err := s.Kernel.colours(ctx, w)
	return &deepLearner{s, w, colours, byRows}, err
}

type deepLearner struct {
	estimator DeepEstimator
	work      *model.Work
	colours   *coloured
	byRows    bool // whether the machine learns from rows
}

// learned learns the weights from the classes of some graphs, and has the kernel of all of them as rows of features or
// as a matrix.
func (l *deepLearner) learned(
	ctx context.Context, t model.Trial, byRows bool, progress model.Progress,
) (*Deep, *machine.Kernel, error) {
	if !byRows {
		if err := machine.AskForMatrices(l.work.Data, 1); err != nil {
			return nil, nil, err
		}
	}
	d, err := l.colours.model.Learn(ctx, t.Train, split.Select(t.Known.Classes, t.Train), l.estimator.Deep, progress)
	if err != nil {
		return nil, nil, err
	}
	if byRows {
		return d, &machine.Kernel{Rows: d.model.rows(d.model.opt.Iterations)}, nil
	}
	k, err := d.Gram(ctx, progress)
	if err != nil {
		return nil, nil, err
	}
	matrix, err := svm.NewMatrix(k)
	return d, &machine.Kernel{Gram: matrix}, err
}

// Learn implements [model.Learner].
func (l *deepLearner) Learn(ctx context.Context, t model.Trial) ([]*model.Predictions, error) {
	_, k, err := l.learned(ctx, t, l.byRows, nil)
	if err != nil {
		return nil, err
	}
	return k.Learn(ctx, t)
}

// Model implements [model.Learner]. It keeps all graphs, from which the weights come.
func (l *deepLearner) Model(ctx context.Context, t model.Trial) (model.Model, error) {
	d, k, err := l.learned(ctx, t, l.byRows, l.work.Progress)
	if err != nil {
		return nil, err
	}
	m, err := k.Fit(ctx, t, model.HeadOf(deepName, l.work.Data), l.colours.encoding, d)
	if err != nil {
		return nil, err
	}
	return &deepModel{m}, nil
}

// KernelMatrix implements [model.Grammer].
func (l *deepLearner) KernelMatrix(ctx context.Context, known *model.Targets) (*tensor.Dense, error) {
	_, k, err := l.learned(ctx, known.All(nil, l.work.Engine.Workers()), false, l.work.Progress)
	if err != nil {
		return nil, err
	}
	return k.KernelMatrix(ctx, known)
}

// deepModel is a machine on a deep kernel, which knows its heaviest colours.
type deepModel struct{ *machine.KernelMachine }

// Weights implements [model.Weights].
func (m *deepModel) Weights() (total, zero int) {
	zero, total = m.Kernel.(*Deep).Zero()
	return total, zero
}

// Explain implements [model.Explainer]: contributions, and the colours of the largest weights where they are asked for.
func (m *deepModel) Explain(
	ctx context.Context, d *dataset.Dataset, examples []int, opt model.ExplainOptions,
) ([]model.Explanation, error) {
	explained, err := m.KernelMachine.Explain(ctx, d, examples, opt)
	if err != nil || opt.Colours == 0 {
		return explained, err
	}
	deep := m.Kernel.(*Deep)
	b, err := m.Encoding().Apply(d.Select(examples))
	if err != nil {
		return nil, err
	}
	colours, err := deep.model.Colours(ctx, b)
	if err != nil {
		return nil, err
	}
	for g := range explained {
		from, to := b.Vertices(g)
		for _, weight := range deep.HeaviestIn(colours, g, opt.Colours) {
			c := model.Colour{Round: weight.Round, Colour: weight.Colour, Weight: weight.Weight, Group: weight.Group}
			for _, v := range colours.Vertices(weight.Round, weight.Colour) {
				if from <= v && v < to {
					c.Roots = append(c.Roots, int(v-from))
				}
			}
			for _, v := range deep.model.Ball(b, from+int32(c.Roots[0]), weight.Round) {
				c.Ball = append(c.Ball, int(v-from))
			}
			explained[g].Colours = append(explained[g].Colours, c)
		}
	}
	return explained, nil
}
