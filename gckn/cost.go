package gckn

import (
	"time"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/model"
)

var (
	_ model.Costed = Estimator{}
	_ model.Costed = SupervisedEstimator{}
	_ model.Costed = (*network)(nil)
)

// Cost implements [model.Costed]: anchors take about as long as an encoding.
func (s Estimator) Cost(d *dataset.Dataset) time.Duration { return 2 * s.Options.cost(d.Batch) }

// Cost implements [model.Costed]: a step takes about as long as four encodings of its graphs.
func (s SupervisedEstimator) Cost(d *dataset.Dataset) time.Duration {
	return time.Duration(4*s.Options.Epochs+2) * s.Options.Network.cost(d.Batch)
}

// Cost implements [model.Costed].
func (n *network) Cost(d *dataset.Dataset) time.Duration { return n.fitted.opt.cost(d.Batch) }

// What one core with AVX-512 takes for a filter: for a path, and for a factor of a vertex's product with an anchor.
const (
	perPath   = 1.2e-9 // seconds
	perFactor = 0.05e-9
)

// recursions is the number of steps that an arc costs at most for each length, where paths are not visited one by one.
const recursions = 10

// cost returns about how long it takes to encode the graphs of b.
func (o *Options) cost(b *graph.Batch) time.Duration {
	seconds, width := 0.0, 1 // labels are looked up
	for _, l := range o.Layers {
		walks := 0.0
		for _, n := range b.WalkCounts(l.PathSize) {
			walks += n
		}
		walks = min(walks, float64(recursions*l.PathSize*(b.NumArcs()+b.NumVertices())))
		factors := float64(b.NumVertices()) * float64(l.PathSize*width)
		seconds += float64(l.Filters) * (walks*perPath + factors*perFactor)
		width = l.Filters
	}
	return model.Seconds(seconds)
}
