package simd

// view is a matrix inside a slice: element (i, j) is x[i*row+j*col].
type view[T Float] struct {
	x        []T
	row, col int
}

// matrix is the view of a matrix stored by rows, or of its transpose.
func matrix[T Float](x []T, ld int, transposed bool) view[T] {
	if transposed {
		return view[T]{x, 1, ld}
	}
	return view[T]{x, ld, 1}
}

// from is the part of v that starts at element (i, j).
func (v view[T]) from(i, j int) view[T] {
	return view[T]{v.x[i*v.row+j*v.col:], v.row, v.col}
}

// transpose is v with rows and columns exchanged.
func (v view[T]) transpose() view[T] { return view[T]{v.x, v.col, v.row} }

// product is the problem C = alpha*A*B + beta*C, with A of m x k, B of k x n and C of m x n.
type product[T Float] struct {
	level       level
	m, n, k     int
	alpha, beta T
	a, b, c     view[T]
	apart       bool // a row of C has the same bits however many there are
}

// transpose is the same problem written as C' = alpha*B'*A' + beta*C'.
func (p *product[T]) transpose() product[T] {
	return product[T]{
		level: p.level, m: p.n, n: p.m, k: p.k, alpha: p.alpha, beta: p.beta,
		a: p.b.transpose(), b: p.a.transpose(), c: p.c.transpose(),
	}
}

// update writes an element of C, given the element of A*B.
func (p *product[T]) update(c *T, ab T) {
	if p.beta == 0 {
		*c = p.alpha * ab
	} else {
		*c = p.alpha*ab + p.beta**c
	}
}

// scaleOnly is the problem without A*B: C = beta*C.
func (p *product[T]) scaleOnly() {
	for i := range p.m {
		row := p.c.x[i*p.c.row:][:p.n]
		if p.beta == 0 {
			clear(row)
		} else if p.beta != 1 {
			scale(p.level, p.beta, row)
		}
	}
}
