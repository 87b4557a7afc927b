package mpgk

import (
	"context"
	"errors"
	"testing"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/memory"
	"gorgonia.org/tensor"
)

// Kernel matrices that no memory holds are errors, not the end of the program.
func TestMatricesThatCannotFit(t *testing.T) {
	if memory.Available() == 0 {
		t.Skip("this system does not tell how much memory is free")
	}
	const n = 1 << 20 // 9 TB
	offsets := make([]int32, n+1)
	for g := range offsets {
		offsets[g] = int32(g)
	}
	b, err := graph.FromArcs(offsets, graph.ArcList{}, graph.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	b.Labels, b.NumLabels = make([]int32, n), 1
	ctx := context.Background()
	for _, variant := range []string{"mpgk-rr", "mpgk-aa"} {
		opt, err := Preset(variant)
		if err != nil {
			t.Fatal(err)
		}
		opt.Iterations = 1
		m, err := Fit(ctx, engine.NewCPU(2), b, opt, nil)
		if err != nil {
			t.Fatal(err)
		}
		var short *memory.Shortage
		if _, err := m.Gram(ctx, nil); !errors.As(err, &short) {
			t.Errorf("%v: Gram: error %v", variant, err)
		}
		err = m.EachGram(ctx, nil, func(int, *tensor.Dense) error { return nil })
		if !errors.As(err, &short) {
			t.Errorf("%v: EachGram: error %v", variant, err)
		}
	}
}
