package svm

import (
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

func vectorRows(n, d int, seed uint64) [][]float64 {
	r := rand.New(rand.NewPCG(seed, 1))
	x := make([][]float64, n)
	for i := range x {
		x[i] = make([]float64, d)
		for j := range x[i] {
			x[i][j] = float64(r.IntN(4)) // zeros among them
		}
	}
	return x
}

// plainKernels are the kernels by their definitions.
var plainKernels = map[string]func(gamma float64, x, y []float64) float64{
	LinearKernel: func(_ float64, x, y []float64) float64 { return inner(x, y) },
	RBFKernel: func(gamma float64, x, y []float64) float64 {
		sum := 0.0
		for j := range x {
			sum += (x[j] - y[j]) * (x[j] - y[j])
		}
		return math.Exp(-gamma * sum)
	},
	JaccardKernel: func(_ float64, x, y []float64) float64 {
		least, most := 0.0, 0.0
		for j := range x {
			least += min(x[j], y[j])
			most += max(x[j], y[j])
		}
		if most == 0 {
			return 1
		}
		return least / most
	},
}

func TestVectorKernels(t *testing.T) {
	for _, k := range []VectorKernel{{Kind: LinearKernel}, {Kind: RBFKernel, Gamma: 0.3}, {Kind: JaccardKernel}} {
		for _, d := range []int{1, 4, 9} {
			a, b := vectorRows(7, d, 1), vectorRows(5, d, 2)
			x, y := matrix(a), matrix(b)
			cross, err := k.Cross(x, y, 2)
			if err != nil {
				t.Fatal(err)
			}
			for i := range a {
				for j := range b {
					got, want := cross.Float64s()[i*5+j], plainKernels[k.Kind](k.Gamma, a[i], b[j])
					if math.Abs(got-want) > 1e-13*max(1, want) {
						t.Errorf("%s of %d entries: k(%d, %d) = %g, want %g", k, d, i, j, got, want)
					}
				}
			}
			gram, err := k.Gram(x, 1)
			if err != nil {
				t.Fatal(err)
			}
			checkGram(t, k, gram)
		}
	}
}

// checkGram wants a symmetric positive semi-definite matrix, and ones on the diagonal of a kernel of
// similarity.
func checkGram(t *testing.T, k VectorKernel, gram *tensor.Dense) {
	t.Helper()
	n, values := gram.Shape()[0], gram.Float64s()
	for i := range n {
		for j := range n {
			if values[i*n+j] != values[j*n+i] {
				t.Fatalf("%s: entries (%d, %d) and (%d, %d) differ", k, i, j, j, i)
			}
		}
		if k.Kind != LinearKernel && values[i*n+i] != 1 {
			t.Errorf("%s: k(%d, %d) = %g, want 1", k, i, i, values[i*n+i])
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(mat.NewSymDense(n, append([]float64(nil), values...)), false) {
		t.Fatal("no eigenvalues")
	}
	if all := eigen.Values(nil); all[0] < -1e-9*max(all[n-1], 1) {
		t.Errorf("%s: smallest eigenvalue %g, largest %g", k, all[0], all[n-1])
	}
}

func TestVectorKernelSameBits(t *testing.T) {
	x := matrix(vectorRows(60, 33, 5))
	for _, k := range []VectorKernel{{Kind: LinearKernel}, {Kind: RBFKernel, Gamma: 0.1}, {Kind: JaccardKernel}} {
		one, err := k.Gram(x, 1)
		if err != nil {
			t.Fatal(err)
		}
		eight, err := k.Gram(x, 8)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(one.Float64s(), eight.Float64s()) {
			t.Errorf("%s: other bits with 8 workers", k)
		}
	}
}

func TestVectorKernelErrors(t *testing.T) {
	for want, call := range map[string]func() (*tensor.Dense, error){
		`kernel "cosine"`: func() (*tensor.Dense, error) {
			return VectorKernel{Kind: "cosine"}.Gram(matrix([][]float64{{1}}), 1)
		},
		"gamma 0": func() (*tensor.Dense, error) {
			return VectorKernel{Kind: RBFKernel}.Gram(matrix([][]float64{{1}}), 1)
		},
		"feature 1 of row 0 is -2": func() (*tensor.Dense, error) {
			return VectorKernel{Kind: JaccardKernel}.Gram(matrix([][]float64{{1, -2}}), 1)
		},
		"feature 0 of row 1 is NaN": func() (*tensor.Dense, error) {
			return VectorKernel{Kind: LinearKernel}.Gram(matrix([][]float64{{1}, {math.NaN()}}), 1)
		},
		"of 1 and of 2 entries": func() (*tensor.Dense, error) {
			return VectorKernel{Kind: LinearKernel}.Cross(matrix([][]float64{{1}}), matrix([][]float64{{1, 2}}), 1)
		},
	} {
		if _, err := call(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// A kernel matrix is computed by blocks of half of it.
func TestVectorKernelBlocks(t *testing.T) {
	const n = 2*gramBlock + 77
	x := matrix(vectorRows(n, 9, 7))
	for _, k := range []VectorKernel{{Kind: LinearKernel}, {Kind: RBFKernel, Gamma: 0.05}, {Kind: JaccardKernel}} {
		gram, err := k.Gram(x, 3)
		if err != nil {
			t.Fatal(err)
		}
		cross, err := k.Cross(x, x, 1)
		if err != nil {
			t.Fatal(err)
		}
		for at, want := range cross.Float64s() {
			if got := gram.Float64s()[at]; math.Abs(got-want) > 1e-13*max(1, want) || got != gram.Float64s()[at%n*n+at/n] {
				t.Fatalf("%s: k(%d, %d) = %g, want %g", k, at/n, at%n, got, want)
			}
		}
	}
}
