package predict

import (
	"context"

	"github.com/grove-graph/grove/parallel"
	"github.com/grove-graph/grove/split"
	"github.com/grove-graph/grove/treeg/internal/walks"
)

// Each tells the leaf of every example in every tree. It hands examples out in pieces, at vertex level of one graph
// each, to walkers of several goroutines.
func (p *Program) Each(
	ctx context.Context, d *walks.Data, empty walks.Empty, list []int32, tell func(i, tree int, leaf int32),
) error {
	if d.Engine.Capabilities().Wide && d.Batch.NumVertices() > 0 {
		return p.eachOnDevice(ctx, d, empty, list, tell)
	}
	var starts []int
	for i := range list {
		fresh := i == 0
		if i > 0 && d.GraphOf == nil {
			fresh = i-starts[len(starts)-1] == together
		} else if i > 0 {
			fresh = d.GraphOf[list[i]] != d.GraphOf[list[i-1]]
		}
		if fresh {
			starts = append(starts, i)
		}
	}
	parallel.Each(d.Engine.Workers(), len(starts), func() func(int) {
		w := p.walker(d, empty)
		return func(piece int) {
			from, to := starts[piece], len(list)
			if piece+1 < len(starts) {
				to = starts[piece+1]
			}
			if ctx.Err() == nil {
				w.leaves(list, from, to, tell)
			}
		}
	})
	return ctx.Err()
}

// leaves tells the leaf of each of the examples list[from:to] in every tree; at vertex level they are of one graph.
func (w *walker) leaves(list []int32, from, to int, tell func(i, tree int, leaf int32)) {
	if w.d.GraphOf != nil {
		for t := range w.p.paths {
			told := func(i int, leaf int32) { tell(from+i, t, leaf) }
			w.descend(&visit{&w.p.paths[t], w.d.GraphOf[list[from]], list[from:to], told}, 0, 0, split.All(to-from))
		}
		return
	}
	words := w.visit == nil && w.d.InWords
	if words && w.small == nil {
		w.small = w.p.smallWalker(w.d, w.empty)
	}
	if words {
		w.small.send(list, from, to, tell)
	}
	for i := from; i < to; i++ {
		g := list[i]
		if words && w.d.Small(g) {
			continue
		}
		w.enter(g)
		for t := range w.p.paths {
			tell(i, t, w.graph(&w.p.paths[t], g))
		}
	}
}

// Follow returns the leaf of an example in one tree and tells every split on the way with the subset that it uses.
func Follow(
	d *walks.Data, t *Tree, empty walks.Empty, example int32, visit func(node int32, r *walks.Rule, subset []int32),
) (leaf int32) {
	w := NewProgram(&d.Input, []*Tree{t}).walker(d, empty)
	w.visit = visit
	w.leaves([]int32{example}, 0, 1, func(_, _ int, at int32) { leaf = at })
	return leaf
}
