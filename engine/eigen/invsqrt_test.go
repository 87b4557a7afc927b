package eigen

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/grove-graph/grove/engine/simd"
	"github.com/grove-graph/grove/internal/testfiles"
)

// inverseSqrtFile is a golden file of kind inverse_sqrt.
type inverseSqrtFile struct {
	Kind  string
	Cases []struct {
		Name        string
		Matrix      [][]float64
		Eps         float64
		Eigenvalues []float64
		InvSqrt     [][]float64 `json:"inv_sqrt"`
	}
}

func flatten(rows [][]float64) []float64 { return slices.Concat(rows...) }

// The published numbers are stored to rounding error. Where the smallest eigenvalue is below 1e-6
// the root magnifies the rounding error of the reference itself (golden README, section 4).
func TestGoldenInverseSqrt(t *testing.T) {
	testfiles.Golden(t, "", testfiles.OfKind("inverse_sqrt"), checkInverseSqrt)
}

func checkInverseSqrt(t *testing.T, text []byte) {
	file := testfiles.Decode[inverseSqrtFile](t, text)
	for _, c := range file.Cases {
		t.Run(c.Name, func(t *testing.T) {
			n := len(c.Matrix)
			k, want := flatten(c.Matrix), flatten(c.InvSqrt)
			values, _, err := Symmetric(1, n, k, n)
			if err != nil {
				t.Fatal(err)
			}
			for j, e := range c.Eigenvalues {
				if d := math.Abs(values[j] - e); !(d <= 1e-14*math.Abs(c.Eigenvalues[n-1])) {
					t.Errorf("eigenvalue %d is %v, want %v", j, values[j], e)
				}
			}
			tolerance := 1e-10
			if c.Eigenvalues[0] < 1e-6 {
				tolerance = 3e-5
			}
			got := make([]float64, n*n)
			if _, _, err := InvSqrt(1, n, got, k, c.Eps, AfterRoot); err != nil {
				t.Fatal(err)
			}
			if d := largestDifference(got, want); !(d <= tolerance*largestAbs(want)) {
				t.Errorf("inverse square root differs by %.3g of its largest entry, want at most %.3g",
					d/largestAbs(want), tolerance)
			}
		})
	}
}

func largestDifference(x, y []float64) float64 {
	d := make([]float64, len(x))
	for i := range x {
		d[i] = x[i] - y[i]
	}
	return largestAbs(d)
}

func TestInsideRootSquaredInverts(t *testing.T) {
	for _, n := range []int{1, 2, 16, 70, 200} {
		const eps = 0.01
		k := duplicatedGram(n, max(1, n/2))
		root := make([]float64, n*n)
		if _, _, err := InvSqrt(1, n, root, k, eps, InsideRoot); err != nil {
			t.Fatal(err)
		}
		for i := range n {
			k[i*n+i] += eps
		}
		// R (K + eps I) R = I; the condition number |K|/eps is at most n/eps.
		left, product := make([]float64, n*n), identity(n)
		simd.Gemm(1, false, false, n, n, n, 1, root, n, k, n, 0, left, n)
		simd.Gemm(1, false, false, n, n, n, 1, left, n, root, n, -1, product, n)
		if worst := largestAbs(product); !(worst <= 10*float64(n)*unitRoundoff*float64(n)/eps) {
			t.Errorf("order %d: |R (K + eps I) R - I| = %.3g", n, worst)
		}
	}
}

func TestInvSqrtOfDiagonal(t *testing.T) {
	const eps = 0.01
	diagonal := []float64{4, 0, 0.25, -1e-9, 1}
	n := len(diagonal)
	k := symmetric(n, func(i, j int) float64 {
		if i != j {
			return 0
		}
		return diagonal[i]
	})
	for rule, value := range map[Rule]func(e float64) float64{
		AfterRoot:  func(e float64) float64 { return 1 / (math.Sqrt(e) + eps) },
		InsideRoot: func(e float64) float64 { return 1 / math.Sqrt(e+eps) },
	} {
		got := make([]float64, n*n)
		if _, _, err := InvSqrt(1, n, got, k, eps, rule); err != nil {
			t.Fatal(err)
		}
		for i := range n {
			for j := range n {
				want := 0.0
				if i == j {
					want = value(max(diagonal[i], 0))
				}
				if math.Abs(got[i*n+j]-want) > 1e-13*want {
					t.Errorf("rule %d: entry (%d, %d) is %v, want %v", rule, i, j, got[i*n+j], want)
				}
			}
		}
	}
}

func TestInvSqrtIsSymmetricAndWorksInPlace(t *testing.T) {
	for _, n := range []int{0, 1, 3, 33, 150} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			k := duplicatedGram(n, max(n, 1))
			root := make([]float64, n*n)
			if _, _, err := InvSqrt(1, n, root, k, 0.01, AfterRoot); err != nil {
				t.Fatal(err)
			}
			for i := range n {
				for j := range i {
					if root[i*n+j] != root[j*n+i] {
						t.Fatalf("entries (%d, %d) and (%d, %d) differ", i, j, j, i)
					}
				}
			}
			if _, _, err := InvSqrt(8, n, k, k, 0.01, AfterRoot); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(k, root) {
				t.Error("in place or with 8 workers the result has other bits")
			}
		})
	}
}

func TestInvSqrtRefuses(t *testing.T) {
	for _, eps := range []float64{-0.01, math.NaN(), math.Inf(1)} {
		if _, _, err := InvSqrt(1, 1, make([]float64, 1), []float64{1}, eps, AfterRoot); err == nil {
			t.Errorf("eps = %v is no error", eps)
		}
	}
	for _, rule := range []Rule{AfterRoot, InsideRoot} {
		if _, _, err := InvSqrt(1, 2, make([]float64, 4), make([]float64, 4), 0, rule); !errors.Is(err, ErrNotFinite) {
			t.Errorf("singular matrix with eps = 0: error %v", err)
		}
	}
	nan := []float64{1, 0, math.NaN(), 1}
	if _, _, err := InvSqrt(1, 2, make([]float64, 4), nan, 0.01, AfterRoot); !errors.Is(err, ErrNotFinite) {
		t.Errorf("NaN in the matrix: error %v", err)
	}
}
