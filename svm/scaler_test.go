package svm

import (
	"context"
	"math"
	"strings"
	"testing"

	"gorgonia.org/tensor"
)

// fitScaler standardises on some rows of a matrix, nil for all.
func fitScaler(x *tensor.Dense, rows []int) (*Scaler, error) {
	d, err := newDesign(x, rows)
	if err != nil {
		return nil, err
	}
	return d.fitScaler(false)
}

func TestScaler(t *testing.T) {
	x := matrix([][]float64{{1, 5, 0, 1e9}, {3, 5, 0, 1e9}, {100, 7, 0, 3}, {5, 5, 2, 1e9}})
	s, err := fitScaler(x, []int{0, 1, 3})
	if err != nil {
		t.Fatal(err)
	}
	closeTo(t, "mean", s.Mean, []float64{3, 5, 2.0 / 3, 1e9}, 1e-15)
	closeTo(t, "scale", s.Scale, []float64{math.Sqrt(8.0 / 3), 1, math.Sqrt(8.0) / 3, 1}, 1e-15)
	z, err := s.Transform(x, []int{2, 0})
	if err != nil {
		t.Fatal(err)
	}
	closeTo(t, "standardised", z.Data().([]float64), []float64{
		97 / math.Sqrt(8.0/3), 2, -1 / math.Sqrt(2), 3 - 1e9,
		-2 / math.Sqrt(8.0/3), 0, -1 / math.Sqrt(2), 0,
	}, 1e-15)
}

// Rounding in a constant column is not taken for information.
func TestScalerConstantUpToRounding(t *testing.T) {
	v := float32(0.7)
	x := tensor.New(tensor.WithShape(4, 1),
		tensor.WithBacking([]float32{v, math.Nextafter32(v, 1), v, math.Nextafter32(v, 0)}))
	s, err := fitScaler(x, nil)
	if err != nil {
		t.Fatal(err)
	}
	if s.Scale[0] != 1 {
		t.Errorf("scale %g, want 1", s.Scale[0])
	}
}

func TestScalerErrors(t *testing.T) {
	x := matrix([][]float64{{1, 2}, {3, math.Inf(1)}})
	if _, err := fitScaler(x, []int{}); err == nil || !strings.Contains(err.Error(), "no rows") {
		t.Errorf("no rows: error %v", err)
	}
	if _, err := fitScaler(x, nil); err == nil || !strings.Contains(err.Error(), "feature 1 of row 1") {
		t.Errorf("infinite entry: error %v", err)
	}
	s, err := fitScaler(x, []int{0})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Transform(matrix([][]float64{{1, 2, 3}}), nil); err == nil ||
		!strings.Contains(err.Error(), "3 columns") {
		t.Errorf("other width: error %v", err)
	}
}

// One scale keeps the ratios of the columns that vary; those that do not become 0.
func TestOneScale(t *testing.T) {
	x := matrix([][]float64{{1, 5, 0, 1e9}, {3, 5, 0, 1e9}, {5, 5, 2, 1e9}})
	c, err := FitClassifier(context.Background(), x, nil, []int{0, 1, 1}, []float64{1, 10}, Options{OneScale: true})
	if err != nil {
		t.Fatal(err)
	}
	largest := math.Sqrt(8.0 / 3)
	closeTo(t, "scale", c.Scaler.Scale, []float64{largest, 1, largest, 1}, 1e-15)
	m := c.Model(1)
	if err := m.Check(); err != nil {
		t.Error(err)
	}
	decisions, err := m.Decisions(x, nil)
	if err != nil {
		t.Fatal(err)
	}
	weights, constant := m.Raw(0)
	for i, row := range [][]float64{{1, 5, 0, 1e9}, {3, 5, 0, 1e9}, {5, 5, 2, 1e9}} {
		f := constant
		for j, w := range weights {
			f += w * row[j]
		}
		closeTo(t, "decision by the raw weights", decisions.Float64s()[i:i+1], []float64{f}, 1e-12)
	}
}

func TestGrids(t *testing.T) {
	published, paper := CGrid(), PaperGrid()
	for name, grid := range map[string][]float64{"published": published, "paper": paper} {
		if len(grid) != 60 || checkGrid(grid) != nil {
			t.Errorf("%s grid: %d values, %v", name, len(grid), checkGrid(grid))
		}
	}
	closeTo(t, "published ends", []float64{published[0], published[59]}, []float64{1e-4, 1e4}, 1e-12)
	// lambda = 1/n * logspace(-3, 4, 60), largest lambda first
	n := 188
	for k, c := range paper {
		want := math.Pow(10, 4-7*float64(k)/59) / float64(n)
		if lambda := 1 / (2 * float64(n) * c); math.Abs(lambda-want) > 1e-12*want {
			t.Errorf("paper grid: lambda[%d] = %g, want %g", k, lambda, want)
		}
	}
}
