package svm

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/grove-graph/grove/split"
	"gorgonia.org/tensor"
)

// bags returns rows of counts of colours, scaled to length 1 or not, with classes that depend on some of them, and
// their kernel matrix.
func bags(n, colours, classes int, ones, normalised bool, seed uint64) (*Sparse, []int, *Matrix) {
	r := rand.New(rand.NewPCG(seed, 2))
	x := &Sparse{Columns: colours, RowPtr: []int{0}, Scale: make([]float64, n), Alone: make([]float64, n)}
	of := make([]int, n)
	dense := make([]float64, n*colours)
	for i := range n {
		of[i] = r.IntN(classes)
		row := dense[i*colours : (i+1)*colours]
		for range 3 + r.IntN(12) {
			c := int(float64(colours) * r.Float64() * r.Float64())
			if r.IntN(3) == 0 {
				c = of[i]
			}
			if row[c] == 0 || !ones {
				row[c]++
			}
		}
		for c, v := range row {
			if v > 0 {
				x.Column = append(x.Column, int32(c))
				x.Value = append(x.Value, float32(v))
			}
		}
		x.RowPtr = append(x.RowPtr, len(x.Column))
		x.Scale[i] = 1
		x.Alone[i] = float64(r.IntN(3))
		if normalised {
			square := x.square(i)
			x.Scale[i] = 1 / math.Sqrt(square)
			x.Alone[i] /= square
		}
	}
	if ones {
		x.Value = nil
	}
	k := make([]float64, n*n)
	for i := range n {
		w := make([]float64, colours)
		x.addRow(1, i, w)
		for j := range n {
			k[j*n+i] = x.dot(j, w)
		}
		k[i*n+i] += x.Alone[i]
	}
	for i := range n { // the same bits on both sides
		for j := range i {
			k[i*n+j] = k[j*n+i]
		}
	}
	m, err := NewMatrix(tensor.New(tensor.WithShape(n, n), tensor.WithBacking(k)))
	if err != nil {
		panic(err)
	}
	return x, of, m
}

var bagCases = []struct {
	n, colours, classes int
	ones, normalised    bool
}{
	{60, 12, 2, false, true}, {200, 40, 3, true, true}, {300, 900, 2, false, true}, {150, 30, 2, true, false},
	{250, 10, 4, false, false},
}

// The machine is that on the kernel matrix: its dual objective is as small, and decisions agree within a few times the
// tolerance.
func TestSparseIsTheKernelMachine(t *testing.T) {
	for i, c := range bagCases {
		x, classes, k := bags(c.n, c.colours, c.classes, c.ones, c.normalised, uint64(i))
		grid := []float64{1e-3, 1e-2, 0.1, 1, 10, 100, 1000}
		train, test := split.All(c.n)[:c.n*4/5], split.All(c.n)[c.n*4/5:]
		o := KernelOptions{Tolerance: 1e-6}
		want, err := FitKernelClassifier(context.Background(), k, train, classes, grid, o)
		if err != nil {
			t.Fatal(err)
		}
		got, err := FitSparseClassifier(context.Background(), x, train, classes, grid, o)
		if err != nil {
			t.Fatal(err)
		}
		for g := range grid {
			if err := got[g].Check(); err != nil {
				t.Errorf("%+v, C %g: %v", c, grid[g], err)
			}
			if !slices.Equal(got[g].Classes, want[g].Classes) {
				t.Errorf("%+v: classes %v, want %v", c, got[g].Classes, want[g].Classes)
			}
			a, err := objectDecisions(k, test, got[g].expansions())
			if err != nil {
				t.Fatal(err)
			}
			b, err := objectDecisions(k, test, want[g].expansions())
			if err != nil {
				t.Fatal(err)
			}
			for p := range got[g].Pairs {
				mine, its := got[g].Pairs[p].Objective, want[g].Pairs[p].Objective
				if math.Abs(mine-its) > 1e-5*math.Abs(its) {
					t.Errorf("%+v, C %g: objective %g, want %g", c, grid[g], mine, its)
				}
				if v := violationOf(k, train, classes, got[g], p); v > 2e-6 {
					t.Errorf("%+v, C %g: violation %g", c, grid[g], v)
				}
			}
			size := 1.0
			for _, f := range b {
				size = max(size, math.Abs(f))
			}
			for s := range a {
				if math.Abs(a[s]-b[s]) > 1e-3*size {
					t.Errorf("%+v, C %g: decision %g, want %g", c, grid[g], a[s], b[s])
				}
			}
			said, err := want[g].PredictObjects(k, test)
			if err != nil {
				t.Fatal(err)
			}
			mine := got[g].vote(x.Decisions(got[g], test, 2).Float64s())
			if !slices.Equal(mine, said) && slices.Min(magnitudes(b)) > 1e-3*size {
				t.Errorf("%+v, C %g: said %v, want %v", c, grid[g], mine, said)
			}
		}
	}
}

