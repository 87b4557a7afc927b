package svm

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gorgonia.org/tensor"
)

// cloud draws n points of d dimensions around a centre for each class, and their kernel matrix: linear
// (singular where n > d), Gaussian, or all ones.
func cloud(n, d, classes int, kernel string, seed uint64) (k [][]float64, y []int) {
	r := rand.New(rand.NewPCG(seed, 7))
	x := make([][]float64, n)
	y = make([]int, n)
	for i := range x {
		y[i] = i % classes
		x[i] = make([]float64, d)
		for j := range x[i] {
			x[i][j] = r.NormFloat64()
			if j%classes == y[i] {
				x[i][j] += 1.5
			}
		}
	}
	k = make([][]float64, n)
	for i := range k {
		k[i] = make([]float64, n)
		for j := range k[i] {
			switch kernel {
			case "linear":
				k[i][j] = inner(x[i], x[j])
			case "gaussian":
				k[i][j] = math.Exp(-(inner(x[i], x[i]) + inner(x[j], x[j]) - 2*inner(x[i], x[j])) / float64(d))
			default:
				k[i][j] = 1
			}
		}
	}
	return k, y
}

func kernelOf(t testing.TB, k [][]float64) *Matrix {
	t.Helper()
	m, err := NewMatrix(matrix(k))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// At the optimum the primal objective meets the dual one, which no other point can do.
func TestDualityGapCloses(t *testing.T) {
	for _, kernel := range []string{"linear", "gaussian", "ones"} {
		for _, n := range []int{2, 3, 40, 150} {
			k, y := cloud(n, 3, 2, kernel, uint64(n))
			weights := map[int]float64{1: 2.5}
			grid := []float64{1e-3, 0.1, 1, 30}
			for _, noShrinking := range []bool{false, true} {
				o := KernelOptions{Tolerance: 1e-9, ClassWeights: weights, NoShrinking: noShrinking}
				all, err := FitKernelClassifier(context.Background(), kernelOf(t, k), nil, y, grid, o)
				if err != nil {
					t.Fatal(err)
				}
				for _, m := range all {
					label := fmt.Sprintf("%s, %d objects, C = %g", kernel, n, m.C)
					checkGap(t, label, k, y, m, weights)
				}
			}
		}
	}
}

func checkGap(t *testing.T, label string, k [][]float64, y []int, m *KernelClassifier, weights map[int]float64) {
	t.Helper()
	decisions, err := m.Decisions(matrix(k))
	if err != nil {
		t.Fatal(err)
	}
	pair := &m.Pairs[0]
	square, sum, total := 0.0, 0.0, 0.0
	for s, b := range pair.Coefficients {
		for r, c := range pair.Coefficients {
			square += b * c * k[pair.Objects[s]][pair.Objects[r]]
		}
		sum += math.Abs(b)
		total += b
	}
	loss := 0.0
	for i, f := range decisions.Float64s() {
		sign, weight := 1.0, 1.0
		if y[i] != m.Classes[0] {
			sign = -1
		}
		if w, ok := weights[y[i]]; ok {
			weight = w
		}
		loss += weight * m.C * max(0, 1-sign*f)
	}
	if gap := square + loss - sum; math.Abs(gap) > 1e-7*(1e-3+loss+sum) {
		t.Errorf("%s: primal and dual objective differ by %g of %g", label, gap, square/2+loss)
	}
	if math.Abs(pair.Objective-(square/2-sum)) > 1e-9*(sum+square) {
		t.Errorf("%s: objective %g, want %g", label, pair.Objective, square/2-sum)
	}
	if math.Abs(total) > 1e-10*(1+sum) {
		t.Errorf("%s: coefficients add up to %g", label, total)
	}
}

// Training on some objects is training on their part of the matrix, and predicting the others reads the
// rest of it.
func TestRowsOfTheKernel(t *testing.T) {
	k, y := cloud(90, 4, 3, "gaussian", 1)
	var rows, others []int
	var part, rest [][]float64
	var classes []int
	for i := range k {
		if i%4 == 1 {
			others = append(others, i)
			continue
		}
		rows = append(rows, i)
		classes = append(classes, y[i])
	}
	for i := range k {
		line := make([]float64, len(rows))
		for j, r := range rows {
			line[j] = k[i][r]
		}
		if i%4 == 1 {
			rest = append(rest, line)
		} else {
			part = append(part, line)
		}
	}
	all := kernelOf(t, k)
	grid := []float64{0.5, 5}
	of, err := FitKernelClassifier(context.Background(), all, rows, y, grid, KernelOptions{})
	if err != nil {
		t.Fatal(err)
	}
	alone, err := FitKernelClassifier(context.Background(), kernelOf(t, part), nil, classes, grid, KernelOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for g := range grid {
		direct, err := of[g].PredictObjects(all, others)
		if err != nil {
			t.Fatal(err)
		}
		wanted, err := alone[g].Predict(matrix(rest))
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(direct, wanted) {
			t.Errorf("C = %g: predicted %v, want %v", grid[g], direct, wanted)
		}
		for p := range of[g].Pairs {
			a, b := of[g].Pairs[p], alone[g].Pairs[p]
			if !reflect.DeepEqual(a.Coefficients, b.Coefficients) || a.Bias != b.Bias {
				t.Errorf("C = %g: machine %d differs from that of the part", grid[g], p)
			}
		}
	}
}

// A class weight of 2 is every object of the class twice.
func TestWeightIsRepetition(t *testing.T) {
	k, y := cloud(40, 3, 2, "gaussian", 5)
	rows := all(len(y))
	for i, class := range y {
		if class == 1 {
			rows = append(rows, i)
		}
	}
	o := KernelOptions{Tolerance: 1e-10}
	twice, err := FitKernelClassifier(context.Background(), kernelOf(t, k), rows, y, []float64{0.7}, o)
	if err != nil {
		t.Fatal(err)
	}
	o.ClassWeights = map[int]float64{1: 2, 99: 3}
	weighted, err := FitKernelClassifier(context.Background(), kernelOf(t, k), nil, y, []float64{0.7}, o)
	if err != nil {
		t.Fatal(err)
	}
	a, b := twice[0].Pairs[0], weighted[0].Pairs[0]
	closeTo(t, "objective", []float64{a.Objective}, []float64{b.Objective}, 1e-9)
	closeTo(t, "bias", []float64{a.Bias}, []float64{b.Bias}, 1e-7)
	closeTo(t, "coefficients", a.Coefficients, b.Coefficients, 1e-6)
}

func all(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// The order of the classes and the votes are LIBSVM's.
func TestVotes(t *testing.T) {
	for _, c := range []struct{ given, want []int }{
		{[]int{5, 3, 5, 3}, []int{5, 3}},
		{[]int{-1, 1, 1, -1}, []int{1, -1}},
		{[]int{1, -1, 1, -1}, []int{1, -1}},
		{[]int{-1, 2, 1, 2}, []int{-1, 2, 1}},
	} {
		if got := classOrder(all(len(c.given)), c.given); !reflect.DeepEqual(got, c.want) {
			t.Errorf("classes %v in order %v, want %v", c.given, got, c.want)
		}
	}
	m := &KernelClassifier{Classes: []int{7, 4, 9}, Pairs: []KernelPair{
		{First: 0, Second: 1}, {First: 0, Second: 2}, {First: 1, Second: 2},
	}}
	for _, c := range []struct {
		decisions []float64
		want      int
	}{
		{[]float64{1, 1, 1}, 7},
		{[]float64{1, -1, 1}, 7}, // one vote each
		{[]float64{-1, -1, -1}, 9},
		{[]float64{-1, 1, 1}, 4},
		{[]float64{0, 1, 1}, 4}, // 0 speaks for the second class
	} {
		if got := m.vote(c.decisions); got[0] != c.want {
			t.Errorf("decisions %v give class %d, want %d", c.decisions, got[0], c.want)
		}
		// A machine of one support vector each, with the kernel value 1, has these decisions.
		for p, d := range c.decisions {
			m.Pairs[p].Expansion = Expansion{Objects: []int{0}, Coefficients: []float64{d}}
		}
		votes, err := m.Votes(tensor.New(tensor.WithShape(1, 1), tensor.WithBacking([]float64{1})))
		if err != nil {
			t.Fatal(err)
		}
		row, sum := votes.Float64s(), 0.0
		for _, v := range row {
			sum += math.Floor(v)
		}
		if classes := []int{4, 7, 9}; sum != 3 || classes[slices.Index(row, slices.Max(row))] != c.want {
			t.Errorf("decisions %v give the votes %v for %v, want most for %d", c.decisions, row, classes, c.want)
		}
	}
}

func TestKernelClassifierSameBits(t *testing.T) {
	k, y := cloud(120, 3, 5, "gaussian", 2)
	var first []*KernelClassifier
	for _, workers := range []int{1, 2, 8} {
		o := KernelOptions{Workers: workers}
		m, err := FitKernelClassifier(context.Background(), kernelOf(t, k), nil, y, []float64{0.1, 3}, o)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = m
		}
		if !reflect.DeepEqual(first, m) {
			t.Errorf("%d workers give another machine", workers)
		}
	}
}

// A machine that went through a file needs the kernel with its support vectors alone.
func TestStoredKernelClassifier(t *testing.T) {
	k, y := cloud(60, 3, 3, "linear", 4)
	fitted, err := FitKernelClassifier(context.Background(), kernelOf(t, k), nil, y, []float64{0.05}, KernelOptions{})
	if err != nil {
		t.Fatal(err)
	}
	m := fitted[0]
	support := m.Support()
	if len(support) == 0 || len(support) == len(k) {
		t.Fatalf("%d of %d objects are support vectors: the test needs some that are not", len(support), len(k))
	}
	raw, err := json.Marshal(m.OnSupport())
	if err != nil {
		t.Fatal(err)
	}
	var loaded KernelClassifier
	if err := json.Unmarshal(raw, &loaded); err != nil {
		t.Fatal(err)
	}
	if err := loaded.Check(); err != nil {
		t.Error(err)
	}
	narrow := make([][]float64, len(k))
	for i := range k {
		for _, s := range support {
			narrow[i] = append(narrow[i], k[i][s])
		}
	}
	a, err := m.Decisions(matrix(k))
	if err != nil {
		t.Fatal(err)
	}
	b, err := loaded.Decisions(matrix(narrow))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(a.Float64s(), b.Float64s()) {
		t.Error("the stored machine decides otherwise")
	}
	if len(m.Pairs[0].Objects) == 0 || m.Support()[0] != support[0] {
		t.Error("OnSupport changed the machine that it was called on")
	}
}

func TestDamagedKernelClassifier(t *testing.T) {
	for want, spoil := range map[string]func(m *KernelClassifier){
		"1 classes":                 func(m *KernelClassifier) { m.Classes = m.Classes[:1] },
		"a class twice":             func(m *KernelClassifier) { m.Classes[1] = m.Classes[0] },
		"2 machines for 3 classes":  func(m *KernelClassifier) { m.Pairs = m.Pairs[:2] },
		"is for the pair (0, 5)":    func(m *KernelClassifier) { m.Pairs[1].Second = 5 },
		"1 support vectors and 2":   func(m *KernelClassifier) { m.Pairs[2].Objects = []int{1} },
		"not ascending from 0 on":   func(m *KernelClassifier) { m.Pairs[0].Objects[0] = -1 },
		"machine 1 of the model: a": func(m *KernelClassifier) { m.Pairs[1].Bias = math.NaN() },
		"trained with C":            func(m *KernelClassifier) { m.C = math.Inf(1) },
		"coefficient 1.5 with C 1":  func(m *KernelClassifier) { m.Pairs[1].Coefficients = []float64{1.5, -1.5} },
		"coefficients of sum 0.5":   func(m *KernelClassifier) { m.Pairs[1].Coefficients = []float64{1, -0.5} },
	} {
		m := &KernelClassifier{Classes: []int{1, 2, 3}, C: 1}
		for _, p := range [][2]int{{0, 1}, {0, 2}, {1, 2}} {
			e := Expansion{Objects: []int{0, 3}, Coefficients: []float64{1, -1}}
			m.Pairs = append(m.Pairs, KernelPair{p[0], p[1], e})
		}
		if err := m.Check(); err != nil {
			t.Fatal(err)
		}
		spoil(m)
		if err := m.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func TestKernelClassifierErrors(t *testing.T) {
	k, y := cloud(6, 2, 2, "gaussian", 1)
	type input struct {
		rows, classes []int
		grid          []float64
		options       KernelOptions
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	for want, change := range map[string]func(in *input) context.Context{
		"5 classes for a kernel of 6 objects": func(in *input) context.Context { in.classes = y[:5]; return nil },
		"class 0: a C-SVM needs two classes":  func(in *input) context.Context { in.rows = []int{0, 2, 4}; return nil },
		"no objects to train on":              func(in *input) context.Context { in.rows = []int{}; return nil },
		"object 6 is not in a kernel of 6":    func(in *input) context.Context { in.rows = []int{1, 6}; return nil },
		"object -1 is not in":                 func(in *input) context.Context { in.rows = []int{-1, 2}; return nil },
		"grid of C is 0":                      func(in *input) context.Context { in.grid = []float64{0}; return nil },
		"grid of C is -3":                     func(in *input) context.Context { in.grid = []float64{-3}; return nil },
		"grid of C is 1: give positive":       func(in *input) context.Context { in.grid = []float64{2, 1}; return nil },
		"grid of C is empty":                  func(in *input) context.Context { in.grid = nil; return nil },
		"class 1 has weight 0": func(in *input) context.Context {
			in.options.ClassWeights = map[int]float64{1: 0}
			return nil
		},
		"no solution for C = 1 after 2 steps": func(in *input) context.Context {
			in.options.MaxSteps, in.options.Tolerance = 2, 1e-12
			return nil
		},
		"context canceled": func(in *input) context.Context { in.options.Tolerance = 1e-12; return cancelled },
	} {
		in := input{classes: y, grid: []float64{1}}
		ctx := change(&in)
		if ctx == nil {
			ctx = context.Background()
		}
		_, err := FitKernelClassifier(ctx, kernelOf(t, k), in.rows, in.classes, in.grid, in.options)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	fitted, err := FitKernelClassifier(context.Background(), kernelOf(t, k), nil, y, []float64{1}, KernelOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for want, call := range map[string]func() ([]int, error){
		"have 2 columns": func() ([]int, error) { return fitted[0].Predict(matrix([][]float64{{1, 2}})) },
		"value 5 of row 0": func() ([]int, error) {
			return fitted[0].Predict(matrix([][]float64{{1, 2, 3, 4, 5, math.Inf(1)}}))
		},
		"object 9 is not": func() ([]int, error) { return fitted[0].PredictObjects(kernelOf(t, k), []int{9}) },
		"kernel of 1 objects": func() ([]int, error) {
			return fitted[0].PredictObjects(kernelOf(t, [][]float64{{1}}), []int{0})
		},
	} {
		if _, err := call(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
