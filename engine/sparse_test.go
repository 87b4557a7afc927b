package engine_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

// dense returns the entries of a, masks included, as a matrix.
func dense(a *engine.Sparse) [][]float64 {
	out := make([][]float64, a.Rows())
	for r := range out {
		out[r] = make([]float64, a.Cols)
		for e := a.RowPtr[r]; e < a.RowPtr[r+1]; e++ {
			c := a.Col[e]
			if (a.KeepRows != nil && !a.KeepRows[r]) || (a.KeepCols != nil && !a.KeepCols[c]) {
				continue
			}
			if a.Values == nil {
				out[r][c]++
			} else {
				out[r][c] += a.Values[e]
			}
		}
	}
	return out
}

func transposed(m [][]float64, cols int) [][]float64 {
	out := make([][]float64, cols)
	for c := range out {
		out[c] = make([]float64, len(m))
		for r := range m {
			out[c][r] = m[r][c]
		}
	}
	return out
}

func equal(a, b [][]float64) bool {
	return slices.EqualFunc(a, b, func(x, y []float64) bool { return slices.Equal(x, y) })
}

func randomSparse(rng *rand.Rand, rows, cols int) *engine.Sparse {
	a := &engine.Sparse{Cols: cols, RowPtr: []int32{0}}
	for range rows {
		for c := range cols {
			for rng.IntN(3) == 0 { // entries of one row and column may repeat
				a.Col = append(a.Col, int32(c))
			}
		}
		a.RowPtr = append(a.RowPtr, int32(len(a.Col)))
	}
	mask := func(n int) []bool {
		if rng.IntN(2) == 0 {
			return nil
		}
		keep := make([]bool, n)
		for i := range keep {
			keep[i] = rng.IntN(2) == 0
		}
		return keep
	}
	a.KeepRows, a.KeepCols = mask(rows), mask(cols)
	if rng.IntN(2) == 0 {
		for range a.Col {
			a.Values = append(a.Values, float64(rng.IntN(9)))
		}
	}
	return a
}

func TestTransposeAndUnmasked(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		rows, cols := rng.IntN(7), rng.IntN(7)
		a := randomSparse(rng, rows, cols)
		want := dense(a)
		if got := dense(a.Transpose()); !equal(got, transposed(want, cols)) {
			t.Fatalf("transpose of %v is %v", want, got)
		}
		plain := a.Unmasked()
		if plain.KeepRows != nil || plain.KeepCols != nil || !equal(dense(plain), want) {
			t.Fatalf("%v without masks is %v", want, dense(plain))
		}
		if a.KeepRows == nil && a.KeepCols == nil && plain != a {
			t.Fatal("a matrix without masks was copied")
		}
	}
}

// A Gram matrix of one set of histograms is symmetric to the last bit, and so is that of two equal sets.
func TestHistogramIntersectionOfOneSet(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	a := &engine.Sparse{Cols: 50, RowPtr: []int32{0}}
	for range 90 {
		for c := range int32(50) {
			if rng.IntN(4) == 0 {
				a.Col, a.Values = append(a.Col, c), append(a.Values, rng.Float64())
			}
		}
		a.RowPtr = append(a.RowPtr, int32(len(a.Col)))
	}
	twin := *a
	e := engine.NewCPU(3)
	half, whole := e.New(tensor.Float32, 90, 90), e.New(tensor.Float32, 90, 90)
	if err := e.HistogramIntersection(half, a, a); err != nil {
		t.Fatal(err)
	}
	if err := e.HistogramIntersection(whole, a, &twin); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(half.Float32s(), whole.Float32s()) {
		t.Error("half of the work gives other bits")
	}
}

