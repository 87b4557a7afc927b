package enginetest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

// RunApart checks that rows stand apart where e promises it, in [engine.Gemm], [engine.Projection] and Linear: those of
// random products have the same bits in products of some of them.
func RunApart(t *testing.T, e engine.Engine) {
	for _, dtype := range []tensor.Dtype{tensor.Float32, tensor.Float64} {
		rng := rand.New(rand.NewPCG(1, 2))
		for range 40 {
			p := &apart{e: e, dtype: dtype, m: 2 + rng.IntN(150), n: 1 + rng.IntN(20*(1+rng.IntN(8))), k: 1 + rng.IntN(700)}
			p.opt = engine.Gemm{Alpha: 1.5, Beta: float64(rng.IntN(2)), TransA: rng.IntN(3) == 0, TransB: rng.IntN(2) == 0,
				Precision: engine.Precision(max(rng.IntN(6)-3, 0)), Apart: true}
			switch rng.IntN(4) {
			case 0:
				p.linear, p.opt.TransA, p.opt.TransB = true, false, true
			case 1:
				p.square, p.opt.TransA, p.opt.TransB, p.k = true, false, false, p.n
			}
			if err := p.check(rng); err != nil {
				t.Errorf("%v, %dx%dx%d %+v, linear=%v, square=%v: %v", dtype, p.m, p.n, p.k, p.opt, p.linear, p.square, err)
			}
		}
	}
}

// apart is a product of m x k by k x n, which a linear layer or, of a square matrix, a projection may compute.
type apart struct {
	e       engine.Engine
	dtype   tensor.Dtype
	m, n, k int
	opt     engine.Gemm
	linear  bool
	square  bool
}

func (p *apart) check(rng *rand.Rand) error {
	want, err := p.rows(0, p.m)
	for from := 0; from < p.m && err == nil; {
		to := min(from+1+rng.IntN(1+p.m/(1+rng.IntN(8))), p.m)
		var got []float64
		if got, err = p.rows(from, to); err == nil && !slices.Equal(got, want[from*p.n:to*p.n]) {
			return fmt.Errorf("other bits in rows %d to %d by themselves", from, to)
		}
		from = to
	}
	return err
}

// rows computes some rows of the product.
func (p *apart) rows(from, to int) ([]float64, error) {
	rows := to - from
	x, y := p.of(1, p.m, p.k, from, to, p.opt.TransA), p.of(3, p.m, p.n, from, to, false)
	shapeA, shapeB := []int{rows, p.k}, []int{p.k, p.n}
	if p.opt.TransA {
		slices.Reverse(shapeA)
	}
	if p.opt.TransB {
		slices.Reverse(shapeB)
	}
	var tensors []*tensor.Dense
	defer func() { p.e.Release(tensors...) }()
	for _, t := range []struct {
		x     []float64
		shape []int
	}{{x, shapeA}, {normal(2, p.k*p.n), shapeB}, {y, []int{rows, p.n}}, {normal(4, p.n), []int{1, p.n}}} {
		made, err := put(p.e, p.dtype, t.x, t.shape)
		tensors = append(tensors, made)
		if err != nil {
			return nil, err
		}
	}
	a, b, c, bias := tensors[0], tensors[1], tensors[2], tensors[3]
	multiply := func() error { return p.e.Gemm(c, a, b, p.opt) }
	if p.linear {
		multiply = func() error { return p.e.Linear(c, a, b, bias) }
	}
	if p.square {
		wide, err := put(p.e, tensor.Float64, normal(2, p.k*p.n), []int{1, p.k, p.n})
		tensors = append(tensors, wide)
		if err != nil {
			return nil, err
		}
		all := engine.Projection{Offsets: []int32{0, int32(rows)}, Apart: true}
		multiply = func() error { return p.e.Project(c, a, wide, all) }
	}
	if err := multiply(); err != nil {
		return nil, err
	}
	return y, p.e.Convert(tensor.New(tensor.WithShape(rows, p.n), tensor.WithBacking(y)), c)
}

// of returns some rows of a matrix of random elements, or their transpose.
func (p *apart) of(seed uint64, rows, columns, from, to int, transposed bool) []float64 {
	x := normal(seed, rows*columns)[from*columns : to*columns]
	if !transposed {
		return x
	}
	turned := make([]float64, len(x))
	for i, v := range x {
		turned[i%columns*(to-from)+i/columns] = v
	}
	return turned
}
