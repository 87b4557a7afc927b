package simd

// dot is Dot at a level.
func dot[T Float](lv level, x, y []T) T {
	n := len(x)
	if lv == portable || n == 0 {
		return portableDot(x, y)
	}
	px, py := &x[0], &y[0]
	switch {
	case isFloat32[T]() && lv == avx512:
		return T(dotF32AVX512(n, ptr32(px), ptr32(py)))
	case isFloat32[T]():
		return T(dotF32AVX2(n, ptr32(px), ptr32(py)))
	case lv == avx512:
		return T(dotF64AVX512(n, ptr64(px), ptr64(py)))
	default:
		return T(dotF64AVX2(n, ptr64(px), ptr64(py)))
	}
}

// dotWide is DotWide at a level.
func dotWide(lv level, x, y []float32) float64 {
	n := len(x)
	switch {
	case lv == portable || n == 0:
		return portableDotWide(x, y)
	case lv == avx512:
		return dotWideF32AVX512(n, &x[0], &y[0])
	default:
		return dotWideF32AVX2(n, &x[0], &y[0])
	}
}

// axpyWide is AxpyWide at a level.
func axpyWide(lv level, a float64, x []float32, y []float64) {
	n := len(x)
	switch {
	case lv == portable || n == 0:
		portableAxpyWide(a, x, y)
	case lv == avx512:
		axpyWideF32AVX512(n, a, &x[0], &y[0])
	default:
		axpyWideF32AVX2(n, a, &x[0], &y[0])
	}
}

// rotate is Rotate at a level.
func rotate(lv level, u []float64, ld, cols int, c, s []float64) {
	switch lv {
	case portable:
		portableRotate(u, ld, cols, c, s)
	case avx512:
		rotateF64AVX512(cols, &u[0], 8*ld, len(c), &c[0], &s[0])
	default:
		rotateF64AVX2(cols, &u[0], 8*ld, len(c), &c[0], &s[0])
	}
}

// argMax is the index of ArgMax at a level.
func argMax[T Float](lv level, x []T) int {
	n, px := len(x), &x[0]
	switch {
	case lv == portable:
		return portableArgMax(x)
	case isFloat32[T]() && lv == avx512:
		return argMaxF32AVX512(n, ptr32(px))
	case isFloat32[T]():
		return argMaxF32AVX2(n, ptr32(px))
	case lv == avx512:
		return argMaxF64AVX512(n, ptr64(px))
	default:
		return argMaxF64AVX2(n, ptr64(px))
	}
}

// combine is Combine at a level.
func combine[T Float](lv level, y []T, index []int32, factor []float64, x []T) {
	n, rows, py, px := len(y), len(index), &y[0], &x[0]
	switch {
	case lv == portable:
		portableCombine(y, index, factor, x)
	case isFloat32[T]() && lv == avx512:
		combineF32AVX512(n, ptr32(py), rows, &index[0], &factor[0], ptr32(px), 4*n)
	case isFloat32[T]():
		combineF32AVX2(n, ptr32(py), rows, &index[0], &factor[0], ptr32(px), 4*n)
	case lv == avx512:
		combineF64AVX512(n, ptr64(py), rows, &index[0], &factor[0], ptr64(px), 8*n)
	default:
		combineF64AVX2(n, ptr64(py), rows, &index[0], &factor[0], ptr64(px), 8*n)
	}
}
