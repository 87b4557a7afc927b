package wl_test

import (
	"context"
	"slices"
	"testing"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/internal/testfiles"
	"github.com/grove-graph/grove/wl"
)

// open reads a data set of the TU collection from $GROVE_DATA/tu.
func open(t *testing.T, name string) *dataset.Dataset {
	t.Helper()
	d, err := dataset.Open(testfiles.Data(t, "tu", name))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Numbers of colours and sums of matrices that two other implementations agree on.
func TestRealGraphs(t *testing.T) {
	for _, c := range []struct {
		name                string
		colours             []int
		subtree, assignment float64
	}{
		{"MUTAG", []int{7, 33, 174, 572, 1197, 1766}, 10152522, 1402208},
		{"PTC_MR", []int{18, 130, 780, 1987, 2803, 3168}, 0, 0},
		{"PROTEINS", []int{3, 297, 20962, 35676, 37940, 38653}, 952615828, 32476928},
		{"NCI1", []int{37, 292, 4058, 22948, 44508, 58948}, 10508907614, 636348206},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := open(t, c.name)
			for kernel, want := range map[wl.Kernel]float64{wl.Subtree: c.subtree, wl.Assignment: c.assignment} {
				opt := wl.DefaultOptions(kernel)
				opt.Normalise = false
				m, err := wl.Fit(context.Background(), engine.NewCPU(2), d.Batch, opt, nil)
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(m.NumColours(), c.colours) {
					t.Errorf("%v colours, want %v", m.NumColours(), c.colours)
				}
				if want == 0 {
					continue
				}
				k, err := m.Gram(context.Background(), nil)
				if err != nil {
					t.Fatal(err)
				}
				sum := 0.0
				for _, v := range k.Float64s() {
					sum += v
				}
				if sum != want {
					t.Errorf("%s: the matrix adds up to %.0f, want %.0f", kernel, sum, want)
				}
			}
		})
	}
}
