package walks

import (
	"math"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
)

// rows is a sparse matrix in compressed rows; weight is nil for ones.
type rows struct {
	ptr, col []int32
	weight   []float64
}

// at returns the weight of an entry.
func (r *rows) at(p int32) float64 {
	if r.weight == nil {
		return 1
	}
	return r.weight[p]
}

// operator is one adjacency matrix as steps of walks: a step takes x to A x. out lists, for each vertex, where its
// value goes; in, where the value of a vertex comes from. Both are ascending in every row.
type operator struct {
	arcs    Arcs
	Out, In rows
}

// Symmetric reports whether walks along and against the arcs are the same by construction.
func Symmetric(b *graph.Batch) bool { return !b.Directed && b.ArcWeights == nil && b.ArcTypes == nil }

// newOperator makes the steps over the arcs of a batch.
func newOperator(b *graph.Batch, a Arcs, means bool) *operator {
	op := sumOperator(b, a)
	if means {
		op.In = op.In.means()
		op.Out = op.In.transpose()
	}
	return op
}

// sumOperator makes the steps that add up what arcs bring.
func sumOperator(b *graph.Batch, a Arcs) *operator {
	forward := rows{b.RowPtr, b.Col, b.ArcWeights}
	if a.Type != AllArcs {
		forward = ofType(b, int32(a.Type))
	}
	if Symmetric(b) && a.Type == AllArcs {
		return &operator{a, forward, forward}
	}
	backward := forward.transpose()
	if a.Against {
		forward, backward = backward, forward
	}
	return &operator{a, forward, backward}
}

// ofType returns the arcs of one type; where arcs have no types all are of type 0.
func ofType(b *graph.Batch, t int32) rows {
	r := rows{ptr: make([]int32, b.NumVertices()+1)}
	for u := range b.NumVertices() {
		for p := b.RowPtr[u]; p < b.RowPtr[u+1]; p++ {
			if b.ArcTypes != nil && b.ArcTypes[p] != t || b.ArcTypes == nil && t != 0 {
				continue
			}
			r.col = append(r.col, b.Col[p])
			if b.ArcWeights != nil {
				r.weight = append(r.weight, b.ArcWeights[p])
			}
		}
		r.ptr[u+1] = int32(len(r.col))
	}
	return r
}

// means returns the rows divided by the sums of their magnitudes.
func (r rows) means() rows {
	m := rows{ptr: r.ptr, col: r.col, weight: make([]float64, len(r.col))}
	for v := range len(r.ptr) - 1 {
		sum := 0.0
		for p := r.ptr[v]; p < r.ptr[v+1]; p++ {
			sum += math.Abs(r.at(p))
		}
		for p := r.ptr[v]; p < r.ptr[v+1] && sum > 0; p++ {
			m.weight[p] = r.at(p) / sum
		}
	}
	return m
}

// transpose returns the steps in the other direction, of as many vertices.
func (r rows) transpose() rows {
	t := (&engine.Sparse{Cols: len(r.ptr) - 1, RowPtr: r.ptr, Col: r.col, Values: r.weight}).Transpose()
	return rows{t.RowPtr, t.Col, t.Values}
}

// Matrices returns the operators by rows of where steps come from. As the arcs of a batch a device uploads one once.
func (d *Data) Matrices() (list []*engine.Sparse) {
	for _, op := range d.Operators {
		b := d.Batch
		if len(op.In.ptr) == 0 || &op.In.ptr[0] != &b.RowPtr[0] || d.Input.MeanSteps {
			b = &graph.Batch{Offsets: b.Offsets, RowPtr: op.In.ptr, Col: op.In.col, ArcWeights: op.In.weight}
		}
		list = append(list, engine.Adjacency(b))
	}
	return list
}
