package simd

import "unsafe"

// ptr32 and ptr64 give a pointer to an element the type that it has, for a kernel.

func ptr32[T Float](p *T) *float32 { return (*float32)(unsafe.Pointer(p)) }
func ptr64[T Float](p *T) *float64 { return (*float64)(unsafe.Pointer(p)) }
