package trees

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/grove-graph/grove/parallel"
	"github.com/grove-graph/grove/split"
)

// Options say how trees are boosted. Start from [Default].
type Options struct {
	Rounds    int     `json:"rounds"`
	Rate      float64 `json:"rate"`      // of learning: leaves are multiplied by it
	Depth     int     `json:"depth"`     // splits from the root to a leaf, at most
	MinLeaf   int     `json:"min_leaf"`  // examples of a leaf, at least
	Lambda    float64 `json:"lambda"`    // penalty of large leaves
	Subsample float64 `json:"subsample"` // share of the examples that a round draws, without repetition
	Bins      int     `json:"bins"`      // of a column, 2 to 256
	Seed      uint64  `json:"seed"`      // of the draws
}

// Default returns options that many data suit.
func Default() Options {
	return Options{Rounds: 100, Rate: 0.1, Depth: 4, MinLeaf: 5, Lambda: 1, Subsample: 1, Bins: maxBins}
}

// Check reports the first option that makes no sense.
func (o *Options) Check() error {
	switch {
	case o.Rounds < 0:
		return fmt.Errorf("%d rounds: want none or more", o.Rounds)
	case !(o.Rate > 0 && o.Rate <= 1000):
		return fmt.Errorf("learning rate %g: want a positive number, usually at most 1", o.Rate)
	case o.Depth < 0 || o.Depth > maxDepth:
		return fmt.Errorf("depth %d: want 0 to %d", o.Depth, maxDepth)
	case o.MinLeaf < 1:
		return fmt.Errorf("%d examples in a leaf: want at least one", o.MinLeaf)
	case !(o.Lambda >= 0) || math.IsInf(o.Lambda, 0):
		return fmt.Errorf("lambda %g: want a number, 0 or more", o.Lambda)
	case !(o.Subsample > 0 && o.Subsample <= 1):
		return fmt.Errorf("subsample %g: want a share above 0, at most 1", o.Subsample)
	case o.Bins < 2 || o.Bins > maxBins:
		return fmt.Errorf("%d bins: want 2 to %d", o.Bins, maxBins)
	}
	return nil
}

// maxDepth bounds the depth of a tree: a node has a histogram for each level above it.
const maxDepth = 30

// Targets are what is to be predicted of the rows of a table: one of Classes and Values.
type Targets struct {
	Classes    []int // of each row, 0 to NumClasses-1 in the training part
	NumClasses int
	Values     []float64 // rows x Outputs, numbers in the training part
	Outputs    int

	Train []int // rows to learn from
}

// check returns an error where targets do not fit a table.
func (t *Targets) check(rows int) error {
	switch {
	case (t.Classes == nil) == (t.Values == nil):
		return errors.New("want either classes or values as targets")
	case len(t.Train) == 0:
		return errors.New("no example with a target to learn from")
	case t.Classes != nil && len(t.Classes) != rows:
		return fmt.Errorf("%d classes for %d rows", len(t.Classes), rows)
	case t.Values != nil && (t.Outputs < 1 || len(t.Values) != rows*t.Outputs):
		return fmt.Errorf("%d values of %d outputs for %d rows", len(t.Values), t.Outputs, rows)
	}
	for _, i := range t.Train {
		switch {
		case i < 0 || i >= rows:
			return fmt.Errorf("training example %d of %d", i, rows)
		case t.Classes != nil && (t.Classes[i] < 0 || t.Classes[i] >= t.NumClasses):
			return fmt.Errorf("example %d is of class %d of %d", i, t.Classes[i], t.NumClasses)
		case t.Values != nil && slices.ContainsFunc(t.Values[i*t.Outputs:(i+1)*t.Outputs], notFinite):
			return fmt.Errorf("the target of example %d is no finite number", i)
		}
	}
	return nil
}

// Fit boosts trees on the training rows of a table. progress, unless nil, is told the rounds. Errors say what is wrong
// with table, targets or options; a cancelled context is an error. The result does not depend on the workers.
func Fit(
	ctx context.Context, t *Table, targets Targets, o Options, workers int, progress func(done, total int),
) (*Model, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	if err := t.check(); err != nil {
		return nil, err
	}
	if err := targets.check(t.Rows); err != nil {
		return nil, err
	}
	b := &boosting{table: t, targets: &targets, o: &o, workers: max(workers, 1), train: targets.Train}
	b.binned = t.bin(b.train, o.Bins, b.workers)
	loss, start := targets.lossOf(b.train)
	b.m = &Model{Loss: loss, Columns: t.Columns, Start: start}
	b.scores = slices.Repeat(start, len(b.train))
	b.g, b.h = make([]float64, len(b.scores)), make([]float64, len(b.scores))
	for round := range o.Rounds {
		if progress != nil {
			progress(round, o.Rounds)
		}
		if err := b.round(ctx, round); err != nil {
			return nil, err
		}
	}
	return b.m, ctx.Err()
}

// boosting is a fit that is going on. Examples are positions in train.
type boosting struct {
	table   *Table
	targets *Targets
	o       *Options
	workers int
	train   []int
	binned  *binned
	m       *Model

	scores, g, h []float64 // train x outputs
	spare        [][]bin   // histograms that nobody uses
}

// round fits a tree to each output: all see the same scores.
func (b *boosting) round(ctx context.Context, round int) error {
	outputs := len(b.m.Start)
	parallel.Chunks(b.workers, len(b.train), predictRows, func(from, to int) {
		for i := from; i < to; i++ {
			at, class, values := i*outputs, 0, []float64(nil)
			if b.targets.Classes != nil {
				class = b.targets.Classes[b.train[i]]
			} else {
				values = b.targets.Values[b.train[i]*outputs : (b.train[i]+1)*outputs]
			}
			b.m.Loss.derivatives(b.scores[at:at+outputs], b.g[at:at+outputs], b.h[at:at+outputs], class, values)
		}
	})
	sample := b.sample(round)
	row := make([]Tree, outputs)
	for k := range row {
		if err := ctx.Err(); err != nil {
			return err
		}
		row[k] = b.tree(k, slices.Clone(sample))
		parallel.Chunks(b.workers, len(b.train), predictRows, func(from, to int) {
			for i := from; i < to; i++ {
				b.scores[i*outputs+k] += row[k].leaf(b.table.Row(b.train[i])).Value
			}
		})
	}
	b.m.Trees = append(b.m.Trees, row)
	return nil
}

// sample draws the examples of a round, ascending.
func (b *boosting) sample(round int) []int32 {
	n := len(b.train)
	order := split.All(n)
	if b.o.Subsample < 1 {
		random := rand.New(rand.NewPCG(b.o.Seed, uint64(round)))
		order = random.Perm(n)[:max(int(b.o.Subsample*float64(n)), 1)]
		slices.Sort(order)
	}
	drawn := make([]int32, len(order))
	for i, at := range order {
		drawn[i] = int32(at)
	}
	return drawn
}
