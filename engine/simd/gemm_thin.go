package simd

import "github.com/grove-graph/grove/parallel"

// dotRows is the number of rows that share a column in one call of dots.
const dotRows = 8

// byRows computes a product of few columns as inner products along k, for which rows of A are
// contiguous and columns of B are made so.
func (p *product[T]) byRows(workers int) {
	if p.b.row == 1 {
		p.byContiguousRows(workers)
		return
	}
	ld := roundUp(p.k, vectorLanes[T](p.level))
	columns := borrow[T](p.n * ld)
	defer columns.release()
	transpose(p.level, p.n, p.k, columns.x, ld, p.b.x, p.b.row)
	contiguous := *p
	contiguous.b = view[T]{columns.x, 1, ld}
	contiguous.byContiguousRows(workers)
}

func (p *product[T]) byContiguousRows(workers int) {
	const rows = 64
	count := pieces(p.m, rows)
	if workers = p.team(workers, count); workers > 1 {
		q := *p
		parallel.For(workers, count, func(piece int) { q.rowsOfDots(piece*rows, min(piece*rows+rows, q.m)) })
		return
	}
	p.rowsOfDots(0, p.m)
}

// rowsOfDots computes rows from to to of C, in groups of eight.
func (p *product[T]) rowsOfDots(from, to int) {
	var sums [dotRows]T
	i := from
	for ; i+dotRows <= to; i += dotRows {
		for j := range p.n {
			dots(p.level, p.k, p.a.from(i, 0), p.b.x[j*p.b.col:], &sums)
			for r, sum := range sums {
				p.update(&p.c.x[(i+r)*p.c.row+j*p.c.col], sum)
			}
		}
	}
	if p.apart && i < to {
		p.lastDots(i, to)
		return
	}
	for ; i < to; i++ {
		for j := range p.n {
			sum := dot(p.level, p.a.x[i*p.a.row:][:p.k], p.b.x[j*p.b.col:][:p.k])
			p.update(&p.c.x[i*p.c.row+j*p.c.col], sum)
		}
	}
}

// byColumns computes a product of few rows whose C is stored by columns, while the rows of B are
// contiguous: groups of columns are computed in a buffer and transposed into C.
func (p *product[T]) byColumns(workers int) {
	count := pieces(p.n, groupCols)
	if workers = p.team(workers, count); workers > 1 {
		q := *p
		parallel.For(workers, count, func(piece int) { q.columns(piece * groupCols) })
		return
	}
	for piece := range count {
		p.columns(piece * groupCols)
	}
}

// groupCols is the number of columns that byColumns computes at a time.
const groupCols = 128

// columns computes one group of columns of C.
func (p *product[T]) columns(from int) {
	to := min(from+groupCols, p.n)
	buffer := borrow[T](p.m * groupCols)
	defer buffer.release()
	group := view[T]{buffer.x, groupCols, 1}
	_, width := tileShape[T](p.level)
	for j := from; j < to; j += width {
		multiplyPanel(p.level, false, p.m, min(width, to-j), p.k, 1, p.a, p.b.from(0, j), 0, group.from(0, j-from))
	}
	for j := from; j < to; j++ {
		for i := range p.m {
			p.update(&p.c.x[i*p.c.row+j*p.c.col], buffer.x[i*groupCols+j-from])
		}
	}
}
