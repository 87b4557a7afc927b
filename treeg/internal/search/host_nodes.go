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

// ready implements [Searcher], on the host.
func (s *growth) ready(n *node) bool {
	s.takeUp(n)
	if !n.mixed {
		return false
	}
	impurity := n.total.N
	if s.targets.Target != nil {
		centre := n.total.Sum[0] / n.total.N
		if s.targets.Shift != 0 {
			centre = float64(centre+s.targets.Shift) - s.targets.Shift
		}
		n.centreBy(centre)
		local := &n.local
		impurity = engine.Total(len(local.Weight), func(i int) float64 {
			return float64(local.Target[i]*local.Target[i]) / local.Weight[i]
		})
	}
	s.open(n, impurity)
	return true
}

// takeUp gathers the targets of the examples of a node.
func (s *growth) takeUp(n *node) {
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
	n.total = splits.NewStatistic(t.Width)
	for i := range n.Examples {
		n.total.Add(&n.local, i)
	}
}

// centreBy subtracts a number from the targets: gains of centred ones are not small differences of large numbers.
func (n *node) centreBy(centre float64) {
	n.centre = centre
	for i, w := range n.local.Weight {
		n.local.Target[i] -= float64(w * centre)
	}
	n.total.Sum[0] -= float64(n.total.N * centre)
}

// positive turns -0 into 0.
func positive(x float64) float64 {
	if x == 0 {
		return math.Abs(x)
	}
	return x
}
