package simd

import (
	"slices"
	"testing"
)

// Rows that stand apart have the same bits in a product of all rows and in those of any parts, for any workers.
func TestGemmApart(t *testing.T) {
	t.Run("float32", testGemmApart[float32])
	t.Run("float64", testGemmApart[float64])
}

func testGemmApart[T Float](t *testing.T) {
	eachLevel(t, func(t *testing.T, lv level) {
		rng := newRand(0)
		shapes := append(gemmShapes(rng), [3]int{600, 10, 170}, [3]int{700, 70, 300}, [3]int{15, 300, 900})
		for _, shape := range shapes {
			for flags := range 4 {
				p := newProblem[T](rng, shape, flags&1 != 0, flags&2 != 0)
				alpha, beta := T(rng.IntN(2)+1)/2, T(rng.IntN(3)-1)/4
				whole := p
				whole.c.x = slices.Clone(p.c.x)
				whole.run(lv, true, 1+rng.IntN(3), alpha, beta)
				for from := 0; from < p.m; {
					part := p.part(from, min(from+1+rng.IntN(1+p.m/(1+rng.IntN(8))), p.m))
					part.run(lv, true, 1+rng.IntN(3), alpha, beta)
					from += part.m
				}
				for i := range p.m {
					if row := i * p.ldc; !slices.Equal(p.c.x[row:row+p.n], whole.c.x[row:row+p.n]) {
						t.Fatalf("shape %v, flags %d: row %d has other bits in a part", shape, flags, i)
					}
				}
			}
		}
	})
}

// part is the problem of some of the rows of C, which are those of p.
func (p *problem[T]) part(from, to int) problem[T] {
	q := *p
	q.m, q.c.x = to-from, p.c.x[min(from*p.ldc, len(p.c.x)):]
	switch {
	case !p.transA:
		q.a = p.a[from*p.lda:]
	case p.k > 0:
		q.a = make([]T, p.k*q.m) // so that a leading dimension is the number of rows
		q.lda = q.m
		for i := range p.k {
			copy(q.a[i*q.m:(i+1)*q.m], p.a[i*p.lda+from:])
		}
	}
	return q
}
