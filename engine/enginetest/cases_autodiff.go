package enginetest

import (
	"errors"
	"fmt"

	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

// trainer is what an engine computes for training beside the interface of all engines.
type trainer interface {
	NormalizeRowsGrad(xGrad, unitGrad, normGrad, unit, norms *tensor.Dense, eps float64) error
	SegmentReduceGrad(xGrad, outGrad, x *tensor.Dense, s engine.Segments, pool engine.Pooling) error
	OutputLoss(loss, grad, x, y *tensor.Dense, kind engine.Loss) error
	InvSqrtFactors(dst, values, vectors, k *tensor.Dense, eps float64) error
	InvSqrtFactorsGrad(kGrad, dstGrad, values, vectors *tensor.Dense, eps float64) error
}

// trainer returns the engine of the call as one that can train.
func (c *call) trainer() (trainer, error) {
	t, ok := c.e.(trainer)
	if !ok {
		return nil, errors.New("the engine cannot train")
	}
	return t, nil
}

// AutodiffCases returns the rows of the operations that only training needs.
func AutodiffCases() []Case {
	all := normalizeGradCases()
	all = append(all, segmentGradCases()...)
	all = append(all, factorCases()...)
	return append(all, lossCases()...)
}

// normalizeGradCases have a row of zeros, one below eps and one exactly at it.
func normalizeGradCases() []Case {
	var all []Case
	for _, n := range sizes {
		for _, d := range []int{0, 1, 3, 32, 130} {
			for _, withNorms := range []bool{false, true} {
				all = append(all, Case{"NormalizeRowsGrad", fmt.Sprintf("%dx%d norms=%v", n, d, withNorms), 8, func(c *call) error {
					e, err := c.trainer()
					if err != nil {
						return err
					}
					const eps = 0x1p-4
					x := normal(31, n*d)
					if n > 3 && d > 0 {
						for i := range d {
							x[i], x[d+i], x[2*d+i] = 0, 0x1p-10, 0
						}
						x[2*d] = eps
					}
					if n*d == 1 {
						x[0] = eps / 4 // a longer row of one element has no gradient but rounding
					}
					unit, norms := c.output(n, d), c.output(n)
					if err := c.e.NormalizeRows(unit, norms, c.upload(c.dtype, x, n, d), eps); err != nil {
						return err
					}
					var normGrad *tensor.Dense
					if withNorms {
						normGrad = c.random(32, n)
					}
					return e.NormalizeRowsGrad(c.output(n, d), c.random(33, n, d), normGrad, unit, norms, eps)
				}})
			}
		}
	}
	return append(all, Case{"NormalizeRowsGrad", "shapes that do not fit", 1, func(c *call) error {
		e, err := c.trainer()
		if err != nil {
			return err
		}
		return e.NormalizeRowsGrad(c.random(1, 3, 2), c.random(2, 2, 3), nil, c.random(3, 2, 3), c.random(4, 2), 1)
	}})
}

// segmentGradCases have empty segments, rows that several items share and, for the maximum, ties.
func segmentGradCases() []Case {
	var all []Case
	for _, pool := range []engine.Pooling{engine.Sum, engine.Mean, engine.Max} {
		for _, q := range []int{0, 1, 5, 32, 130} {
			for _, n := range sizes {
				for _, form := range []string{"plain", "shared", "weighted"} {
					if form == "weighted" && pool == engine.Max {
						continue
					}
					all = append(all, Case{"SegmentReduceGrad", fmt.Sprintf("%v q=%d n=%d %s", pool, q, n, form), 8, func(c *call) error {
						e, err := c.trainer()
						if err != nil {
							return err
						}
						s := engine.Segments{Offsets: []int32{0, 0}}
						for i := range n {
							if i%5 == 4 || i == n-1 {
								s.Offsets = append(s.Offsets, int32(i+1))
							}
							if form != "plain" {
								s.Index = append(s.Index, int32(i*3%max(n/2, 1)))
							}
							if form == "weighted" {
								s.Weights = append(s.Weights, float64(i%4))
							}
						}
						x := normal(34, n*q)
						for i := range x {
							x[i] = float64(int(2 * x[i])) // few values, many ties
						}
						return e.SegmentReduceGrad(c.output(n, q), c.random(35, len(s.Offsets)-1, q), c.upload(c.dtype, x, n, q), s, pool)
					}})
				}
			}
		}
	}
	return all
}

// lossCases have outputs far from zero, where exponentials overflow.
func lossCases() []Case {
	var all []Case
	for _, kind := range []engine.Loss{engine.SquaredLoss, engine.LogisticLoss, engine.SquaredHinge} {
		for _, n := range sizes {
			for _, classes := range []int{1, 2, 7} {
				all = append(all, Case{"OutputLoss", fmt.Sprintf("%v %dx%d", kind, n, classes), 4, func(c *call) error {
					e, err := c.trainer()
					if err != nil {
						return err
					}
					x, y := normal(36, n*classes), make([]float64, n*classes)
					for i := range x {
						y[i] = float64(i % 2)
						if kind == engine.SquaredHinge {
							y[i] = 2*y[i] - 1
						}
						if i%10 == 9 && kind == engine.LogisticLoss {
							x[i] *= 500
						}
					}
					out, grad := c.output(n), c.output(n, classes)
					return e.OutputLoss(out, grad, c.upload(c.dtype, x, n, classes), c.upload(c.dtype, y, n, classes), kind)
				}})
			}
		}
	}
	return append(all, Case{"OutputLoss", "unknown loss", 1, func(c *call) error {
		e, err := c.trainer()
		if err != nil {
			return err
		}
		return e.OutputLoss(c.random(1, 2), nil, c.random(2, 2, 2), c.random(3, 2, 2), engine.Loss(9))
	}})
}

// factorCases go through the decomposition and back. The eigenvectors themselves are not compared: their signs
// are free.
func factorCases() []Case {
	var all []Case
	for _, q := range []int{0, 1, 2, 31, 33, 64} {
		for _, matrices := range []int{1, 3} {
			run := func(c *call, grad bool) error {
				e, err := c.trainer()
				if err != nil {
					return err
				}
				x := engine.New(c.e, tensor.Float64, matrices, q, q)
				for j := range matrices { // positive definite
					a := c.upload(tensor.Float64, normal(uint64(41+j), q*q), q, q)
					if err := c.e.MatMul(engine.View(x, j*q*q, q, q), a, a, engine.MatMul{TransB: true, Alpha: 1 / float64(max(q, 1))}); err != nil {
						return err
					}
				}
				root := engine.New(c.e, tensor.Float64, matrices, q, q)
				if !grad {
					root = c.outputOf(tensor.Float64, matrices, q, q)
				}
				values, vectors := engine.New(c.e, tensor.Float64, matrices, q), engine.New(c.e, tensor.Float64, matrices, q, q)
				if err := e.InvSqrtFactors(root, values, vectors, x, 0.1); err != nil || !grad {
					return err
				}
				g := c.upload(tensor.Float64, normal(44, matrices*q*q), matrices, q, q)
				return e.InvSqrtFactorsGrad(c.outputOf(tensor.Float64, matrices, q, q), g, values, vectors, 0.1)
			}
			// The smallest of q eigenvalues is of the order of 1/q^2 of the largest and known to n 2^-53 of that.
			name := fmt.Sprintf("q=%d matrices=%d", q, matrices)
			all = append(all, Case{"InvSqrtFactors", name, 100, func(c *call) error { return run(c, false) }})
			all = append(all, Case{"InvSqrtFactorsGrad", name, 1000, func(c *call) error { return run(c, true) }})
		}
	}
	return all
}
