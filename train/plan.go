package train

import (
	"slices"

	"github.com/grove-graph/grove/autodiff"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/split"
)

// Plan says how the number of epochs is chosen, and where a training keeps its state. The zero value trains all epochs
// on all examples.
type Plan struct {
	// EachEpoch makes a grid of the number of epochs: one training predicts after every one of them. A cross-validation
	// chooses among them (docs/conventions.md, 20), with Start also among the network as it starts, of 0 epochs.
	EachEpoch, Start bool
	Smooth           int // see [model.Grid]
	// Validation cuts the training part in as many parts and holds one out, whose score chooses the epoch that is taken.
	// Below 2 nothing is held out, as with EachEpoch.
	Validation int
	Checkpoint autodiff.Checkpoint // of a training that gives a model; its Of is filled in
}

// Grid returns the grid of at most so many epochs.
func (p Plan) Grid(epochs int) model.Grid {
	if !p.EachEpoch {
		return model.Grid{}
	}
	g, first := model.Grid{Name: "epochs", Smooth: p.Smooth}, 1
	if p.Start {
		first = 0
	}
	for epoch := first; epoch <= epochs; epoch++ {
		g.Values = append(g.Values, float64(epoch))
	}
	return g
}

// training returns the training of a trial and its options: for the most epochs of its grid, or with a part held out.
func (l *Learner) training(t *model.Trial) (*Training, Options, error) {
	run, o := &Training{Examples: Examples{l.Data.Graphs, l.Data.Input, t.Known}, Train: t.Train}, l.Options
	if len(t.Grid) > 0 {
		o.Epochs, o.Patience = int(slices.Max(t.Grid)), 0
		return run, o, nil
	}
	parts := min(l.Plan.Validation, len(t.Train))
	if parts < 2 {
		return run, o, nil
	}
	classes := split.Select(t.Known.Classes, t.Train)
	if classes == nil {
		classes = make([]int, len(t.Train)) // numbers: nothing to balance
	}
	folds, err := split.Stratified(classes, parts, l.Seed)
	if err != nil {
		return nil, o, err
	}
	run.Train, run.Validation = split.Select(t.Train, folds[0].Train), split.Select(t.Train, folds[0].Test)
	return run, o, nil
}
