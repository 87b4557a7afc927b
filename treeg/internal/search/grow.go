// Package search grows trees. Every node draws what it may try, a [Searcher], on the host or on a device, finds the
// best splits of all open nodes of a depth, and the code that predicts sends their examples to the children.
package search

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/treeg/internal/predict"
	"github.com/grove-graph/grove/treeg/internal/splits"
	"github.com/grove-graph/grove/treeg/internal/walks"
)

// Grower grows one tree.
type Grower struct {
	*growth
	searcher Searcher
	random   *rand.Rand
	spare    []splits.Sample // memory of node.local
	nodes    []*node         // in the order of creation
}

// NewGrower prepares for growing trees one after another on some goroutines. r is what a device holds of the data.
func NewGrower(d *walks.Data, r *Resident, opt *Options, workers int) *Grower {
	t := &growth{d: d, opt: opt, workers: workers, known: map[drawnWalks][]walks.Kind{}}
	return &Grower{growth: t, searcher: t.searcher(r)}
}

// Grown is a tree that has grown (section 3.4), whose leaves have no values yet.
type Grown struct {
	*predict.Tree
	Members [][]int32 // examples of every node; nil where an engine has them

	On     engine.Growth      // that engine's, nil without
	Leaves []engine.GrownLeaf // in its order, without values
	Nodes  []int32            // of Leaves

	targets *Targets
	sums    []engine.NodeSums // of every node
}

// Sums returns what is known of the examples of a node.
func (g *Grown) Sums(node int) engine.NodeSums {
	if g.Members != nil {
		return g.targets.Sums(g.Members[node])
	}
	return g.sums[node]
}

// Grow fits a tree to the given examples, ascending.
func (g *Grower) Grow(ctx context.Context, t *Targets, examples []int32, random *rand.Rand) (*Grown, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	g.targets, g.examples, g.random, g.nodes, g.leaves = t, examples, random, nil, 1
	root := &node{row: -1}
	if err := g.searcher.plant(root); err != nil {
		return nil, err
	}
	for _, w := range g.opt.Walks {
		root.walks[w] = true
	}
	g.drawFeatures(root)
	g.drawSeed(root)
	g.nodes = append(g.nodes, root)
	if err := g.try(ctx, []*node{root}); err != nil {
		return nil, err
	}
	var err error
	if g.opt.LevelWise {
		err = g.levelWise(ctx)
	} else {
		err = g.bestFirst(ctx)
	}
	if err != nil {
		return nil, err
	}
	return g.finish(), nil
}

// bestFirst splits the leaf with the largest gain, the oldest of equal ones, again and again.
func (g *Grower) bestFirst(ctx context.Context) error {
	for g.opt.MaxLeaves == 0 || g.leaves < g.opt.MaxLeaves {
		var next *node
		for _, n := range g.nodes {
			if n.waiting && (next == nil || n.best.gain > next.best.gain) {
				next = n
			}
		}
		if next == nil {
			return nil
		}
		children, err := g.split(ctx, next)
		if err == nil {
			err = g.try(ctx, children)
		}
		if err != nil {
			return err
		}
		g.close(next)
	}
	return nil
}

// levelWise splits all leaves of a depth, then those of the next one. Where the limit on leaves allows only some,
// those with the largest gains are split.
func (g *Grower) levelWise(ctx context.Context) error {
	for {
		var level []*node
		for _, n := range g.nodes {
			if n.waiting {
				level = append(level, n)
			}
		}
		if g.opt.MaxLeaves > 0 && len(level) > g.opt.MaxLeaves-g.leaves {
			slices.SortStableFunc(level, func(a, b *node) int { return cmp.Compare(b.best.gain, a.best.gain) })
			for _, n := range level[g.opt.MaxLeaves-g.leaves:] {
				g.close(n)
			}
			level = level[:g.opt.MaxLeaves-g.leaves]
		}
		if len(level) == 0 {
			return nil
		}
		children, err := g.split(ctx, level...)
		if err == nil {
			err = g.try(ctx, children)
		}
		if err != nil {
			return err
		}
		for _, n := range level {
			g.close(n)
		}
	}
}

// try searches splits for new leaves. Those that have one wait to be split, and keep the subsets that they may use.
func (g *Grower) try(ctx context.Context, nodes []*node) error {
	var searched []*node
	full := g.opt.MaxLeaves > 0 && g.leaves >= g.opt.MaxLeaves
	for _, n := range nodes {
		if full || n.count() < max(g.opt.MinSplit, 2) || g.opt.MaxDepth > 0 && n.depth >= g.opt.MaxDepth {
			continue
		}
		g.hold(n, 1)
		if last := len(g.spare) - 1; last >= 0 {
			n.local, g.spare = g.spare[last], g.spare[:last]
		}
		searched = append(searched, n)
	}
	err := g.search(ctx, searched)
	for again := g.drawMore(searched); err == nil && len(again) > 0; again = g.drawMore(again) {
		err = g.search(ctx, again)
	}
	for _, n := range searched {
		g.spare = append(g.spare, n.local)
		n.local, n.undrawn = splits.Sample{}, nil
		if n.waiting = n.best.gain > 0; !n.waiting {
			g.hold(n, -1)
		}
	}
	return err
}

