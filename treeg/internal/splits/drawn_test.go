package splits

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/grove-graph/grove/treeg/internal/treegtest"
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
		for _, v := range c.Values {
			if v == v {
				lo, hi = min(lo, v), max(hi, v)
			}
		}
		if c.Zero.N > 0 {
			lo, hi = min(lo, 0), max(hi, 0)
		}
		u := r.Float64()
		got := NewScanner(Variance, 1, 1, 0).Draw(&c, &total, u)
		if !(lo < hi) {
			continue // only the empty subsets or the missing values differ
		}
		at := lo + u*(hi-lo)
		want := 0.0
		for _, where := range []struct {
			at           float64
			missingAbove bool
		}{{at, false}, {at, true}, {hi, true}} { // the last parts the missing ones from all others
			low, high := NewStatistic(1), NewStatistic(1)
			for j, v := range c.Values {
				if v > where.at || v != v && where.missingAbove {
					high.Add(c.Of, j)
				} else {
					low.Add(c.Of, j)
				}
			}
			for v, group := range map[float64]*Statistic{0: &c.Zero, c.AtEmpty: &c.Empty} {
				if v > where.at {
					high.Plus(group)
				} else {
					low.Plus(group)
				}
			}
			if low.N > 0 && high.N > 0 {
				part := func(s *Statistic) float64 { return Variance.score(s.N, s.Sum) }
				want = max(want, part(&low)+part(&high)-part(&total))
			}
		}
		if !treegtest.Near(got.Gain, want, 1e-9) {
			t.Errorf("column %d: gain %g, want %g", i, got.Gain, want)
		}
		if got.Gain > 0 && got.Value != at && got.Value != hi {
			t.Errorf("column %d: threshold %g, want %g", i, got.Value, at)
		}
	}
}
