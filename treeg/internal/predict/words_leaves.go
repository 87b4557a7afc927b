package predict

import "github.com/grove-graph/grove/treeg/internal/walks"

// smallWalker sends small graphs through a program.
type smallWalker struct {
	*wordGraphs
	p     *Program
	empty walks.Empty

	of     []int                 // positions of the graphs among the examples
	all    []uint8               // 0, 1, ... for all graphs
	rows   [][together]float64   // by slot: values of the graphs
	cuts   [][2][together]uint64 // by depth: the subsets below and above
	whole  [][together]uint64    // by program.cuts: the vertices above
	isCut  []uint64              // by program.cuts: the graphs, a bit each, that are in whole
	lists  [][2][together]uint8  // by depth: graphs that go to the LTE and to the GT child
	values [together]float64     // of a split that uses a subset
	leaves [together]int32       // that the graphs reach in a tree
}

func (p *Program) smallWalker(d *walks.Data, empty walks.Empty) *smallWalker {
	return &smallWalker{
		wordGraphs: newWordGraphs(d), p: p, empty: empty,
		rows: make([][together]float64, len(p.slots)), whole: make([][together]uint64, len(p.cuts)),
		isCut: make([]uint64, len(p.cuts)), cuts: make([][2][together]uint64, p.depth),
		lists: make([][2][together]uint8, p.depth),
	}
}

// send tells the leaves of those graphs of list[from:to] that are small.
func (w *smallWalker) send(list []int32, from, to int, tell func(i, tree int, leaf int32)) {
	for i := from; i < to; {
		w.reset()
		w.of, w.all = w.of[:0], w.all[:0]
		for ; i < to && len(w.of) < together; i++ {
			if w.d.Small(list[i]) {
				w.enter(len(w.of), list[i])
				w.of, w.all = append(w.of, i), append(w.all, uint8(len(w.of)))
			}
		}
		for slot := range w.p.slots {
			for at := range w.of {
				w.rows[slot][at] = w.value(at, &w.p.slots[slot], w.graphs[at].full, w.empty)
			}
		}
		clear(w.isCut)
		for t := range w.p.paths {
			w.descend(&w.p.paths[t], 0, 0, w.all)
			for at, i := range w.of {
				tell(i, t, w.leaves[at])
			}
		}
	}
}

// descend sends graphs through the tree below node i.
func (w *smallWalker) descend(p *path, i int32, depth int, graphs []uint8) {
	if len(graphs) == 0 {
		return
	}
	s := &p.steps[i]
	if !s.split {
		for _, at := range graphs {
			w.leaves[at%together] = i
		}
		return
	}
	// Every graph is written to both lists and one of them grows: no branch to guess.
	lists := &w.lists[depth]
	below, above, threshold := 0, 0, s.threshold
	r, values := &p.rules[i], &w.values
	if s.slot >= 0 {
		values = &w.rows[s.slot]
	} else {
		subsets := &w.cuts[depth-r.Pointer][bit(r.Above)]
		for _, at := range graphs {
			values[at%together] = w.value(int(at%together), r, subsets[at%together], w.empty)
		}
	}
	for _, at := range graphs {
		up := bit(values[at%together] > threshold)
		lists[0][below%together], lists[1][above%together] = at, at
		below, above = below+1-up, above+up
	}
	lte, gt := lists[0][:below], lists[1][:above]
	if s.pointed[0] {
		w.cut(s, r, depth, lte)
	}
	w.descend(p, s.lte, depth+1, lte)
	if s.pointed[1] {
		w.cut(s, r, depth, gt)
	}
	w.descend(p, s.gt, depth+1, gt)
}

// cut stores the subsets that a split generates in some graphs.
func (w *smallWalker) cut(s *step, r *walks.Rule, depth int, graphs []uint8) {
	cuts := &w.cuts[depth]
	if s.slot >= 0 {
		whole, isCut := &w.whole[s.cut], w.isCut[s.cut]
		for _, at := range graphs {
			full := w.graphs[at%together].full
			if isCut>>at&1 == 0 {
				whole[at%together] = w.above(int(at%together), &w.p.cuts[s.cut], full)
			}
			isCut |= 1 << at
			up := whole[at%together]
			cuts[0][at%together], cuts[1][at%together] = full&^up, up
		}
		w.isCut[s.cut] = isCut
		return
	}
	subsets := &w.cuts[depth-r.Pointer][bit(r.Above)]
	for _, at := range graphs {
		subset := subsets[at%together]
		up := w.above(int(at%together), r, subset)
		cuts[0][at%together], cuts[1][at%together] = subset&^up, up
	}
}

func bit(x bool) int {
	if x {
		return 1
	}
	return 0
}
