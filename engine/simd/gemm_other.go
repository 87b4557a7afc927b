//go:build !amd64

package simd

func vectorLanes[T Float](level) int { return 1 }

func leastRows(level) int { return 1 }

func tileShape[T Float](level) (rows, cols int) { return portableRows, portableCols }

func multiplyPanel[T Float](_ level, _ bool, m, n, k int, alpha T, a, b view[T], beta T, c view[T]) {
	portablePanel(m, n, k, alpha, a, b, beta, c)
}

func dots[T Float](_ level, n int, a view[T], x []T, sums *[dotRows]T) {
	for i := range sums {
		sums[i] = portableDot(a.x[i*a.row:][:n], x[:n])
	}
}

func transpose[T Float](_ level, n, rows int, dst []T, width int, src []T, ld int) {
	portableTranspose(n, rows, dst, width, src, ld)
}
