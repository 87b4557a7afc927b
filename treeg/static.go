package treeg

import (
	"context"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/treeg/internal/walks"
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
	d, err := walks.Prepare(ctx, e, b, in, walks.Demand{Length: opt.MaxLength})
	if err != nil {
		return nil, err
	}
	return d.Static(), nil
}

// OnStatic returns the options of the same ensemble on the graph that [StaticFeatures] makes: no walks, no subsets.
func (o Options) OnStatic() Options {
	o.Level, o.MaxLength, o.MaxDistance = Vertices, 0, 0
	o.Walks, o.Aggregations, o.Keep = []Walk{Source}, nil, 1
	o.Directions, o.Relations, o.Constant, o.MeanSteps = Along, Together, false, false
	return o
}
