package svm

import (
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gorgonia.org/tensor"

	"github.com/grove-graph/grove/split"
)

// inBlocks is a matrix that is read in blocks of some rows.
type inBlocks struct {
	inMemory
	rows int
}

func (b inBlocks) Blocks(ctx context.Context, visit func(first int, x *tensor.Dense) error) error {
	n, _ := b.Dims()
	for from := 0; from < n; from += b.rows {
		if err := visit(from, rowsOf(b.Dense, from, min(from+b.rows, n))); err != nil {
			return err
		}
	}
	return nil
}

// rowsOf copies some rows of a matrix.
func rowsOf(x *tensor.Dense, from, to int) *tensor.Dense {
	d := x.Shape()[1]
	if x.Dtype() == tensor.Float32 {
		return tensor.New(tensor.WithShape(to-from, d), tensor.WithBacking(slices.Clone(x.Float32s()[from*d:to*d])))
	}
	return tensor.New(tensor.WithShape(to-from, d), tensor.WithBacking(slices.Clone(x.Float64s()[from*d:to*d])))
}

// foldsOf returns the stratified folds of a problem, and its classes.
func foldsOf(t *testing.T, y []float64, classes, k int) ([]split.Fold, []int) {
	t.Helper()
	of := make([]int, len(y))
	for i, v := range y {
		of[i] = 3
		if v > 0 {
			of[i] = 5 + i%(classes-1)
		}
	}
	folds, err := split.Stratified(of, k, 1)
	if err != nil {
		t.Fatal(err)
	}
	return folds, of
}

// The machines of several folds are those that each fold gets by itself, and say the same.
func TestFoldsAgreeWithSingleFits(t *testing.T) {
	for _, shape := range []struct{ n, d, classes, folds int }{{300, 20, 2, 5}, {400, 40, 3, 3}, {500, 90, 2, 2}} {
		x, y := sample(shape.n, shape.d, tensor.Float32, 7)
		data := x.Float32s()
		for i := range shape.n { // far from 0, with a constant column and two that are the same
			for j := range shape.d {
				data[i*shape.d+j] = data[i*shape.d+j]*float32(1+j) + 100
			}
			data[i*shape.d] = 4
			data[i*shape.d+1] = data[i*shape.d+2]
		}
		folds, classes := foldsOf(t, y, shape.classes, shape.folds)
		grid := CGrid()
		got, err := FitFolds(context.Background(), InMemory(x), classes, folds, grid, Options{Tolerance: 1e-8})
		if err != nil {
			t.Fatal(err)
		}
		for f, fold := range folds {
			want, err := FitClassifier(context.Background(), x, fold.Train, classes, grid, Options{})
			if err != nil {
				t.Fatal(err)
			}
			said, err := want.Predict(x, fold.Test)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(saidBy(got[f]), said) || !slices.Equal(got[f].Classes, want.Classes) ||
				!reflect.DeepEqual(got[f].Scaler, want.Scaler) {
				t.Errorf("%v, fold %d says something else", shape, f)
			}
			for p, path := range want.Problems {
				for k := range grid {
					if off := farOff(got[f].Problems[p].Weight[k], path.Weight[k]); off > 1e-6 {
						t.Errorf("%v, fold %d, C %g: weights off by %g", shape, f, grid[k], off)
					}
					if a, b := got[f].Problems[p].Bias[k], path.Bias[k]; math.Abs(a-b) > 1e-6*(1+math.Abs(b)) {
						t.Errorf("%v, fold %d, C %g: bias %g, want %g", shape, f, grid[k], a, b)
					}
					if a, b := got[f].Problems[p].Objective[k], path.Objective[k]; math.Abs(a-b) > 1e-9*(1+b) {
						t.Errorf("%v, fold %d, C %g: objective %g, want %g", shape, f, grid[k], a, b)
					}
				}
			}
		}
	}
}

// farOff is that of two vectors, in terms of the second.
func farOff(x, y []float64) float64 {
	off, size := 0.0, 0.0
	for i, v := range y {
		off += (x[i] - v) * (x[i] - v)
		size += v * v
	}
	return math.Sqrt(off / max(size, 1e-300))
}

// Neither workers nor blocks show in the result. Rows that are not held are standardised in every pass.
func TestFoldsDoNotDependOnTheWay(t *testing.T) {
	x, y := sample(700, 30, tensor.Float32, 3)
	folds, classes := foldsOf(t, y, 3, 4)
	var first []*FoldPath
	again := defaultTuning
	again.held = 0
	for _, workers := range []int{1, 2, 8} {
		for _, rows := range []int{700, 699, 100, 7} {
			o := Options{Workers: workers}
			if rows != 100 {
				o.tuning = again
			}
			got, err := FitFolds(context.Background(), inBlocks{inMemory{x}, rows}, classes, folds, CGrid()[20:40], o)
			if err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = got
			}
			if !reflect.DeepEqual(got, first) {
				t.Errorf("%d workers, blocks of %d rows: something else", workers, rows)
			}
		}
	}
}

