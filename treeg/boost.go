package treeg

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/parallel"
	"github.com/grove-graph/grove/split"
	"github.com/grove-graph/grove/treeg/internal/search"
)

// booster is a gradient boosting that is going on (Friedman 2001).
type booster struct {
	*problem
	m         *Model
	objective objective
	outputs   int
	y         []float64 // by position in examples and output
	scores    scores
	examples  []int32          // the training part, then the validation part
	growers   []*search.Grower // for each output
	workers   int              // of a grower
}

// boost fits rounds of trees.
func (p *problem) boost(ctx context.Context, m *Model) error {
	b := p.booster(m)
	b.onData(p.d)
	err := b.begin(ctx)
	if b.scores != nil {
		defer b.scores.release()
	}
	if err != nil {
		return err
	}
	return b.run(ctx)
}

// booster returns a boosting before its first round, without data.
func (p *problem) booster(m *Model) *booster {
	b := &booster{problem: p, m: m, objective: p.loss.objective(p.classes), outputs: 1}
	if p.loss == Softmax || p.loss == OneVsAll {
		b.outputs = p.classes
	}
	b.examples = slices.Concat(p.train, p.validation)
	b.y = make([]float64, len(b.examples)*b.outputs)
	for i, e := range b.examples {
		switch {
		case p.classes == 0:
			b.y[i] = p.values[e]
		case b.outputs > 1:
			b.y[i*b.outputs+int(p.class[e])] = 1
		default:
			b.y[i] = float64(p.class[e])
		}
	}
	return b
}

// onData makes the boosting grow its trees on some data.
func (b *booster) onData(d *Data) {
	b.workers = d.data.Engine.Workers()
	each := b.workers
	if b.outputs >= b.workers { // the trees of a round on all workers, each on one
		each = 1
	}
	for range b.outputs {
		b.growers = append(b.growers, d.grower(b.opt, each))
	}
}

// run fits the rounds. With early stopping those after the best one on the validation part are dropped.
func (b *booster) run(ctx context.Context) error {
	best, since := 0.0, 0
	for round := range b.opt.Estimators {
		b.progress.Report("boost", round, b.opt.Estimators)
		if err := b.round(ctx, round, b.sample(round)); err != nil {
			return err
		}
		if b.opt.Patience == 0 {
			continue
		}
		loss, err := b.scores.loss(len(b.train))
		if err != nil {
			return err
		}
		if round == 0 || loss < best {
			best, since = loss, 0
		} else if since++; since >= b.opt.Patience {
			break
		}
	}
	b.m.trees = b.m.trees[:len(b.m.trees)-since]
	b.progress.Report("boost", b.opt.Estimators, b.opt.Estimators)
	return nil
}

// column returns the entries of one output for the training part.
func (b *booster) column(x []float64, k int) []float64 {
	out := make([]float64, len(b.train))
	for i := range out {
		out[i] = x[i*b.outputs+k]
	}
	return out
}

// start sets the scores of the model before the first tree.
func (b *booster) start() {
	b.m.start = make([]float64, b.outputs)
	if b.opt.Scheme == Newton {
		for k := range b.outputs {
			b.m.start[k] = b.objective.start(b.column(b.y, k))
		}
	}
}

// begin sets the scores before the first round.
func (b *booster) begin(ctx context.Context) (err error) {
	b.start()
	if b.scores, err = b.newScores(); err != nil || b.opt.Scheme == Newton {
		return err
	}
	for k := range b.outputs { // from a tree fitted to the targets, as the published code does
		tree, err := b.tree(ctx, b.opt.Estimators, k, b.all(), mean, 1)
		if err != nil {
			return err
		}
		b.m.first = append(b.m.first, tree)
	}
	return nil
}

// all returns the positions of the training part.
func (b *booster) all() []int32 {
	list := make([]int32, len(b.train))
	for i := range list {
		list[i] = int32(i)
	}
	return list
}

// tree fits a tree for one output to the examples at some positions, and adds rate times the tree to the scores.
func (b *booster) tree(
	ctx context.Context, round, k int, sample []int32, leaf func(*engine.NodeSums) float64, rate float64,
) (*Tree, error) {
	random := rand.New(rand.NewPCG(b.opt.Seed, treeStream+uint64(round*b.outputs+k)))
	grown, err := b.growers[k].Grow(ctx, b.scores.targets(k, sample), split.Select(b.examples, sample), random)
	if err != nil {
		return nil, err
	}
	for i := range grown.Tree.Nodes {
		if n := &grown.Tree.Nodes[i]; n.Split == nil {
			sums := grown.Sums(i)
			n.Value = []float64{leaf(&sums)}
		}
	}
	return grown.Tree, b.scores.add(ctx, grown, k, rate, sample)
}

// round fits a tree to the negative gradient of every output at some positions.
func (b *booster) round(ctx context.Context, round int, sample []int32) error {
	row := make([]*Tree, b.outputs)
	errs := make([]error, b.outputs)
	workers := 1
	if b.outputs >= b.workers {
		workers = b.workers
	}
	step := b.objective.step
	if b.opt.Scheme == Reference {
		step = mean
	}
	b.scores.residuals() // all outputs of a round see the same scores
	parallel.For(workers, b.outputs, func(k int) {
		row[k], errs[k] = b.tree(ctx, round, k, sample, step, b.opt.LearningRate)
	})
	if err := cmp.Or(errs...); err != nil {
		return err
	}
	b.m.trees = append(b.m.trees, row)
	return nil
}

// sample draws the positions in the training part of the examples that a round sees, ascending.
func (b *booster) sample(round int) []int32 {
	if b.opt.Subsample == 1 {
		return b.all()
	}
	random := rand.New(rand.NewPCG(b.opt.Seed, sampleStream+uint64(round)))
	want := max(int(b.opt.Subsample*float64(len(b.train))), 1)
	drawn := make([]int32, want)
	for i, at := range random.Perm(len(b.train))[:want] {
		drawn[i] = int32(at)
	}
	slices.Sort(drawn)
	return drawn
}