// A solution whose multipliers are all below C is that of larger C too, and takes no step.
func TestSparseKeepsWhatNoBoundHolds(t *testing.T) {
	x, classes, _ := bags(40, 900, 2, false, true, 7)
	got, err := FitSparseClassifier(context.Background(), x, nil, classes, []float64{1, 1e4, 1e5, 1e6}, KernelOptions{})
	if err != nil {
		t.Fatal(err)
	}
	first := got[1].Pairs[0]
	if slices.Max(magnitudes(first.Coefficients)) >= 1e4 || first.Steps == 0 {
		t.Fatalf("with C = 10000 a coefficient of C, or no steps: %v", first)
	}
	for _, m := range got[2:] {
		if p := m.Pairs[0]; p.Steps != 0 || p.Bias != first.Bias || !slices.Equal(p.Coefficients, first.Coefficients) {
			t.Errorf("C %g: %v, want %v without a step", m.C, p.Expansion, first.Expansion)
		}
	}
}

// Where all columns are heavy ones the preconditioner is the matrix itself, and otherwise it is that of the heavy
// columns and the lengths of the others.
func TestNearlyIsInverted(t *testing.T) {
	const ridge, tau = 0.1, 3.0
	for _, columns := range []int{20, 400} {
		x, _, _ := bags(50, columns, 2, false, true, 3)
		h := heaviest(x, split.All(50))
		rows := []int{3, 4, 11, 30, 49}
		inverse := h.nearly(x, rows, ridge, tau, 2)
		want := []float64{1, -2, 0.5, 3, -1}
		b := make([]float64, len(rows))
		for k, i := range rows {
			for l, j := range rows {
				product := tau
				if k == l {
					product += ridge + x.square(i)
				}
				for e := x.RowPtr[i]; e < x.RowPtr[i+1]; e++ {
					for f := x.RowPtr[j]; f < x.RowPtr[j+1]; f++ {
						if x.Column[e] == x.Column[f] && k != l && h.place[x.Column[e]] > 0 {
							product += x.value(e) * x.value(f) * x.scale(i) * x.scale(j)
						}
					}
				}
				b[k] += product * want[l]
			}
		}
		got := make([]float64, len(rows))
		inverse.solve(b, got)
		for k := range got {
			if math.Abs(got[k]-want[k]) > 1e-5 { // values are kept in float32
				t.Errorf("%d columns, %d heavy: %v, want %v", columns, h.count, got, want)
				break
			}
		}
	}
}

func magnitudes(x []float64) []float64 {
	out := slices.Clone(x)
	for i, v := range out {
		out[i] = math.Abs(v)
	}
	return out
}

// violationOf computes by how much a machine violates the conditions of the optimum, from its coefficients and the
// kernel alone.
func violationOf(k *Matrix, rows, classes []int, m *KernelClassifier, pair int) float64 {
	p := &m.Pairs[pair]
	up, down := math.Inf(-1), math.Inf(1)
	for _, i := range rows {
		y := 0.0
		switch classes[i] {
		case m.Classes[p.First]:
			y = 1
		case m.Classes[p.Second]:
			y = -1
		default:
			continue
		}
		gap, a := y, 0.0
		for s, j := range p.Objects {
			gap -= p.Coefficients[s] * k.at(i, j)
			if j == i {
				a = y * p.Coefficients[s]
			}
		}
		if y > 0 && a < m.C || y < 0 && a > 0 {
			up = max(up, gap)
		}
		if y > 0 && a > 0 || y < 0 && a < m.C {
			down = min(down, gap)
		}
	}
	return up - down
}

func TestSparseDoesNotDependOnWorkers(t *testing.T) {
	x, classes, _ := bags(700, 200, 3, false, true, 4)
	var first []*KernelClassifier
	for _, workers := range []int{1, 2, 8} {
		o := KernelOptions{Workers: workers}
		got, err := FitSparseClassifier(context.Background(), x, nil, classes, []float64{0.1, 10}, o)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = got
		}
		if !reflect.DeepEqual(got, first) {
			t.Errorf("%d workers: something else", workers)
		}
	}
}

func TestSparseNamesMistakes(t *testing.T) {
	x, classes, _ := bags(30, 10, 2, false, true, 4)
	broken := *x
	broken.Columns = 3
	stopped, stop := context.WithCancel(context.Background())
	stop()
	for want, c := range map[string]struct {
		ctx     context.Context
		x       *Sparse
		rows    []int
		classes []int
		grid    []float64
	}{
		"context canceled":   {stopped, x, nil, classes, []float64{1}},
		"29 classes":         {context.Background(), x, nil, classes[1:], []float64{1}},
		"object 30":          {context.Background(), x, []int{30}, classes, []float64{1}},
		"needs two classes":  {context.Background(), x, nil, make([]int, 30), []float64{1}},
		"grid of C is empty": {context.Background(), x, nil, classes, nil},
		"matrix of 3":        {context.Background(), &broken, nil, classes, []float64{1}},
	} {
		_, err := FitSparseClassifier(c.ctx, c.x, c.rows, c.classes, c.grid, KernelOptions{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
