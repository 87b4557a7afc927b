package splits

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/treeg/internal/treegtest"
	"github.com/grove-graph/grove/treeg/internal/walks"
)

// randomColumn draws a column of n entries, with other groups beside them.
func randomColumn(r *rand.Rand, n, classes int, value func() float64) (Column, Statistic) {
	width := max(classes, 1)
	of := &Sample{}
	c := Column{Of: of, Zero: NewStatistic(width), Empty: NewStatistic(width), AtEmpty: -1000}
	total := NewStatistic(width)
	draw := func(s *Sample) {
		s.Weight = append(s.Weight, float64(1+r.IntN(2)))
		if classes > 0 {
			s.Class = append(s.Class, int32(r.IntN(classes)))
		} else {
			s.Target = append(s.Target, float64(r.IntN(65)-32)/8)
		}
	}
	for i := range n {
		c.Values = append(c.Values, value())
		draw(of)
		total.Add(of, i)
	}
	for _, group := range []*Statistic{&c.Zero, &c.Empty} {
		other := &Sample{}
		for i := range r.IntN(4) {
			draw(other)
			group.Add(other, i)
		}
		total.Plus(group)
	}
	c.Size = int(total.N)
	for i := 0; i < n; i += engine.SampleStride(n) {
		c.Sampled = append(c.Sampled, int32(i))
	}
	return c, total
}

// With few distinct values a histogram is exact: it finds the threshold that sorting finds, to the last bit.
func TestHistogramOfFewValuesIsExact(t *testing.T) {
	for i := range 200 {
		r := rand.New(rand.NewPCG(uint64(i), 3))
		values := make([]float64, 1+r.IntN(40))
		for j := range values {
			values[j] = r.NormFloat64()
			if r.IntN(10) == 0 {
				values[j] = 0
			}
		}
		classes := []int{0, 0, 3}[r.IntN(3)]
		c, total := randomColumn(r, 300+r.IntN(300), classes, func() float64 { return values[r.IntN(len(values))] })
		criterion := []Criterion{Gini, Entropy}[r.IntN(2)]
		if classes == 0 {
			criterion = Variance
		}
		exact := NewScanner(criterion, max(classes, 1), 1, 0).Scan(&c, &total)
		histogram := NewScanner(criterion, max(classes, 1), 1, 64).Scan(&c, &total)
		if exact != histogram {
			t.Errorf("column %d: sorted %+v, histogram %+v", i, exact, histogram)
		}
	}
}

// With many distinct values a histogram finds a split that is nearly as good, and its threshold is the midpoint between
// two examples.
func TestHistogramOfManyValues(t *testing.T) {
	for i, value := range map[string]func(r *rand.Rand) float64{
		"even":         func(r *rand.Rand) float64 { return r.Float64() },
		"normal":       func(r *rand.Rand) float64 { return r.NormFloat64() },
		"heavy tails":  func(r *rand.Rand) float64 { return math.Exp(4 * r.NormFloat64()) },
		"two clusters": func(r *rand.Rand) float64 { return r.NormFloat64() + 1e6*float64(r.IntN(2)) },
		"far outlier":  func(r *rand.Rand) float64 { return r.NormFloat64() * []float64{1, 1, 1, 1e12}[r.IntN(4)] },
	} {
		for _, classes := range []int{0, 2} {
			r := rand.New(rand.NewPCG(7, 3))
			c, total := randomColumn(r, 20000, classes, func() float64 { return value(r) })
			criterion := Variance
			if classes > 0 {
				criterion = Gini
			}
			sorted := slices.Sorted(slices.Values(c.Values))
			for j, v := range c.Values { // a step for the split to find
				if v > sorted[13000] && classes == 0 {
					total.Sum[0] += c.Of.Weight[j]
					c.Of.Target[j] += c.Of.Weight[j]
				} else if v > sorted[13000] && c.Of.Class[j] == 0 && j%3 == 0 {
					total.Sum[0] -= c.Of.Weight[j]
					total.Sum[1] += c.Of.Weight[j]
					c.Of.Class[j] = 1
				}
			}
			exact := NewScanner(criterion, max(classes, 1), 1, 0).Scan(&c, &total)
			histogram := NewScanner(criterion, max(classes, 1), 1, 255).Scan(&c, &total)
			if histogram.Gain > exact.Gain || histogram.Gain < 0.9*exact.Gain {
				t.Errorf("%s, %d classes: gain %g, sorted %g", i, classes, histogram.Gain, exact.Gain)
			}
			at, _ := slices.BinarySearch(sorted, histogram.Value)
			if at == 0 || histogram.Value != engine.Midpoint(sorted[at-1], sorted[at]) &&
				histogram.Value != engine.Midpoint(0, sorted[at]) && histogram.Value != engine.Midpoint(sorted[at-1], 0) {
				t.Errorf("%s: threshold %g between %g and %g", i, histogram.Value, sorted[at-1], sorted[at])
			}
		}
	}
}

