package svm

import (
	"errors"
	"testing"

	"github.com/grove-graph/grove/memory"
	"gorgonia.org/tensor"
)

// Kernel matrices that no memory holds are errors, not the end of the program.
func TestMatricesThatCannotFit(t *testing.T) {
	if memory.Available() == 0 {
		t.Skip("this system does not tell how much memory is free")
	}
	const n = 1 << 20 // 9 TB
	x := tensor.New(tensor.WithShape(n, 1), tensor.WithBacking(make([]float64, n)))
	for _, kind := range []string{LinearKernel, RBFKernel, JaccardKernel} {
		var short *memory.Shortage
		if _, err := (VectorKernel{Kind: kind, Gamma: 1}).Gram(x, 2); !errors.As(err, &short) {
			t.Errorf("%s: error %v", kind, err)
		}
	}
}
