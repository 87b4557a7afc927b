package engine

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/grove-graph/grove/engine/simd"
	"github.com/grove-graph/grove/internal/spantest"
	"gorgonia.org/tensor"
)

// longSeeding asks for centres among points of p rows of d elements, some of them equal, that fall off like a power of
// their number: by 0 they lie anywhere, otherwise near a small span.
func longSeeding(n, p, d, centres int, falls float64, dtype tensor.Dtype) *Seeding {
	rng := rand.New(rand.NewPCG(uint64(n), uint64(d)))
	x := spantest.Unit(n, d, falls, 0, rng)
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

// Outlines of long rows change nothing about the centres; where they rule out little, those of many points are given
// up.
func TestCentresOfLongRows(t *testing.T) {
	const n, d, centres = 600, 512, 130
	for _, c := range []struct {
		p     int
		falls float64
		vague bool
	}{{1, 0, true}, {1, 1, false}, {2, 0, true}, {2, 2, false}} {
		for _, dtype := range []tensor.Dtype{tensor.Float32, tensor.Float64} {
			t.Run(fmt.Sprintf("%d rows of %v falling by %g", c.p, dtype, c.falls), func(t *testing.T) {
				s := longSeeding(n, c.p, d, centres, c.falls, dtype)
				want := make([]int32, centres)
				if err := (Reference{}).PlusPlus(want, s); err != nil {
					t.Fatal(err)
				}
				for _, outlined := range []bool{false, true} {
					got := make([]int32, centres)
					vague, err := drawn(s, got, outlined)
					if err != nil {
						t.Fatal(err)
					}
					if !slices.Equal(got, want) {
						t.Errorf("outlines %v: centres %v, want %v", outlined, got, want)
					}
					if vague != (outlined && c.vague) {
						t.Errorf("outlines %v: vague %v", outlined, vague)
					}
				}
			})
		}
	}
}

// drawn draws centres with outlines or without, and says whether those of many points were given up for a while.
func drawn(s *Seeding, start []int32, outlined bool) (vague bool, err error) {
	if s.Table.Dtype() == tensor.Float32 {
		return drawnOf[float32](s, start, outlined)
	}
	return drawnOf[float64](s, start, outlined)
}

func drawnOf[T simd.Float](s *Seeding, start []int32, outlined bool) (vague bool, err error) {
	p := newSeeder[T](1, len(start), s)
	if p.outlines == nil {
		panic("no outlines of long rows")
	}
	if !outlined {
		p.outlines = nil
	}
	err = p.draw(start)
	return p.outlinedFrom > firstOutlined, err
}

// The features of a layer with many filters lie near a small span.
func BenchmarkOutlinedCentres(b *testing.B) {
	for _, p := range []int{1, 3} {
		b.Run(fmt.Sprintf("%d rows", p), func(b *testing.B) {
			s := longSeeding(20000, p, 1024, 1024, 1, tensor.Float32)
			var with, without time.Duration
			for b.Loop() {
				centres := make([]int32, 1024)
				start := time.Now()
				if _, err := drawn(s, centres, false); err != nil {
					b.Fatal(err)
				}
				middle := time.Now()
				if _, err := drawn(s, centres, true); err != nil {
					b.Fatal(err)
				}
				without, with = without+middle.Sub(start), with+time.Since(middle)
			}
			b.ReportMetric(float64(without)/float64(with), "x-of-without")
		})
	}
}
