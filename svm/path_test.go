package svm

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"gorgonia.org/tensor"
)

// gradientTolerance is the share of the terms that cancel in the gradient: beyond C = 1e4 rounding in
// the solution of Newton's equation shows in it, though not in w.
func gradientTolerance(c float64) float64 {
	if c <= 1e4 {
		return 1e-8
	}
	return 1e-6
}

// At the optimum the gradient vanishes, against the terms that cancel in it.
func TestGradientVanishes(t *testing.T) {
	grid := []float64{1e-8, 1e-4, 1e-2, 1, 30, 1e4, 1e7}
	for _, setting := range solverSettings() {
		for i, p := range randomProblems(105) {
			path, err := FitPath(context.Background(), p.x(), nil, p.y, grid, setting.options)
			if err != nil {
				t.Fatalf("%s: problem %d (%s): %v", setting.name, i, p.name, err)
			}
			for k, c := range grid {
				g, scale, rounding := gradient(p, c, path.Weight[k], path.Bias[k])
				if norm := math.Sqrt(inner(g, g)); norm > gradientTolerance(c)*scale+rounding {
					t.Errorf("%s: problem %d (%s, %d x %d), C = %g: gradient %.1e of %.1e, precision %.1e, %d steps",
						setting.name, i, p.name, len(p.rows), len(p.rows[0]), c, norm, scale, path.Precision[k], path.Iterations[k])
				}
				want := objective(p, c, path.Weight[k], path.Bias[k])
				if math.Abs(path.Objective[k]-want) > 1e-8*want {
					t.Errorf("%s: problem %d (%s), C = %g: objective %.12g, by definition %.12g",
						setting.name, i, p.name, c, path.Objective[k], want)
				}
			}
		}
	}
}

// A value of the grid reached along the path is the one reached from nothing.
func TestWarmEqualsCold(t *testing.T) {
	grid := []float64{1e-4, 3e-3, 0.1, 0.137, 5, 200, 1e4}
	for i, p := range randomProblems(35) {
		warm, err := FitPath(context.Background(), p.x(), nil, p.y, grid, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for k, c := range grid {
			cold, err := FitPath(context.Background(), p.x(), nil, p.y, []float64{c}, Options{})
			if err != nil {
				t.Fatalf("problem %d (%s), C = %g: %v", i, p.name, c, err)
			}
			size := math.Sqrt(inner(warm.Weight[k], warm.Weight[k])) + math.Abs(warm.Bias[k])
			for j, w := range append(warm.Weight[k], warm.Bias[k]) {
				if d := math.Abs(append(cold.Weight[0], cold.Bias[0])[j] - w); d > 1e-7*size {
					t.Errorf("problem %d (%s), C = %g: entry %d differs by %.1e of %.1e", i, p.name, c, j, d, size)
				}
			}
			if d := math.Abs(cold.Objective[0] - warm.Objective[k]); d > 1e-10*warm.Objective[k] {
				t.Errorf("problem %d (%s), C = %g: objective differs by %.1e", i, p.name, c, d)
			}
		}
	}
}

// sample is a larger random problem, in the type asked for.
func sample(n, d int, dtype tensor.Dtype, seed uint64) (x *tensor.Dense, y []float64) {
	r := rand.New(rand.NewPCG(seed, 1))
	single, double := make([]float32, n*d), make([]float64, n*d)
	y = make([]float64, n)
	for i := range n {
		f := 0.2 + r.NormFloat64()
		for j := range d {
			v := float32(r.NormFloat64() / math.Sqrt(1+float64(j)))
			single[i*d+j], double[i*d+j] = v, float64(v)
			f += float64(v)
		}
		y[i] = math.Copysign(1, f)
	}
	if dtype == tensor.Float32 {
		return tensor.New(tensor.WithShape(n, d), tensor.WithBacking(single)), y
	}
	return tensor.New(tensor.WithShape(n, d), tensor.WithBacking(double)), y
}

// The same bits for any number of workers, and for the same numbers in either type.
func TestSameBits(t *testing.T) {
	for _, shape := range [][2]int{{700, 130}, {150, 900}, {300, 280}} {
		x, y := sample(shape[0], shape[1], tensor.Float64, 3)
		for _, setting := range solverSettings() {
			want, err := FitPath(context.Background(), x, nil, y, CGrid(), setting.options)
			if err != nil {
				t.Fatal(err)
			}
			for _, workers := range []int{2, 8} {
				o := setting.options
				o.Workers = workers
				got, err := FitPath(context.Background(), x, nil, y, CGrid(), o)
				if err != nil {
					t.Fatal(err)
				}
				if !reflect.DeepEqual(got, want) {
					t.Errorf("%v, %s: %d workers differ from one", shape, setting.name, workers)
				}
			}
			single, _ := sample(shape[0], shape[1], tensor.Float32, 3)
			got, err := FitPath(context.Background(), single, nil, y, CGrid(), setting.options)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%v, %s: Float32 differs from Float64", shape, setting.name)
			}
		}
	}
}

