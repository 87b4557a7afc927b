package enginetest

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

// spectralFamily is a kind of symmetric matrices of any order.
type spectralFamily struct {
	name  string
	build func(rng *rand.Rand, n int) []float64

	// forward and backward are the tolerances of InvSqrt and of its gradient. An eigenvalue e is known up
	// to delta, some n 2^-53 |K|, by either engine; the rules and their slopes magnify this. Without a
	// backward tolerance the slope of AfterRoot at zero has no bound, and only the others are tried; they
	// magnify little more than the rules do.
	forward, backward float64
}

// spectralFamilies are Gaussian Gram matrices, well conditioned, nearly singular (points close together, with
// a ridge of 1e-7) and singular (without it, or points repeated), and matrices where eigenvalues meet or are
// negative.
func spectralFamilies() []spectralFamily {
	gram := func(dim int, deviation, ridge float64, repeat int) func(*rand.Rand, int) []float64 {
		return func(rng *rand.Rand, n int) []float64 {
			points := make([]float64, n*dim)
			for i := range points {
				points[i] = deviation * rng.NormFloat64()
			}
			return fill(n, func(i, j int) float64 {
				sum := 0.0
				for c := range dim {
					d := points[i/repeat*dim+c] - points[j/repeat*dim+c]
					sum += d * d
				}
				if i == j {
					return 1 + ridge
				}
				return math.Exp(-sum)
			})
		}
	}
	return []spectralFamily{
		{"gram", gram(4, 1, 0, 1), 1e4, 1e6},
		{"nearly singular gram", gram(2, 0.5, 1e-7, 1), 1e5, 1e7},
		{"singular gram", gram(2, 0.5, 0, 1), 3e7, 0},
		{"repeated points", gram(3, 1, 0, 2), 3e7, 0},
		{"identity", func(_ *rand.Rand, n int) []float64 {
			return fill(n, func(i, j int) float64 { return float64(max(0, 1-(i-j)*(i-j))) })
		}, 4, 4},
		{"ones", func(_ *rand.Rand, n int) []float64 { return fill(n, func(i, j int) float64 { return 1 }) }, 1e7, 0},
		{"diagonal", func(_ *rand.Rand, n int) []float64 {
			return fill(n, func(i, j int) float64 {
				if i != j {
					return 0
				}
				return float64(1+i%5) / 4
			})
		}, 10, 10},
		{"with negative eigenvalues", func(_ *rand.Rand, n int) []float64 {
			return fill(n, func(i, j int) float64 { // 1 and -1 on the diagonal, beside a small mixing
				x := 0.3 / float64(1+(i-j)*(i-j)) / float64(n)
				if i == j {
					x += float64(1 - 2*(i%2))
				}
				return x
			})
		}, 1e3, 1e4},
		{"tiny", func(_ *rand.Rand, n int) []float64 {
			return fill(n, func(i, j int) float64 { return 1e-6 / float64(1+(i-j)*(i-j)) })
		}, 1e3, 1e5},
	}
}

// fill returns the symmetric matrix with entry(i, j) for j <= i.
func fill(n int, entry func(i, j int) float64) []float64 {
	a := make([]float64, n*n)
	for i := range n {
		for j := range i + 1 {
			a[i*n+j] = entry(i, j)
			a[j*n+i] = a[i*n+j]
		}
	}
	return a
}

// spectralOrders returns the orders that a family is tried at: one below and one above the largest order that a device
// takes in one piece, and in turns the others at which code breaks.
func spectralOrders(family int) []int {
	small, large := []int{0, 1, 2, 31, 32}, []int{47, 64, 70}
	return []int{3, 33, small[family%len(small)], large[family%len(large)]}
}

