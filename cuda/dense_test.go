//go:build gpu

package cuda

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

// Every shape of tiles multiplies correctly, with and without splits, whatever shape Gemm would choose.
func TestEveryTiling(t *testing.T) {
	e := opened(t)
	for _, s := range [][3]int{{1, 1, 1}, {128, 128, 16}, {132, 140, 44}, {129, 131, 45}, {7, 300, 33}, {300, 5, 100}} {
		for _, trans := range []engine.Gemm{{}, {TransA: true}, {TransB: true}, {TransA: true, TransB: true}} {
			for _, unit := range []int{1, 2} {
				for _, sides := range [][2]int{{largeTile, largeTile}, {mediumTile, mediumTile}, {largeTile, thinTile}, {thinTile,
					largeTile}} {
					for terms, beta := range map[int]float64{max(s[2], 17): 0, 16: -0.5} {
						plan := tiling{rows: sides[0] / unit, columns: sides[1] / unit, terms: terms, splits: blocksOf(s[2], terms)}
						opt := engine.Gemm{TransA: trans.TransA, TransB: trans.TransB, Alpha: 1.5, Beta: beta}
						dtype, tolerance := tensor.Float32, 1e-5
						if unit == 2 {
							dtype, tolerance = tensor.Float64, 1e-12
						}
						if worst := tilingError(t, e, plan, s, dtype, opt); !(worst <= tolerance) {
							t.Errorf("%v %v %+v %+v: off by %g of the largest element", s, dtype, opt, plan, worst)
						}
					}
				}
			}
		}
	}
}

