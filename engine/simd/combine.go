package simd

import "fmt"

// Combine adds up multiples of rows of a matrix with as many columns as y has elements:
//
//	y[i] = sum over k of factor[k] x[index[k]*len(y)+i]
//
// Every element adds up the rows in their order, in its own precision. Combine panics if index and factor
// differ in length or x has no such row.
func Combine[T Float](y []T, index []int32, factor []float64, x []T) {
	checkLength("Combine", len(index), len(factor))
	q := len(y)
	if q == 0 {
		return
	}
	rows := uint32(len(x) / q)
	for _, r := range index {
		if uint32(r) >= rows {
			panic(fmt.Sprintf("simd: Combine: row %d of %d", r, rows))
		}
	}
	if len(index) == 0 {
		clear(y)
		return
	}
	combine(active, y, index, factor, x)
}

func portableCombine[T Float](y []T, index []int32, factor []float64, x []T) {
	clear(y)
	for k, r := range index {
		portableAxpy(T(factor[k]), x[int(r)*len(y):(int(r)+1)*len(y)], y)
	}
}
