package engine

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gorgonia.org/tensor"
)

// The share of elements that are kept is within five standard deviations of its expectation, other steps, streams and
// seeds keep others, and so do the words of a counter.
func TestDropoutKeepsItsShare(t *testing.T) {
	const n, rate = 40000, 0.3
	e := NewCPU(1)
	x := filled(e, func(int) float64 { return 1 }, 1, n)
	kept := func(d Dropout) []float64 {
		y := e.New(tensor.Float64, 1, n)
		if err := e.Dropout(y, x, d); err != nil {
			t.Fatal(err)
		}
		return y.Float64s()
	}
	first := kept(Dropout{Rate: rate, Seed: 1})
	for _, d := range []Dropout{{Seed: 1, Step: 1}, {Seed: 1, Stream: 1}, {Seed: 2}, {Seed: 1, Step: 1 << 32},
		{Seed: 1 << 32}} {
		d.Rate = rate
		other, count, both := kept(d), 0.0, 0.0
		for i, v := range other {
			if v != 0 {
				count++
				if first[i] != 0 {
					both++
				}
			}
		}
		for _, share := range [][2]float64{{count, 1 - rate}, {both, (1 - rate) * (1 - rate)}} {
			if want := n * share[1]; math.Abs(share[0]-want) > 5*math.Sqrt(want) {
				t.Errorf("%+v keeps %g, want about %g", d, share[0], want)
			}
		}
	}
}

// filled returns a matrix of an engine with given elements.
func filled(e Engine, element func(i int) float64, shape ...int) *tensor.Dense {
	t := e.New(tensor.Float64, shape...)
	for i := range t.Float64s() {
		t.Float64s()[i] = element(i)
	}
	return t
}

// layers are random tensors, and the inner product of a result with weights as the scalar that gradients are of.
type layers struct {
	Reference
	t                              *testing.T
	x, weights, scale, shift, mean *tensor.Dense
}

func newLayers(t *testing.T, n, d int) layers {
	rng := rand.New(rand.NewPCG(1, 2))
	random := func(shape ...int) *tensor.Dense {
		return filled(Reference{}, func(int) float64 { return rng.NormFloat64() }, shape...)
	}
	return layers{t: t, x: random(n, d), weights: random(n, d), scale: random(1, d), shift: random(1, d),
		mean: random(1, d)}
}

func (l layers) like(t *tensor.Dense) *tensor.Dense { return l.New(tensor.Float64, t.Shape()...) }

func (l layers) do(err error) {
	l.t.Helper()
	if err != nil {
		l.t.Fatal(err)
	}
}

// derivative holds a gradient against the differences of a scalar.
func (l layers) derivative(name string, at, gradient *tensor.Dense, result func() *tensor.Dense) {
	l.t.Helper()
	scalar := func() float64 {
		sum, weights := 0.0, l.weights.Float64s()
		for i, v := range result().Float64s() {
			sum += weights[i] * v
		}
		return sum
	}
	const h = 1e-5
	x := at.Float64s()
	for i, v := range x {
		x[i] = v + h
		above := scalar()
		x[i] = v - h
		below := scalar()
		x[i] = v
		if want := (above - below) / (2 * h); math.Abs(gradient.Float64s()[i]-want) > 1e-7 {
			l.t.Errorf("%s: gradient %d is %g, difference quotient %g", name, i, gradient.Float64s()[i], want)
		}
	}
}

// The reference's gradients are derivatives by central differences.
func TestBatchNormGradient(t *testing.T) {
	for _, rectify := range []bool{false, true} {
		l := newLayers(t, 6, 3)
		b := &BatchNorm{Scale: l.scale, Shift: l.shift, Mean: l.like(l.mean), Variance: l.like(l.mean),
			BatchMean: l.like(l.mean), BatchDeviation: l.like(l.mean), Momentum: 0.1, Epsilon: 0.01, Training: true,
			Rectify: rectify}
		y := l.like(l.x)
		result := func() *tensor.Dense {
			l.do(l.BatchNorm(y, l.x, b))
			return y
		}
		result()
		xGrad, scaleGrad, shiftGrad := l.like(l.x), l.like(l.scale), l.like(l.shift)
		l.do(l.BatchNormGrad(xGrad, scaleGrad, shiftGrad, l.weights, l.x, y, b))
		l.derivative("x", l.x, xGrad, result)
		l.derivative("scale", l.scale, scaleGrad, result)
		l.derivative("shift", l.shift, shiftGrad, result)
	}
}

func TestLayerGradients(t *testing.T) {
	l := newLayers(t, 5, 4)
	y, xGrad, biasGrad := l.like(l.x), l.like(l.x), l.like(l.shift)
	rectified := func() *tensor.Dense {
		l.do(l.Rectify(y, l.x, l.shift))
		return y
	}
	l.do(l.RectifyGrad(xGrad, biasGrad, l.weights, rectified()))
	l.derivative("rectified x", l.x, xGrad, rectified)
	l.derivative("rectified bias", l.shift, biasGrad, rectified)

	d := Dropout{Rate: 0.4, Seed: 3}
	l.do(l.Dropout(xGrad, l.weights, d))
	l.derivative("dropout", l.x, xGrad, func() *tensor.Dense {
		l.do(l.Dropout(y, l.x, d))
		return y
	})

	from, weight := newLayers(t, 5, 3).x, newLayers(t, 4, 3).x
	fromGrad, weightGrad := l.like(from), l.like(weight)
	linear := func() *tensor.Dense {
		l.do(l.Linear(y, from, weight, l.shift))
		return y
	}
	l.do(l.LinearGrad(fromGrad, weightGrad, biasGrad, l.weights, from, weight))
	l.derivative("linear x", from, fromGrad, linear)
	l.derivative("linear weight", weight, weightGrad, linear)
	l.derivative("linear bias", l.shift, biasGrad, linear)
}

// A row has the same bits whatever rows are beside it.
func TestRowsStandAlone(t *testing.T) {
	const n, d, first, some = 700, 37, 300, 3
	l, e := newLayers(t, n, d), NewCPU(2)
	variance := filled(e, func(i int) float64 { return 1 + float64(i) }, 1, d)
	b := &BatchNorm{Scale: l.scale, Shift: l.shift, Mean: l.mean, Variance: variance, Epsilon: 1e-5, Rectify: true}
	for name, run := range map[string]func(y, x *tensor.Dense) error{
		"BatchNorm": func(y, x *tensor.Dense) error { return e.BatchNorm(y, x, b) },
		"Rectify":   func(y, x *tensor.Dense) error { return e.Rectify(y, x, l.shift) },
	} {
		all, alone := l.like(l.x), e.New(tensor.Float64, some, d)
		l.do(run(all, l.x))
		l.do(run(alone, View(l.x, first*d, some, d)))
		if !slices.Equal(alone.Float64s(), all.Float64s()[first*d:(first+some)*d]) {
			t.Errorf("%s: rows have other bits alone", name)
		}
	}
}
