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
	of      *tensor.Dense // of a view, whose memory this tensor has
	block   *block        // nil for a view, for a tensor without elements, and for one whose allocation failed
	address uint64
	err     error // of the allocation
	cleanup runtime.Cleanup
}

// nowhere is the address of tensors without memory: a slice of a tensor needs one that is not nil. Nothing is
// read from it or written to it.
var nowhere [64]byte

// New implements [engine.Memory].
func (e *Engine) New(dtype tensor.Dtype, shape ...int) *tensor.Dense {
	b, bytes, err := e.memoryOf(dtype, shape)
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
	return e.dense(dtype, shape, &holding{block: b, err: err}, 0)
}

// Scratch implements [engine.Memory].
func (e *Engine) Scratch(dtype tensor.Dtype, shape ...int) *tensor.Dense {
	b, _, err := e.memoryOf(dtype, shape)
	return e.dense(dtype, shape, &holding{block: b, err: err}, 0)
}

// memoryOf returns memory for a tensor, or nil for one without elements.
func (e *Engine) memoryOf(dtype tensor.Dtype, shape []int) (*block, int, error) {
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

// dense makes the tensor that has h, at an address or that of its block.
func (e *Engine) dense(dtype tensor.Dtype, shape []int, h *holding, at uint64) *tensor.Dense {
	if h.address = at; at == 0 && h.block != nil {
		h.address = h.block.address
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
	if before := r.held[key]; before != nil { // gorgonia took the tensor back, and makes others of it
		before.cleanup.Stop()
		if before.block != nil {
			before.block.release()
		}
	}
	r.held[key] = h
}

// adopt makes the memory of Alloc that a tensor of gorgonia's has go back when the tensor is collected.
func (e *Engine) adopt(t tensor.Tensor) {
	d, ok := t.(*tensor.Dense)
	if !ok || d.Engine() != tensor.Engine(e) || d.MemSize() == 0 {
		return
	}
	address := uint64(d.Uintptr())
	e.tensors.mu.Lock()
	b := e.tensors.manual[address]
	delete(e.tensors.manual, address)
	e.tensors.mu.Unlock()
	if b != nil {
		e.tensors.add(d, &holding{block: b, address: address})
	}
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

// Release implements [engine.Memory]. The memory is used for others when the work enqueued before is done.
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

// View implements [engine.Memory].
func (e *Engine) View(t *tensor.Dense, first int, shape ...int) *tensor.Dense {
	n, width := elements(shape), int(t.Dtype().Size())
	if first < 0 || (first+n)*width > int(t.MemSize()) {
		panic(fmt.Sprintf("cuda: a view of %d elements from number %d of a tensor of %d", n, first, int(t.MemSize())/width))
	}
	b, address, err := e.locate(t)
	if err != nil || b == nil {
		return e.dense(t.Dtype(), shape, &holding{err: err}, 0)
	}
	h := &holding{block: b}
	if of := e.tensors.origin(t); of != nil {
		h = &holding{of: of}
		b.release()
	}
	return e.dense(t.Dtype(), shape, h, address+uint64(first*width))
}

// origin returns the tensor of New or Scratch whose memory t has, nil for memory that gorgonia asked for.
func (r *tensors) origin(t *tensor.Dense) *tensor.Dense {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch h := r.held[weak.Make(t)]; {
	case h == nil:
		return nil
	case h.of != nil:
		return h.of
	}
	return t
}

// Mirror implements [engine.Memory].
func (e *Engine) Mirror(t *tensor.Dense) *tensor.Dense {
	if t.Engine() == tensor.Engine(e) {
		return e.host.New(t.Dtype(), t.Shape()...)
	}
	return e.Scratch(t.Dtype(), t.Shape()...)
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
	root := h
	if h != nil && h.of != nil {
		root = e.tensors.held[weak.Make(h.of)]
	}
	var b *block
	if root != nil && root.block != nil {
		b = root.block.retain()
	}
	e.tensors.mu.Unlock()
	switch {
	case h != root && root == nil:
		return nil, 0, fmt.Errorf("a view of a tensor whose memory was released")
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
		return nil, 0, fmt.Errorf("a tensor whose memory was released, or is host memory of a machine of gorgonia's: " +
			"run its graph by autodiff.On")
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
