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

// plant fits a single tree, extremely randomised trees, or the trees of a random forest, each to a bootstrap sample
// (Ho 1995, with the bagging of Breiman 2001).
func (p *problem) plant(ctx context.Context, m *Model) error {
	count := 1
	if p.opt.Ensemble != Single {
		count = p.opt.Estimators
	}
	m.start = make([]float64, max(p.classes, 1))
	trees := make([]*Tree, count)
	errs := make([]error, count)
	each := p.d.data.Engine.Workers()
	outer := min(each, count)
	if outer > 1 {
		each = 1
	}
	parallel.Each(outer, count, func() func(int) {
		g := p.d.grower(p.opt, each)
		return func(i int) {
			if ctx.Err() == nil {
				trees[i], errs[i] = p.plantOne(ctx, g, i)
			}
			p.report(count)
		}
	})
	if err := cmp.Or(ctx.Err(), cmp.Or(errs...)); err != nil {
		return err
	}
	for _, t := range trees {
		m.trees = append(m.trees, []*Tree{t})
	}
	return nil
}

// plantOne fits tree i.
func (p *problem) plantOne(ctx context.Context, g *search.Grower, i int) (*Tree, error) {
	examples, weights := p.train, slices.Repeat([]float64{1}, len(p.train))
	if p.opt.Ensemble == Forest {
		examples, weights = p.bootstrap(i)
	}
	t := p.targets(examples, weights)
	grown, err := g.Grow(ctx, t, examples, rand.New(rand.NewPCG(p.opt.Seed, treeStream+uint64(i))))
	if err != nil {
		return nil, err
	}
	for n := range grown.Tree.Nodes {
		grown.Tree.Nodes[n].Value = leafValue(grown.Sums(n))
	}
	tree := prune(grown.Tree, p.opt.Pruning)
	for n := range tree.Nodes {
		if tree.Nodes[n].Split != nil {
			tree.Nodes[n].Value = nil
		}
	}
	return tree, nil
}

// targets returns what the splits of a tree reduce the impurity of.
func (p *problem) targets(examples []int32, weights []float64) *search.Targets {
	if p.classes > 0 {
		return p.classTargets(examples, weights)
	}
	return p.targetsOf(examples, split.Select(p.values, examples), weights)
}

// bootstrap draws as many examples as there are, with replacement; weights say how often each was drawn.
func (p *problem) bootstrap(i int) (examples []int32, weights []float64) {
	random := rand.New(rand.NewPCG(p.opt.Seed, sampleStream+uint64(i)))
	count := map[int32]float64{}
	for range p.train {
		count[p.train[random.IntN(len(p.train))]]++
	}
	for _, e := range p.train {
		if count[e] > 0 {
			examples, weights = append(examples, e), append(weights, count[e])
		}
	}
	return examples, weights
}

// leafValue is the weighted mean of the targets, or the weighted share of each class.
func leafValue(s engine.NodeSums) []float64 {
	if s.Classes == nil {
		return []float64{s.Sum / s.Weight}
	}
	value := make([]float64, len(s.Classes))
	for c, w := range s.Classes {
		value[c] = w / s.Weight
	}
	return value
}

// prune returns the smallest subtree of minimal cost-complexity (Breiman et al. 1984): while there is a split whose
// branch gains no more than alpha a leaf, per example of the root, the one that gains least becomes a leaf. All
// nodes have values.
func prune(t *Tree, alpha float64) *Tree {
	if alpha == 0 {
		return t
	}
	n := len(t.Nodes)
	cut := make([]bool, n)
	for {
		gain, leaves := make([]float64, n), make([]int, n)
		weakest, least := -1, alpha
		for i := n - 1; i >= 0; i-- {
			node := &t.Nodes[i]
			if node.Split == nil || cut[i] {
				leaves[i] = 1
				continue
			}
			gain[i] = node.Gain + gain[node.LTE] + gain[node.GT]
			leaves[i] = leaves[node.LTE] + leaves[node.GT]
			if g := gain[i] / t.Nodes[0].Weight / float64(leaves[i]-1); g <= least {
				weakest, least = i, g
			}
		}
		if weakest < 0 {
			break
		}
		cut[weakest] = true
	}
	return without(t, cut)
}

// without returns the tree with the marked splits turned into leaves.
func without(t *Tree, cut []bool) *Tree {
	number := make([]int32, len(t.Nodes))
	reached := make([]bool, len(t.Nodes))
	reached[0] = true
	out := &Tree{}
	for i, node := range t.Nodes {
		if !reached[i] {
			continue
		}
		number[i] = int32(len(out.Nodes))
		if node.Split != nil && cut[i] {
			node.Split, node.LTE, node.GT, node.Gain = nil, 0, 0, 0
		} else if node.Split != nil {
			reached[node.LTE], reached[node.GT] = true, true
		}
		out.Nodes = append(out.Nodes, node)
	}
	for i := range out.Nodes {
		if node := &out.Nodes[i]; node.Split != nil {
			node.LTE, node.GT = number[node.LTE], number[node.GT]
		}
	}
	return out
}

// report tells that another tree is done.
func (p *problem) report(total int) {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.planted++
	p.progress.Report("plant", p.planted, total)
}
