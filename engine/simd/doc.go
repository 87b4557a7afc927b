// Package simd holds the vector and matrix kernels of the CPU engine, on plain slices of float32
// and float64.
//
// Every kernel exists in portable Go and, on amd64, in assembly for AVX2 with FMA and for AVX-512
// (F, DQ and VL). The best level that the machine supports is chosen once, when the program starts;
// the environment variable GROVE_SIMD=portable|avx2|avx512 lowers it. Level reports the choice.
//
// Results are reproducible: within one level the bits of a result depend on the values and the
// lengths only, never on the alignment of a slice or on the number of workers. Between levels the
// last bits differ, because sums are associated differently and products are fused.
//
// Slices of different lengths are mistakes of the programmer, and panic.
package simd

//go:generate go run ./gen