// A single large C is reached by way of smaller ones, and parts may overlap in any way.
func TestFoldsWithoutAGrid(t *testing.T) {
	x, y := sample(300, 12, tensor.Float64, 5)
	_, classes := foldsOf(t, y, 2, 2)
	all := split.All(300)
	folds := []split.Fold{{Train: all[:250], Test: all[250:]}, {Train: all[50:], Test: all[:50]},
		{Train: all[20:280], Test: all[:3]}, {Train: all[100:290:290], Test: all[:9]}, {Train: all[7:], Test: all[3:4]}}
	got, err := FitFolds(context.Background(), InMemory(x), classes, folds, []float64{1e4}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for f, fold := range folds {
		want, err := FitClassifier(context.Background(), x, fold.Train, classes, []float64{1e4}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if off := farOff(got[f].Problems[0].Weight[0], want.Problems[0].Weight[0]); off > 1e-7 {
			t.Errorf("fold %d: weights off by %g", f, off)
		}
		if p := got[f].Problems[0].Precision[0]; p > 1e-9 {
			t.Errorf("fold %d: precision %g", f, p)
		}
	}
}

func TestFoldsOfOneClass(t *testing.T) {
	x, _ := sample(20, 3, tensor.Float64, 5)
	classes := make([]int, 20)
	classes[19] = 1
	all := split.All(20)
	got, err := FitFolds(context.Background(), InMemory(x), classes, []split.Fold{{Train: all[:10], Test: all[10:]}},
		[]float64{1, 2}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(got[0].Problems) != 0 || !slices.Equal(saidBy(got[0])[1], make([]int, 10)) {
		t.Errorf("%v", saidBy(got[0]))
	}
}

func TestFoldsNameMistakes(t *testing.T) {
	x, y := sample(40, 3, tensor.Float32, 5)
	folds, classes := foldsOf(t, y, 2, 2)
	stopped, stop := context.WithCancel(context.Background())
	stop()
	twice, beyond := []split.Fold{{Train: []int{1, 2, 2}, Test: []int{3}}}, []split.Fold{{Train: []int{40}}}
	penalised := Options{Intercept: PenalisedIntercept}
	bad := x.Clone().(*tensor.Dense)
	bad.Float32s()[7] = float32(math.NaN())
	gone := errors.New("the disk is gone")
	for want, c := range map[string]struct {
		ctx     context.Context
		x       Source
		classes []int
		folds   []split.Fold
		grid    []float64
		o       Options
	}{
		"context canceled":      {stopped, InMemory(x), classes, folds, CGrid(), Options{}},
		"39 classes":            {context.Background(), InMemory(x), classes[1:], folds, CGrid(), Options{}},
		"row 2 twice":           {context.Background(), InMemory(x), classes, twice, CGrid(), Options{}},
		"row 40 is not in":      {context.Background(), InMemory(x), classes, beyond, CGrid(), Options{}},
		"no rows to train":      {context.Background(), InMemory(x), classes, []split.Fold{{}}, CGrid(), Options{}},
		"grid of C is empty":    {context.Background(), InMemory(x), classes, folds, nil, Options{}},
		"feature 1 of row 2":    {context.Background(), InMemory(bad), classes, folds, CGrid(), Options{}},
		"free intercept":        {context.Background(), InMemory(x), classes, folds, CGrid(), penalised},
		"the disk is gone":      {context.Background(), failing{inMemory{x}, gone, 0}, classes, folds, CGrid(), Options{}},
		"20 rows of features":   {context.Background(), failing{inMemory{x}, nil, 20}, classes, folds, CGrid(), Options{}},
		"from row 0 on: want o": {context.Background(), failing{inMemory{x}, nil, -1}, classes, folds, CGrid(), Options{}},
	} {
		_, err := FitFolds(c.ctx, c.x, c.classes, c.folds, c.grid, c.o)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// failing is a source that ends early, by an error or without one, or begins again.
type failing struct {
	inMemory
	err  error
	rows int
}

func (f failing) Blocks(ctx context.Context, visit func(first int, x *tensor.Dense) error) error {
	if f.rows < 0 {
		if err := visit(0, f.Dense); err != nil {
			return err
		}
		return visit(0, f.Dense)
	}
	if f.rows > 0 {
		if err := visit(0, rowsOf(f.Dense, 0, f.rows)); err != nil {
			return err
		}
	}
	return f.err
}

// saidBy returns the classes that the decisions of a fold speak for.
func saidBy(p *FoldPath) [][]int {
	said := make([][]int, len(p.Decisions))
	for k, of := range p.Decisions {
		width := of.Shape()[1]
		for row := range slices.Chunk(of.Float64s(), width) {
			said[k] = append(said[k], choose(p.Classes, row))
		}
	}
	return said
}
