package simd

import "golang.org/x/sys/cpu"

// supported returns the best level that this machine can run.
func supported() level {
	switch x := &cpu.X86; {
	case !x.HasAVX2 || !x.HasFMA:
		return portable
	case !x.HasAVX512F || !x.HasAVX512DQ || !x.HasAVX512VL:
		return avx2
	default:
		return avx512
	}
}
