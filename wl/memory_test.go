package wl

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
	ctx := context.Background()
	m := fit(t, engine.NewCPU(2), b, Options{Kernel: Subtree, Iterations: 1, Uniform: true, Follow: FollowOut})
	var short *memory.Shortage
	if _, err := m.Gram(ctx, nil); !errors.As(err, &short) {
		t.Errorf("Gram: error %v", err)
	}
	if _, err := m.Cross(ctx, b, nil); !errors.As(err, &short) {
		t.Errorf("Cross: error %v", err)
	}
	err = m.EachGram(ctx, nil, func(int, *tensor.Dense) error { return nil })
	if !errors.As(err, &short) || short.Need != 16*n*n {
		t.Errorf("EachGram: error %v", err)
	}
}
