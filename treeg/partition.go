package treeg

import (
	"slices"

	"github.com/grove-graph/grove/parallel"
)

// verticesOfPart is the number of vertices, about, from which on another goroutine is worth its while.
const verticesOfPart = 1 << 8

// partition sends the examples of a node to its children by the code that predicts, and cuts the subset that the
// split used in every graph.
func (g *grower) partition(n, lte, gt *node) {
	if g.opt.MaxDistance > 0 && g.growsBelow(n) {
		n.cut = g.cuts.take()
		n.cut.of, n.cut.whole = n, n.rule.Pointer == 0
	}
	graphs, b := len(n.graphs), g.d.batch
	parts := min(max(graphs*(b.NumVertices()/b.NumGraphs())/verticesOfPart, 1), graphs)
	g.toGT = slices.Grow(g.toGT[:0], len(n.examples))[:len(n.examples)]
	g.busy = 0
	parallel.Each(g.workers, parts, func() func(int) {
		w := g.worker()
		return func(i int) { w.part(n, i*graphs/parts, (i+1)*graphs/parts) }
	})
	ups := 0
	for _, up := range g.toGT {
		ups += bit(up)
	}
	lte.examples, gt.examples = make([]int32, 0, len(n.examples)-ups), make([]int32, 0, ups)
	for i, up := range g.toGT {
		if up {
			gt.examples = append(gt.examples, n.examples[i])
		} else {
			lte.examples = append(lte.examples, n.examples[i])
		}
	}
}

// part decides the sides of the examples of some graphs of a node. It writes them at once: neighbours in memory are
// other goroutines' examples.
func (w *worker) part(n *node, from, to int) {
	r, toGT := &n.rule, w.goes[:0]
	for at := from; at < to; at++ {
		f := n.evaluate(w.d, w.evaluator, at)
		if n.starts == nil {
			toGT = append(toGT, r.goesAbove(f.value, r.Threshold))
		} else {
			for _, j := range n.examples[n.starts[at]:n.starts[at+1]] {
				value := 0.0
				if f.v != nil {
					value = f.v[j-f.first]
				}
				toGT = append(toGT, r.goesAbove(value, r.Threshold))
			}
		}
		if n.cut != nil {
			w.spare = n.cut.fill(r, &f, w.spare)
		}
	}
	first := from
	if n.starts != nil {
		first = int(n.starts[from])
	}
	copy(w.toGT[first:], toGT)
	w.goes = toGT
}

// found is what a split finds in one graph of a node.
type found struct {
	graph       int32
	first, last int32
	subset      []int32
	v           []float64 // nil for zeros
	value       float64   // of the graph, at graph level
}

// evaluate computes the split of a node on its graph number at, by the code that predicts.
func (n *node) evaluate(d *Data, e *evaluator, at int) found {
	r := &n.rule
	f := found{graph: n.graphs[at]}
	f.first, f.last = d.batch.Vertices(int(f.graph))
	f.subset = d.all(f.first, f.last)
	if r.Pointer > 0 {
		f.subset = n.ancestor(r.Pointer).cut.subset(f.graph, f.first, r.Above)
	}
	st := d.strand(r.Feature, f.graph)
	if st != nil {
		f.v = e.vector(r, st, f.subset, r.Pointer == 0)
	}
	if d.input.Level == Graphs {
		f.value = e.ofGraph(r, st, f.v, f.subset, len(f.subset), r.Pointer == 0)
	}
	return f
}
