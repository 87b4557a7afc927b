package simd

import "unsafe"

// vectorLanes is the number of elements in a vector register.
func vectorLanes[T Float](lv level) int {
	var bytes int
	switch lv {
	case avx512:
		bytes = 64
	case avx2:
		bytes = 32
	default:
		return 1
	}
	return bytes / int(unsafe.Sizeof(T(0)))
}

// tileShape is the shape of the largest tile of C that stays in registers.
func tileShape[T Float](lv level) (rows, cols int) {
	switch lv {
	case avx512:
		return 12, 2 * vectorLanes[T](lv)
	case avx2:
		return 6, 2 * vectorLanes[T](lv)
	default:
		return portableRows, portableCols
	}
}

// multiplyPanel computes C = alpha*A*B + beta*C for a panel of columns not wider than a tile, and
// k >= 1. Rows of B and C are contiguous. Where rows stand apart, A has at least leastRows in memory.
func multiplyPanel[T Float](lv level, apart bool, m, n, k int, alpha T, a, b view[T], beta T, c view[T]) {
	if lv == portable {
		portablePanel(m, n, k, alpha, a, b, beta, c)
		return
	}
	lanes := vectorLanes[T](lv)
	switch {
	case lv == avx512 && n > lanes, n == 2*lanes:
		tiles(lv, apart, 2, m, n, k, alpha, a, b, beta, c)
		return
	case n > lanes: // AVX2 kernels of two vectors are for full tiles
		tiles(lv, apart, 1, m, lanes, k, alpha, a, b, beta, c)
		n -= lanes
		b, c = b.from(0, lanes), c.from(0, lanes)
	}
	tiles(lv, apart, 1, m, n, k, alpha, a, b, beta, c)
}

// tiles runs the kernels of a number of vectors along the rows of C.
func tiles[T Float](lv level, apart bool, vectors, m, n, k int, alpha T, a, b view[T], beta T, c view[T]) {
	size := int(unsafe.Sizeof(T(0)))
	_, _, _ = a.x[(m-1)*a.row+(k-1)*a.col], b.x[(k-1)*b.row+n-1], c.x[(m-1)*c.row+n-1]
	for i := 0; i < m; {
		rows := kernelRows(lv, m-i)
		if apart && rows < leastRows(lv) {
			lastTile(lv, vectors, m, m-i, n, k, alpha, a, b, beta, c)
			return
		}
		pa, pb, pc := &a.x[i*a.row], &b.x[0], &c.x[i*c.row]
		switch {
		case isFloat32[T]() && lv == avx512:
			gemmF32AVX512(rows, vectors, k, ptr32(pa), a.row*size, a.col*size, ptr32(pb), b.row*size,
				ptr32(pc), c.row*size, float32(alpha), float32(beta), n)
		case isFloat32[T]():
			gemmF32AVX2(rows, vectors, k, ptr32(pa), a.row*size, a.col*size, ptr32(pb), b.row*size,
				ptr32(pc), c.row*size, float32(alpha), float32(beta), n)
		case lv == avx512:
			gemmF64AVX512(rows, vectors, k, ptr64(pa), a.row*size, a.col*size, ptr64(pb), b.row*size,
				ptr64(pc), c.row*size, float64(alpha), float64(beta), n)
		default:
			gemmF64AVX2(rows, vectors, k, ptr64(pa), a.row*size, a.col*size, ptr64(pb), b.row*size,
				ptr64(pc), c.row*size, float64(alpha), float64(beta), n)
		}
		i += rows
	}
}

// kernelRows is the height of the tallest kernel for so many rows.
func kernelRows(lv level, rows int) int {
	switch {
	case lv == avx512 && rows >= 12:
		return 12
	case lv == avx512 && rows >= 8:
		return 8
	case lv == avx2 && rows >= 6:
		return 6
	case rows >= 4:
		return 4
	case rows >= 2:
		return 2
	default:
		return 1
	}
}

// leastRows is the height of the lowest kernel that adds up in the order of the tallest one of as many vectors: the
// lower ones have several sums of each element.
func leastRows(lv level) int {
	switch lv {
	case avx512:
		return 8
	case avx2:
		return 4
	default:
		return 1
	}
}

// lastTile computes the last rows of C, fewer than leastRows, by a kernel for that many, in a copy of them.
func lastTile[T Float](lv level, vectors, m, rows, n, k int, alpha T, a, b view[T], beta T, c view[T]) {
	const most, width = 8, 32
	var space [most * width]T
	tile, first := view[T]{space[:], width, 1}, max(m-leastRows(lv), 0)
	for i := m - rows; beta != 0 && i < m; i++ {
		copy(tile.x[(i-first)*width:][:n], c.x[i*c.row:])
	}
	tiles(lv, false, vectors, leastRows(lv), n, k, alpha, a.from(first, 0), b, beta, tile)
	for i := m - rows; i < m; i++ {
		copy(c.x[i*c.row:][:n], tile.x[(i-first)*width:])
	}
}

// dots computes the inner products of x with eight rows of A, of n >= 1 elements. It is for levels
// with vectors.
func dots[T Float](lv level, n int, a view[T], x []T, sums *[dotRows]T) {
	size := int(unsafe.Sizeof(T(0)))
	_, _ = a.x[(dotRows-1)*a.row+n-1], x[n-1]
	pa, px, ps := &a.x[0], &x[0], &sums[0]
	switch {
	case isFloat32[T]() && lv == avx512:
		dotsF32AVX512(n, ptr32(pa), a.row*size, ptr32(px), ptr32(ps))
	case isFloat32[T]():
		dotsF32AVX2(n, ptr32(pa), a.row*size, ptr32(px), ptr32(ps))
	case lv == avx512:
		dotsF64AVX512(n, ptr64(pa), a.row*size, ptr64(px), ptr64(ps))
	default:
		dotsF64AVX2(n, ptr64(pa), a.row*size, ptr64(px), ptr64(ps))
	}
}

// transpose copies rows of n >= 1 elements, ld apart, to columns of a matrix with rows of width
// elements, a multiple of the vector lanes. Places after the columns are overwritten.
func transpose[T Float](lv level, n, rows int, dst []T, width int, src []T, ld int) {
	if lv == portable {
		portableTranspose(n, rows, dst, width, src, ld)
		return
	}
	_, _ = dst[n*width-1], src[(rows-1)*ld+n-1]
	size := int(unsafe.Sizeof(T(0)))
	lanes := vectorLanes[T](lv)
	var from [16]*T
	for i := 0; i < rows; i += lanes {
		for r := range lanes {
			from[r] = &src[min(i+r, rows-1)*ld]
		}
		d, f := unsafe.Pointer(&dst[i]), unsafe.Pointer(&from)
		switch {
		case isFloat32[T]() && lv == avx512:
			transposeF32AVX512(n, (*float32)(d), width*size, (**float32)(f))
		case isFloat32[T]():
			transposeF32AVX2(n, (*float32)(d), width*size, (**float32)(f))
		case lv == avx512:
			transposeF64AVX512(n, (*float64)(d), width*size, (**float64)(f))
		default:
			transposeF64AVX2(n, (*float64)(d), width*size, (**float64)(f))
		}
	}
}
