package treeg

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
)

// randomColumn draws a column of n entries, with other groups beside them.
func randomColumn(r *rand.Rand, n, classes int, value func() float64) (column, statistic) {
	width := max(classes, 1)
	of := &sample{}
	c := column{of: of, zero: newStatistic(width), empty: newStatistic(width), atEmpty: lowest}
	total := newStatistic(width)
	draw := func(s *sample) {
		s.weight = append(s.weight, float64(1+r.IntN(2)))
		if classes > 0 {
			s.class = append(s.class, int32(r.IntN(classes)))
		} else {
			s.target = append(s.target, float64(r.IntN(65)-32)/8)
		}
	}
	for i := range n {
		c.values = append(c.values, value())
		draw(of)
		total.add(of, i)
	}
	for _, group := range []*statistic{&c.zero, &c.empty} {
		other := &sample{}
		for i := range r.IntN(4) {
			draw(other)
			group.add(other, i)
		}
		total.plus(group)
	}
	c.size = int(total.n)
	for i := 0; i < n; i += engine.SampleStride(n) {
		c.sampled = append(c.sampled, int32(i))
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
		criterion := []criterion{gini, entropy}[r.IntN(2)]
		if classes == 0 {
			criterion = variance
		}
		exact := newScanner(criterion, max(classes, 1), 1, 0).scan(&c, &total)
		histogram := newScanner(criterion, max(classes, 1), 1, 64).scan(&c, &total)
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
			criterion := variance
			if classes > 0 {
				criterion = gini
			}
			sorted := slices.Sorted(slices.Values(c.values))
			for j, v := range c.values { // a step for the split to find
				if v > sorted[13000] && classes == 0 {
					total.sum[0] += c.of.weight[j]
					c.of.target[j] += c.of.weight[j]
				} else if v > sorted[13000] && c.of.class[j] == 0 && j%3 == 0 {
					total.sum[0] -= c.of.weight[j]
					total.sum[1] += c.of.weight[j]
					c.of.class[j] = 1
				}
			}
			exact := newScanner(criterion, max(classes, 1), 1, 0).scan(&c, &total)
			histogram := newScanner(criterion, max(classes, 1), 1, 255).scan(&c, &total)
			if histogram.gain > exact.gain || histogram.gain < 0.9*exact.gain {
				t.Errorf("%s, %d classes: gain %g, sorted %g", i, classes, histogram.gain, exact.gain)
			}
			at, _ := slices.BinarySearch(sorted, histogram.value)
			if at == 0 || histogram.value != engine.Midpoint(sorted[at-1], sorted[at]) && histogram.value != engine.Midpoint(0, sorted[at]) && histogram.value != engine.Midpoint(sorted[at-1], 0) {
				t.Errorf("%s: threshold %g between %g and %g", i, histogram.value, sorted[at-1], sorted[at])
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
		got := newScanner(variance, 1, 1, 0).scan(&c, &total)
		most := 0.0
		for _, t := range append([]float64{math.Inf(-1), 0, lowest}, c.values...) {
			for _, missingAbove := range []bool{false, true} {
				low := newStatistic(1)
				for j, v := range c.values {
					if v <= t || v != v && !missingAbove {
						low.add(c.of, j)
					}
				}
				if 0 <= t {
					low.plus(&c.zero)
				}
				if lowest <= t {
					low.plus(&c.empty)
				}
				if t != t || low.n == 0 || low.n == total.n {
					continue
				}
				high := newStatistic(1)
				high.plus(&total)
				high.minus(&low)
				most = max(most, variance.score(low.n, low.sum)+variance.score(high.n, high.sum)-variance.score(total.n, total.sum))
			}
		}
		if !near(got.gain, most, 1e-12) {
			t.Errorf("column %d: gain %g, want %g", i, got.gain, most)
		}
	}
}

// A large fit with few distinct values has the same trees with histograms as with exact thresholds.
func TestHistogramsFitTheSameTrees(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 8))
	g := graph.Graph{NumVertices: histogramFrom + 100, AttributeDim: 3}
	for v := range g.NumVertices {
		g.Attributes = append(g.Attributes, float64(r.IntN(5))/10, float64(r.IntN(3)), r.NormFloat64())
		g.Attributes[3*v+2] = math.Round(4*g.Attributes[3*v+2]) / 7
		if v%3 > 0 {
			g.AddArc(int32(v), int32(v-v%3))
		}
	}
	b, err := graph.NewBatch([]graph.Graph{g})
	if err != nil {
		t.Fatal(err)
	}
	y := make([]float64, g.NumVertices)
	for v := range y {
		y[v] = r.NormFloat64()
		if x := b.Attribute(int32(v)); x[0] > 0.25 {
			y[v] += x[2]
		}
	}
	opt := Defaults(Vertices, Boosting)
	opt.Estimators, opt.MaxLength = 2, 1
	var models [2]*Model
	for i, bins := range []int{0, 255} {
		opt.Bins = bins
		if models[i], err = Fit(context.Background(), openCPU(t, 2), b, Targets{Values: y}, opt, nil); err != nil {
			t.Fatal(err)
		}
	}
	exact, histogram := models[0].all(), models[1].all()
	for i := range exact {
		for j := range exact[i].Nodes {
			s, h := exact[i].Nodes[j].Split, histogram[i].Nodes[j].Split
			if (s == nil) != (h == nil) || s != nil && *s != *h {
				t.Fatalf("tree %d, node %d: exact %+v, histogram %+v", i, j, s, h)
			}
		}
	}
}
