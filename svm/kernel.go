package svm

import (
	"container/list"
	"fmt"
	"math"
	"sync"

	"gorgonia.org/tensor"
)

// Kernel is a symmetric kernel k between objects 0 to N-1, read by rows, or some columns of them. It may be used by
// several goroutines at once.
type Kernel interface {
	// Len returns N.
	Len() int
	// Diagonal returns k(i, i).
	Diagonal(i int) float64
	// Row writes k(i, columns[t]) to out[t]. Columns may repeat and come in any order.
	Row(i int, columns []int, out []float64) error
}

// Matrix is a kernel matrix in memory. Training on some of its objects reads it in place.
type Matrix struct {
	n      int
	single []float32 // N x N, row-major: this one
	double []float64 // or that one
}

// NewMatrix takes a kernel matrix, N x N, Float32 or Float64, contiguous by rows, without a copy. It is an
// error where the matrix is not square, holds a number that is not finite, or is not symmetric to what its
// type resolves; the error names the place.
func NewMatrix(k *tensor.Dense) (*Matrix, error) {
	single, double, err := contents(k, "the kernel values", "a row and a column for each object")
	if err != nil {
		return nil, err
	}
	n := k.Shape()[0]
	if columns := k.Shape()[1]; n != columns {
		return nil, fmt.Errorf("kernel matrix: %d rows and %d columns: give a square matrix", n, columns)
	}
	m := &Matrix{n, single, double}
	var i, j int
	if m.single != nil {
		i, j = firstUnfit(m.single, n, symmetrySingle)
	} else {
		i, j = firstUnfit(m.double, n, symmetryDouble)
	}
	switch {
	case i < 0:
		return m, nil
	case !finite(m.at(i, j)) || !finite(m.at(j, i)):
		return nil, fmt.Errorf("kernel matrix: entry (%d, %d) or its mirror image is NaN or infinite", i, j)
	}
	return nil, fmt.Errorf("kernel matrix: not symmetric: entry (%d, %d) is %g, entry (%d, %d) is %g",
		i, j, m.at(i, j), j, i, m.at(j, i))
}

const (
	symmetrySingle = 1e-4   // difference of mirrored entries, in units of the diagonal, that is rounding
	symmetryDouble = 1e-9   // float32 and float64
	tile           = 1 << 6 // rows and columns that are compared at a time
)

func finite(x float64) bool { return x-x == 0 }

// firstUnfit returns the first place, tile by tile, of a number that is not finite or differs from its
// mirror image by more than tolerance times sqrt(k_ii k_jj), or -1.
func firstUnfit[T float32 | float64](k []T, n int, tolerance float64) (row, column int) {
	scale := make([]float64, n)
	for i := range scale {
		scale[i] = math.Sqrt(math.Abs(float64(k[i*n+i])))
	}
	for i0 := 0; i0 < n; i0 += tile {
		for j0 := 0; j0 <= i0; j0 += tile {
			for i := i0; i < min(i0+tile, n); i++ {
				for j := j0; j < min(j0+tile, i+1); j++ {
					a, b := float64(k[i*n+j]), float64(k[j*n+i])
					if a == b && finite(a) {
						continue
					}
					if !finite(a) || !finite(b) || math.Abs(a-b) > tolerance*max(scale[i]*scale[j], math.Abs(a)) {
						return i, j
					}
				}
			}
		}
	}
	return -1, -1
}

func (m *Matrix) at(i, j int) float64 {
	if m.single != nil {
		return float64(m.single[i*m.n+j])
	}
	return m.double[i*m.n+j]
}

// Len implements [Kernel].
func (m *Matrix) Len() int { return m.n }

// Dense returns the matrix that m was made of.
func (m *Matrix) Dense() *tensor.Dense {
	if m.single != nil {
		return tensor.New(tensor.WithShape(m.n, m.n), tensor.WithBacking(m.single))
	}
	return tensor.New(tensor.WithShape(m.n, m.n), tensor.WithBacking(m.double))
}

// Diagonal implements [Kernel].
func (m *Matrix) Diagonal(i int) float64 { return m.at(i, i) }

// Row implements [Kernel].
func (m *Matrix) Row(i int, columns []int, out []float64) error {
	if m.single != nil {
		gather(m.single[i*m.n:(i+1)*m.n], columns, out)
	} else {
		gather(m.double[i*m.n:(i+1)*m.n], columns, out)
	}
	return nil
}

func gather[T float32 | float64](row []T, columns []int, out []float64) {
	out = out[:len(columns)]
	for t, c := range columns {
		out[t] = float64(row[c])
	}
}

// RowCache is a kernel whose rows are computed when they are asked for. Those used last are cached.
type RowCache struct {
	diagonal []float64
	compute  func(i int, out []float64) error
	limit    int // rows

	mu   sync.Mutex
	rows map[int]*list.Element
	used *list.List // of *cachedRow, the latest in front
}

type cachedRow struct {
	i       int
	compute sync.Once
	values  []float64
	err     error
}

// NewRowCache returns the kernel between as many objects as diagonal has entries, with k(i, i) in
// diagonal[i]. compute writes k(i, j) for all j to out; it must return the same numbers whenever it is
// called, and may be called from several goroutines at once. Rows take at most the given number of bytes,
// but two, and one for each goroutine, are always held.
func NewRowCache(diagonal []float64, bytes int, compute func(i int, out []float64) error) *RowCache {
	limit := max(bytes/(8*max(len(diagonal), 1)), 2)
	return &RowCache{diagonal: diagonal, compute: compute, limit: limit, rows: map[int]*list.Element{}, used: list.New()}
}

// Len implements [Kernel].
func (c *RowCache) Len() int { return len(c.diagonal) }

// Diagonal implements [Kernel].
func (c *RowCache) Diagonal(i int) float64 { return c.diagonal[i] }

// Row implements [Kernel]. A number that is not finite is an error.
func (c *RowCache) Row(i int, columns []int, out []float64) error {
	row := c.row(i)
	row.compute.Do(func() {
		row.values = make([]float64, len(c.diagonal))
		if row.err = c.compute(i, row.values); row.err != nil {
			return
		}
		if j := notFinite(row.values); j >= 0 {
			row.err = fmt.Errorf("kernel entry (%d, %d) is NaN or infinite", i, j)
		}
	})
	if row.err != nil {
		c.forget(row)
		return row.err
	}
	gather(row.values, columns, out)
	return nil
}

// row returns the entry of a row, a new one where it is not cached.
func (c *RowCache) row(i int) *cachedRow {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.rows[i]; ok {
		c.used.MoveToFront(e)
		return e.Value.(*cachedRow)
	}
	if c.used.Len() == c.limit {
		last := c.used.Back()
		delete(c.rows, c.used.Remove(last).(*cachedRow).i)
	}
	row := &cachedRow{i: i}
	c.rows[i] = c.used.PushFront(row)
	return row
}

// forget drops a row, so that a later call computes it again.
func (c *RowCache) forget(row *cachedRow) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.rows[row.i]; ok && e.Value == row {
		c.used.Remove(e)
		delete(c.rows, row.i)
	}
}