// A mistake in a shape is an error that names the operation, never a panic.
func TestSparseArgumentsThatDoNotFit(t *testing.T) {
	e := engine.NewCPU(1)
	of := func(shape ...int) *tensor.Dense { return e.New(tensor.Float64, shape...) }
	spectrum := engine.NewSpectrum(e, 1, 2)
	single := e.New(tensor.Float32, 2, 2)
	a := &engine.Sparse{Cols: 2, RowPtr: []int32{0, 1, 2}, Col: []int32{0, 1}}
	short := &engine.Sparse{Cols: 2, RowPtr: []int32{0, 1, 2}, Col: []int32{0, 1}, Values: []float64{1}}
	mask := &engine.Sparse{Cols: 2, RowPtr: []int32{0, 1, 2}, Col: []int32{0, 1}, KeepRows: []bool{true}}
	wide := &engine.Sparse{Cols: 3, RowPtr: []int32{0, 1, 2}, Col: []int32{0, 1}}
	for name, errs := range map[string][]error{
		"SparseMatMul": {
			e.SparseMatMul(of(2, 3), a, of(3, 3)), e.SparseMatMul(of(1, 3), a, of(2, 3)), e.SparseMatMul(single, a, of(2, 2)),
			e.SparseMatMul(of(2, 3), short, of(2, 3)), e.SparseMatMul(of(2, 3), mask, of(2, 3)),
			e.SparseMatMul(nil, a, of(2, 3)),
		},
		"HistogramIntersection": {
			e.HistogramIntersection(of(2, 2), a, wide), e.HistogramIntersection(of(2, 3), a, a),
			e.HistogramIntersection(of(2, 2), a, short),
			e.HistogramIntersection(of(2, 2), mask, a), e.HistogramIntersection(nil, a, a),
		},
		"Posterior": {
			e.Posterior(of(2, 3), of(2), of(2, 3), of(4, 3), []int32{0}),
			e.Posterior(of(2, 3), of(2), of(2, 3), of(4, 2), []int32{0, 1}),
			e.Posterior(of(2, 3), of(2), of(2, 3), of(4, 3), []int32{0, 4}),
			e.Posterior(of(2, 3), of(2), of(2, 3), of(4, 3), []int32{-1, 0}),
			e.Posterior(of(2, 3), of(3), of(2, 3), of(4, 3), []int32{0, 1}),
			e.Posterior(single, of(2), of(2, 2), of(4, 2), []int32{0, 1}),
		},
		"InvSqrt": {
			e.InvSqrt(of(1, 2, 2), nil, of(1, 3, 3), 0.1, engine.AfterRoot),
			e.InvSqrt(of(1, 2, 3), nil, of(1, 2, 3), 0.1, engine.AfterRoot),
			e.InvSqrt(of(2, 2), nil, of(2, 2), 0.1, engine.AfterRoot),
			e.InvSqrt(of(1, 2, 2), nil, of(1, 2, 2), -1, engine.AfterRoot),
			e.InvSqrt(of(1, 2, 2), nil, of(1, 2, 2), 1, engine.InvSqrtRule(7)),
			e.InvSqrt(nil, nil, of(1, 2, 2), 1, engine.AfterRoot),
			e.InvSqrt(of(1, 2, 2), engine.NewSpectrum(e, 1, 3), of(1, 2, 2), 1, engine.AfterRoot),
			e.InvSqrt(of(1, 2, 2), &engine.Spectrum{}, of(1, 2, 2), 1, engine.AfterRoot),
		},
		"InvSqrtGrad": {
			e.InvSqrtGrad(of(1, 2, 2), of(1, 3, 3), spectrum, 0.1, engine.AfterRoot),
			e.InvSqrtGrad(of(1, 3, 3), of(1, 3, 3), spectrum, 0.1, engine.AfterRoot),
			e.InvSqrtGrad(of(1, 2, 2), of(1, 2, 2), nil, 0.1, engine.AfterRoot),
			e.InvSqrtGrad(of(1, 2, 2), of(1, 2, 2), spectrum, -1, engine.AfterRoot),
			e.InvSqrtGrad(of(1, 2, 2), e.New(tensor.Float32, 1, 2, 2), spectrum, 0.1, engine.AfterRoot),
		},
	} {
		for i, err := range errs {
			if err == nil || !strings.HasPrefix(err.Error(), name+": ") {
				t.Errorf("%s, mistake %d: error %v", name, i, err)
			}
		}
	}
}