func spectralCases() []Case {
	var all []Case
	for number, family := range spectralFamilies() {
		for at, order := range spectralOrders(number) {
			count := 1 + order%3
			if order > 40 {
				count = 1
			}
			for _, rule := range []engine.InvSqrtRule{engine.AfterRoot, engine.InsideRoot, engine.Published} {
				switch {
				case rule == engine.Published && at > 1:
					continue // its root is that of AfterRoot
				case rule != engine.Published && at > 1 && int(rule) != (number+at)%2:
					continue // the rules take turns
				}
				matrices := func(c *call) *tensor.Dense {
					rng := rand.New(rand.NewPCG(uint64(order), 40))
					var k []float64
					for range count {
						k = append(k, family.build(rng, order)...)
					}
					return c.upload(tensor.Float64, k, count, order, order)
				}
				name := fmt.Sprintf("%s %dx%d rule=%d", family.name, count, order, rule)
				if order > 64 {
					name = "wide " + name // a device has other kernels for them
				}
				// The suite's unit is that of the dtype, but these are in float64 whatever it is.
				all = append(all, Case{"InvSqrt", name, family.forward, func(c *call) error {
					var spectrum *engine.Spectrum // the result is the same with and without one
					if rule == engine.Published {
						spectrum = engine.NewSpectrum(c.e, count, order)
					}
					return c.e.InvSqrt(c.outputOf(tensor.Float64, count, order, order), spectrum, matrices(c), 0.05, rule)
				}})
				if family.backward == 0 && rule == engine.AfterRoot {
					continue
				}
				tolerance := max(family.backward, 100)
				if rule == engine.Published {
					tolerance = max(10*family.forward, 100)
				}
				all = append(all, Case{"InvSqrtGrad", name, tolerance, func(c *call) error {
					g := c.randomOf(tensor.Float64, 41, count, order, order)
					return c.throughInvSqrt(c.outputOf(tensor.Float64, count, order, order), g, matrices(c), rule)
				}})
			}
		}
	}
	all = append(all, Case{"InvSqrt", "in place", 1e4, func(c *call) error {
		k := c.outputOf(tensor.Float64, 2, 40, 40)
		smooth := fill(40, func(i, j int) float64 { return math.Exp(-math.Abs(float64(i-j)) / 5) })
		if err := c.e.Convert(k, c.upload(tensor.Float64, append(smooth, smooth...), 2, 40, 40)); err != nil {
			return err
		}
		return c.e.InvSqrt(k, nil, k, 0.05, engine.AfterRoot)
	}}, Case{"InvSqrtGrad", "in place", 1e6, func(c *call) error {
		g := c.outputOf(tensor.Float64, 1, 35, 35)
		if err := c.e.Convert(g, c.randomOf(tensor.Float64, 42, 1, 35, 35)); err != nil {
			return err
		}
		k := c.upload(tensor.Float64, fill(35, func(i, j int) float64 { return math.Exp(-float64(i-j) * float64(i-j) / 9) }),
			1, 35, 35)
		return c.throughInvSqrt(g, g, k, engine.InsideRoot)
	}}, Case{"InvSqrt", "a singular matrix without regularisation", 1, func(c *call) error {
		return c.e.InvSqrt(c.e.New(tensor.Float64, 1, 3, 3), nil, c.e.New(tensor.Float64, 1, 3, 3), 0,
			engine.AfterRoot)
	}}, Case{"InvSqrtGrad", "no spectrum", 1, func(c *call) error {
		t := c.e.New(tensor.Float64, 1, 3, 3)
		return c.e.InvSqrtGrad(t, t, nil, 0.1, engine.InsideRoot)
	}}, Case{"InvSqrt", "a matrix that is not finite", 1, func(c *call) error {
		k := fill(34, func(i, j int) float64 { return 1 / float64(1+i-j) })
		k[33*34+2] = math.NaN()
		return c.e.InvSqrt(c.e.New(tensor.Float64, 1, 34, 34), nil, c.upload(tensor.Float64, k, 1, 34, 34), 0.1,
			engine.AfterRoot)
	}}, Case{"InvSqrt", "a negative regularisation", 1, func(c *call) error {
		k := c.upload(tensor.Float64, []float64{1}, 1, 1, 1)
		return c.e.InvSqrt(c.e.New(tensor.Float64, 1, 1, 1), nil, k, -0.1, engine.AfterRoot)
	}}, Case{"InvSqrt", "the shapes differ", 1, func(c *call) error {
		return c.e.InvSqrt(c.e.New(tensor.Float64, 1, 2, 2), nil, c.e.New(tensor.Float64, 1, 3, 3), 0.1,
			engine.AfterRoot)
	}})
	return all
}

// throughInvSqrt computes the gradient of the matrices k from that of their inverse square roots.
func (c *call) throughInvSqrt(kGrad, dstGrad, k *tensor.Dense, rule engine.InvSqrtRule) error {
	shape := k.Shape()
	spectrum := engine.NewSpectrum(c.e, shape[0], shape[1])
	if err := c.e.InvSqrt(c.e.New(tensor.Float64, shape...), spectrum, k, 0.05, rule); err != nil {
		return err
	}
	return c.e.InvSqrtGrad(kGrad, dstGrad, spectrum, 0.05, rule)
}
