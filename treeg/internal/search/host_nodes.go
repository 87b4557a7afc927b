package search

import (
	"math"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/treeg/internal/splits"
)

// plant implements [Searcher].
func (s *hostSearcher) plant(root *node) error {
	root.Examples = s.examples
	return nil
}

// ready implements [Searcher].
func (s *hostSearcher) ready(n *node) bool {
	t := s.targets
	n.Place(s.d)
	n.local.Clear()
	n.mixed = false
	for _, i := range n.Examples {
		n.local.Take(&t.Sample, int(i))
		if t.Target != nil {
			n.mixed = n.mixed || t.Target[i]*t.Weight[n.Examples[0]] != t.Target[n.Examples[0]]*t.Weight[i]
		} else {
			n.mixed = n.mixed || t.Class[i] != t.Class[n.Examples[0]]
		}
	}
	if !n.mixed {
		return false
	}
	n.total = splits.NewStatistic(t.Width)
	for i := range n.Examples {
		n.total.Add(&n.local, i)
	}
	impurity := n.total.N
	if t.Target != nil {
		// Gains of centred targets are not small differences of large numbers.
		local, centre := &n.local, n.total.Sum[0]/n.total.N
		if t.Shift != 0 {
			centre = float64(centre+t.Shift) - t.Shift
		}
		for i, w := range local.Weight {
			local.Target[i] -= float64(w * centre)
		}
		impurity = engine.Total(len(local.Weight), func(i int) float64 {
			return float64(local.Target[i]*local.Target[i]) / local.Weight[i]
		})
		n.total.Sum[0] -= float64(n.total.N * centre)
	}
	s.open(n, impurity)
	return true
}

// positive turns -0 into 0.
func positive(x float64) float64 {
	if x == 0 {
		return math.Abs(x)
	}
	return x
}
