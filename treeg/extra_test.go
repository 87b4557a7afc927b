package treeg

import (
	"math"
	"math/rand/v2"
	"testing"
)

// A drawn threshold lies at its share of the way between the extremes, and gains what parting all examples at it gains,
// with the missing ones on the better side.
func TestDrawnThresholds(t *testing.T) {
	for i := range 300 {
		r := rand.New(rand.NewPCG(uint64(i), 5))
		missing := []float64{0, 0.2}[r.IntN(2)]
		c, total := randomColumn(r, r.IntN(30), 0, func() float64 {
			if r.Float64() < missing {
				return math.NaN()
			}
			return float64(r.IntN(41)-20) / 8
		})
		lo, hi := math.Inf(1), math.Inf(-1)
		for _, v := range c.values {
			if v == v {
				lo, hi = min(lo, v), max(hi, v)
			}
		}
		if c.zero.n > 0 {
			lo, hi = min(lo, 0), max(hi, 0)
		}
		u := r.Float64()
		got := newScanner(variance, 1, 1, 0).draw(&c, &total, u)
		if !(lo < hi) {
			continue // only the empty subsets or the missing values differ
		}
		at := lo + u*(hi-lo)
		want := 0.0
		for _, where := range []struct {
			at           float64
			missingAbove bool
		}{{at, false}, {at, true}, {hi, true}} { // the last parts the missing ones from all others
			low, high := newStatistic(1), newStatistic(1)
			for j, v := range c.values {
				if v > where.at || v != v && where.missingAbove {
					high.add(c.of, j)
				} else {
					low.add(c.of, j)
				}
			}
			for v, group := range map[float64]*statistic{0: &c.zero, c.atEmpty: &c.empty} {
				if v > where.at {
					high.plus(group)
				} else {
					low.plus(group)
				}
			}
			if low.n > 0 && high.n > 0 {
				part := func(s *statistic) float64 { return variance.score(s.n, s.sum) }
				want = max(want, part(&low)+part(&high)-part(&total))
			}
		}
		if !near(got.gain, want, 1e-9) {
			t.Errorf("column %d: gain %g, want %g", i, got.gain, want)
		}
		if got.gain > 0 && got.value != at && got.value != hi {
			t.Errorf("column %d: threshold %g, want %g", i, got.value, at)
		}
	}
}

// Every dynamic feature of a node has a draw of its own.
func TestDrawsDiffer(t *testing.T) {
	seen := map[float64]Split{}
	for feature := range 20 {
		for _, walk := range []Walk{Source, Cycle, Target, TargetSource} {
			for _, a := range []Aggregation{Sum, Mean, Min, Max} {
				for pointer := range 3 {
					for _, above := range []bool{false, true} {
						s := Split{Feature: feature, Length: 2, Walk: walk, Aggregation: a, Pointer: pointer, Above: above}
						u := s.uniform(9)
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
