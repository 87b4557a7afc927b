package eval

import (
	"context"
	"encoding/binary"
	"fmt"
	"sync"

	"gorgonia.org/tensor"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/svm"
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
	if memory <= 0 {
		memory = defaultMemory
	}
	if n := x.Shape()[0]; 8*n*n > memory {
		return g.Kernel.Rows(e, x, memory)
	}
	k, err := g.Kernel.Gram(x, e.Workers())
	if err != nil {
		return nil, err
	}
	return svm.NewMatrix(k)
}

// Remember returns vectors for a number of settings that share them: what is learned from a training part
// is kept until it was asked for by all of them. Put these settings one after another in Problem.Settings.
func Remember(v Vectors, settings int) Vectors {
	return &remembered{Vectors: v, settings: settings, of: map[string]*memory{}}
}

type remembered struct {
	Vectors
	settings int
	mu       sync.Mutex
	of       map[string]*memory // by training part
}

type memory struct {
	asked   int // under the lock of all
	compute sync.Mutex
	x       *tensor.Dense // nil until it was computed
}

// Represent implements [Vectors].
func (r *remembered) Represent(ctx context.Context, train []int) (*tensor.Dense, error) {
	m := r.recall(train)
	m.compute.Lock()
	defer m.compute.Unlock()
	if m.x != nil {
		return m.x, nil
	}
	x, err := r.Vectors.Represent(ctx, train)
	m.x = x
	return x, err
}

// recall returns the memory of a training part, and forgets it where it will not be asked for again.
func (r *remembered) recall(train []int) *memory {
	key := "all"
	if train != nil {
		part := make([]byte, 0, 2*len(train))
		for _, i := range train {
			part = binary.AppendUvarint(part, uint64(i))
		}
		key = "part " + string(part)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	m, ok := r.of[key]
	if !ok {
		m = &memory{}
		r.of[key] = m
	}
	if m.asked++; m.asked >= r.settings {
		delete(r.of, key)
	}
	return m
}
