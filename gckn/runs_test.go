package gckn

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/enginetest"
	"gorgonia.org/tensor"
)

// Runs come in their order, each once, whatever is under way at the same time, and one that fails is the last.
func TestRunsComeInTheirOrder(t *testing.T) {
	b := batch(t, molecules(t, 40, 6))
	m := fit(t, enginetest.Open(t, 1), b, options(t, "gckn-subtree"))
	want := represent(t, m, b)
	next := func(n int) *tensor.Dense { return m.engine.Host().New(m.opt.dtype(), n, m.opt.Dim()) }
	for _, failing := range []int{-1, 0, 3} {
		var got []float64
		visits, enough := 0, errors.New("enough")
		err := m.fill(context.Background(), b, false, 1<<14, nil, next, func(x *tensor.Dense) error {
			rows, err := engine.Float64s(x)
			got = append(got, rows...)
			if visits++; visits-1 == failing {
				return enough
			}
			return err
		})
		switch {
		case failing >= 0 && (!errors.Is(err, enough) || visits != failing+1):
			t.Errorf("run %d fails: %v after %d visits", failing, err, visits)
		case failing < 0 && (err != nil || visits < 5):
			t.Errorf("%d runs: %v", visits, err)
		case failing < 0 && !slices.Equal(got, want):
			t.Error("runs give other bits than all graphs at once")
		}
	}
}
