package gckn

import (
	"slices"
	"testing"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/internal/testfiles"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/split"
)

// The estimate is proportional to graphs and filters and knows what paths are long.
func TestCostFollowsTheWork(t *testing.T) {
	d, err := dataset.Open(testfiles.Data(t, "tu", "MUTAG"))
	if err != nil {
		t.Fatal(err)
	}
	all := split.All(d.NumGraphs())
	twice := d.Select(slices.Concat(all, all))
	path := func(size, filters int) model.Costed {
		return Estimator{Options: Options{Layers: []LayerOptions{{PathSize: size, Filters: filters}}}}
	}
	one := path(4, 32).Cost(d).Seconds()
	for about, c := range map[string]struct{ cost, low, high float64 }{
		"twice the graphs":  {path(4, 32).Cost(twice).Seconds(), 1.99, 2.01},
		"twice the filters": {path(4, 64).Cost(d).Seconds(), 1.99, 2.01},
		"longer paths":      {path(6, 32).Cost(d).Seconds(), 3, 7},
	} {
		if ratio := c.cost / one; ratio < c.low || ratio > c.high {
			t.Errorf("%s: %.3g times the cost, want %g to %g", about, ratio, c.low, c.high)
		}
	}
}
