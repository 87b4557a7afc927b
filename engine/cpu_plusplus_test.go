package engine

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/grove-graph/grove/engine/simd"
	"github.com/grove-graph/grove/internal/spantest"
	"gorgonia.org/tensor"
)

// longSeeding asks for centres among points of p rows of d elements near a small span, some of them equal.
func longSeeding(n, p, d, centres int, dtype tensor.Dtype) *Seeding {
	rng := rand.New(rand.NewPCG(uint64(n), uint64(d)))
	x := spantest.Unit(n, d, 1, 0, rng)
	for i := 7; i < n; i += 40 {
		copy(x[i*d:(i+1)*d], x[(i-7)*d:])
	}
	e := NewCPU(1)
	table := e.New(dtype, n, d)
	wide := tensor.New(tensor.WithShape(n, d), tensor.WithBacking(x), tensor.WithEngine(e))
	if err := e.Convert(table, wide); err != nil {
		panic(err)
	}
	s := &Seeding{Points: Points{Table: table, Size: p}}
	for range n * p {
		if p > 1 {
			s.Rows = append(s.Rows, rng.Int32N(int32(n)))
		}
	}
	for range 3 * (centres - 1) {
		s.Draws = append(s.Draws, rng.Float64())
	}
	return s
}

// Outlines of long rows change nothing about the centres.
func TestCentresOfLongRows(t *testing.T) {
	const n, d, centres = 800, 512, 130
	for _, p := range []int{1, 2} {
		for _, dtype := range []tensor.Dtype{tensor.Float32, tensor.Float64} {
			s := longSeeding(n, p, d, centres, dtype)
			want := make([]int32, centres)
			if err := (Reference{}).PlusPlus(want, s); err != nil {
				t.Fatal(err)
			}
			for _, outlined := range []bool{false, true} {
				got := make([]int32, centres)
				if err := drawn(s, got, outlined); err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(got, want) {
					t.Errorf("%d rows of %v, outlines %v: centres %v, want %v", p, dtype, outlined, got, want)
				}
			}
		}
	}
}

// drawn draws centres with outlines or without.
func drawn(s *Seeding, start []int32, outlined bool) error {
	if s.Table.Dtype() == tensor.Float32 {
		return drawnOf[float32](s, start, outlined)
	}
	return drawnOf[float64](s, start, outlined)
}

func drawnOf[T simd.Float](s *Seeding, start []int32, outlined bool) error {
	p := newSeeder[T](1, len(start), s)
	if p.outlines == nil {
		panic("no outlines of long rows")
	}
	if !outlined {
		p.outlines = nil
	}
	return p.draw(start)
}

// The features of a layer with many filters lie near a small span.
func BenchmarkOutlinedCentres(b *testing.B) {
	s := longSeeding(20000, 1, 1024, 1024, tensor.Float32)
	var with, without time.Duration
	for b.Loop() {
		centres := make([]int32, 1024)
		start := time.Now()
		if err := drawn(s, centres, false); err != nil {
			b.Fatal(err)
		}
		middle := time.Now()
		if err := drawn(s, centres, true); err != nil {
			b.Fatal(err)
		}
		without, with = without+middle.Sub(start), with+time.Since(middle)
	}
	b.ReportMetric(float64(without)/float64(with), "x-of-without")
}
