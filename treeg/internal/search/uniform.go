package search

import (
	"math/rand/v2"

	"github.com/grove-graph/grove/treeg/internal/walks"
)

// uniform returns a number from 0 to 1 that follows from a seed and the dynamic feature of a split, in whatever order
// the features are searched.
func uniform(s *walks.Split, seed uint64) float64 {
	var r rand.PCG
	r.Seed(seed, stream(s))
	return float64(r.Uint64()>>11) / (1 << 53)
}

// stream numbers the dynamic feature of a split. It is a sum of what follows from the feature, from the aggregation and
// from everything else, modulo 2^64, see [engine.Draws].
func stream(s *walks.Split) uint64 {
	which := uint64(s.Feature)
	for _, field := range [...]int{s.Length, s.Arcs.Type, int(s.Walk), int(s.Aggregation), s.Pointer} {
		which = which*0x9e3779b97f4a7c15 + uint64(field)
	}
	for _, field := range [...]bool{s.Arcs.Against, s.Above} {
		which *= 2
		if field {
			which++
		}
	}
	return which
}
