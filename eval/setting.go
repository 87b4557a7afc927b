package eval

import (
	"context"
	"fmt"
	"slices"

	"gorgonia.org/tensor"

	"github.com/grove-graph/grove/svm"
)

// Setting is one choice of the hyperparameters of a way from graphs to predictions.
type Setting interface {
	// String names the setting in one line.
	String() string
	// Grid holds what one call of Learn trains for and what is chosen among beside the settings.
	Grid() Grid
	// Learner learns what needs no targets (anchors, statistics, a kernel matrix). It may look at the
	// graphs in train alone, or at all of them where train is nil. The result must depend on the
	// arguments alone. It may be called from several goroutines at once.
	Learner(ctx context.Context, train []int) (Learner, error)
}

// Grid is a list of values of one hyperparameter that a learner is trained for in one go: the C of a
// support vector machine, the number of trees or of epochs. Without values there is nothing to choose.
type Grid struct {
	Name   string // one word, "C" for instance
	Values []float64
}

// size is the number of predictors that are trained.
func (g Grid) size() int { return max(len(g.Values), 1) }

// at returns the grid of the value at place k alone, empty where the grid is.
func (g Grid) at(k int) Grid {
	if len(g.Values) == 0 {
		return g
	}
	return Grid{g.Name, g.Values[k : k+1]}
}

// value returns the value at place k, 0 where the grid is empty.
func (g Grid) value(k int) float64 {
	if len(g.Values) == 0 {
		return 0
	}
	return g.Values[k]
}

// Learner learns from the targets of some graphs and predicts those of others.
type Learner interface {
	// Learn returns the predictions of t.Test, one element for every value of t.Grid, or one element
	// where the grid is empty. The result must depend on t alone, but for its Workers. It may be called
	// from several goroutines at once.
	Learn(ctx context.Context, t Task) ([]Targets, error)
}

// Task is one piece of work of a [Learner]. It holds no targets of what is to be predicted.
type Task struct {
	Train   []int     // graphs to learn from
	Known   Targets   // their targets, in the order of Train
	Test    []int     // graphs to predict
	Grid    []float64 // values to train for, all of the setting's grid or one
	Workers int       // goroutines

	// Progress, if not nil, may be told how far the training has come, by any goroutine.
	Progress func(done, total int)
}

// Vectors represents graphs by vectors.
type Vectors interface {
	// String names the hyperparameters in one line.
	String() string
	// Represent returns the representations of ALL graphs, N x D, Float32 or Float64, contiguous by
	// rows. What is learned (anchors, statistics) may depend only on the graphs in train, or on all
	// of them where train is nil, and never on targets. The result must depend on the arguments
	// alone. It may be called from several goroutines at once.
	Represent(ctx context.Context, train []int) (*tensor.Dense, error)
}

// LinearSVM classifies vectors by linear support vector machines with the squared hinge loss, on
// features standardised on the training part, see [svm.FitClassifier]. A training part with a single
// class predicts that class.
type LinearSVM struct {
	Vectors
	C []float64 // ascending; nil means svm.CGrid()
}

// Grid implements [Setting].
func (s LinearSVM) Grid() Grid {
	if s.C == nil {
		return Grid{"C", svm.CGrid()}
	}
	return Grid{"C", s.C}
}

// Learner implements [Setting].
func (s LinearSVM) Learner(ctx context.Context, train []int) (Learner, error) {
	x, err := represent(ctx, s.Vectors, train)
	if err != nil {
		return nil, err
	}
	return linearLearner{x}, nil
}

// represent asks for vectors and wants a matrix.
func represent(ctx context.Context, v Vectors, train []int) (*tensor.Dense, error) {
	x, err := v.Represent(ctx, slices.Clone(train))
	if err != nil {
		return nil, err
	}
	if x == nil || len(x.Shape()) != 2 {
		return nil, fmt.Errorf("the representation is not a matrix with a row for each graph")
	}
	return x, nil
}

type linearLearner struct{ x *tensor.Dense }

func (l linearLearner) size() int { return l.x.Shape()[0] }

// Learn implements [Learner].
func (l linearLearner) Learn(ctx context.Context, t Task) ([]Targets, error) {
	if t.Known.Classes == nil {
		return nil, fmt.Errorf("a linear classifier cannot learn numbers: use a support vector regression")
	}
	classes := spread(t.Known.Classes, t.Train, l.size())
	classifier, err := svm.FitClassifier(ctx, l.x, t.Train, classes, t.Grid, svm.Options{Workers: t.Workers})
	if err != nil {
		return nil, err
	}
	predicted, err := classifier.Predict(l.x, t.Test)
	if err != nil {
		return nil, err
	}
	out := make([]Targets, len(predicted))
	for k, classes := range predicted {
		out[k].Classes = classes
	}
	return out, nil
}
