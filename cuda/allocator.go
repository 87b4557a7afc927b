//go:build gpu

package cuda

import (
	"fmt"
	"unsafe"

	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

// What gorgonia asks of the engine of a tensor.
var (
	_ tensor.Engine       = (*Engine)(nil)
	_ tensor.NonStdEngine = (*Engine)(nil)
	_ engine.Engine       = (*Engine)(nil)
)

// allocation is device memory as gorgonia sees it.
type allocation struct{ address, size uint64 }

func (a allocation) Uintptr() uintptr { return uintptr(a.address) }
func (a allocation) MemSize() uintptr { return uintptr(a.size) }

// AllocAccessible reports that Go cannot read the memory of tensors.
func (e *Engine) AllocAccessible() bool { return false }

// NonStdAlloc marks the memory of tensors as not the Go runtime's.
func (e *Engine) NonStdAlloc() {}

// WorksWith reports whether operations take tensors of a data order: dense and row-major.
func (e *Engine) WorksWith(order tensor.DataOrder) bool {
	return order.IsRowMajor() && order.IsContiguous()
}

// Alloc returns zeroed device memory, to be given back with Free or Release. Prefer New, whose tensors give theirs
// back by themselves and report a failure by their operations.
func (e *Engine) Alloc(size int64) (tensor.Memory, error) {
	if size <= 0 {
		return allocation{uint64(uintptr(unsafe.Pointer(&nowhere))), 0}, nil
	}
	b, err := e.take(int(size))
	if err != nil {
		return nil, err
	}
	m := allocation{b.address, uint64(size)}
	e.tensors.mu.Lock()
	if e.tensors.manual == nil {
		e.tensors.manual = make(map[uint64]*block)
	}
	e.tensors.manual[b.address] = b
	e.tensors.mu.Unlock()
	if err := e.fillBytes(m, 0); err != nil {
		_ = e.Free(m, size)
		return nil, err
	}
	return m, nil
}

// Free gives memory of Alloc back.
func (e *Engine) Free(m tensor.Memory, _ int64) error {
	address := uint64(m.Uintptr())
	e.tensors.mu.Lock()
	b := e.tensors.manual[address]
	delete(e.tensors.manual, address)
	e.tensors.mu.Unlock()
	if b == nil {
		if m.MemSize() == 0 {
			return nil
		}
		return fmt.Errorf("%s: memory at %#x was not allocated here, or is free already", e, address)
	}
	b.release()
	return nil
}

// Memclr zeroes device memory. What goes wrong comes out of the next operation.
func (e *Engine) Memclr(m tensor.Memory) { _ = e.fillBytes(m, 0) }

func (e *Engine) fillBytes(m tensor.Memory, value byte) error {
	if m.MemSize() == 0 {
		return nil
	}
	k := e.begin("Memclr")
	p := memory(k, m)
	return k.run(func(s *stream) error {
		s.fill(p.address, int(m.MemSize()), value)
		return nil
	})
}

// memory returns the address of device memory that an operation is to hold.
func memory(k *op, m tensor.Memory) pointer[uint8] {
	b := k.e.pool.holding(uint64(m.Uintptr()), uint64(m.MemSize()))
	if b == nil {
		k.fail(fmt.Errorf("%s: %s: memory at %#x is not on this device, or is free already", k.e, k.name, m.Uintptr()))
		return pointer[uint8]{}
	}
	k.touch(b)
	return pointer[uint8]{uint64(m.Uintptr())}
}

// Memset fills device memory with a float32 or float64.
func (e *Engine) Memset(m tensor.Memory, value interface{}) error {
	var pattern []byte
	switch v := value.(type) {
	case float32:
		pattern = bytesOf([]float32{v})
	case float64:
		pattern = bytesOf([]float64{v})
	default:
		return fmt.Errorf("%s: Memset of %T: want float32 or float64", e, value)
	}
	n := int(m.MemSize())
	if n == 0 {
		return nil
	}
	b := e.pool.holding(uint64(m.Uintptr()), uint64(n))
	if b == nil {
		return fmt.Errorf("%s: Memset: memory at %#x is not on this device, or is free already", e, m.Uintptr())
	}
	defer b.release()
	return e.fill(b, int(uint64(m.Uintptr())-b.address), n, func(dst []byte, _ int) {
		for len(dst) > 0 {
			dst = dst[copy(dst, pattern):]
		}
	})
}

// Memcpy copies between memory of the device and the host, either way, or within the device. It returns when host
// memory may be used again.
func (e *Engine) Memcpy(dst, src tensor.Memory) error {
	n := int(min(dst.MemSize(), src.MemSize()))
	if n == 0 {
		return nil
	}
	to := e.pool.holding(uint64(dst.Uintptr()), uint64(n))
	from := e.pool.holding(uint64(src.Uintptr()), uint64(n))
	if to != nil {
		defer to.release()
	}
	if from != nil {
		defer from.release()
	}
	switch {
	case to != nil && from != nil:
		k := e.begin("Memcpy")
		k.touch(to.retain())
		k.touch(from.retain())
		return k.run(func(s *stream) error {
			return copyTo(s, pointer[uint8]{uint64(dst.Uintptr())}, pointer[uint8]{uint64(src.Uintptr())}, n)
		})
	case to != nil:
		data := hostBytes(src, n)
		return e.fill(to, int(uint64(dst.Uintptr())-to.address), n, func(piece []byte, at int) { copy(piece, data[at:]) })
	case from != nil:
		data := hostBytes(dst, n)
		return e.receive(from, int(uint64(src.Uintptr())-from.address), n, func(piece []byte, at int) {
			copy(data[at:], piece)
		})
	}
	copy(hostBytes(dst, n), hostBytes(src, n))
	return nil
}

// hostBytes is host memory that gorgonia gives as an address.
func hostBytes(m tensor.Memory, n int) []byte {
	address := m.Uintptr()
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&address)), n)
}

// Accessible returns memory that Go can read: m itself if it is, otherwise an error, since device memory is not.
func (e *Engine) Accessible(m tensor.Memory) (tensor.Memory, error) {
	if b := e.pool.holding(uint64(m.Uintptr()), uint64(m.MemSize())); b != nil {
		b.release()
		return nil, fmt.Errorf("%s: memory at %#x is on the device: copy it with Convert", e, m.Uintptr())
	}
	return m, nil
}
