// Command gen writes the assembly kernels of package simd and their Go declarations, into the
// current directory. It is run by
//
//	go generate ./engine/simd
//
// For every group of kernels and instruction set there is a file of assembly, X_amd64.s, and one of
// its declarations, X_stub_amd64.go. Two more Go files choose between kernels.
package main

import (
	"bytes"
	"log"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("gen: ")
	for file, write := range map[string]func(*bytes.Buffer){
		"gemm_tiles_amd64.go":  tileDispatch,
		"elementwise_amd64.go": elementwiseDispatch,
	} {
		if err := saveGo(file, write); err != nil {
			log.Fatal(err)
		}
	}
	for _, set := range []isa{avx2, avx512} {
		for name, write := range map[string]func(*assembler){
			"gemm":        gemmKernels,
			"dot":         dotKernels,
			"transpose":   transposeKernels,
			"elementwise": writeElementwise,
			"argmax":      argMaxKernels,
			"widen":       widenKernels,
			"rotate":      rotateKernels,
			"combine":     combineKernels,
			"philox":      philoxKernels,
		} {
			a := newAssembler(set)
			write(a)
			if err := a.save(name + "_" + set.String()); err != nil {
				log.Fatal(err)
			}
		}
	}
}
