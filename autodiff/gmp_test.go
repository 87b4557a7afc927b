package autodiff

import (
	"math"
	"testing"
)

// Repeated and large rows make the system of generalised max pooling singular in floating point; the
// solution is still the one that gives every row an inner product of nearly 1.
func TestGeneralizedMaxOfLargeRepeatedRows(t *testing.T) {
	const q = 4
	for _, m := range []int{3, 50} {
		phi := make([]float64, m*q)
		for i := range m {
			phi[i*q+i%2] = 1e9
		}
		x, err := equalize(phi, m, q, 1)
		if err != nil {
			t.Fatal(err)
		}
		for i := range m {
			if got := 1e9 * x[i%2]; math.Abs(got-1) > 1e-6 {
				t.Errorf("%d rows: row %d has inner product %v, want 1", m, i, got)
			}
		}
	}
}
