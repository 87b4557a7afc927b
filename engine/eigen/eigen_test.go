package eigen

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/grove-graph/grove/engine/simd"
	"gonum.org/v1/gonum/mat"
)

var orders = []int{0, 1, 2, 3, 5, 24, 25, 31, 32, 33, 64, 65, 100, 129, 257, 513}

func forEachMatrix(t *testing.T, check func(t *testing.T, n int, a []float64)) {
	for _, family := range families {
		for _, n := range orders {
			if testing.Short() && n > 129 {
				continue
			}
			t.Run(fmt.Sprintf("%s/%d", family.name, n), func(t *testing.T) { check(t, n, family.build(n)) })
		}
	}
}

// checkDecomposition checks the order of the values, the residual A V - V E and V^T V - I.
func checkDecomposition(t *testing.T, n int, a, values, vectors []float64) {
	t.Helper()
	if len(values) != n || len(vectors) != n*n {
		t.Fatalf("%d values and %d numbers of vectors for order %d", len(values), len(vectors), n)
	}
	if !slices.IsSorted(values) {
		t.Errorf("values are not ascending: %v", values)
	}
	// A common power of two keeps products of tiny entries away from underflow.
	a, values = slices.Clone(a), slices.Clone(values)
	_, exponent := math.Frexp(largestAbs(a))
	multiplyByPowerOfTwo(a, -exponent)
	multiplyByPowerOfTwo(values, -exponent)

	norm := 0.0
	residual := slices.Clone(vectors)
	for j, x := range values {
		norm = max(norm, math.Abs(x))
		simd.Scale(x, residual[j*n:(j+1)*n])
	}
	gram := identity(n)
	if n > 0 {
		simd.Gemm(1, false, false, n, n, n, 1, vectors, n, a, n, -1, residual, n)
		simd.Gemm(1, false, true, n, n, n, 1, vectors, n, vectors, n, -1, gram, n)
	}
	// The method's errors grow like n 2^-53 at most, as they do for the portable inner product of
	// equal numbers; a few dozen rotations and reflections act on every entry however small n is.
	limit := (30 + 2*float64(n)) * unitRoundoff
	if worst := largestAbs(residual); !(worst <= limit*norm) {
		t.Errorf("|A V - V E| = %.3g |A|, want at most %.3g", worst/norm, limit)
	}
	if worst := largestAbs(gram); !(worst <= limit) {
		t.Errorf("|V^T V - I| = %.3g, want at most %.3g", worst, limit)
	}
}

func largestAbs(x []float64) float64 {
	worst := 0.0
	for _, v := range x {
		if math.IsNaN(v) {
			return v
		}
		worst = max(worst, math.Abs(v))
	}
	return worst
}

func TestSymmetricDecomposes(t *testing.T) {
	forEachMatrix(t, func(t *testing.T, n int, a []float64) {
		before := slices.Clone(a)
		values, vectors, err := Symmetric(1, n, a, max(n, 1))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(a, before) {
			t.Error("the matrix was changed")
		}
		checkDecomposition(t, n, a, values, vectors)
	})
}

func TestSymmetricAgreesWithGonum(t *testing.T) {
	for _, family := range families {
		for _, n := range []int{1, 2, 3, 33, 100} {
			t.Run(fmt.Sprintf("%s/%d", family.name, n), func(t *testing.T) {
				a := family.build(n)
				// gonum's own scaling of huge and tiny matrices panics.
				_, exponent := math.Frexp(largestAbs(a))
				multiplyByPowerOfTwo(a, -exponent)
				values, _, err := Symmetric(1, n, a, n)
				if err != nil {
					t.Fatal(err)
				}
				var reference mat.EigenSym
				if !reference.Factorize(mat.NewSymDense(n, a), false) {
					t.Skip("gonum does not converge")
				}
				want := reference.Values(nil)
				norm := max(math.Abs(want[0]), math.Abs(want[n-1]))
				for j := range want {
					if d := math.Abs(values[j] - want[j]); !(d <= (10+float64(n))*unitRoundoff*norm) {
						t.Errorf("value %d is %v, gonum has %v", j, values[j], want[j])
					}
				}
			})
		}
	}
}

