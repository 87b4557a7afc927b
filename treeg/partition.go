package treeg

import "github.com/grove-graph/grove/parallel"

// part holds some of the examples of a node on their way to its children.
type part struct {
	evaluator *evaluator
	lte, gt   []int32
}

// verticesOfPart is the number of vertices, about, from which on another goroutine is worth its while.
const verticesOfPart = 1 << 10

// partsOf returns parts for the graphs of a node.
func (g *grower) partsOf(n *node) []part {
	b := g.d.batch
	count := len(n.graphs) * (b.NumVertices() / b.NumGraphs()) / verticesOfPart
	count = min(max(count, 1), len(n.graphs))
	for len(g.parts) < count {
		g.parts = append(g.parts, part{evaluator: newEvaluator(g.d, g.opt.Empty)})
	}
	return g.parts[:count]
}

// partition sends the examples of a node to its children by the code that predicts, and cuts the subset that the
// split used in every graph.
func (g *grower) partition(n, lte, gt *node) {
	if g.opt.MaxDistance > 0 && g.growsBelow(n) {
		n.cut = g.cuts.take()
		n.cut.of, n.cut.whole = n, n.rule.Pointer == 0
	}
	parts := g.partsOf(n)
	parallel.For(g.workers, len(parts), func(i int) {
		parts[i].fill(g.d, n, i*len(n.graphs)/len(parts), (i+1)*len(n.graphs)/len(parts))
	})
	for i := range parts {
		lte.examples, gt.examples = append(lte.examples, parts[i].lte...), append(gt.examples, parts[i].gt...)
	}
}

// fill partitions the examples of some graphs of a node.
func (p *part) fill(d *Data, n *node, from, to int) {
	p.lte, p.gt = p.lte[:0], p.gt[:0]
	e, r := p.evaluator, &n.rule
	for at := from; at < to; at++ {
		f := n.evaluate(d, e, at)
		f.each(n, at, func(example int32, value float64) {
			if r.goesAbove(value, r.Threshold) {
				p.gt = append(p.gt, example)
			} else {
				p.lte = append(p.lte, example)
			}
		})
		if n.cut != nil {
			e.above, e.below = r.cutInto(e.above[:0], e.below[:0], f.v, f.subset, f.first)
			n.cut.fill(f.graph, f.first, f.last, e.above, e.below)
		}
	}
}

// found is what a split finds in one graph of a node.
type found struct {
	graph       int32
	first, last int32
	subset      []int32
	v           []float64 // nil for zeros
	value       float64   // of the graph, at graph level
}

// each tells the values of the node's examples in its graph number at.
func (f *found) each(n *node, at int, tell func(example int32, value float64)) {
	if n.starts == nil {
		tell(f.graph, f.value)
		return
	}
	for _, j := range n.examples[n.starts[at]:n.starts[at+1]] {
		if f.v == nil {
			tell(j, 0)
		} else {
			tell(j, f.v[j-f.first])
		}
	}
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