// tilingError returns the largest error of a product as a share of its largest element.
func tilingError(t *testing.T, e *Engine, plan tiling, s [3]int, dtype tensor.Dtype, opt engine.Gemm) float64 {
	m, n, k := s[0], s[1], s[2]
	shapeA, shapeB := []int{m, k}, []int{k, n}
	if opt.TransA {
		slices.Reverse(shapeA)
	}
	if opt.TransB {
		slices.Reverse(shapeB)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	random := func(shape ...int) (host, device *tensor.Dense) {
		host = e.Host().New(dtype, shape...)
		for i := range host.DataSize() {
			x := rng.NormFloat64()
			if dtype == tensor.Float32 {
				host.Float32s()[i] = float32(x)
			} else {
				host.Float64s()[i] = x
			}
		}
		device, err := engine.FromHost(e, host)
		if err != nil {
			t.Fatal(err)
		}
		return host, device
	}
	hostA, a := random(shapeA...)
	hostB, b := random(shapeB...)
	want, c := random(m, n)
	defer e.Release(a, b, c)
	if err := (engine.Reference{}).Gemm(want, hostA, hostB, opt); err != nil {
		t.Fatal(err)
	}
	var err error
	if dtype == tensor.Float32 {
		err = newProduct[float32](e, c, a, b, opt, m, n, k).multiplyTiles(plan)
	} else {
		err = newProduct[float64](e, c, a, b, opt, m, n, k).multiplyTiles(plan)
	}
	if err != nil {
		t.Fatal(err)
	}
	difference, largest := 0.0, 0.0
	exact := e.Host().New(tensor.Float64, m, n)
	if err := e.Convert(exact, want); err != nil {
		t.Fatal(err)
	}
	for i, x := range values(t, e, c) {
		difference = max(difference, math.Abs(x-exact.Float64s()[i]))
		largest = max(largest, math.Abs(x))
	}
	return difference / largest
}

// Pieces of segments cover them in order, and none is longer than a piece may be.
func TestCutSegments(t *testing.T) {
	if pieces, _ := cutSegments([]int32{0, segmentPiece, segmentPiece, 2 * segmentPiece}); pieces != nil {
		t.Errorf("cut segments that are short enough into %v", pieces)
	}
	const p = segmentPiece
	pieces, segments := cutSegments([]int32{3, 4, 4, 4 + 2*p + 1, 6 + 2*p})
	if !slices.Equal(pieces, []int32{3, 4, 4 + p, 4 + 2*p, 5 + 2*p, 6 + 2*p}) || !slices.Equal(segments, []int32{0, 1, 1,
		4, 5}) {
		t.Errorf("pieces %v, segments %v", pieces, segments)
	}
}

// Gradients of segments and rows of so many items that the pieces of pieces are cut too.
func TestGradientOfLongSegments(t *testing.T) {
	const items = segmentPiece*segmentPiece + 1000
	e := opened(t)
	host := engine.NewCPU(1)
	s := engine.Segments{Offsets: []int32{0, 5, items}, Index: make([]int32, items)}
	for i := range s.Index {
		s.Index[i] = int32(i * 7 % 2)
	}
	for _, pool := range []engine.Pooling{engine.Sum, engine.Mean, engine.Max} {
		x, gradient := []float64{1, 2, 2, 1}, []float64{3, 5, 7, 11}
		grad := func(e engine.Engine) []float64 {
			upload := func(values []float64) *tensor.Dense {
				out := e.New(tensor.Float64, 2, 2)
				if err := e.Convert(out, tensor.New(tensor.WithShape(2, 2), tensor.WithBacking(values))); err != nil {
					t.Fatal(err)
				}
				return out
			}
			out := e.New(tensor.Float64, 2, 2)
			if err := e.SegmentReduceGrad(out, upload(gradient), upload(x), s, pool); err != nil {
				t.Fatal(err)
			}
			out, err := engine.ToHost(out)
			if err != nil {
				t.Fatal(err)
			}
			return out.Float64s()
		}
		got, want := grad(e), grad(host)
		for i := range want {
			if math.Abs(got[i]-want[i]) > 1e-12*math.Abs(want[i]) {
				t.Errorf("%v: %v, want %v", pool, got, want)
				break
			}
		}
	}
}

// Where nobody waits for the decomposition, a matrix that has no inverse square root gives NaN throughout, and the
// others are as ever.
func TestMatricesWithoutInverseSquareRoot(t *testing.T) {
	eachKernels(t, func(t *testing.T, e engine.Engine) {
		for _, n := range []int{3, 35} { // one block for a matrix, and the block method
			k := make([]float64, 3*n*n)
			for i := range n {
				k[i*n+i], k[n*n+i*n+i] = 4, 4
			}
			k[n*n+n] = math.NaN() // the second is not finite, the third zero
			upload := func(x []float64) *tensor.Dense {
				out := e.New(tensor.Float64, 3, n, n)
				if err := e.Convert(out, tensor.New(tensor.WithShape(3, n, n), tensor.WithBacking(x))); err != nil {
					t.Fatal(err)
				}
				return out
			}
			root, back, kept := e.New(tensor.Float64, 3, n, n), e.New(tensor.Float64, 3, n, n), engine.NewSpectrum(e, 3, n)
			if err := e.InvSqrt(root, kept, upload(k), 0, engine.AfterRoot); err != nil {
				t.Fatal(err)
			}
			ones := make([]float64, 3*n*n)
			for i := range ones {
				ones[i] = 1
			}
			if err := e.InvSqrtGrad(back, upload(ones), kept, 0, engine.AfterRoot); err != nil {
				t.Fatal(err)
			}
			for name, result := range map[string]*tensor.Dense{"root": root, "gradient": back} {
				host, err := engine.ToHost(result)
				if err != nil {
					t.Fatal(err)
				}
				for i, x := range host.Float64s() {
					want := map[string]float64{"root": 0, "gradient": -1.0 / 16}[name]
					if name == "root" && i/n == i%n {
						want = 0.5
					}
					if i < n*n && !(math.Abs(x-want) < 1e-13) || i >= n*n && !math.IsNaN(x) {
						t.Fatalf("order %d: element %d of the %s is %g", n, i, name, x)
					}
				}
			}
			if err := e.InvSqrt(root, nil, upload(k), 0, engine.AfterRoot); err == nil {
				t.Error("no error where the result is waited for")
			}
		}
	})
}

// The tiling of a product does not depend on the GPU, and covers all terms.
func TestTiling(t *testing.T) {
	for _, s := range []struct{ m, n, k, rows, columns int }{
		{4096, 4096, 100, 128, 128}, {500, 500, 100, 64, 64}, {100000, 16, 50, 128, 32}, {16, 100000, 50, 32, 128}, {3, 2,
			100000, 128, 32},
	} {
		got := tile(s.m, s.n, s.k, 1, false)
		if got.rows != s.rows || got.columns != s.columns {
			t.Errorf("%+v: tiles %d x %d", s, got.rows, got.columns)
		}
		if got.splits*got.terms < s.k || (got.splits-1)*got.terms >= s.k || got.splits > 1 && got.terms%16 != 0 {
			t.Errorf("%+v: %d splits of %d terms", s, got.splits, got.terms)
		}
		if s.k == 100000 && got.splits < 100 {
			t.Errorf("%+v: %d splits leave a GPU idle", s, got.splits)
		}
		if apart := tile(s.m, s.n, s.k, 1, true); apart.splits != 1 || apart.terms < s.k {
			t.Errorf("%+v: %d splits of %d terms where rows stand apart", s, apart.splits, apart.terms)
		}
	}
}
