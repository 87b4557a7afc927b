package enginetest

import (
	"fmt"
	"math"

	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

// normalizeGradCases have a row of zeros, one below eps and one exactly at it.
func normalizeGradCases() []Case {
	var all []Case
	for _, n := range sizes {
		for _, d := range []int{0, 1, 3, 32, 130} {
			for _, withNorms := range []bool{false, true} {
				all = append(all, Case{"NormalizeRowsGrad", fmt.Sprintf("%dx%d norms=%v", n, d, withNorms), 8, func(c *call) error {
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
					return c.e.NormalizeRowsGrad(c.output(n, d), c.random(33, n, d), normGrad, unit, norms, eps)
				}})
			}
		}
	}
	return append(all, Case{"NormalizeRowsGrad", "shapes that do not fit", 1, func(c *call) error {
		return c.e.NormalizeRowsGrad(c.random(1, 3, 2), c.random(2, 2, 3), nil, c.random(3, 2, 3), c.random(4, 2), 1)
	}})
}

// segmentGradCases have empty segments, rows that several items share, segments and rows of many items and, for
// the maximum, ties.
func segmentGradCases() []Case {
	var all []Case
	for _, pool := range []engine.Pooling{engine.Sum, engine.Mean, engine.Max} {
		for _, q := range []int{0, 1, 5, 32, 130} {
			for _, n := range sizes {
				for _, form := range []string{"plain", "shared", "weighted", "long"} {
					if form == "weighted" && pool == engine.Max {
						continue
					}
					all = append(all, Case{"SegmentReduceGrad", fmt.Sprintf("%v q=%d n=%d %s", pool, q, n, form), 8,
						func(c *call) error {
							s := engine.Segments{Offsets: []int32{0, 0}}
							for i := range n {
								if i == n-1 || i%5 == 4 && form != "long" {
									s.Offsets = append(s.Offsets, int32(i+1))
								}
								switch form {
								case "shared", "weighted":
									s.Index = append(s.Index, int32(i*3%max(n/2, 1)))
								case "long":
									s.Index = append(s.Index, int32(i%3))
								}
								if form == "weighted" {
									s.Weights = append(s.Weights, float64(i%4))
								}
							}
							rows := n
							if form == "long" {
								rows = 3
							}
							x := normal(34, rows*q)
							for i := range x {
								x[i] = float64(int(2 * x[i])) // few values, many ties
							}
							return c.e.SegmentReduceGrad(c.output(rows, q), c.random(35, len(s.Offsets)-1, q), c.upload(c.dtype, x, rows, q),
								s, pool)
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
					return c.e.OutputLoss(out, grad, c.upload(c.dtype, x, n, classes), c.upload(c.dtype, y, n, classes), kind, nil)
				}})
			}
		}
	}
	return append(all, Case{"OutputLoss", "unknown loss", 1, func(c *call) error {
		return c.e.OutputLoss(c.random(1, 2), nil, c.random(2, 2, 2), c.random(3, 2, 2), engine.Loss(9), nil)
	}})
}

func crossEntropyCases() []Case {
	var all []Case
	add := func(name string, n, classes int, logits func(i, j int, normal float64) float64, gradient bool) {
		all = append(all, Case{"SoftmaxCrossEntropy", fmt.Sprintf("%s %dx%d gradient=%v", name, n, classes, gradient), 4,
			func(c *call) error {
				x := normal(30, n*classes)
				target := make([]int32, n)
				for i := range n {
					target[i] = int32(i * 7 % classes)
					for j := range classes {
						x[i*classes+j] = logits(i, j, x[i*classes+j])
					}
				}
				var grad *tensor.Dense
				if gradient {
					grad = c.output(n, classes)
				}
				return c.e.SoftmaxCrossEntropy(c.output(n), grad, c.upload(c.dtype, x, n, classes), target, nil)
			}})
	}
	plain := func(_, _ int, v float64) float64 { return v }
	for _, n := range sizes {
		add("random", n, 1, plain, true)
		add("random", n, 2, plain, true)
		add("random", n, 10, plain, n%2 == 0)
	}
	for _, classes := range []int{31, 32, 33, 1024, 1025, 3000} {
		add("random", 5, classes, plain, true)
		add("random", 5, classes, plain, false)
	}
	for _, classes := range []int{1, 7, 40, 1100} {
		add("equal logits", 9, classes, func(i, _ int, _ float64) float64 { return float64(i) - 4 }, true)
		add("huge logits", 9, classes, func(_, _ int, v float64) float64 { return math.Round(v * 1e4) }, true)
		add("one certain class", 9, classes, func(_, j int, v float64) float64 {
			if j == 0 {
				return 1e4
			}
			return v
		}, true)
	}
	all = append(all, Case{"SoftmaxCrossEntropy", "gradient in place of the logits", 4, func(c *call) error {
		x := c.output(50, 12)
		if err := c.e.Convert(x, c.random(31, 50, 12)); err != nil {
			return err
		}
		return c.e.SoftmaxCrossEntropy(c.output(50), x, x, make([]int32, 50), nil)
	}})
	return all
}

// weightedLossCases are sums of losses by the weights of the rows, of few rows and of more than a block of a device
// takes.
func weightedLossCases() []Case {
	var all []Case
	for _, n := range append([]int{4500}, sizes...) {
		for _, classes := range []int{1, 2, 7, 40, 1030} {
			if n > 1000 && classes > 2 {
				continue
			}
			weights, target := make([]float64, n), make([]int32, n)
			for i := range n {
				weights[i], target[i] = float64(i%5)/8, int32(i*7%classes)
			}
			for _, gradient := range []bool{false, true} {
				name := fmt.Sprintf("weighted %dx%d gradient=%v", n, classes, gradient)
				slopes := func(c *call) *tensor.Dense {
					if !gradient {
						return nil
					}
					return c.output(n, classes)
				}
				all = append(all, Case{"SoftmaxCrossEntropy", name, 8, func(c *call) error {
					return c.e.SoftmaxCrossEntropy(c.output(1, 1), slopes(c), c.random(30, n, classes), target, weights)
				}}, Case{"OutputLoss", name, 8, func(c *call) error {
					return c.e.OutputLoss(c.output(1), slopes(c), c.random(36, n, classes), c.random(37, n, classes),
						engine.SquaredLoss, weights)
				}})
			}
		}
	}
	return append(all, Case{"OutputLoss", "too few weights", 1, func(c *call) error {
		return c.e.OutputLoss(c.random(1, 1), nil, c.random(2, 2, 2), c.random(3, 2, 2), engine.SquaredLoss, []float64{1})
	}})
}

func linearCases() []Case {
	var all []Case
	for _, n := range sizes {
		for _, outputs := range []int{1, 2, 33} {
			for _, d := range []int{0, 3, 130} {
				all = append(all, Case{"Linear", fmt.Sprintf("%dx%d of %d", n, outputs, d), 4, func(c *call) error {
					return c.e.Linear(c.output(n, outputs), c.random(1, n, d), c.random(2, outputs, d), c.random(3, 1, outputs))
				}})
			}
		}
	}
	return append(all, Case{"Linear", "a bias of other outputs", 1, func(c *call) error {
		return c.e.Linear(c.random(1, 4, 2), c.random(2, 4, 3), c.random(3, 2, 3), c.random(4, 1, 3))
	}})
}

// adamCases have several tensors in a step, one of them empty and one more than a launch of a device takes.
func adamCases() []Case {
	var all []Case
	for _, lengths := range [][]int{{40000, 3}, {0}, {1}, {31}, {32, 1025}, {33, 0, 1025, 2, 31}, nil} {
		for _, decay := range []float64{0, 0.01} {
			if len(lengths) > 0 && lengths[0] > 2000 && decay == 0 {
				continue
			}
			all = append(all, Case{"Adam", fmt.Sprintf("n=%v decay=%g", lengths, decay), 8, func(c *call) error {
				steps, states := 5, []engine.AdamState(nil)
				for i, n := range lengths {
					of := engine.AdamState{Parameter: c.output(n), Moment1: c.output(n), Moment2: c.output(n),
						Decay: decay * float64(i+1)}
					for _, t := range []*tensor.Dense{of.Moment1, of.Moment2} {
						if err := c.e.Convert(t, c.upload(c.dtype, make([]float64, n), n)); err != nil {
							return err
						}
					}
					if err := c.e.Convert(of.Parameter, c.random(32, n)); err != nil {
						return err
					}
					if n > 2000 {
						steps = 1
					}
					states = append(states, of)
				}
				for step := 1; step <= steps; step++ {
					for i := range states {
						states[i].Gradient = c.random(uint64(40+step+i), lengths[i])
					}
					opt := engine.Adam{Rate: 0.1, Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8, Step: step}
					if err := c.e.Adam(states, opt); err != nil {
						return err
					}
				}
				return nil
			}})
		}
	}
	return all
}
