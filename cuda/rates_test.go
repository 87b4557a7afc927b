//go:build gpu

package cuda

import (
	"errors"
	"testing"

	"gorgonia.org/tensor"
)

func TestRates(t *testing.T) {
	e := opened(t)
	r, err := e.MeasureRates()
	if err != nil {
		t.Fatal(err)
	}
	if !(r.Operations32 > 0 && r.Operations64 > 0 && r.Exponentials32 > 0 && r.Exponentials64 > 0) {
		t.Errorf("rates %+v", r)
	}
	for _, kernel := range []string{"rate_multiply_add_f32", "rate_multiply_add_f64", "rate_exponential_f32",
		"rate_exponential_f64"} {
		if counts(t, e).Kernels[kernel].Launches == 0 {
			t.Errorf("%s was not launched", kernel)
		}
	}
}

func TestElapsedHoldsTheWorkAndItsErrors(t *testing.T) {
	e := opened(t)
	x := e.New(tensor.Float32, 1000, 1)
	var out []float64
	seconds, err := e.Elapsed(func() error {
		if err := e.Convert(x, onHost(tensor.Float32, 0, 1000, 1)); err != nil {
			return err
		}
		out = values(t, e, x)
		return nil
	})
	if err != nil || !(seconds > 0) || out[999] != 999.0/4 {
		t.Errorf("%g seconds, %v", seconds, err)
	}
	mistake := errors.New("a mistake")
	if _, err := e.Elapsed(func() error { return mistake }); !errors.Is(err, mistake) {
		t.Errorf("the error %v, want that of the work", err)
	}
}
