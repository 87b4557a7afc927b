// Package simd holds the vector and matrix kernels of the CPU engine, on plain slices of float32
// and float64.
//
//	simd.Axpy(2, x, y) // y += 2 x
//	product := simd.Dot(x, y)
//
// Every kernel exists in portable Go and, on amd64, in assembly for AVX2 with FMA and for AVX-512
// (F, DQ and VL). The best level that the machine supports is chosen once, when the program starts;
// the environment variable GROVE_SIMD=portable|avx2|avx512 names another. Level reports the choice, and
// Check what is wrong with the name.
//
// Results are reproducible: within one level the bits of a result depend on the values and the
// lengths only, never on the alignment of a slice or on the number of workers. Between levels the
// last bits differ, because sums are associated differently and products are fused. To make them agree would
// cost far more than it is worth: without fused products the matrix product, which runs near the peak of them,
// takes a third longer at least, and portable code that fuses them is slower by a half where the processor
// can, and by a factor of four where it cannot.
//
// Slices of different lengths are mistakes of the programmer, and panic.
package simd

//go:generate go run ./gen
