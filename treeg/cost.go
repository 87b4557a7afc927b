package treeg

import (
	"time"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/model"
)

var _ model.Costed = Estimator{}

// perSplit is what one core takes to look for the split of a node, for each vertex and feature, in seconds.
const perSplit = 1e-8

// Cost implements [model.Costed].
func (s Estimator) Cost(d *dataset.Dataset) time.Duration {
	o, b := s.fitted(), d.Batch
	leaves := o.MaxLeaves
	if leaves == 0 {
		leaves = 1 << min(max(o.MaxDepth, 4), 10)
	}
	trees := o.Estimators
	if classes := d.NumClasses(); o.Ensemble == Boosting && classes > 2 {
		trees *= classes
	}
	features := 1 + b.AttributeDim + b.NumLabels
	return model.Seconds(perSplit * float64(b.NumVertices()) * float64(features) * float64(trees) * float64(leaves))
}
