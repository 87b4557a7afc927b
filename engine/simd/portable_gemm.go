package simd

// The portable tile is two rows by four columns, which leaves registers for their operands.
const portableRows, portableCols = 2, 4

// portablePanel computes C = alpha*A*B + beta*C for a panel of n <= 4 columns. Rows of B and C are
// contiguous.
func portablePanel[T Float](m, n, k int, alpha T, a, b view[T], beta T, c view[T]) {
	i := 0
	if n == portableCols {
		for ; i+portableRows <= m; i += portableRows {
			for r, row := range portableTile(k, a.from(i, 0), b) {
				portableUpdate(alpha, row[:], beta, c.x[(i+r)*c.row:])
			}
		}
	}
	for ; i < m; i++ {
		for j := range n {
			var sum T
			for p := range k {
				sum += a.x[i*a.row+p*a.col] * b.x[p*b.row+j]
			}
			portableUpdate(alpha, []T{sum}, beta, c.x[i*c.row+j:])
		}
	}
}

// portableTile is the product of two rows of A and four columns of B.
func portableTile[T Float](k int, a, b view[T]) [portableRows][portableCols]T {
	var s00, s01, s02, s03, s10, s11, s12, s13 T
	for p := range k {
		row := b.x[p*b.row:]
		row = row[:portableCols]
		b0, b1, b2, b3 := row[0], row[1], row[2], row[3]
		v := a.x[p*a.col]
		s00 += v * b0
		s01 += v * b1
		s02 += v * b2
		s03 += v * b3
		v = a.x[p*a.col+a.row]
		s10 += v * b0
		s11 += v * b1
		s12 += v * b2
		s13 += v * b3
	}
	return [portableRows][portableCols]T{{s00, s01, s02, s03}, {s10, s11, s12, s13}}
}

func portableUpdate[T Float](alpha T, sums []T, beta T, c []T) {
	for j, sum := range sums {
		if beta == 0 {
			c[j] = alpha * sum
		} else {
			c[j] = alpha*sum + beta*c[j]
		}
	}
}
