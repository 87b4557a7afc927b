package mpgk

import (
	"slices"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/memory"
	"github.com/grove-graph/grove/nystrom"
	"gorgonia.org/tensor"
)

// points are the explicit features of distinct vertices. With dense columns j and columns c of counts the
// vertex kernel of two points is
//
//	k(x, y) = sum_j scale_j x_j y_j + sum_c weight_c min(x_c, y_c).
//
// The points are in an order that depends on their features alone, not on that of the vertices, so that all
// that is learned from them does too.
type points struct {
	copies []float64 // how many vertices each point stands for
	dense  []float64 // points x len(scale)
	scale  []float64 // >= 0
	counts histograms
}

// histograms are sparse rows of positive counts, columns ascending within a row.
type histograms struct {
	start  []int32 // of each row; one more than there are rows
	column []int32
	count  []int32
	weight []float64 // of every column, > 0 for those that occur
}

func (p *points) len() int { return len(p.copies) }

// row returns the dense columns of point i.
func (p *points) row(i int32) []float64 {
	d := len(p.scale)
	return p.dense[int(i)*d : (int(i)+1)*d]
}

// row returns the columns and counts of row i.
func (h *histograms) row(i int32) (column, count []int32) {
	from, to := h.start[i], h.start[i+1]
	return h.column[from:to], h.count[from:to]
}

// add appends to the row under construction.
func (h *histograms) add(column, count int32) {
	h.column, h.count = append(h.column, column), append(h.count, count)
}

// end ends the row under construction.
func (h *histograms) end() { h.start = append(h.start, int32(len(h.column))) }

// sparse returns the matrix of weight_c count_c, whose histogram intersection is the part of the kernel that
// comes from counts.
func (h *histograms) sparse() *engine.Sparse {
	values := make([]float64, len(h.column))
	for e, c := range h.column {
		values[e] = h.weight[c] * float64(h.count[e])
	}
	return &engine.Sparse{Cols: len(h.weight), RowPtr: h.start, Col: h.column, Values: values}
}

// selectRows returns the given points.
func (p *points) selectRows(rows []int32) *points {
	s := &points{scale: p.scale}
	s.counts.start, s.counts.weight = []int32{0}, p.counts.weight
	for _, r := range rows {
		s.copies = append(s.copies, p.copies[r])
		s.dense = append(s.dense, p.row(r)...)
		column, count := p.counts.row(r)
		s.counts.column, s.counts.count = append(s.counts.column, column...), append(s.counts.count, count...)
		s.counts.end()
	}
	return s
}

// kernel returns the vertex kernel of p's points (rows) and q's points. A row does not depend on the other points
// of p.
func kernel(e engine.Engine, p, q *points) ([]float64, error) {
	n, m := p.len(), q.len()
	if err := memory.ForMatrices("kernel matrix", 2, n, m); err != nil { // counts and dense parts
		return nil, err
	}
	out := make([]float64, n*m)
	if n == 0 || m == 0 {
		return out, nil
	}
	a := p.counts.sparse()
	b := a
	if p != q {
		b = q.counts.sparse()
	}
	if err := e.HistogramIntersection(matrix(e, out, n, m), a, b); err != nil {
		return nil, err
	}
	d := len(p.scale)
	if d == 0 {
		return out, nil
	}
	scaled := slices.Clone(q.dense)
	for i := range scaled {
		scaled[i] *= p.scale[i%d]
	}
	dense, err := nystrom.Product(e, p.dense, n, transpose(scaled, d), d, m)
	for i, v := range dense {
		out[i] += v
	}
	return out, err
}

// transpose returns the columns of a matrix of d columns as rows.
func transpose(x []float64, d int) []float64 {
	n := len(x) / d
	out := make([]float64, len(x))
	for i, v := range x {
		out[i%d*n+i/d] = v
	}
	return out
}

// matrix wraps rows of numbers in host memory.
func matrix(e engine.Engine, x []float64, rows, cols int) *tensor.Dense {
	return tensor.New(tensor.WithEngine(e), tensor.WithShape(rows, cols), tensor.WithBacking(x))
}