// Training on some rows is training on a matrix of these rows.
func TestRowSubset(t *testing.T) {
	x, y := sample(80, 30, tensor.Float64, 5)
	rows := []int{70, 3, 4, 5, 6, 77, 20, 21, 22, 23, 24, 25, 40, 41, 42, 43}
	var part []float64
	var labels []float64
	for _, r := range rows {
		part = append(part, x.Data().([]float64)[r*30:(r+1)*30]...)
		labels = append(labels, y[r])
	}
	want, err := FitPath(context.Background(), tensor.New(tensor.WithShape(len(rows), 30), tensor.WithBacking(part)), nil,
		labels, CGrid(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := FitPath(context.Background(), x, rows, y, CGrid(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Error("a subset of rows differs from a matrix of those rows")
	}
}

// Rows that all have one label leave w = 0 and b = that label, however many there are.
func TestOneLabel(t *testing.T) {
	x, y := sample(20, 4, tensor.Float64, 2)
	for i := range y {
		y[i] = -1
	}
	for _, rows := range [][]int{nil, {7}, {1, 2, 3}} {
		p, err := FitPath(context.Background(), x, rows, y, []float64{1, 2}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for k := range p.C {
			if p.Bias[k] != -1 || p.Objective[k] != 0 || !reflect.DeepEqual(p.Weight[k], make([]float64, 4)) {
				t.Errorf("rows %v: w = %v, b = %g, objective %g", rows, p.Weight[k], p.Bias[k], p.Objective[k])
			}
		}
	}
}

// Without information in the features only the intercept is left: it minimises the sum of the two
// kinds of squared margins, (p - m)/(p + m) for p positive and m negative rows.
func TestInterceptAlone(t *testing.T) {
	zeros := tensor.New(tensor.WithShape(10, 3), tensor.WithBacking(make([]float64, 30)))
	wide := tensor.New(tensor.WithShape(10, 30), tensor.WithBacking(make([]float32, 300)))
	y := []float64{1, 1, 1, 1, 1, 1, 1, -1, -1, -1}
	for _, x := range []*tensor.Dense{zeros, wide} {
		for _, setting := range solverSettings() {
			p, err := FitPath(context.Background(), x, nil, y, []float64{1e-6, 1, 1e6}, setting.options)
			if err != nil {
				t.Fatal(err)
			}
			for k := range p.C {
				if math.Abs(p.Bias[k]-0.4) > 1e-12 || inner(p.Weight[k], p.Weight[k]) != 0 {
					t.Errorf("%s: C = %g: b = %.15g, w = %v", setting.name, p.C[k], p.Bias[k], p.Weight[k])
				}
			}
		}
	}
}

// Whatever the scale of the features and C, the end is a finite solution or an error; and as long as
// 2 C |x|^2 is within 1e13 it is a solution.
func TestExtremes(t *testing.T) {
	for i, p := range randomProblems(70) {
		longest := 0.0
		for _, x := range p.rows {
			longest = max(longest, inner(x, x))
		}
		for _, scale := range []float64{1e-8, 1, 1e4, 1e200} {
			scaled := problem{y: p.y}
			for _, x := range p.rows {
				row := append([]float64(nil), x...)
				for j := range row {
					row[j] *= scale
				}
				scaled.rows = append(scaled.rows, row)
			}
			for _, c := range []float64{1e-12, 1, 1e6, 1e9, 1e14} {
				for _, setting := range solverSettings() {
					path, err := FitPath(context.Background(), scaled.x(), nil, p.y, []float64{c}, setting.options)
					if err != nil {
						if 2*c*longest*scale*scale < 1e13 {
							t.Errorf("problem %d (%s), %s, features times %g: %v", i, p.name, setting.name, scale, err)
						}
						continue
					}
					if notFinite(path.Weight[0]) >= 0 || math.IsNaN(path.Bias[0]) {
						t.Errorf("problem %d (%s), %s, features times %g: not finite", i, p.name, setting.name, scale)
					}
				}
			}
		}
	}
}

func TestFitPathErrors(t *testing.T) {
	x, y := sample(6, 2, tensor.Float64, 1)
	bad, _ := sample(6, 2, tensor.Float32, 1)
	bad.Data().([]float32)[2*3+1] = float32(math.NaN())
	byColumns := tensor.New(tensor.WithShape(6, 2), tensor.AsFortran(make([]float64, 12)))
	integers := tensor.New(tensor.WithShape(6, 2), tensor.WithBacking(make([]int, 12)))
	vector := tensor.New(tensor.WithShape(12), tensor.WithBacking(make([]float64, 12)))
	zero := []float64{1, -1, 0, 1, -1, 1}
	grid := []float64{1}
	for _, c := range []struct {
		name, want string
		x          *tensor.Dense
		rows       []int
		y, grid    []float64
	}{
		{"no matrix", "no matrix", nil, nil, y, grid},
		{"vector", "one row for each sample", vector, nil, y, grid},
		{"by columns", "row-major", byColumns, nil, y, grid},
		{"integers", "Float32 or Float64", integers, nil, y, grid},
		{"NaN", "feature 1 of row 3", bad, nil, y, grid},
		{"row out of range", "row 6 is not in", x, []int{0, 6}, y, grid},
		{"negative row", "row -1 is not in", x, []int{-1}, y, grid},
		{"no rows", "no rows", x, []int{}, y, grid},
		{"too few labels", "5 labels", x, nil, y[:5], grid},
		{"label 0", "label of row 2 is 0", x, nil, zero, grid},
		{"empty grid", "grid of C is empty", x, nil, y, nil},
		{"descending grid", "value 1 of the grid", x, nil, y, []float64{1, 0.5}},
		{"C = 0", "value 0 of the grid", x, nil, y, []float64{0, 1}},
		{"infinite C", "value 1 of the grid", x, nil, y, []float64{1, math.Inf(1)}},
		{"C not a number", "value 0 of the grid", x, nil, y, []float64{math.NaN()}},
	} {
		_, err := FitPath(context.Background(), c.x, c.rows, c.y, c.grid, Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", c.name, err, c.want)
		}
	}
	// A row that is not used may hold anything.
	if _, err := FitPath(context.Background(), bad, []int{0, 1, 2, 4}, y, grid, Options{}); err != nil {
		t.Errorf("NaN in an unused row: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := FitPath(ctx, x, nil, y, grid, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: error %v", err)
	}
}
