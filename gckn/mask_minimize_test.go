package gckn

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"
)

func minimizeInBox(t *testing.T, p optimize.Problem, start []float64) *optimize.Result {
	t.Helper()
	r, err := optimize.Minimize(p, start, &optimize.Settings{
		Converger: optimize.NeverTerminate{}, MajorIterations: 5000,
	}, &boxLBFGS{lower: 0, upper: 1, tolerance: 1e-8, memory: 10})
	if err != nil {
		t.Fatal(err)
	}
	if r.Status != optimize.GradientThreshold && r.Status != optimize.StepConvergence {
		t.Fatalf("ended with %v after %d iterations", r.Status, r.MajorIterations)
	}
	return r
}

// Where every coordinate stands alone the solution is the projection of the free one.
func TestBoxLBFGSOfSeparableFunctions(t *testing.T) {
	centre := []float64{-2, 0, 0.3, 0.9, 1, 7, 0.5}
	stretch := []float64{1, 100, 0.01, 3, 1, 0.1, 1e4}
	p := optimize.Problem{
		Func: func(x []float64) float64 {
			sum := 0.0
			for i := range x {
				sum += stretch[i] * (x[i] - centre[i]) * (x[i] - centre[i]) / 2
			}
			return sum
		},
		Grad: func(grad, x []float64) {
			for i := range x {
				grad[i] = stretch[i] * (x[i] - centre[i])
			}
		},
	}
	for _, start := range [][]float64{{1, 1, 1, 1, 1, 1, 1}, {0, 0, 0, 0, 0, 0, 0}, {9, -9, 0.5, 0.5, 0.2, 0.1, 2}} {
		r := minimizeInBox(t, p, start)
		for i, v := range r.X {
			if want := min(max(centre[i], 0), 1); math.Abs(v-want) > 1e-5 {
				t.Errorf("from %v: coordinate %d is %g, want %g", start, i, v, want)
			}
		}
	}
}

// Random positive definite quadratics: the result fulfils the optimality conditions, which have one solution.
func TestBoxLBFGSOfQuadratics(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	const n = 30
	borders := 0
	for range 20 {
		root := mat.NewDense(n, n, nil)
		for i := range n {
			for j := range n {
				root.Set(i, j, rng.NormFloat64())
			}
		}
		var a mat.Dense
		a.Mul(root, root.T())
		linear := mat.NewVecDense(n, nil)
		for i := range n {
			linear.SetVec(i, 20*rng.NormFloat64())
		}
		slope := func(x []float64) *mat.VecDense {
			var g mat.VecDense
			g.MulVec(&a, mat.NewVecDense(n, x))
			g.AddVec(&g, linear)
			return &g
		}
		start := make([]float64, n)
		for i := range start {
			start[i] = 1
		}
		r := minimizeInBox(t, optimize.Problem{
			Func: func(x []float64) float64 {
				v := mat.NewVecDense(n, x)
				return mat.Inner(v, &a, v)/2 + mat.Dot(linear, v)
			},
			Grad: func(grad, x []float64) { copy(grad, slope(x).RawVector().Data) },
		}, start)
		g := slope(r.X)
		for i, v := range r.X {
			switch d := g.AtVec(i); {
			case v == 0 && d >= -1e-4, v == 1 && d <= 1e-4:
				borders++
			case v > 0 && v < 1 && math.Abs(d) <= 1e-4:
			default:
				t.Errorf("coordinate %d is %g with derivative %g", i, v, d)
			}
		}
	}
	if borders < 100 {
		t.Errorf("only %d coordinates at a border: the problems are too easy", borders)
	}
}

// Rosenbrock's valley with the free minimum (1, 1) at a corner, and cut off by the border.
func TestBoxLBFGSOfRosenbrock(t *testing.T) {
	for _, shift := range []float64{0, 0.5} { // the minimum moves to (1+shift, (1+shift)^2)
		r := minimizeInBox(t, optimize.Problem{
			Func: func(x []float64) float64 {
				a, b := 1+shift-x[0], x[1]-x[0]*x[0]
				return a*a + 100*b*b
			},
			Grad: func(grad, x []float64) {
				a, b := 1+shift-x[0], x[1]-x[0]*x[0]
				grad[0], grad[1] = -2*a-400*x[0]*b, 200*b
			},
		}, []float64{0, 0.8})
		for i, v := range r.X {
			if math.Abs(v-1) > 1e-5 {
				t.Errorf("shift %g: coordinate %d is %g, want 1", shift, i, v)
			}
		}
	}
}

func TestBoxLBFGSEndings(t *testing.T) {
	bad := optimize.Problem{
		Func: func([]float64) float64 { return math.NaN() },
		Grad: func(grad, _ []float64) { clear(grad) },
	}
	if r, err := optimize.Minimize(bad, []float64{0.5}, nil, &boxLBFGS{upper: 1, tolerance: 1e-8, memory: 5}); err == nil {
		t.Errorf("no error where the function is not a number: %v", r.Status)
	}
	valley := optimize.Problem{
		Func: func(x []float64) float64 { return math.Pow(x[0]-0.5, 4) + math.Pow(x[1]-x[0], 2) },
		Grad: func(grad, x []float64) {
			grad[0], grad[1] = 4*math.Pow(x[0]-0.5, 3)-2*(x[1]-x[0]), 2*(x[1]-x[0])
		},
	}
	settings := &optimize.Settings{MajorIterations: 3}
	r, err := optimize.Minimize(valley, []float64{1, 0}, settings, &boxLBFGS{upper: 1, tolerance: 1e-8, memory: 5})
	if err != nil || r.Status != optimize.IterationLimit {
		t.Errorf("status %v, error %v: want the iteration limit", r.Status, err)
	}
}