func TestSymmetricKnownEigenvalues(t *testing.T) {
	for _, n := range []int{4, 50, 300} {
		a := tridiagonal(n, func(int) float64 { return 2 }, func(int) float64 { return -1 })
		values, _, err := Symmetric(1, n, a, n)
		if err != nil {
			t.Fatal(err)
		}
		for j, x := range values {
			want := 2 - 2*math.Cos(float64(j+1)*math.Pi/float64(n+1))
			if math.Abs(x-want) > 4*float64(n)*unitRoundoff {
				t.Errorf("order %d: value %d is %v, want %v", n, j, x, want)
			}
		}
	}
}

func TestSymmetricSameBitsForAnyWorkers(t *testing.T) {
	for _, family := range families {
		for n, counts := range map[int][]int{33: {0, 2, 3, 8}, 257: {2, 8}, 513: {8}} {
			if testing.Short() && n > 257 {
				continue
			}
			t.Run(fmt.Sprintf("%s/%d", family.name, n), func(t *testing.T) {
				a := family.build(n)
				values, vectors, err := Symmetric(1, n, a, n)
				if err != nil {
					t.Fatal(err)
				}
				for _, workers := range counts {
					v, u, err := Symmetric(workers, n, a, n)
					if err != nil {
						t.Fatal(err)
					}
					if !slices.Equal(v, values) || !slices.Equal(u, vectors) {
						t.Errorf("%d workers give other bits than 1", workers)
					}
				}
			})
		}
	}
}

func TestSymmetricReadsTheLowerTriangleOnly(t *testing.T) {
	const n, lda = 40, 47
	a := randomSymmetric(n)
	padded := make([]float64, (n-1)*lda+n)
	for i := range padded {
		padded[i] = math.NaN()
	}
	for i := range n {
		copy(padded[i*lda:i*lda+i+1], a[i*n:])
	}
	values, vectors, err := Symmetric(1, n, padded, lda)
	if err != nil {
		t.Fatal(err)
	}
	checkDecomposition(t, n, a, values, vectors)
}

func TestSymmetricRefusesNonFinite(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		a := randomSymmetric(6)
		a[4*6+2] = bad
		_, _, err := Symmetric(1, 6, a, 6)
		if !errors.Is(err, ErrNotFinite) || !strings.Contains(err.Error(), "(4, 2)") {
			t.Errorf("%v: error %v does not name the entry", bad, err)
		}
	}
	huge := symmetric(3, func(int, int) float64 { return math.MaxFloat64 })
	if _, _, err := Symmetric(1, 3, huge, 3); !errors.Is(err, ErrNotFinite) {
		t.Errorf("eigenvalue out of range: error %v", err)
	}
}

func TestSymmetricSmallestAndLargestNumbers(t *testing.T) {
	for _, scale := range []float64{math.SmallestNonzeroFloat64, 0x1p-1030, 0x1p1022} {
		a := []float64{0, scale, scale, 0}
		values, _, err := Symmetric(1, 2, a, 2)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(values[0]/scale+1) > 1e-15 || math.Abs(values[1]/scale-1) > 1e-15 {
			t.Errorf("values %v, want -+%v", values, scale)
		}
	}
}

func TestSymmetricPanicsOnDimensions(t *testing.T) {
	for name, call := range map[string]func(){
		"negative order":          func() { _, _, _ = Symmetric(1, -1, nil, 1) },
		"short leading dimension": func() { _, _, _ = Symmetric(1, 3, make([]float64, 9), 2) },
		"short matrix":            func() { _, _, _ = Symmetric(1, 3, make([]float64, 8), 3) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			call()
		})
	}
}
