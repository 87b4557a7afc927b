package engine

import "github.com/grove-graph/grove/graph"

// PathPooling describes a path pooling (GCKN, Eqs. 10 and 13 and Algorithm 1, before the projection):
//
//	out_j[u] = norm(u) * pool over paths p of j vertices from u of exp(scale_j sum_{i<=j} s_i(p_i) + shift_j)
//
// where s_i(v) = <z_i, x_v> comes as a table of scores: scores has D rows of Size*q columns, and the
// columns i*q to (i+1)*q of row Index[v] are s_{i+1}(v) for the q filters. norms has D entries or is
// nil for ones; norm(u) is the entry of u's row.
//
// The lengths j are 1..Size with AllLengths, otherwise Size alone; out holds a matrix of q columns for
// each, in ascending order of j. Row r of the matrix of a length belongs to the vertex Roots[length][r],
// or to vertex r where Roots is nil. A vertex with no path of that length gets zeros.
//
// With Ranks, one for each row of scores of unit rows, the CPU adds up paths in Float64 in an order that follows from
// the rows along them: vertices with equal multisets of row sequences have equal bits, and the same ones with another
// Index into a table of the same rows. It does not order walks; a maximum needs no order.
//
// Graph may be nil when Size is 1: each row of the table is then its own vertex.
type PathPooling struct {
	Graph      *graph.Batch
	Index      []int32   // row of the table for each vertex; nil: vertex v has row v
	Roots      [][]int32 // for each length, ascending vertices; nil: every vertex
	Ranks      []int32   // order of the rows for the sums of the CPU, see below; nil: that of the neighbours
	Size       int       // vertices of the longest path
	AllLengths bool
	Route      graph.Route // what is pooled over
	Kernel     Kernel
	Pool       Pooling
}

// Lengths returns the path sizes that are pooled, ascending.
func (p *PathPooling) Lengths() []int {
	if !p.AllLengths {
		return []int{p.Size}
	}
	lengths := make([]int, p.Size)
	for j := range lengths {
		lengths[j] = j + 1
	}
	return lengths
}
