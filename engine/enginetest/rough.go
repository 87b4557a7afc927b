package enginetest

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"

	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

// Rough is a wide engine that computes on the CPU and whose products of matrices are wrong by up to two units in the
// last place: what must not depend on the engine may not depend on them.
type Rough struct {
	*engine.CPU
	Fails    error        // of every product
	Products atomic.Int64 // how many there were

	mu  sync.Mutex
	rng *rand.Rand
}

// NewRough returns a rough engine.
func NewRough(workers int) *Rough {
	return &Rough{CPU: engine.NewCPU(workers), rng: rand.New(rand.NewPCG(1, 1))}
}

// Capabilities implements [engine.Engine].
func (r *Rough) Capabilities() engine.Capabilities { return engine.Capabilities{Wide: true} }

// SparseMatMul implements [engine.Engine].
func (r *Rough) SparseMatMul(y *tensor.Dense, a *engine.Sparse, x *tensor.Dense) error {
	if err := r.CPU.SparseMatMul(y, a, x); err != nil {
		return err
	}
	return r.shake(y)
}

// Gemm implements [engine.Engine].
func (r *Rough) Gemm(c, a, b *tensor.Dense, opt engine.Gemm) error {
	if err := r.CPU.Gemm(c, a, b, opt); err != nil {
		return err
	}
	return r.shake(c)
}

func (r *Rough) shake(x *tensor.Dense) error {
	r.Products.Add(1)
	if x.Dtype() == tensor.Float32 {
		shake(r, x.Float32s(), 0x1p-23)
	} else {
		shake(r, x.Float64s(), 0x1p-52)
	}
	return r.Fails
}

func shake[T float32 | float64](r *Rough, x []T, unit T) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range x {
		x[i] *= 1 + unit*T(r.rng.IntN(5)-2)
	}
}
