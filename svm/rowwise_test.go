package svm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"gorgonia.org/tensor"

	"github.com/grove-graph/grove/rounds"
)

// manyClasses returns rows of several classes that overlap, and the classes; columns depend on each other, one is
// constant.
func manyClasses(n, columns, classes int) (*tensor.Dense, []int) {
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	x, of := make([]float32, n*columns), make([]int, n)
	for i := range of {
		of[i] = rng.IntN(classes)
		row := x[i*columns : (i+1)*columns]
		for j := range row {
			row[j] = float32(rng.NormFloat64() + 0.3*float64((of[i]+j)%classes) + float64(j))
		}
		row[columns-1] = 3
		row[columns-2] = row[0] + row[1]
	}
	return tensor.New(tensor.WithShape(n, columns), tensor.WithBacking(x)), of
}

// Machines on rows that are read in passes are those of [FitClassifier].
func TestRowsGiveTheClassifier(t *testing.T) {
	for _, c := range []struct {
		n, classes int
		c          float64
		oneScale   bool
	}{{9000, 2, 1e-4, false}, {9000, 2, 10, false}, {5000, 4, 0.1, false}, {5000, 2, 1, true}, {300, 1, 1, false}} {
		x, classes := manyClasses(c.n, 12, c.classes)
		var rows []int
		for i := range c.n {
			if i%10 > 0 {
				rows = append(rows, i)
			}
		}
		o := Options{Workers: 2, OneScale: c.oneScale}
		want, err := FitClassifier(context.Background(), x, rows, classes, []float64{c.c}, o)
		if err != nil {
			t.Fatal(err)
		}
		got, err := FitRows(context.Background(), x, rows, classes, c.c, o, nil)
		if err != nil {
			t.Fatalf("%+v: %v", c, err)
		}
		near := func(what string, got, want []float64) {
			t.Helper()
			off, size := 0.0, 1e-300
			for j := range want {
				off, size = math.Hypot(off, got[j]-want[j]), math.Hypot(size, want[j])
			}
			if len(got) != len(want) || off > 1e-7*size { // both are precise to 1e-9 on badly conditioned columns
				t.Errorf("%+v: %s off by %g of %g", c, what, off, size)
			}
		}
		m := want.Model(0)
		near("mean", got.Scaler.Mean, m.Scaler.Mean)
		near("scale", got.Scaler.Scale, m.Scaler.Scale)
		near("bias", got.Bias, m.Bias)
		for k := range m.Weights {
			near(fmt.Sprint("weights ", k), got.Weights[k], m.Weights[k])
		}
		if !reflect.DeepEqual(got.Classes, m.Classes) || len(got.Weights) != len(m.Weights) {
			t.Errorf("%+v: classes %v of %v", c, got.Classes, m.Classes)
		}
	}
}

// Their bits depend neither on the number of workers nor on how the rows are cut into parts.
func TestRowsInParts(t *testing.T) {
	x, classes := manyClasses(3*rowBlock+100, 9, 3)
	n := len(classes)
	want, err := FitRows(context.Background(), x, nil, classes, 1, Options{Workers: 3}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{1000, rowBlock + 1, n} {
		dir, pass, passes := filepath.Join(t.TempDir(), "known"), "", 0
		var results [][]byte
		for {
			got, err := FitRows(context.Background(), x, nil, classes, 1, Options{}, rounds.Lead(dir, pass,
				func(visit func(r io.Reader) error) error {
					for _, one := range results {
						if err := visit(bytes.NewReader(one)); err != nil {
							return err
						}
					}
					return nil
				}))
			if err == nil {
				if !reflect.DeepEqual(got, want) {
					t.Errorf("another machine in parts of %d rows", size)
				}
				break
			}
			var next *rounds.NextError
			if !errors.As(err, &next) {
				t.Fatal(err)
			}
			pass, results = next.Pass, nil
			passes++
			for from := 0; from < n; from += size {
				var out bytes.Buffer
				_, err := FitRows(context.Background(), x, nil, classes, 1, Options{}, rounds.Take(dir, pass, from, from+size,
					&out))
				if !errors.Is(err, rounds.ErrDone) {
					t.Fatal(err)
				}
				results = append(results, out.Bytes())
			}
		}
		if passes > 20 {
			t.Errorf("%d passes", passes)
		}
	}
}

// What is no problem for it is refused.
func TestBadRowsAreRefused(t *testing.T) {
	x, classes := manyClasses(50, 3, 2)
	fit := func(classes, rows []int, c float64, o Options) error {
		_, err := FitRows(context.Background(), x, rows, classes, c, o, nil)
		return err
	}
	for want, err := range map[string]error{
		"49 classes":     fit(classes[:49], nil, 1, Options{}),
		"free intercept": fit(classes, nil, 1, Options{Intercept: NoIntercept}),
		"object 50":      fit(classes, []int{50}, 1, Options{}),
		"-1":             fit(classes, nil, -1, Options{}),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	x.Float32s()[7] = float32(math.NaN())
	if err := fit(classes, nil, 1, Options{}); err == nil || !strings.Contains(err.Error(), "feature 1 of row 2") {
		t.Errorf("NaN: %v", err)
	}
}
