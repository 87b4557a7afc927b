package enginetest

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"

	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

// Rough is a device, as far as code above the engine can tell, that computes on the CPU and whose products of matrices
// are wrong by up to two units in the last place: what must not depend on the device may not depend on them.
type Rough struct {
	*engine.CPU
	Fails    error        // of every product
	Products atomic.Int64 // how many there were

	mu  sync.Mutex
	rng *rand.Rand
}

// NewRough returns a rough device.
func NewRough(workers int) *Rough {
	return &Rough{CPU: engine.NewCPU(workers), rng: rand.New(rand.NewPCG(1, 1))}
}

// New implements [engine.Device].
func (r *Rough) New(dtype tensor.Dtype, shape ...int) *tensor.Dense {
	return engine.New(r.CPU, dtype, shape...)
}

// Scratch implements [engine.Device].
func (r *Rough) Scratch(dtype tensor.Dtype, shape ...int) *tensor.Dense {
	return r.New(dtype, shape...)
}

// View implements [engine.Device].
func (r *Rough) View(t *tensor.Dense, first int, shape ...int) *tensor.Dense {
	return engine.View(t, first, shape...)
}

// Release implements [engine.Device].
func (r *Rough) Release(...*tensor.Dense) {}

// Available implements [engine.Device].
func (r *Rough) Available() (int64, error) { return 1 << 40, nil }

// Close implements [engine.Device].
func (r *Rough) Close() error { return nil }

// SparseMatMul implements [engine.Engine].
func (r *Rough) SparseMatMul(y *tensor.Dense, a *engine.Sparse, x *tensor.Dense) error {
	if err := r.CPU.SparseMatMul(y, a, x); err != nil {
		return err
	}
	return r.shake(y)
}

// MatMul implements [engine.Engine].
func (r *Rough) MatMul(c, a, b *tensor.Dense, opt engine.MatMul) error {
	if err := r.CPU.MatMul(c, a, b, opt); err != nil {
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
