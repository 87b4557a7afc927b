//go:build gpu

package cuda

import (
	"fmt"
	"runtime"
	"sync"
	"unsafe"
	"weak"

	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

// tensors knows the memory behind the tensors of an engine. Tensors made by New, Scratch and View give theirs back
// when they are released or collected; memory that gorgonia asked for through Alloc is given back by Free.
type tensors struct {
	mu     sync.Mutex
	held   map[weak.Pointer[tensor.Dense]]*holding
	manual map[uint64]*block // by Alloc
}

// holding is what one tensor has.
type holding struct {
	block   *block // nil for a tensor without elements, and for one whose allocation failed
	address uint64
	err     error // of the allocation
	cleanup runtime.Cleanup
}

// nowhere is the address of tensors without memory: a slice of a tensor needs one that is not nil. Nothing is
// read from it or written to it.
var nowhere [64]byte

// New returns a zeroed tensor. Where the device has no memory left the tensor has none, and every operation on it
// returns the error of its allocation.
func (e *Engine) New(dtype tensor.Dtype, shape ...int) *tensor.Dense {
	b, bytes, err := e.room(dtype, shape)
	if err == nil && b != nil {
		k := e.begin("New")
		k.touch(b.retain())
		k.clears = append(k.clears, clearing{b.address, bytes})
		err = k.run(func(*stream) error { return nil })
		if err != nil {
			b.release()
			b = nil
		}
	}
	return e.dense(dtype, shape, b, 0, err)
}

// Scratch is New with arbitrary content.
func (e *Engine) Scratch(dtype tensor.Dtype, shape ...int) *tensor.Dense {
	b, _, err := e.room(dtype, shape)
	return e.dense(dtype, shape, b, 0, err)
}

// room returns memory for a tensor, or nil for one without elements.
func (e *Engine) room(dtype tensor.Dtype, shape []int) (*block, int, error) {
	if dtype != tensor.Float32 && dtype != tensor.Float64 {
		panic(fmt.Sprintf("cuda: a tensor of %v: want Float32 or Float64", dtype))
	}
	bytes := elements(shape) * int(dtype.Size())
	if bytes == 0 {
		return nil, 0, nil
	}
	b, err := e.take(bytes)
	return b, bytes, err
}

func elements(shape []int) int {
	n := 1
	for _, d := range shape {
		if d < 0 {
			panic(fmt.Sprintf("cuda: a tensor of shape %v", shape))
		}
		n *= d
	}
	return n
}

// dense makes the tensor of a block, whose holder it takes over, at an offset in bytes.
func (e *Engine) dense(dtype tensor.Dtype, shape []int, b *block, offset int, err error) *tensor.Dense {
	h := &holding{block: b, err: err}
	if b != nil {
		h.address = b.address + uint64(offset)
	}
	address := uintptr(h.address)
	if address == 0 {
		address = uintptr(unsafe.Pointer(&nowhere))
	}
	t := tensor.New(tensor.Of(dtype), tensor.WithShape(shape...), tensor.WithEngine(e),
		tensor.FromMemory(address, uintptr(elements(shape)*int(dtype.Size()))))
	e.tensors.add(t, h)
	return t
}

func (r *tensors) add(t *tensor.Dense, h *holding) {
	key := weak.Make(t)
	h.cleanup = runtime.AddCleanup(t, func(key weak.Pointer[tensor.Dense]) { r.drop(key) }, key)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.held == nil {
		r.held = make(map[weak.Pointer[tensor.Dense]]*holding)
	}
	r.held[key] = h
}

// drop gives back what a tensor has and reports whether it was known.
func (r *tensors) drop(key weak.Pointer[tensor.Dense]) bool {
	r.mu.Lock()
	h := r.held[key]
	delete(r.held, key)
	r.mu.Unlock()
	if h == nil {
		return false
	}
	if h.block != nil {
		h.block.release()
	}
	return true
}

// Release gives the memory of tensors back before they are collected; nil ones are left out. They must not be used
// again. Views of them keep theirs.
func (e *Engine) Release(ts ...*tensor.Dense) {
	for _, t := range ts {
		if t == nil || t.Engine() != tensor.Engine(e) {
			continue
		}
		key := weak.Make(t)
		e.tensors.mu.Lock()
		h := e.tensors.held[key]
		e.tensors.mu.Unlock()
		if h != nil {
			h.cleanup.Stop()
			e.tensors.drop(key)
		} else if t.MemSize() > 0 {
			_ = e.Free(allocation{uint64(t.Uintptr()), uint64(t.MemSize())}, int64(t.MemSize()))
		}
	}
}

// View returns the elements of t from number first on in another shape. It shares t's memory, which stays as long
// as one of them does. A view beyond the end of t panics.
func (e *Engine) View(t *tensor.Dense, first int, shape ...int) *tensor.Dense {
	n, width := elements(shape), int(t.Dtype().Size())
	if first < 0 || (first+n)*width > int(t.MemSize()) {
		panic(fmt.Sprintf("cuda: a view of %d elements from number %d of a tensor of %d", n, first, int(t.MemSize())/width))
	}
	b, address, err := e.locate(t)
	if err != nil || b == nil {
		return e.dense(t.Dtype(), shape, nil, 0, err)
	}
	return e.dense(t.Dtype(), shape, b, int(address-b.address)+first*width, nil)
}

// locate returns the address of a tensor of this engine and the block it lies in, with one more holder; both are
// zero for a tensor without elements.
func (e *Engine) locate(t *tensor.Dense) (*block, uint64, error) {
	if t.Engine() != tensor.Engine(e) {
		return nil, 0, fmt.Errorf("a tensor of %s where one of %s is wanted: copy it with Convert", owner(t), e)
	}
	if !t.DataOrder().IsRowMajor() || !t.DataOrder().IsContiguous() {
		return nil, 0, fmt.Errorf("a tensor that is not dense and row-major: copy it, or use View")
	}
	e.tensors.mu.Lock()
	h := e.tensors.held[weak.Make(t)]
	var b *block
	if h != nil && h.block != nil {
		b = h.block.retain()
	}
	e.tensors.mu.Unlock()
	switch {
	case h != nil && h.err != nil:
		return nil, 0, h.err
	case t.MemSize() == 0:
		if b != nil {
			b.release()
		}
		return nil, 0, nil
	case b != nil && uint64(t.Uintptr()) == h.address:
		return b, h.address, nil
	case b != nil:
		b.release() // gorgonia gave the tensor other memory
	}
	// A tensor that gorgonia made, or a slice of one of ours.
	address := uint64(t.Uintptr())
	if b = e.pool.holding(address, uint64(t.MemSize())); b == nil {
		return nil, 0, fmt.Errorf("a tensor whose memory was released")
	}
	return b, address, nil
}

// owner names the engine of a tensor.
func owner(t *tensor.Dense) string {
	switch o := t.Engine().(type) {
	case engine.Engine:
		return o.String()
	default:
		return "host memory"
	}
}
