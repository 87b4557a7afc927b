package search

import (
	"testing"

	"github.com/grove-graph/grove/treeg/internal/walks"
)

// Every dynamic feature of a node has a draw of its own.
func TestDrawsDiffer(t *testing.T) {
	seen := map[float64]walks.Split{}
	for feature := range 20 {
		for _, walk := range []walks.Walk{walks.Source, walks.Cycle, walks.Target, walks.TargetSource} {
			for _, a := range []walks.Aggregation{walks.Sum, walks.Mean, walks.Min, walks.Max} {
				for pointer := range 3 {
					for _, above := range []bool{false, true} {
						s := walks.Split{Feature: feature, Length: 2, Walk: walk, Aggregation: a, Pointer: pointer, Above: above}
						u := uniform(&s, 9)
						if other, twice := seen[u]; twice || u < 0 || u >= 1 {
							t.Fatalf("draw %g of %+v and %+v", u, s, other)
						}
						seen[u] = s
					}
				}
			}
		}
	}
}
