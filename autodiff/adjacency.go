package autodiff

import (
	"math"
	"slices"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
)

// Adjacency says how a vertex combines the rows of its neighbours, those at the heads of its arcs: by the rows of a
// matrix made of the adjacency matrix A with its weights.
type Adjacency int

const (
	// SumNeighbours is A.
	SumNeighbours Adjacency = iota
	// SumWithSelf is A + I, the aggregation of a graph isomorphism network with epsilon 0 (Xu et al., ICLR 2019, Eq.
	// 4.1).
	SumWithSelf
	// SymmetricWithSelf is D^(-1/2) (A + I) D^(-1/2) with the row sums D of A + I, the renormalised adjacency of a graph
	// convolutional network (Kipf and Welling, ICLR 2017, Eq. 2).
	SymmetricWithSelf

	// selection is I: it makes the features of vertices of the rows that they share.
	selection
)

// matrix returns the matrix of a batch.
func (a Adjacency) matrix(b *graph.Batch) *engine.Sparse {
	switch a {
	case SumNeighbours:
		return engine.Adjacency(b)
	case selection:
		return identity(b.NumVertices())
	}
	m := withSelf(b)
	if a == SumWithSelf {
		return m
	}
	root := inverseRoots(b)
	for r, of := range root {
		row := m.Values[m.RowPtr[r]:m.RowPtr[r+1]]
		for i, c := range m.Col[m.RowPtr[r]:m.RowPtr[r+1]] {
			row[i] *= of * root[c]
		}
	}
	return m
}

// identity returns I.
func identity(n int) *engine.Sparse {
	m := &engine.Sparse{Cols: n, RowPtr: ascending(n), Values: make([]float64, n)}
	m.Col = m.RowPtr[:n:n]
	for i := range m.Values {
		m.Values[i] = 1
	}
	return m
}

// inverseRoots returns D^(-1/2) of A + I, 0 for weights that do not add up to a positive number.
func inverseRoots(b *graph.Batch) []float64 {
	root := make([]float64, b.NumVertices())
	for v := range root {
		sum := 1.0
		for e := b.RowPtr[v]; e < b.RowPtr[v+1]; e++ {
			sum += weightOf(b, e)
		}
		if root[v] = 1 / math.Sqrt(sum); !(root[v] < math.Inf(1)) {
			root[v] = 0
		}
	}
	return root
}

// weightOf returns the weight of an arc.
func weightOf(b *graph.Batch, arc int32) float64 {
	if b.ArcWeights == nil {
		return 1
	}
	return b.ArcWeights[arc]
}

// withSelf returns A + I, whose columns ascend where those of A do.
func withSelf(b *graph.Batch) *engine.Sparse {
	n := b.NumVertices()
	rowPtr := make([]int32, 1, n+1)
	col, values := make([]int32, 0, n+len(b.Col)), make([]float64, n+len(b.Col))
	for v := range int32(n) {
		from, to := b.RowPtr[v], b.RowPtr[v+1]
		self := from
		for self < to && b.Col[self] <= v {
			self++
		}
		col = append(append(append(col, b.Col[from:self]...), v), b.Col[self:to]...)
		row := values[rowPtr[v]:len(col)]
		for i := range row {
			row[i] = 1
		}
		if b.ArcWeights != nil {
			copy(row, b.ArcWeights[from:self])
			copy(row[self-from+1:], b.ArcWeights[self:to])
		}
		rowPtr = append(rowPtr, int32(len(col)))
	}
	return &engine.Sparse{Cols: n, RowPtr: rowPtr, Col: col, Values: values}
}

// mixing names a matrix that a network multiplies by: of the features themselves, or of rows for the vertices. Calls
// are numbered from the features on, a selection is none; they share the matrix of a batch that is not sampled.
type mixing struct {
	adjacency Adjacency
	features  bool
	call      int
}

// mixture is a matrix and its transpose, of which the features want one alone.
type mixture struct{ forward, back *engine.Sparse }

// mixture returns a matrix between vertices, in the columns of the features where it is of them.
func (of mixing) mixture(m *engine.Sparse, index []int32, rows int) *mixture {
	if of.features && index != nil {
		direct := &engine.Sparse{Cols: rows, RowPtr: m.RowPtr, Col: make([]int32, len(m.Col)), Values: m.Values}
		for e, c := range m.Col {
			direct.Col[e] = index[c]
		}
		m = direct
	}
	switch {
	case of.adjacency == selection:
		return &mixture{back: m.Transpose()}
	case of.features:
		return &mixture{forward: m}
	case symmetric(m): // of graphs without direction
		return &mixture{m, m}
	}
	return &mixture{m, m.Transpose()}
}

// symmetric reports whether a matrix is its transpose. Where its columns do not ascend it may say no.
func symmetric(m *engine.Sparse) bool {
	if m.Rows() != m.Cols {
		return false
	}
	next := slices.Clone(m.RowPtr[:m.Rows()])
	for r := range m.Rows() {
		for e := m.RowPtr[r]; e < m.RowPtr[r+1]; e++ {
			c := m.Col[e]
			at := next[c]
			if at == m.RowPtr[c+1] || m.Col[at] != int32(r) || m.Values[at] != m.Values[e] {
				return false
			}
			next[c]++
		}
	}
	return true
}
