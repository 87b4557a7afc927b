package simd

import "unsafe"

// packsA reports whether a block of A is copied to contiguous memory before it is multiplied by so
// many columns. Unpacked rows may fall on the same places of a cache.
func (g *blocks[T]) packsA(cols int) bool {
	return cols > 2*g.tileCols
}

// packBlock copies a block of A, keeping its orientation, with a stride that is an odd number of
// cache lines. Where it has less than the least number of rows, zeros follow.
func packBlock[T Float](dst []T, a view[T], rows, least, depth int) view[T] {
	if a.col == 1 {
		ld := oddLines[T](depth)
		for i := range rows {
			copy(dst[i*ld:][:depth], a.x[i*a.row:])
		}
		for i := rows; i < least; i++ {
			clear(dst[i*ld:][:depth])
		}
		return view[T]{dst, ld, 1}
	}
	ld := oddLines[T](max(rows, least))
	for p := range depth {
		copy(dst[p*ld:][:rows], a.x[p*a.col:])
		clear(dst[p*ld:][rows:max(rows, least)])
	}
	return view[T]{dst, 1, ld}
}

// oddLines rounds a number of elements up to an odd number of cache lines.
func oddLines[T Float](n int) int {
	line := 64 / int(unsafe.Sizeof(T(0)))
	return line * (pieces(n, line) | 1)
}

// packPanel copies cols columns of B, depth rows deep, to rows of width elements. What follows the
// columns in a row is undefined.
func packPanel[T Float](lv level, depth, cols int, dst []T, width int, b view[T]) {
	if b.col == 1 {
		for p := range depth {
			copy(dst[p*width:][:cols], b.x[p*b.row:])
		}
		return
	}
	transpose(lv, depth, cols, dst, width, b.x, b.col)
}

// portableTranspose copies rows of n elements, ld apart, to columns of a matrix with rows of width
// elements.
func portableTranspose[T Float](n, rows int, dst []T, width int, src []T, ld int) {
	for i := range rows {
		for p, v := range src[i*ld:][:n] {
			dst[p*width+i] = v
		}
	}
}