// search finds the best splits of those of the nodes whose examples differ.
func (g *Grower) search(ctx context.Context, nodes []*node) error {
	open := nodes[:0:0]
	for _, n := range nodes {
		if g.searcher.ready(n) {
			open = append(open, n)
		}
	}
	return g.searcher.search(ctx, open)
}

// close ends the wait of a node.
func (g *Grower) close(n *node) {
	n.waiting = false
	g.hold(n, -1)
	if n.users == 0 {
		g.searcher.release(n)
	}
}

// hold counts a node as a user of the cuts within its reach, or no longer. A cut without users goes back.
func (g *Grower) hold(n *node, change int) {
	a := n
	for range min(g.opt.MaxDistance, n.depth) {
		a = a.parent
		if a.users += change; a.users == 0 {
			g.searcher.release(a)
		}
	}
}

// split applies the best splits of some nodes and returns their children.
func (g *Grower) split(ctx context.Context, nodes ...*node) (children []*node, err error) {
	for _, n := range nodes {
		n.rule = g.d.Input.Rule(n.best.Split)
		for i := range n.children {
			n.children[i] = &node{parent: n, depth: n.depth + 1, row: -1}
		}
		children = append(children, n.children[:]...)
	}
	if err := g.searcher.partition(ctx, nodes); err != nil {
		return nil, err
	}
	for _, c := range children {
		g.drawWalks(c)
		g.drawFeatures(c)
		g.drawSeed(c)
	}
	g.nodes = append(g.nodes, children...)
	g.leaves += len(nodes)
	return children, nil
}

// drawWalks draws the walk types that a node below the root may use: each of the allowed ones with probability
// Keep. Where none is drawn, the first is used with all vertices only.
func (g *Grower) drawWalks(n *node) {
	any := false
	for _, w := range g.opt.Walks {
		if g.opt.Keep == 1 || g.random.Float64() < g.opt.Keep {
			n.walks[w], any = true, true
		}
	}
	if !any {
		n.walks[slices.Min(g.opt.Walks)], n.alone = true, true
	}
}

// drawFeatures draws the features that a node may use: the same for walks of every length, or each length its own,
// which makes extremely randomised trees differ more.
func (g *Grower) drawFeatures(n *node) {
	l := g.d.Input.Features()
	if g.opt.Features == l {
		return
	}
	lengths := 1
	if g.opt.Randomised {
		lengths = g.opt.MaxLength + 1
	}
	for range lengths {
		n.undrawn = append(n.undrawn, g.random.Perm(l))
	}
	g.drawNext(n)
}

// drawSeed draws what the thresholds of a node follow from, where they are drawn.
func (g *Grower) drawSeed(n *node) {
	if g.opt.Randomised {
		n.seed = g.random.Uint64()
	}
}

// drawNext lets a node use the next of its features, and no others.
func (g *Grower) drawNext(n *node) {
	l := g.d.Input.Features()
	n.features = make([][]bool, len(n.undrawn))
	for length, undrawn := range n.undrawn {
		next := min(g.opt.Features, len(undrawn))
		n.features[length] = make([]bool, l)
		for _, k := range undrawn[:next] {
			n.features[length][k] = true
		}
		n.undrawn[length] = undrawn[next:]
	}
}

// drawMore returns the nodes that have found no split and have features left, with as many new ones as before: a node
// becomes a leaf when no feature splits it, not when those that it drew are the same in all its examples, as sparse
// features mostly are.
func (g *Grower) drawMore(searched []*node) []*node {
	var again []*node
	for _, n := range searched {
		if n.best.gain == 0 && n.undrawn != nil && len(n.undrawn[0]) > 0 && n.mixed {
			g.drawNext(n)
			again = append(again, n)
		}
	}
	return again
}

// finish numbers the nodes in the order of creation.
func (g *Grower) finish() *Grown {
	out := &Grown{Tree: &predict.Tree{Nodes: make([]predict.Node, len(g.nodes))}, targets: g.targets}
	if d, ok := g.searcher.(*deviceSearcher); ok {
		out.On = d.tree
	}
	for i, n := range g.nodes {
		n.id = int32(i)
	}
	for i, n := range g.nodes {
		to := &out.Tree.Nodes[i]
		if out.On == nil {
			out.Members = append(out.Members, n.Examples)
			for _, e := range n.Examples {
				to.Weight += g.targets.Weight[e]
			}
		} else {
			out.sums = append(out.sums, n.sums)
			to.Weight = n.sums.Weight
		}
		if n.children[0] != nil {
			split := n.rule.Split
			to.Split, to.Gain = &split, n.best.gain
			to.LTE, to.GT = n.children[0].id, n.children[1].id
		}
		g.searcher.release(n)
	}
	for _, n := range slices.SortedFunc(slices.Values(g.nodes), func(a, b *node) int { return a.from - b.from }) {
		if out.On != nil && n.children[0] == nil {
			out.Leaves, out.Nodes = append(out.Leaves, engine.GrownLeaf{From: n.from, Depth: n.depth}), append(out.Nodes, n.id)
		}
	}
	return out
}
