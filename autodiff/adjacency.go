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
)

// matrix returns the matrix of a batch.
func (a Adjacency) matrix(b *graph.Batch) *engine.Sparse {
	if a == SumNeighbours {
		return engine.Adjacency(b)
	}
	m := withSelf(b)
	if a == SumWithSelf {
		return m
	}
	root := inverseRoots(b)
	for r := range root {
		for e := m.RowPtr[r]; e < m.RowPtr[r+1]; e++ {
			m.Values[e] *= root[r] * root[m.Col[e]]
		}
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
	m := &engine.Sparse{Cols: n, RowPtr: make([]int32, 1, n+1)}
	m.Col, m.Values = make([]int32, 0, n+len(b.Col)), make([]float64, 0, n+len(b.Col))
	for v := range n {
		self := false
		for e := b.RowPtr[v]; e < b.RowPtr[v+1]; e++ {
			if !self && b.Col[e] > int32(v) {
				m.Col, m.Values, self = append(m.Col, int32(v)), append(m.Values, 1), true
			}
			m.Col, m.Values = append(m.Col, b.Col[e]), append(m.Values, weightOf(b, e))
		}
		if !self {
			m.Col, m.Values = append(m.Col, int32(v)), append(m.Values, 1)
		}
		m.RowPtr = append(m.RowPtr, int32(len(m.Col)))
	}
	return m
}

// mixing names a matrix that a network multiplies by: of the features themselves, or of rows for the vertices. Calls
// are numbered from the features on; they share the matrix of a batch that is not sampled.
type mixing struct {
	adjacency Adjacency
	features  bool
	call      int
}

// mixture is a matrix and its transpose, which features have no use for.
type mixture struct{ forward, back *engine.Sparse }

// mix returns the matrix of a batch, in the columns of the features where it is of them.
func (of mixing) mix(b *graph.Batch, index []int32, rows int) *mixture {
	return of.mixture(of.adjacency.matrix(b), index, rows)
}

// mixture returns a matrix between vertices as [mixing.mix] does.
func (of mixing) mixture(m *engine.Sparse, index []int32, rows int) *mixture {
	if of.features {
		if index == nil {
			return &mixture{forward: m}
		}
		direct := &engine.Sparse{Cols: rows, RowPtr: m.RowPtr, Col: make([]int32, len(m.Col)), Values: m.Values}
		for e, c := range m.Col {
			direct.Col[e] = index[c]
		}
		return &mixture{forward: direct}
	}
	back := m.Transpose()
	if slices.Equal(m.RowPtr, back.RowPtr) && slices.Equal(m.Col, back.Col) && slices.Equal(m.Values, back.Values) {
		back = m // of graphs without direction
	}
	return &mixture{m, back}
}
