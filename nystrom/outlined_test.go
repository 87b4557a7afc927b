package nystrom

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/simd"
	"github.com/grove-graph/grove/internal/spantest"
	"gorgonia.org/tensor"
)

// longPoints returns points of p rows of d elements that fall off like a power of their number: by 0 they lie anywhere,
// otherwise around some directions and near a small span. Some rows are equal, some are shorter than 1.
func longPoints[T simd.Float](e engine.Engine, n, p, d int, falls float64) Points {
	rng := rand.New(rand.NewPCG(uint64(d), uint64(p)))
	around := 0
	if falls > 0 {
		around = 100
	}
	x := make([]T, n*d)
	for i, v := range spantest.Unit(n, d, falls, around, rng) {
		if x[i] = T(v); i/d%50 == 3 {
			x[i] /= 2
		}
	}
	for i := 7; i < n; i += 40 {
		copy(x[i*d:(i+1)*d], x[(i-7)*d:])
	}
	points := Points{Points: engine.Points{Table: matrix(e, x, n, d), Size: p}}
	if p > 1 {
		for range n * p {
			points.Rows = append(points.Rows, rng.Int32N(int32(n)))
		}
	}
	return points
}

// iterated clusters points with outlines or without, and says whether it still has them in the end.
func iterated[T simd.Float](tb testing.TB, points Points, k int, outlined bool) (c *Clusters, left bool) {
	tb.Helper()
	cloud, err := newCloud[T](engine.NewCPU(2), 2, points)
	if err != nil {
		tb.Fatal(err)
	}
	start := rand.New(rand.NewPCG(1, 2)).Perm(points.Len())[:k]
	l := newLloyd(cloud, nil, start)
	if l.outlines == nil {
		tb.Fatal("points without outlines")
	}
	if !outlined {
		l.outlines = nil
	}
	if c, err = l.run(context.Background(), KMeansOptions{MaxIterations: 30, Tolerance: 1e-6}); err != nil {
		tb.Fatal(err)
	}
	return c, l.outlines != nil
}

// Outlines change nothing; where they tell nothing they are given up.
func TestOutlinesGiveTheSameClusters(t *testing.T) {
	for _, c := range []struct {
		p      int
		falls  float64
		useful bool
	}{{1, 0, false}, {1, 1, true}, {1, 2, true}, {2, 1, true}, {2, 2, true}} {
		t.Run(fmt.Sprintf("%d rows falling by %g", c.p, c.falls), func(t *testing.T) {
			sameClusters[float32](t, longPoints[float32](engine.NewCPU(2), 1500, c.p, 512, c.falls), c.useful)
			sameClusters[float64](t, longPoints[float64](engine.NewCPU(2), 1500, c.p, 512, c.falls), c.useful)
		})
	}
}

func sameClusters[T simd.Float](t *testing.T, points Points, useful bool) {
	t.Helper()
	want, _ := iterated[T](t, points, 150, false)
	got, left := iterated[T](t, points, 150, true)
	text := func(c *Clusters) string {
		return fmt.Sprint(elements[T](c.Anchors), c.Assignment, c.Objective, c.FinalObjective, c.Iterations)
	}
	if text(got) != text(want) {
		t.Errorf("%v: outlines give other clusters", points.Table.Dtype())
	}
	if left != useful {
		t.Errorf("%v: outlines are in use at the end: %v", points.Table.Dtype(), left)
	}
}

func TestOutlinesOfLongPointsAndManyAnchorsAlone(t *testing.T) {
	e := engine.NewCPU(1)
	for _, s := range []struct{ n, d, k int }{{600, 511, 200}, {600, 512, 100}, {300, 512, 200}} {
		c, err := newCloud[float32](e, 1, Points{Points: engine.Points{Table: e.New(tensor.Float32, s.n, s.d), Size: 1}})
		if err != nil {
			t.Fatal(err)
		}
		if newOutlines(c, s.k) != nil {
			t.Errorf("%+v: points have outlines", s)
		}
	}
}

// The features of a layer with many filters lie near a small span.
func BenchmarkOutlinedIterations(b *testing.B) {
	for _, p := range []int{1, 3} {
		b.Run(fmt.Sprintf("%d rows", p), func(b *testing.B) {
			points := longPoints[float32](engine.NewCPU(1), 20000, p, 1024, 1)
			var with, without time.Duration
			for b.Loop() {
				start := time.Now()
				iterated[float32](b, points, 1024, false)
				middle := time.Now()
				iterated[float32](b, points, 1024, true)
				without, with = without+middle.Sub(start), with+time.Since(middle)
			}
			b.ReportMetric(float64(without)/float64(with), "x-of-without")
		})
	}
}
