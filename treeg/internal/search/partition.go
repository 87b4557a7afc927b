package search

import (
	"context"
	"slices"

	"github.com/grove-graph/grove/parallel"
	"github.com/grove-graph/grove/treeg/internal/walks"
)

// verticesOfPiece is the number of vertices, about, from which on another goroutine is worth its while.
const verticesOfPiece = 1 << 8

// partition implements [Searcher] by the code that predicts.
func (g *hostSearcher) partition(_ context.Context, nodes []*node) error {
	for _, n := range nodes {
		g.divide(n)
	}
	return nil
}

// divide sends the examples of a node to its children.
func (g *hostSearcher) divide(n *node) {
	if g.opt.MaxDistance > 0 && g.growsBelow(n) {
		if last := len(g.cuts) - 1; last >= 0 {
			n.cut, g.cuts = g.cuts[last], g.cuts[:last]
		} else {
			n.cut = walks.NewCut(g.d)
		}
		n.cut.Graphs, n.cut.Whole = n.Graphs, n.rule.Pointer == 0
	}
	graphs, b := len(n.Graphs), g.d.Batch
	pieces := min(max(graphs*(b.NumVertices()/b.NumGraphs())/verticesOfPiece, 1), graphs)
	g.toGT = slices.Grow(g.toGT[:0], len(n.Examples))[:len(n.Examples)]
	g.splitting = 0
	parallel.Each(g.workers, pieces, func() func(int) {
		w := g.splitter()
		return func(i int) { w.sides(n, i*graphs/pieces, (i+1)*graphs/pieces, g.toGT) }
	})
	n.hand(g.toGT)
}

// hand gives the children of a node its examples, by whether they go to the GT child.
func (n *node) hand(toGT []bool) {
	ups := 0
	for _, up := range toGT {
		if up {
			ups++
		}
	}
	lte, gt := n.children[0], n.children[1]
	lte.Examples, gt.Examples = make([]int32, 0, len(n.Examples)-ups), make([]int32, 0, ups)
	for i, up := range toGT {
		if up {
			gt.Examples = append(gt.Examples, n.Examples[i])
		} else {
			lte.Examples = append(lte.Examples, n.Examples[i])
		}
	}
}

// release implements [Searcher].
func (g *hostSearcher) release(n *node) {
	if n.cut != nil {
		g.cuts, n.cut = append(g.cuts, n.cut), nil
	}
}

// splitter is the scratch space of a goroutine that splits nodes.
type splitter struct {
	d *walks.Data
	*walks.Evaluator
	spare []int32 // see walks.Cut.Fill
	goes  []bool  // see sides
}

// splitter returns the scratch space of a goroutine.
func (g *hostSearcher) splitter() *splitter {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.splitting == len(g.splitters) {
		g.splitters = append(g.splitters, &splitter{d: g.d, Evaluator: walks.NewEvaluator(g.d, g.opt.Empty)})
	}
	g.splitting++
	return g.splitters[g.splitting-1]
}

// sides decides the sides of the examples of some graphs of a node: goes tells those of the GT child. It writes them at
// once: neighbours in memory are other goroutines' examples.
func (w *splitter) sides(n *node, from, to int, goes []bool) {
	r, toGT := &n.rule, w.goes[:0]
	for at := from; at < to; at++ {
		f := n.evaluate(w.d, w.Evaluator, at)
		if n.Starts == nil {
			toGT = append(toGT, r.GoesAbove(f.value, r.Threshold))
		} else {
			for _, j := range n.Examples[n.Starts[at]:n.Starts[at+1]] {
				value := 0.0
				if f.v != nil {
					value = f.v[j-f.first]
				}
				toGT = append(toGT, r.GoesAbove(value, r.Threshold))
			}
		}
		if n.cut != nil {
			w.spare = n.cut.Fill(r, n.Graphs[at], f.v, f.subset, w.spare)
		}
	}
	first := from
	if n.Starts != nil {
		first = int(n.Starts[from])
	}
	copy(goes[first:], toGT)
	w.goes = toGT
}

// found is what a split finds in one graph of a node.
type found struct {
	first  int32 // vertex of the graph
	subset []int32
	v      []float64 // nil for zeros
	value  float64   // of the graph, at graph level
}

// evaluate computes the split of a node on its graph number at, by the code that predicts.
func (n *node) evaluate(d *walks.Data, e *walks.Evaluator, at int) (f found) {
	r, g := &n.rule, n.Graphs[at]
	whole := r.Pointer == 0
	first, last := d.Batch.Vertices(int(g))
	f.first, f.subset = first, d.All(first, last)
	if !whole {
		f.subset = n.ancestor(r.Pointer).cut.Subset(g, r.Above)
	}
	st := d.Segment(r.Feature, g)
	if st != nil {
		f.v = e.Vector(r, st, f.subset, whole)
	}
	if d.Input.Level == walks.Graphs {
		f.value = e.OfGraph(r, st, f.v, f.subset, len(f.subset), whole)
	}
	return f
}
