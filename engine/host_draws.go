package engine

import (
	"math"
	"math/rand/v2"
)

// draw is [Engine].BestSplits with the one threshold that every column draws.
func (g *hostGrowth) draw(best, columns []float64, s *SplitSearch, l *Level, b *FeatureBlock) {
	clear(best)
	q, places := len(b.Features), s.Places(len(b.Features))
	for i := range s.Searches {
		t, size := &s.Searches[i], s.size(s.Searches[i].Node)
		hollow := g.hollow(s, t)
		for column := range s.Kinds() * q {
			if s.Features != nil && !s.Features[int(t.Mask)*q+column%q] {
				continue
			}
			stream := l.Searches[i].Stream + g.f.Draws.Aggregations[column/q] + g.f.Draws.Features[b.Features[column%q]]
			var r rand.PCG
			r.Seed(l.Nodes[t.Node].Seed, stream)
			at := int(places[i]) + column*size
			f := s.drawn(columns[at:at+size], hollow, t, float64(r.Uint64()>>11)/(1<<53))
			if row := best[4*t.Node : 4*t.Node+4]; f.gain > row[0] {
				row[0], row[1], row[2], row[3] = f.gain, f.threshold, float64(i*s.Kinds()*q+column), f.above
			}
		}
	}
}

// hollow tells the graphs of a node in which the subset of a search is empty.
func (g *hostGrowth) hollow(s *SplitSearch, t *Search) []bool {
	examples := s.Examples[s.Nodes[t.Node]:s.Nodes[t.Node+1]]
	list := make([]bool, len(examples))
	for i, graph := range examples {
		if s.Offsets == nil {
			break
		}
		list[i] = true
		for v := int(s.Offsets[graph]); v < int(s.Offsets[graph+1]); v++ {
			list[i] = list[i] && !s.in(t.Subset, v, g.f.Vertices())
		}
	}
	return list
}

// drawn returns the split of a column at a share u of its range.
func (s *SplitSearch) drawn(values []float64, hollow []bool, t *Search, u float64) found {
	lo, hi, missing, empty := math.Inf(1), math.Inf(-1), false, false
	for i, v := range values {
		switch {
		case v != v:
			missing = true
		case hollow[i]:
			empty = true
		default:
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	if lo >= hi && empty {
		lo, hi = min(lo, t.Empty), max(hi, t.Empty)
	}
	if lo > hi || lo == hi && !missing {
		return found{}
	}
	at := min(max(lo+float64(u*(hi-lo)), lo), hi)
	if at == hi && lo < hi {
		at = lo
	}
	all := s.scoreWhere(values, t.Node, func(float64) bool { return true })
	best := found{}
	try := func(threshold float64, missingAbove bool, below func(v float64) bool) {
		left := s.scoreWhere(values, t.Node, below)
		right := s.scoreWhere(values, t.Node, func(v float64) bool { return !below(v) })
		if left.n < s.MinLeaf || right.n < s.MinLeaf {
			return
		}
		if gain := left.score + right.score - all.score; gain > best.gain {
			best = found{gain: gain, threshold: threshold}
			if missingAbove || !missing && right.n > left.n {
				best.above = 1
			}
		}
	}
	if at < hi {
		try(at, false, func(v float64) bool { return !(v > at) })
	}
	if missing {
		try(at, true, func(v float64) bool { return v <= at })
		try(hi, true, func(v float64) bool { return v == v })
	}
	return best
}
