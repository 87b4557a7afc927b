package svm

import (
	"context"
	"fmt"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/parallel"
)

// FitPathSparse is [FitPath] for sparse features: x is N x d in compressed sparse rows. Memory is that of
// the entries and of N x min(N, d) numbers, so that the number of columns hardly matters. Several entries
// of one place add up.
func FitPathSparse(
	ctx context.Context, x *engine.Sparse, rows []int, y []float64, grid []float64, o Options,
) (*Path, error) {
	d, err := newSparseDesign(x, rows)
	if err != nil {
		return nil, err
	}
	return fitDesign(ctx, d, x.Rows(), y, grid, o)
}

// DecisionSparse is [Path.Decision] for sparse features.
func (p *Path) DecisionSparse(k int, x *engine.Sparse, rows []int) ([]float64, error) {
	d, err := newSparseDesign(x, rows)
	if err != nil {
		return nil, err
	}
	return p.decision(k, d)
}

// newSparseDesign takes the rows of x (all of them for nil) and refuses what is not a matrix of finite
// numbers.
func newSparseDesign(x *engine.Sparse, rows []int) (*design, error) {
	if x == nil || len(x.RowPtr) == 0 {
		return nil, fmt.Errorf("no matrix given")
	}
	x = x.Unmasked()
	n := x.Rows()
	if x.RowPtr[0] != 0 || int(x.RowPtr[n]) != len(x.Col) || (x.Values != nil && len(x.Values) != len(x.Col)) {
		return nil, fmt.Errorf("sparse features: %d columns and %d values for %d entries",
			len(x.Col), len(x.Values), x.RowPtr[n])
	}
	d := &design{sparse: x, columns: x.Cols, rows: rows}
	if rows == nil {
		d.rows = make([]int, n)
		for i := range d.rows {
			d.rows[i] = i
		}
	}
	for _, r := range d.rows {
		if r < 0 || r >= n {
			return nil, fmt.Errorf("row %d is not in a matrix of %d rows", r, n)
		}
		if x.RowPtr[r] > x.RowPtr[r+1] || int(x.RowPtr[r+1]) > len(x.Col) {
			return nil, fmt.Errorf("sparse features: row %d has entries %d to %d", r, x.RowPtr[r], x.RowPtr[r+1])
		}
		for e := x.RowPtr[r]; e < x.RowPtr[r+1]; e++ {
			if c := x.Col[e]; c < 0 || int(c) >= x.Cols {
				return nil, fmt.Errorf("sparse features: row %d has an entry in column %d of %d", r, c, x.Cols)
			}
			if x.Values != nil && !finite(x.Values[e]) {
				return nil, fmt.Errorf("feature %d of row %d is NaN or infinite: remove or replace it", x.Col[e], r)
			}
		}
	}
	return d, nil
}

// entry returns column and value of an entry.
func (d *design) entry(e int32) (int, float64) {
	if d.sparse.Values == nil {
		return int(d.sparse.Col[e]), 1
	}
	return int(d.sparse.Col[e]), d.sparse.Values[e]
}

// scatter writes columns [j0, j1) of a row of the matrix to out.
func (d *design) scatter(out []float64, row, j0, j1 int) {
	clear(out)
	for e := d.sparse.RowPtr[row]; e < d.sparse.RowPtr[row+1]; e++ {
		if c, v := d.entry(e); c >= j0 && c < j1 {
			out[c-j0] += v
		}
	}
}

// sparseGram adds X X' to the lower triangle of out: row by row, over the rows that share a column.
func (d *design) sparseGram(workers int, out []float64) {
	type posting struct {
		row   int32 // of the design
		value float64
	}
	n := d.numRows()
	columns := make([][]posting, d.columns)
	for i, r := range d.rows {
		for e := d.sparse.RowPtr[r]; e < d.sparse.RowPtr[r+1]; e++ {
			c, v := d.entry(e)
			columns[c] = append(columns[c], posting{int32(i), v})
		}
	}
	parallel.For(workers, n, func(i int) {
		row, r := out[i*n:i*n+i+1], d.rows[i]
		for e := d.sparse.RowPtr[r]; e < d.sparse.RowPtr[r+1]; e++ {
			c, v := d.entry(e)
			for _, p := range columns[c] {
				if int(p.row) > i {
					break
				}
				row[p.row] += v * p.value
			}
		}
	})
}

// combineSparse adds X' beta to out, see combineRows.
func (d *design) combineSparse(beta []float64, m int, out []float64) {
	for i, r := range d.rows {
		for e := d.sparse.RowPtr[r]; e < d.sparse.RowPtr[r+1]; e++ {
			c, v := d.entry(e)
			for k, b := range beta[i*m : (i+1)*m] {
				out[k*d.columns+c] += b * v
			}
		}
	}
}
