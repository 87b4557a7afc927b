package simd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestGemmAgreesWithItsFormula(t *testing.T) {
	t.Run("float32", testGemm[float32])
	t.Run("float64", testGemm[float64])
}

func testGemm[T Float](t *testing.T) {
	eachLevel(t, func(t *testing.T, lv level) {
		rng := newRand(0)
		for _, shape := range gemmShapes(rng) {
			for _, scales := range [][2]T{{1, 0}, {1, 1}, {-0.5, 0.25}, {0, 2}, {0, 0}} {
				for flags := range 4 {
					p := newProblem[T](rng, shape, flags&1 != 0, flags&2 != 0)
					p.check(t, lv, false, scales[0], scales[1])
					p.check(t, lv, true, scales[0], scales[1])
				}
			}
		}
	})
}

// gemmShapes returns (m, n, k): empty ones, thin ones, multiples of every tile and random ones.
func gemmShapes(rng *rand.Rand) [][3]int {
	shapes := [][3]int{
		{0, 5, 5}, {5, 0, 5}, {5, 5, 0}, {0, 0, 0}, {1, 1, 1}, {12, 32, 64}, {24, 64, 7}, {48, 48, 48},
		{130, 70, 400}, {65, 300, 65}, {13, 33, 513}, {260, 17, 40},
	}
	for thin := 1; thin <= 9; thin++ {
		shapes = append(shapes, [3]int{thin, 100, 33}, [3]int{100, thin, 33}, [3]int{50, 40, thin},
			[3]int{thin, thin, 100}, [3]int{100, thin, 3}, [3]int{thin, 67, 130}, [3]int{131, thin, 600})
	}
	for range 40 {
		shapes = append(shapes, [3]int{1 + rng.IntN(80), 1 + rng.IntN(80), 1 + rng.IntN(80)})
	}
	return shapes
}

// problem is one problem: op(A) is m x k, op(B) k x n, C m x n.
type problem[T Float] struct {
	m, n, k        int
	transA, transB bool
	lda, ldb, ldc  int
	a, b           []T
	c              guarded[T]
}

func newProblem[T Float](rng *rand.Rand, shape [3]int, transA, transB bool) problem[T] {
	p := problem[T]{m: shape[0], n: shape[1], k: shape[2], transA: transA, transB: transB}
	matrix := func(rows, cols int, transposed bool) ([]T, int) {
		if transposed {
			rows, cols = cols, rows
		}
		ld := cols + rng.IntN(5)
		x := random[T](rng, max(0, (rows-1)*ld+cols), -1, 1).x
		for i := range x { // padding is NaN, so that using it shows
			if i%max(ld, 1) >= cols {
				x[i] = T(math.NaN())
			}
		}
		return x, ld
	}
	p.a, p.lda = matrix(p.m, p.k, transA)
	p.b, p.ldb = matrix(p.k, p.n, transB)
	p.ldc = p.n + rng.IntN(5)
	p.c = random[T](rng, max(0, (p.m-1)*p.ldc+p.n), -1, 1)
	return p
}

func (p *problem[T]) at(x []T, ld, i, j int, transposed bool) float64 {
	if transposed {
		i, j = j, i
	}
	return float64(x[i*ld+j])
}

// check runs the product and compares it with sums in float64. The tolerance is that of k+2
// roundings of the sum of magnitudes; float64 is compared with itself, which doubles it.
func (p *problem[T]) check(t *testing.T, lv level, apart bool, alpha, beta T) {
	t.Helper()
	name := fmt.Sprintf("m=%d n=%d k=%d transA=%v transB=%v apart=%v alpha=%v beta=%v",
		p.m, p.n, p.k, p.transA, p.transB, apart, alpha, beta)
	before := slices.Clone(p.c.x)
	if beta == 0 {
		for i := range p.c.x {
			if i%max(p.ldc, 1) < p.n {
				p.c.x[i] = T(math.NaN())
			}
		}
	}
	p.run(lv, apart, 1, alpha, beta)
	p.c.check(t)
	for i := range before {
		row, col := i/max(p.ldc, 1), i%max(p.ldc, 1)
		if col >= p.n {
			if p.c.x[i] != before[i] {
				t.Fatalf("%s: padding of row %d was overwritten", name, row)
			}
			continue
		}
		var sum, magnitude float64
		for q := range p.k {
			v := p.at(p.a, p.lda, row, q, p.transA) * p.at(p.b, p.ldb, q, col, p.transB)
			sum += v
			magnitude += math.Abs(v)
		}
		old := float64(beta) * float64(before[i])
		want := float64(alpha)*sum + old
		tolerance := 2 * float64(p.k+2) * epsilon[T]() * (math.Abs(float64(alpha))*magnitude + math.Abs(old))
		if got := float64(p.c.x[i]); !(math.Abs(got-want) <= tolerance) {
			t.Fatalf("%s: C(%d, %d) is %v, want %v within %.3g", name, row, col, got, want, tolerance)
		}
	}
}

func (p *problem[T]) run(lv level, apart bool, workers int, alpha, beta T) {
	if p.m > 0 && p.n > 0 {
		gemm(lv, apart, workers, p.transA, p.transB, p.m, p.n, p.k, alpha, p.a, p.lda, p.b, p.ldb, beta, p.c.x, p.ldc)
	}
}

func TestGemmBitsDoNotDependOnWorkers(t *testing.T) {
	t.Run("float32", testGemmWorkers[float32])
	t.Run("float64", testGemmWorkers[float64])
}

func testGemmWorkers[T Float](t *testing.T) {
	eachLevel(t, func(t *testing.T, lv level) {
		rng := newRand(0)
		for _, shape := range [][3]int{
			{300, 200, 500}, {2000, 5, 170}, {5, 2000, 170}, {3000, 30, 13}, {700, 700, 33}, {3, 4, 900},
		} {
			for flags := range 4 {
				p := newProblem[T](rng, shape, flags&1 != 0, flags&2 != 0)
				start := slices.Clone(p.c.x)
				var want []T
				for _, workers := range []int{1, 2, 3, 8} {
					copy(p.c.x, start)
					p.run(lv, false, workers, 0.75, 1)
					if want == nil {
						want = slices.Clone(p.c.x)
					} else if !slices.Equal(p.c.x, want) {
						t.Fatalf("shape %v, flags %d: %d workers give other bits than one", shape, flags, workers)
					}
				}
			}
		}
	})
}

func TestGemmSkipsOperandsThatDoNotCount(t *testing.T) {
	nan := float32(math.NaN())
	a, c := []float32{nan, nan, nan, nan}, []float32{1, 2, 3, 4}
	Gemm(1, false, false, 2, 2, 2, 0, a, 2, a, 2, 2, c, 2)
	if want := []float32{2, 4, 6, 8}; !slices.Equal(c, want) {
		t.Fatalf("alpha = 0 gives %v, want %v", c, want)
	}
	Gemm(1, false, false, 2, 2, 0, 1, nil, 0, nil, 2, 0, c, 2)
	if want := []float32{0, 0, 0, 0}; !slices.Equal(c, want) {
		t.Fatalf("k = 0 gives %v, want %v", c, want)
	}
}
