package svm

import (
	"context"
	"errors"
	"math"
	"reflect"
	"strings"
	"sync"
	"testing"

	"gorgonia.org/tensor"
)

func TestMatrixErrors(t *testing.T) {
	n := 150 // more than a tile
	base := make([][]float64, n)
	for i := range base {
		base[i] = make([]float64, n)
		for j := range base[i] {
			base[i][j] = 1 / (1 + math.Abs(float64(i-j)))
		}
	}
	kernelOf(t, base)
	for want, places := range map[string][3]float64{
		"entry (140, 20) is 0.5":            {140, 20, 0.5},
		"entry (140, 20) is 0.00826":        {20, 140, 0.5}, // the mirror image is at fault
		"entry (70, 3) or its mirror image": {70, 3, math.NaN()},
		"entry (70, 5) or its mirror image": {5, 70, math.Inf(1)},
		"entry (9, 9) or":                   {9, 9, math.Inf(-1)},
	} {
		i, j := int(places[0]), int(places[1])
		was := base[i][j]
		base[i][j] = places[2]
		if _, err := NewMatrix(matrix(base)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
		base[i][j] = was
	}
	base[4][100] *= 1 + 1e-12 // rounding
	kernelOf(t, base)
	for want, k := range map[string]*tensor.Dense{
		"2 rows and 3 columns": matrix([][]float64{{1, 2, 3}, {2, 1, 3}}),
		"shape (3)":            tensor.New(tensor.WithShape(3), tensor.WithBacking(make([]float64, 3))),
		"are int":              tensor.New(tensor.WithShape(2, 2), tensor.WithBacking(make([]int, 4))),
		"no matrix":            nil,
	} {
		if _, err := NewMatrix(k); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// Computed rows are the rows of the matrix, whoever asks, and no more of them are kept than fit.
func TestRowCache(t *testing.T) {
	k, y := cloud(80, 3, 3, "gaussian", 3)
	diagonal := make([]float64, len(k))
	for i := range k {
		diagonal[i] = k[i][i]
	}
	var mu sync.Mutex
	computed := 0
	rows := func(bytes int) *RowCache {
		return NewRowCache(diagonal, bytes, func(i int, out []float64) error {
			mu.Lock()
			computed++
			mu.Unlock()
			copy(out, k[i])
			return nil
		})
	}
	want, err := FitKernelClassifier(context.Background(), kernelOf(t, k), nil, y, []float64{0.1, 10}, KernelOptions{})
	if err != nil {
		t.Fatal(err)
	}
	times := map[int]int{}
	for _, kept := range []int{0, 5, 80} {
		computed = 0
		cache := rows(kept * 8 * len(k))
		o := KernelOptions{Workers: 3}
		got, err := FitKernelClassifier(context.Background(), cache, nil, y, []float64{0.1, 10}, o)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%d rows kept: another machine than from the matrix", kept)
		}
		if len(cache.rows) > max(kept, 2) || cache.used.Len() != len(cache.rows) {
			t.Errorf("%d rows kept of %d allowed", len(cache.rows), kept)
		}
		times[kept] = computed
	}
	if times[80] > len(k) || times[0] <= times[5] {
		t.Errorf("rows computed, by rows kept: %v", times)
	}
}

func TestRowCacheErrors(t *testing.T) {
	_, y := cloud(4, 2, 2, "gaussian", 1)
	fail := errors.New("the device is gone")
	broken := NewRowCache(make([]float64, 4), 1<<20, func(int, []float64) error { return fail })
	for range 2 { // an error is not kept
		_, err := FitKernelClassifier(context.Background(), broken, nil, y, []float64{1}, KernelOptions{})
		if !errors.Is(err, fail) {
			t.Errorf("error %v, want %v", err, fail)
		}
	}
	if len(broken.rows) != 0 || broken.used.Len() != 0 {
		t.Error("a row that could not be computed is kept")
	}
	poisoned := NewRowCache(make([]float64, 4), 1<<20, func(i int, out []float64) error {
		out[2] = math.NaN()
		return nil
	})
	_, err := FitKernelClassifier(context.Background(), poisoned, nil, y, []float64{1}, KernelOptions{})
	if err == nil || !strings.Contains(err.Error(), ", 2) is NaN") {
		t.Errorf("error %v", err)
	}
}
