package main

import (
	"fmt"
	"slices"

	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/render"
)

// depthCurves returns the accuracy in percent against the number of layers that represent a graph, for
// settings of a layered model with several depths: the best mean over the values of C. A curve
// stands for the settings that share everything else. It returns nil for other settings.
func (r *evalReport) depthCurves() []render.Curve {
	byName := map[string]int{}
	var curves []render.Curve
	for i, c := range r.outcome.Curves {
		s, ok := r.problem.Estimators[i].(model.Layered)
		if !ok {
			return nil
		}
		depth, name := s.Depth()
		at, known := byName[name]
		if !known {
			at = len(curves)
			byName[name] = at
			curves = append(curves, render.Curve{Name: name})
		}
		best := 0
		for k, mean := range c.Mean {
			if mean > c.Mean[best] {
				best = k
			}
		}
		curve := &curves[at]
		place, twice := slices.BinarySearch(curve.X, float64(depth))
		if twice {
			return nil
		}
		curve.X = slices.Insert(curve.X, place, float64(depth))
		curve.Y = slices.Insert(curve.Y, place, 100*c.Mean[best])
		curve.Deviation = slices.Insert(curve.Deviation, place, 100*c.Std[best])
	}
	if len(curves) == 0 {
		return nil
	}
	names := make([]string, len(curves))
	for i, c := range curves {
		if names[i] = c.Name; len(c.X) < 2 {
			return nil
		}
	}
	for i, name := range differences(names) {
		if curves[i].Name = name; len(curves) == 1 {
			curves[i].Name = fmt.Sprintf("%d folds", len(r.Folds))
		}
	}
	return curves
}
