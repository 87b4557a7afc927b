package simd

// solveApart computes a product in a way that does not depend on the number of rows: by inner products where columns
// are few and rows of A contiguous, else by blocks. Every element is summed in the order of the terms, in the same
// number of parts, by kernels that differ in their height alone.
func (p *product[T]) solveApart(workers int, transA bool) {
	switch {
	case p.alpha == 0 || p.k == 0:
		p.scaleOnly()
	case !transA && thin[T](p.level, p.n, p.k):
		p.byRows(workers)
	default:
		p.byBlocks(workers)
	}
}

// lastDots computes the rows from one on, which are too few for a group, as rows of a group that ends with them.
func (p *product[T]) lastDots(from, to int) {
	group, first := p.a.from(max(to-dotRows, 0), 0), max(to-dotRows, 0)
	if to < dotRows {
		padded := borrow[T](dotRows * p.k)
		defer padded.release()
		for i := range dotRows {
			copy(padded.x[i*p.k:][:p.k], p.a.x[min(i, to-1)*p.a.row:])
		}
		group = view[T]{padded.x, p.k, 1}
	}
	var sums [dotRows]T
	for j := range p.n {
		dots(p.level, p.k, group, p.b.x[j*p.b.col:], &sums)
		for i := from; i < to; i++ {
			p.update(&p.c.x[i*p.c.row+j*p.c.col], sums[i-first])
		}
	}
}
