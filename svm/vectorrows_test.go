package svm

import (
	"context"
	"math"
	"reflect"
	"strings"
	"testing"

	"gorgonia.org/tensor"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/enginetest"
)

// Rows that an engine computes are those of the matrix, and machines that read them predict the same.
func TestVectorRows(t *testing.T) {
	e := enginetest.Open(t, 2)
	rows := vectorRows(70, 9, 8)
	y := make([]int, len(rows))
	for i, x := range rows {
		if x[0]+x[1] > x[2]+x[3] {
			y[i] = 1
		}
	}
	single := tensor.New(tensor.WithShape(70, 9), tensor.Of(tensor.Float32))
	for i, x := range rows {
		for j, v := range x {
			single.Float32s()[i*9+j] = float32(v)
		}
	}
	for _, k := range []VectorKernel{{Kind: LinearKernel}, {Kind: RBFKernel, Gamma: 0.1}, {Kind: JaccardKernel}} {
		for dtype, x := range map[string]*tensor.Dense{"float64": matrix(rows), "float32": single} {
			gram, err := k.Gram(x, 1)
			if err != nil {
				t.Fatal(err)
			}
			whole, err := NewMatrix(gram)
			if err != nil {
				t.Fatal(err)
			}
			byRow, err := k.Rows(e, x, 8*70*10)
			if err != nil {
				t.Fatal(err)
			}
			want, got := make([]float64, 70), make([]float64, 70)
			for i := range rows {
				_ = whole.Row(i, all(70), want)
				if err := byRow.Row(i, all(70), got); err != nil {
					t.Fatal(err)
				}
				closeTo(t, k.String()+", "+dtype, got, want, 1e-6)
				if math.Abs(byRow.Diagonal(i)-whole.Diagonal(i)) > 1e-12*whole.Diagonal(i) {
					t.Errorf("%s, %s: diagonal %g, want %g", k, dtype, byRow.Diagonal(i), whole.Diagonal(i))
				}
			}
			a, err := FitKernelClassifier(context.Background(), whole, nil, y, []float64{1}, KernelOptions{Tolerance: 1e-6})
			if err != nil {
				t.Fatal(err)
			}
			b, err := FitKernelClassifier(context.Background(), byRow, nil, y, []float64{1}, KernelOptions{Tolerance: 1e-6})
			if err != nil {
				t.Fatal(err)
			}
			closeTo(t, k.String()+": objective", []float64{b[0].Pairs[0].Objective}, []float64{a[0].Pairs[0].Objective}, 1e-5)
			p, _ := a[0].PredictObjects(whole, all(70))
			q, err := b[0].PredictObjects(byRow, all(70))
			if err != nil || !reflect.DeepEqual(p, q) {
				t.Errorf("%s, %s: predictions %v, want %v (%v)", k, dtype, q, p, err)
			}
		}
	}
}

func TestVectorRowsErrors(t *testing.T) {
	e := engine.NewCPU(1)
	for want, c := range map[string]struct {
		kernel VectorKernel
		x      float64
	}{
		"gamma -1":                {VectorKernel{RBFKernel, -1}, 1},
		"no negative":             {VectorKernel{Kind: JaccardKernel}, -1},
		"feature 0 of row 0 is N": {VectorKernel{Kind: LinearKernel}, math.NaN()},
	} {
		if _, err := c.kernel.Rows(e, matrix([][]float64{{c.x}}), 0); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
