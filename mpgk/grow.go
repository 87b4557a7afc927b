package mpgk

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/nystrom"
	"github.com/grove-graph/grove/parallel"
)

// fittedHierarchy is a hierarchy over points together with what sends other points down it.
type fittedHierarchy struct {
	*hierarchy
	leaf   []int32 // of every point
	strays []stray
}

// stray is a point that counted for another child of a node than its own when the means were taken by which points
// are sent down, because k-means was cut off.
type stray struct{ node, point, child int32 }

// branch is a node with the points below it.
type branch struct {
	node    int32
	members []int32 // points that the hierarchy was grown on, ascending
	others  []int32 // points to send down
}

// bigBranch is the number of members from which on all workers share one node, in place of a node each.
const bigBranch = 4096

// eachBranch calls visit for all branches with a workspace and an engine to use: e for a big branch, and one worker of
// the host for each of the others.
func eachBranch(
	ctx context.Context, e engine.Engine, columns int, branches []branch,
	visit func(i int, space *workspace, e engine.Engine) error,
) error {
	small := make([]int, 0, len(branches))
	var space *workspace
	for i, p := range branches {
		if len(p.members)+len(p.others) < bigBranch {
			small = append(small, i)
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if space == nil {
			space = newWorkspace(columns)
		}
		if err := visit(i, space, e); err != nil {
			return err
		}
	}
	errs := make([]error, len(small))
	parallel.Each(e.Workers(), len(small), func() func(int) {
		space, alone := newWorkspace(columns), engine.NewCPU(1)
		return func(i int) {
			if ctx.Err() == nil {
				errs[i] = visit(small[i], space, alone)
			}
		}
	})
	return cmp.Or(ctx.Err(), errors.Join(errs...))
}

// grow builds a hierarchy by recursive k-means: the root holds all points, and a node of less than the greatest
// depth that holds at least as many vertices as there are clusters gets a child for each cluster, unless
// its points are equal.
func grow(ctx context.Context, e engine.Engine, p *points, opt *Options, seed uint64) (*fittedHierarchy, error) {
	return growWithin(ctx, e, p, opt, seed, maxLloyd)
}

// growWithin is grow with a number of iterations of each k-means.
func growWithin(
	ctx context.Context, e engine.Engine, p *points, opt *Options, seed uint64, iterations int,
) (*fittedHierarchy, error) {
	h := &fittedHierarchy{hierarchy: newHierarchy([]int32{-1}), leaf: make([]int32, p.len())}
	level := []branch{{members: ascending(p.len())}}
	for depth := 0; depth < opt.Depth && len(level) > 0; depth++ {
		cluster, means := make([][]int32, len(level)), make([][]int32, len(level))
		err := eachBranch(ctx, e, len(p.counts.weight), level, func(i int, space *workspace, e engine.Engine) (err error) {
			vertices := 0.0
			for _, m := range level[i].members {
				vertices += p.copies[m]
			}
			if vertices < float64(opt.Branching) || len(level[i].members) < 2 {
				return nil
			}
			rng := rand.New(rand.NewPCG(seed, uint64(level[i].node)))
			cluster[i], means[i], err = newSplit(p, level[i].members, opt.Branching, space).divide(ctx, e, rng, iterations)
			return err
		})
		if err != nil {
			return nil, err
		}
		var below []branch
		for i, at := range level {
			if cluster[i] != nil {
				below = append(below, h.addChildren(at, cluster[i], means[i], opt.Branching)...)
			}
		}
		level = below
	}
	return h, nil
}

// addChildren adds a child for each cluster of a branch that has a mean, and moves the members there.
func (h *fittedHierarchy) addChildren(p branch, cluster, means []int32, k int) []branch {
	child, holds := make([]int32, k), make([]bool, k)
	for n := range cluster {
		child[means[n]] = 1
		holds[cluster[n]] = true
	}
	used := 0
	for _, h := range holds {
		if h {
			used++
		}
	}
	if used < 2 {
		return nil
	}
	var below []branch
	for j := range child {
		if child[j] == 0 {
			continue
		}
		child[j] = int32(len(h.parent))
		h.parent, h.depth = append(h.parent, p.node), append(h.depth, h.depth[p.node]+1)
		below = append(below, branch{node: child[j]})
	}
	for n, i := range p.members {
		to := child[cluster[n]]
		h.leaf[i] = to
		at := &below[to-below[0].node]
		at.members = append(at.members, i)
		if means[n] != cluster[n] {
			h.strays = append(h.strays, stray{p.node, i, child[means[n]]})
		}
	}
	return below
}

// descend sends points q down the hierarchy, which was grown on p, at every node to the nearest mean of its
// children, and returns their leaves. For the points of p these are the leaves that they have.
func (h *fittedHierarchy) descend(ctx context.Context, e engine.Engine, p, q *points) ([]int32, error) {
	first, past := h.children()
	strayTo := make(map[stray]int32, len(h.strays)) // keyed without the child
	for _, s := range h.strays {
		strayTo[stray{node: s.node, point: s.point}] = s.child
	}
	leaf := make([]int32, q.len())
	level := []branch{{members: ascending(p.len()), others: ascending(q.len())}}
	for len(level) > 0 {
		below := make([][]branch, len(level))
		err := eachBranch(ctx, e, len(p.counts.weight), level, func(i int, space *workspace, e engine.Engine) error {
			at := level[i]
			from := first[at.node]
			k := int(past[at.node] - from)
			if k == 0 || len(at.others) == 0 {
				return nil
			}
			next := make([]branch, k)
			means := make([]int32, len(at.members))
			for j := range next {
				next[j].node = from + int32(j)
			}
			for n, m := range at.members {
				child := h.leaf[m]
				for h.depth[child] > h.depth[at.node]+1 {
					child = h.parent[child]
				}
				next[child-from].members = append(next[child-from].members, m)
				if to, is := strayTo[stray{node: at.node, point: m}]; is {
					child = to
				}
				means[n] = child - from
			}
			s := newSplit(p, at.members, k, space)
			s.fill(means)
			s.send(q, at.others, next, e.Workers())
			for _, child := range next {
				for _, o := range child.others {
					leaf[o] = child.node
				}
			}
			below[i] = next
			return nil
		})
		if err != nil {
			return nil, err
		}
		level = level[:0]
		for _, branches := range below {
			for _, child := range branches {
				if len(child.others) > 0 {
					level = append(level, child)
				}
			}
		}
	}
	return leaf, nil
}

// fill puts the members into clusters.
func (s *split) fill(cluster []int32) {
	s.Empty()
	for n, k := range cluster {
		s.Put(n, k, 1)
	}
	s.Update()
}

// send adds the given points of q to the branches of their nearest means.
func (s *split) send(q *points, others []int32, branches []branch, workers int) {
	to := make([]int32, len(others))
	parallel.Chunks(workers, len(others), memberChunk, func(from, end int) {
		score, dense := make([]float64, len(s.weight)), make([]float64, len(s.mean))
		var entries []int32
		for n := from; n < end; n++ {
			s.shift(dense, q.row(others[n]))
			entries = s.reach(entries[:0], &q.counts, others[n])
			s.means.Score(score, dense, entries, nil)
			to[n] = nystrom.Nearest(score)
		}
	})
	for n, k := range to {
		branches[k].others = append(branches[k].others, others[n])
	}
}
