package treeg

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"github.com/grove-graph/grove/parallel"
	"github.com/grove-graph/grove/treeg/internal/predict"
	"github.com/grove-graph/grove/treeg/internal/search"
)

// booster is a gradient boosting that is going on (Friedman 2001).
type booster struct {
	*problem
	m         *Model
	objective objective
	outputs   int
	y         []float64        // by position in examples and output
	scores    []float64        // likewise
	examples  []int32          // the training part, then the validation part
	growers   []*search.Grower // for each output
	workers   int              // of a grower
}

// boost fits rounds of trees.
func (p *problem) boost(ctx context.Context, m *Model) error {
	b, err := p.booster(ctx, m)
	if err != nil {
		return err
	}
	return b.run(ctx)
}

// booster returns a boosting before its first round.
func (p *problem) booster(ctx context.Context, m *Model) (*booster, error) {
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
	b.workers = p.d.data.Engine.Workers()
	each := b.workers
	if b.outputs >= b.workers { // the trees of a round on all workers, each on one
		each = 1
	}
	for range b.outputs {
		b.growers = append(b.growers, p.d.grower(p.opt, each))
	}
	return b, b.begin(ctx)
}

// run fits the rounds. With early stopping those after the best one on the validation part are dropped.
func (b *booster) run(ctx context.Context) error {
	best, since := 0.0, 0
	for round := range b.opt.Estimators {
		b.progress.Report("boost", round, b.opt.Estimators)
		if err := b.round(ctx, round); err != nil {
			return err
		}
		if b.opt.Patience == 0 {
			continue
		}
		loss := b.validationLoss()
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

// begin sets the scores before the first round.
func (b *booster) begin(ctx context.Context) error {
	b.m.start = make([]float64, b.outputs)
	b.scores = make([]float64, len(b.y))
	for k := range b.outputs {
		y := b.column(b.y, k)
		if b.opt.Scheme == Reference && b.opt.Ensemble == Boosting {
			if err := b.firstTree(ctx, k, y); err != nil {
				return err
			}
			continue
		}
		b.m.start[k] = b.objective.start(y)
		for i := range b.examples {
			b.scores[i*b.outputs+k] = b.m.start[k]
		}
	}
	return nil
}

// firstTree starts an output from a tree fitted to its targets, as the published code does.
func (b *booster) firstTree(ctx context.Context, k int, y []float64) error {
	tree, err := b.tree(ctx, b.opt.Estimators, k, b.train, y, mean, 1)
	b.m.first = append(b.m.first, tree)
	return err
}

// tree fits a tree for one output to targets, by position in examples, of the examples that a round sees. It adds rate
// times the tree to the scores.
func (b *booster) tree(
	ctx context.Context, round, k int, sample []int32, targets []float64, leaf func([]float64) float64, rate float64,
) (*Tree, error) {
	position := b.positions()
	random := rand.New(rand.NewPCG(b.opt.Seed, treeStream+uint64(round*b.outputs+k)))
	t := b.d.targetsOf(sample, at(targets, position, sample), slices.Repeat([]float64{1}, len(sample)))
	tree, members, err := b.growers[k].Grow(ctx, t, sample, random)
	if err != nil {
		return nil, err
	}
	for i := range tree.Nodes {
		if tree.Nodes[i].Split == nil {
			tree.Nodes[i].Value = []float64{leaf(at(targets, position, members[i]))}
		}
	}
	return tree, b.add(ctx, tree, members, k, rate, len(sample) == len(b.train))
}

// positions returns the position of each example of the data in b.examples.
func (b *booster) positions() []int32 {
	position := make([]int32, b.d.Examples())
	for i, e := range b.examples {
		position[e] = int32(i)
	}
	return position
}

// at returns the entries of x at the positions of some examples.
func at(x []float64, position, examples []int32) []float64 {
	out := make([]float64, len(examples))
	for i, e := range examples {
		out[i] = x[position[e]]
	}
	return out
}

// round fits a tree to the negative gradient of every output.
func (b *booster) round(ctx context.Context, round int) error {
	row := make([]*Tree, b.outputs)
	errs := make([]error, b.outputs)
	before := slices.Clone(b.scores) // all outputs of a round see the same scores
	sample := b.sample(round)
	workers := 1
	if b.outputs >= b.workers {
		workers = b.workers
	}
	parallel.For(workers, b.outputs, func(k int) {
		residuals := make([]float64, len(b.train))
		for i := range residuals {
			residuals[i] = b.objective.residual(b.y[i*b.outputs+k], before[i*b.outputs:(i+1)*b.outputs], k)
		}
		step := b.objective.step
		if b.opt.Scheme == Reference {
			step = mean
		}
		row[k], errs[k] = b.tree(ctx, round, k, sample, residuals, step, b.opt.LearningRate)
	})
	if err := cmp.Or(errs...); err != nil {
		return err
	}
	b.m.trees = append(b.m.trees, row)
	return nil
}

// sample draws the examples that a round sees, ascending.
func (b *booster) sample(round int) []int32 {
	if b.opt.Subsample == 1 {
		return b.train
	}
	random := rand.New(rand.NewPCG(b.opt.Seed, sampleStream+uint64(round)))
	want := max(int(b.opt.Subsample*float64(len(b.train))), 1)
	drawn := make([]int32, want)
	for i, at := range random.Perm(len(b.train))[:want] {
		drawn[i] = b.train[at]
	}
	slices.Sort(drawn)
	return drawn
}

// add adds rate times a tree to the scores of one output: to those of the examples that it was fitted to by their
// leaves, to others by prediction.
func (b *booster) add(ctx context.Context, tree *Tree, members [][]int32, k int, rate float64, complete bool) error {
	position := b.positions()
	done := make([]bool, len(b.examples))
	for i := range tree.Nodes {
		if tree.Nodes[i].Split != nil {
			continue
		}
		for _, e := range members[i] {
			b.scores[int(position[e])*b.outputs+k] += float64(rate * tree.Nodes[i].Value[0])
			done[position[e]] = true
		}
	}
	if complete && len(b.validation) == 0 {
		return nil
	}
	var rest []int32
	for i, e := range b.examples {
		if !done[i] {
			rest = append(rest, e)
		}
	}
	slices.Sort(rest)
	p := predict.NewProgram(&b.d.data.Input, []*Tree{tree})
	return p.Each(ctx, b.d.data, b.opt.Empty, rest, func(i, _ int, leaf int32) {
		b.scores[int(position[rest[i]])*b.outputs+k] += float64(rate * tree.Nodes[leaf].Value[0])
	})
}

func (b *booster) validationLoss() float64 {
	from := len(b.train) * b.outputs
	return b.objective.loss(b.y[from:], b.scores[from:], b.outputs)
}
