//go:build gpu

package cuda

import (
	"math"
	"unsafe"
)

// real are the types of tensors.
type real interface{ float32 | float64 }

// element are the types that device memory holds.
type element interface {
	float32 | float64 | int32 | int64 | uint8
}

// pointer is the address of elements in device memory; the zero value is the null pointer.
type pointer[T element] struct{ address uint64 }

// at returns the address of element i.
func (p pointer[T]) at(i int) pointer[T] {
	return pointer[T]{p.address + uint64(i)*uint64(size[T]())}
}

func (p pointer[T]) null() bool { return p.address == 0 }

func size[T element]() int {
	var x T
	return int(unsafe.Sizeof(x))
}

// bitsOf is a floating-point argument as the driver takes it.
func bitsOf[T real](x T) uint64 {
	switch x := any(x).(type) {
	case float32:
		return uint64(math.Float32bits(x))
	case float64:
		return math.Float64bits(x)
	}
	panic("unreachable")
}

// either chooses between a kernel for float and its twin for double.
func either[T real](single, double int) int {
	if size[T]() == 4 {
		return single
	}
	return double
}
