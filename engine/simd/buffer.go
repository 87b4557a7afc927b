package simd

import "sync"

// buffer is scratch space for packed parts of matrices.
type buffer[T Float] struct{ x []T }

var buffers32, buffers64 = sync.Pool{New: func() any { return new(buffer[float32]) }},
	sync.Pool{New: func() any { return new(buffer[float64]) }}

func pool[T Float]() *sync.Pool {
	if isFloat32[T]() {
		return &buffers32
	}
	return &buffers64
}

// borrow returns a buffer of n elements, of any values.
func borrow[T Float](n int) *buffer[T] {
	b := pool[T]().Get().(*buffer[T])
	if cap(b.x) < n {
		b.x = make([]T, n)
	}
	b.x = b.x[:n]
	return b
}

func (b *buffer[T]) release() { pool[T]().Put(b) }
