package model

import (
	"context"
	"math"
	"time"

	"github.com/grove-graph/grove/dataset"
)

// Progress is told how far a stage of some work has come. Functions that take one accept nil.
type Progress func(stage string, done, total int)

// Report calls p unless it is nil.
func (p Progress) Report(stage string, done, total int) {
	if p != nil {
		p(stage, done, total)
	}
}

// Estimator is one choice of the options of a model: a way from graphs to predictions. It is a value that learning
// leaves as it is and may be used by several goroutines at once.
type Estimator interface {
	// Name is the registered name of the model, "gckn-path" for instance.
	Name() string
	// String names the options that a search varies in one line.
	String() string
	// Params describes all options, to be written as JSON.
	Params() any
	// Grid holds what one call of [Learner.Learn] trains for.
	Grid() Grid
	// Sees returns what the estimator looks at of vertices and arcs, fitted on all graphs of the work. The error says
	// why it cannot learn from the data: a [param.Error] where an option asks for what they do not have.
	Sees(w *Work) (*dataset.Encoding, error)
	// Learner learns what needs no targets. It looks at the graphs that w shows it, and its result depends on these
	// and the options alone. A cancelled context is an error.
	Learner(ctx context.Context, w *Work) (Learner, error)
}

// Learner learns from the targets of some examples of the data that it was made for. Its methods may be called from
// several goroutines at once, and their results depend on the trial alone, but for its Workers and Progress.
type Learner interface {
	// Learn returns the predictions of t.Test, one element for every value of t.Grid, or one element where the grid
	// is empty: classes with decisions or probabilities, or values of one column in a regression.
	Learn(ctx context.Context, t Trial) ([]*Predictions, error)
	// Model returns the model that learned from t.Train with the one value of t.Grid (none where the grid is empty).
	// It does not depend on the learner any more, and has a [Head] without the training.
	Model(ctx context.Context, t Trial) (Model, error)
}

// JointLearner is a [Learner] that learns several trials of the same grid together at less cost than one by one.
type JointLearner interface {
	Learner
	// LearnAll returns what Learn returns for each trial. Workers are those of the first one, for all.
	LearnAll(ctx context.Context, trials []Trial) ([][]*Predictions, error)
}

// Trial is one piece of work of a [Learner]. It holds no targets of what is to be predicted.
type Trial struct {
	Train   []int     // examples to learn from, ascending
	Known   *Targets  // of all examples; those outside of Train are hidden
	Test    []int     // examples to predict; nil where a model is asked for
	Grid    []float64 // values to train for, all of the estimator's grid or one
	Workers int       // goroutines, at least 1

	// Progress, if not nil, may be told how far the training has come, by any goroutine.
	Progress func(done, total int)
}

// Grid is a list of values of one hyperparameter that a learner is trained for in one go: the C of a support vector
// machine, the number of trees or of epochs. Without values there is nothing to choose.
type Grid struct {
	Name   string // one word, "C" for instance
	Values []float64

	// Smooth is the number of neighbours on either side with which the scores of a value are averaged before one is
	// chosen by them, where neighbours are the same but for noise. The value 0 stands alone.
	Smooth int
}

// Size is the number of predictors that are trained.
func (g Grid) Size() int { return max(len(g.Values), 1) }

// At returns the grid of the value at place k alone, empty where the grid is.
func (g Grid) At(k int) Grid {
	if len(g.Values) == 0 {
		return g
	}
	return Grid{Name: g.Name, Values: g.Values[k : k+1]}
}

// Value returns the value at place k, 0 where the grid is empty.
func (g Grid) Value(k int) float64 {
	if len(g.Values) == 0 {
		return 0
	}
	return g.Values[k]
}

// Unsupervised is an estimator that learns something of use without targets.
type Unsupervised interface {
	// Unsupervised learns from the graphs that w shows, with targets or without. The model represents graphs; its head
	// has no classes, and to predict is an error.
	Unsupervised(ctx context.Context, w *Work) (Model, error)
}

// InRounds is an estimator that goes over the graphs of a store by package rounds, wherever that takes time.
type InRounds interface {
	// InRounds returns an error where these options do not.
	InRounds() error
}

// Layered is an estimator whose model represents graphs by a number of layers.
type Layered interface {
	// Depth returns that number, and the line of [Estimator] without it.
	Depth() (layers int, others string)
}

// Costed is an estimator, or a model, that can tell beforehand how long it will compute.
type Costed interface {
	// Cost returns how long one core of a CPU takes to learn from the graphs of d once, or to predict something of
	// them: good to a factor of three or so.
	Cost(d *dataset.Dataset) time.Duration
}

// SideBySide is an estimator whose learners are soon made and train every model on an engine of its own
// ([engine.Beside]), so that many can share a device.
type SideBySide interface{ SideBySide() }

// Seconds returns a duration, the longest there is where it is longer.
func Seconds(s float64) time.Duration {
	if s >= math.MaxInt64/float64(time.Second) {
		return math.MaxInt64
	}
	return time.Duration(s * float64(time.Second))
}
