package eval

import (
	"context"
	"fmt"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/svm"
	"gorgonia.org/tensor"
)

// OnVectors is a kernel between graphs by way of vectors.
type OnVectors struct {
	Vectors
	Kernel svm.VectorKernel
	// Engine computes what does not fit in Memory, default a CPU with one worker. Its workers compute the
	// matrix as well.
	Engine engine.Engine
	// Memory bounds the bytes of a kernel, default 1 GiB. The rows of a larger matrix are computed when they
	// are asked for, and as many as fit are kept.
	Memory int
}

const defaultMemory = 1 << 30

// String implements [Gram].
func (g OnVectors) String() string { return fmt.Sprintf("%s, %s", g.Vectors, g.Kernel) }

// Gram implements [Gram].
func (g OnVectors) Gram(ctx context.Context, train []int) (svm.Kernel, error) {
	x, err := represent(ctx, g.Vectors, train)
	if err != nil {
		return nil, err
	}
	e, memory := g.Engine, g.Memory
	if e == nil {
		e = engine.NewCPU(1)
	}
	return KernelOn(x, g.Kernel, e, memory)
}

// KernelOn returns the kernel between the rows of x: its matrix, or where that takes more than so many bytes
// (default 1 GiB) its rows when they are asked for, of which as many as fit are kept.
func KernelOn(x *tensor.Dense, kernel svm.VectorKernel, e engine.Engine, memory int) (svm.Kernel, error) {
	if memory <= 0 {
		memory = defaultMemory
	}
	if n := x.Shape()[0]; 8*n*n > memory {
		return kernel.Rows(e, x, memory)
	}
	k, err := kernel.Gram(x, e.Workers())
	if err != nil {
		return nil, err
	}
	return svm.NewMatrix(k)
}
