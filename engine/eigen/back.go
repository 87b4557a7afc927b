package eigen

import "github.com/grove-graph/grove/engine/simd"

const (
	// reflectorBlock is the number of reflections that one pair of matrix products applies.
	reflectorBlock = 64
	// vectorBlock is the number of eigenvectors that go through all reflections together; their rows
	// stay in the second-level cache up to order 1000.
	vectorBlock = 128
)

// reflections is the product Q = H_0 H_1 ... H_(count-1) of a tridiagonalisation of order n, in
// blocks: H_first ... H_(first+width-1) = I - V T V^T with T upper triangular (Golub and Van Loan,
// section 5.1.7).
type reflections struct {
	n, count  int
	a         []float64 // row j holds v_j from column j+1 on
	triangles []float64 // T of block b is width x width from b*width*width on
	width     int       // of a block; the last one can be narrower
}

// transformBack replaces every row z of vectors (n x n), an eigenvector of the tridiagonal matrix,
// by Q z, the eigenvector of the full matrix. Q is given by a and tau as tridiagonalise leaves them;
// the columns of a up to the diagonal are overwritten.
func transformBack(workers, n int, a, tau, vectors []float64) {
	q := &reflections{n: n, count: n - 1, a: a, width: min(reflectorBlock, n-1)}
	if q.count == 0 {
		return
	}
	blocks := (q.count + q.width - 1) / q.width
	space := borrow(blocks * q.width * q.width)
	defer space.release()
	q.triangles = space.take(blocks * q.width * q.width)
	overRows(workers, blocks, 1, func(from, to int) {
		for b := from; b < to; b++ {
			q.formTriangle(b, tau)
		}
	})
	pieces := (n + vectorBlock - 1) / vectorBlock
	overRows(workers, pieces, 1, func(from, to int) {
		space := borrow(2 * min(vectorBlock, n) * q.width)
		defer space.release()
		buffer := space.take(2 * min(vectorBlock, n) * q.width)
		for piece := from; piece < to; piece++ {
			row := piece * vectorBlock
			rows := min(vectorBlock, n-row)
			for b := blocks - 1; b >= 0; b-- {
				q.apply(b, rows, vectors[row*n:], buffer)
			}
		}
	})
}

// block returns the number of reflections in block b, the length of its vectors, where they start
// in a (leading dimension n), and its T.
func (q *reflections) block(b int) (width, length int, v, triangle []float64) {
	first := b * q.width
	return min(q.width, q.count-first), q.n - first - 1, q.a[first*q.n+first+1:], q.triangles[b*q.width*q.width:]
}

// apply does Z^T -= ((Z^T V) T^T) V^T for the given number of rows of length n.
func (q *reflections) apply(b, rows int, z, buffer []float64) {
	width, length, v, triangle := q.block(b)
	z = z[b*q.width+1:]
	projection, weighted := buffer[:rows*width], buffer[rows*width:]
	simd.Gemm(1, false, true, rows, width, length, 1, z, q.n, v, q.n, 0, projection, width)
	simd.Gemm(1, false, true, rows, width, width, 1, projection, width, triangle, q.width, 0, weighted, width)
	simd.Gemm(1, false, false, rows, length, width, -1, weighted, width, v, q.n, 1, z, q.n)
}

// formTriangle computes T of block b (LAPACK dlarft) and clears the part of a to the left of its
// reflectors.
func (q *reflections) formTriangle(b int, tau []float64) {
	width, length, v, triangle := q.block(b)
	for p := 1; p < width; p++ {
		clear(v[p*q.n : p*q.n+p])
	}
	// The strictly lower part of T holds the inner products while they are needed.
	simd.Gemm(1, false, true, width, width, length, 1, v, q.n, v, q.n, 0, triangle, q.width)
	for i := range width {
		products := triangle[i*q.width : i*q.width+i]
		scale := tau[b*q.width+i]
		for p := range i {
			triangle[p*q.width+i] = -scale * simd.Dot(triangle[p*q.width+p:p*q.width+i], products[p:])
		}
		triangle[i*q.width+i] = scale
	}
	for i := range width {
		clear(triangle[i*q.width : i*q.width+i])
	}
}
