package svm

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
)

// At the optimum the primal objective of the regression meets the dual one.
func TestRegressionGapCloses(t *testing.T) {
	for _, kernel := range []string{"linear", "gaussian", "ones"} {
		for _, n := range []int{1, 2, 60} {
			for _, epsilon := range []float64{0, 0.1, 100} {
				k, _ := cloud(n, 3, 2, kernel, uint64(n))
				y := make([]float64, n)
				for i := range y {
					y[i] = 3 + math.Sin(4*float64(i))
				}
				grid := []float64{1e-2, 1, 20}
				o := KernelOptions{Tolerance: 1e-9}
				machines, err := FitKernelRegressor(context.Background(), kernelOf(t, k), nil, y, grid, epsilon, o)
				if err != nil {
					t.Fatal(err)
				}
				for _, m := range machines {
					f, err := m.Predict(matrix(k))
					if err != nil {
						t.Fatal(err)
					}
					square, dual, loss := 0.0, 0.0, 0.0
					for s, b := range m.Coefficients {
						for r, c := range m.Coefficients {
							square += b * c * k[m.Objects[s]][m.Objects[r]]
						}
						dual += epsilon*math.Abs(b) - y[m.Objects[s]]*b
					}
					for i := range y {
						loss += m.C * max(0, math.Abs(f[i]-y[i])-epsilon)
					}
					label := fmt.Sprintf("%s, %d objects, epsilon %g, C = %g", kernel, n, epsilon, m.C)
					if gap := square + dual + loss; math.Abs(gap) > 1e-7*(1e-3+loss+math.Abs(dual)) {
						t.Errorf("%s: primal and dual objective differ by %g", label, gap)
					}
					if math.Abs(m.Objective-square/2-dual) > 1e-9*(1+square) {
						t.Errorf("%s: objective %g, want %g", label, m.Objective, square/2+dual)
					}
				}
			}
		}
	}
}

// Nothing outside the tube: the value lies in the middle of what the tube leaves open.
func TestWideTube(t *testing.T) {
	k, _ := cloud(4, 2, 2, "gaussian", 3)
	y := []float64{1, 2, 4, 3}
	m, err := FitKernelRegressor(context.Background(), kernelOf(t, k), nil, y, []float64{1}, 10, KernelOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(m[0].Objects) != 0 || m[0].Bias != 2.5 {
		t.Errorf("%+v, want no support vectors and the value 2.5", m[0])
	}
}

func TestStoredKernelRegressor(t *testing.T) {
	k, _ := cloud(50, 3, 2, "gaussian", 4)
	y := make([]float64, 50)
	for i := range y {
		y[i] = math.Cos(float64(i)) / 2
	}
	fitted, err := FitKernelRegressor(context.Background(), kernelOf(t, k), nil, y, []float64{1}, 0.3, KernelOptions{})
	if err != nil {
		t.Fatal(err)
	}
	m := fitted[0]
	raw, err := json.Marshal(m.OnSupport())
	if err != nil {
		t.Fatal(err)
	}
	var loaded KernelRegressor
	if err := json.Unmarshal(raw, &loaded); err != nil {
		t.Fatal(err)
	}
	if err := loaded.Check(); err != nil || loaded.C != 1 || loaded.Epsilon != 0.3 {
		t.Errorf("loaded %+v: %v", loaded, err)
	}
	narrow := make([][]float64, len(k))
	for i := range k {
		for _, s := range m.Support() {
			narrow[i] = append(narrow[i], k[i][s])
		}
	}
	a, err := m.PredictObjects(kernelOf(t, k), all(50))
	if err != nil {
		t.Fatal(err)
	}
	b, err := loaded.Predict(matrix(narrow))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(a, b) {
		t.Error("the stored machine predicts otherwise")
	}
	loaded.Coefficients = loaded.Coefficients[1:]
	if loaded.Check() == nil {
		t.Error("a damaged machine passed")
	}
}

func TestKernelRegressorErrors(t *testing.T) {
	k, _ := cloud(3, 2, 2, "gaussian", 1)
	y := []float64{1, math.NaN(), 2}
	for want, call := range map[string]func() ([]*KernelRegressor, error){
		"2 targets for a kernel of 3": func() ([]*KernelRegressor, error) {
			return FitKernelRegressor(context.Background(), kernelOf(t, k), nil, y[:2], []float64{1}, 0.1, KernelOptions{})
		},
		"target of object 1 is NaN": func() ([]*KernelRegressor, error) {
			return FitKernelRegressor(context.Background(), kernelOf(t, k), nil, y, []float64{1}, 0.1, KernelOptions{})
		},
		"epsilon is -1": func() ([]*KernelRegressor, error) {
			return FitKernelRegressor(context.Background(), kernelOf(t, k), []int{0, 2}, y, []float64{1}, -1, KernelOptions{})
		},
		"grid of C is 0": func() ([]*KernelRegressor, error) {
			return FitKernelRegressor(context.Background(), kernelOf(t, k), []int{0, 2}, y, []float64{0}, 1, KernelOptions{})
		},
		"object 7": func() ([]*KernelRegressor, error) {
			return FitKernelRegressor(context.Background(), kernelOf(t, k), []int{0, 7}, y, []float64{1}, 1, KernelOptions{})
		},
	} {
		if _, err := call(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