// A column with missing values is split where dense arithmetic says, with the missing ones on the better side.
func TestMissingValuesGoToTheBetterSide(t *testing.T) {
	for i := range 200 {
		r := rand.New(rand.NewPCG(uint64(i), 9))
		c, total := randomColumn(r, 2+r.IntN(30), 0, func() float64 {
			if r.IntN(4) == 0 {
				return math.NaN()
			}
			return float64(r.IntN(9)) / 3
		})
		got := NewScanner(Variance, 1, 1, 0).Scan(&c, &total)
		most := 0.0
		for _, t := range append([]float64{math.Inf(-1), 0, walks.Lowest}, c.Values...) {
			for _, missingAbove := range []bool{false, true} {
				low := NewStatistic(1)
				for j, v := range c.Values {
					if v <= t || v != v && !missingAbove {
						low.Add(c.Of, j)
					}
				}
				if 0 <= t {
					low.Plus(&c.Zero)
				}
				if walks.Lowest <= t {
					low.Plus(&c.Empty)
				}
				if t != t || low.N == 0 || low.N == total.N {
					continue
				}
				high := NewStatistic(1)
				high.Plus(&total)
				high.Minus(&low)
				most = max(most, Variance.score(low.N, low.Sum)+Variance.score(high.N, high.Sum)-Variance.score(total.N, total.Sum))
			}
		}
		if !treegtest.Near(got.Gain, most, 1e-12) {
			t.Errorf("column %d: gain %g, want %g", i, got.Gain, most)
		}
	}
}

// mostlyZeros draws a column of whole numbers of which one in twenty is not 0, some missing, and the same column with
// its zeros in the group of examples without an entry.
func mostlyZeros(r *rand.Rand, n, classes int) (c, short Column, total Statistic) {
	c, total = randomColumn(r, n, classes, func() float64 {
		switch r.IntN(60) {
		case 0:
			return math.NaN()
		case 1, 2:
			return float64(r.IntN(9) - 3)
		}
		return 0
	})
	short = c
	short.Values, short.Of, short.Zero = nil, &Sample{}, copyOf(&c.Zero)
	for i, v := range c.Values {
		if v == 0 {
			short.Zero.Add(c.Of, i)
			continue
		}
		short.Values = append(short.Values, v)
		short.Of.Take(c.Of, i)
	}
	return c, short, total
}

// Zeros that are the rest of all examples make the group that counting them makes, to the last bit.
func TestZerosAreTheRest(t *testing.T) {
	for i := range 400 {
		r := rand.New(rand.NewPCG(uint64(i), 11))
		classes := []int{0, 0, 3}[r.IntN(3)]
		criterion := Variance
		if classes > 0 {
			criterion = Entropy
		}
		c, short, total := mostlyZeros(r, 1+r.IntN(400), classes)
		s := NewScanner(criterion, max(classes, 1), 1, 0)
		if got, want := s.Scan(&c, &total), s.Scan(&short, &total); got != want {
			t.Errorf("column %d: %+v, without entries of zeros %+v", i, got, want)
		}
	}
}

// BenchmarkWords compares counting a column of words by what is not 0 to counting all of it, in the same run.
func BenchmarkWords(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 11))
	c, total := randomColumn(r, 8192, 0, func() float64 { return float64(max(r.IntN(100)-98, 0)) })
	s := NewScanner(Variance, 1, 1, 0)
	zeros := 0
	for _, v := range c.Values {
		if v == 0 {
			zeros++
		}
	}
	var all, rest time.Duration
	for b.Loop() {
		from := time.Now()
		s.count(&c, 0, 1, 0, nil)
		middle := time.Now()
		s.groups.reset()
		s.count(&c, 0, 1, zeros, &total)
		s.groups.reset()
		all, rest = all+middle.Sub(from), rest+time.Since(middle)
	}
	b.ReportMetric(all.Seconds()/rest.Seconds(), "times-faster")
}
