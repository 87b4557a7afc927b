package treeg

import (
	"context"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/parallel"
)

// StaticFeatures returns what boosting without subsets sees of a batch, the features that TREE-G is compared with:
// A^d f for every feature f of the vertices, every adjacency matrix A of the options and d from 0 to MaxLength; for
// graphs the sum and the mean of each over their vertices. The result is a graph without arcs whose vertices are the
// examples, graphs or vertices, with these features as attributes; fit to it with [Options.OnStatic]. Missing values
// stay missing where d is 0 and an example is a vertex, and are left out of sums.
func StaticFeatures(ctx context.Context, e engine.Engine, b *graph.Batch, opt Options) (*graph.Batch, error) {
	if err := opt.Check(); err != nil {
		return nil, err
	}
	in, err := inputOf(b, &opt)
	if err != nil {
		return nil, err
	}
	d, err := prepare(ctx, e, b, in, demand{length: opt.MaxLength})
	if err != nil {
		return nil, err
	}
	return d.static(), nil
}

// OnStatic returns the options of the same ensemble on the graph that [StaticFeatures] makes: no walks, no subsets.
func (o Options) OnStatic() Options {
	o.Level, o.MaxLength, o.MaxDistance = Vertices, 0, 0
	o.Walks, o.Aggregations, o.Keep = []Walk{Source}, nil, 1
	o.Directions, o.Relations, o.Constant, o.MeanSteps = Along, Together, false, false
	return o
}

// static makes the graph of static features.
func (d *Data) static() *graph.Batch {
	each := 1 + len(d.operators)*d.length // columns of a feature; for graphs twice as many
	if d.input.Level == Graphs {
		each *= 2
	}
	n, width := d.Examples(), each*d.input.Features()
	out := &graph.Batch{
		Offsets: []int32{0, int32(n)}, RowPtr: make([]int32, n+1),
		Attributes: make([]float64, n*width), AttributeDim: width,
	}
	parallel.For(d.engine.Workers(), len(d.strands), func(s int) {
		st := &d.strands[s]
		column := each * d.featureOf(s)
		put := func(values []float64) {
			column += d.put(out, column, st, st.vector(values))
		}
		put(d.values)
		for _, lengths := range d.walks {
			for _, values := range lengths {
				put(values)
			}
		}
	})
	return out
}

// put writes the values of a strand from a column on and returns how many columns it took.
func (d *Data) put(out *graph.Batch, column int, st *strand, values []float64) int {
	if d.input.Level == Graphs {
		s := summarize(values)
		row := out.Attribute(st.graph)
		row[column], row[column+1] = s.value(Sum), s.value(Mean)
		return 2
	}
	for i, x := range values {
		out.Attribute(st.first + int32(i))[column] = x
	}
	return 1
}
