// Package graph holds the one data type that carries graphs through Grove: [Batch], the
// block-diagonal adjacency of many graphs in compressed sparse rows, with vertex labels, vertex
// attributes and arc data beside it. A single large graph is a batch of one.
//
//	g := graph.Graph{NumVertices: 3}
//	g.AddArc(0, 1)
//	g.AddArc(1, 2)
//	b, err := graph.NewBatch([]graph.Graph{g})
//	for _, v := range b.Neighbors(1) {
//
// # Self loops, repeated arcs and direction
//
// Every constructor applies one rule. An arc is identified by its tail, head and type. Repeated
// arcs are merged, and the first one given keeps its label and weight. In an undirected batch the
// reverse of every arc is present; an arc that was given explicitly keeps its own data, a missing
// reverse copies that of its partner. Self loops are kept as a single arc unless the caller asks to
// drop them; no path follows a self loop, every walk may. Neighbours are stored in ascending order.
package graph

import (
	"fmt"
	"math"
)

// Batch is a set of graphs as one block-diagonal matrix in compressed sparse rows. Vertices are
// numbered through the whole batch: graph g owns the vertices Offsets[g] to Offsets[g+1]-1. The
// arcs that leave vertex u are Col[RowPtr[u]:RowPtr[u+1]], and no arc joins two graphs.
//
// The slices are shared, not copied; treat a batch as read-only once it is built.
type Batch struct {
	Offsets []int32 // NumGraphs()+1 positions, the first is 0
	RowPtr  []int32 // NumVertices()+1 positions, the first is 0
	Col     []int32 // head of every arc, a vertex of the batch, ascending within a row

	Directed bool // false: the reverse of every arc is present

	Labels    []int32 // label id of each vertex, 0 <= id < NumLabels; nil where there are none
	NumLabels int

	Attributes   []float64 // NumVertices() x AttributeDim, row-major; nil where there are none
	AttributeDim int

	ArcLabels  []int32   // label id of each arc, in the order of Col; nil where there are none
	ArcWeights []float64 // weight of each arc; nil means 1 everywhere
	ArcTypes   []int32   // type (which adjacency matrix) of each arc; nil means a single type
}

// NumGraphs returns the number of graphs.
func (b *Batch) NumGraphs() int { return max(len(b.Offsets)-1, 0) }

// NumVertices returns the number of vertices of all graphs.
func (b *Batch) NumVertices() int { return max(len(b.RowPtr)-1, 0) }

// NumArcs returns the number of arcs of all graphs; an undirected edge counts twice, a self loop once.
func (b *Batch) NumArcs() int { return len(b.Col) }

// Neighbors returns the heads of the arcs that leave vertex u, ascending. The slice is part of the batch.
func (b *Batch) Neighbors(u int32) []int32 { return b.Col[b.RowPtr[u]:b.RowPtr[u+1]] }

// Degree returns the number of arcs that leave vertex u.
func (b *Batch) Degree(u int32) int { return int(b.RowPtr[u+1] - b.RowPtr[u]) }

// Vertices returns the half-open range of vertices that graph g owns.
func (b *Batch) Vertices(g int) (from, to int32) { return b.Offsets[g], b.Offsets[g+1] }

// Attribute returns the attribute vector of vertex u, of length AttributeDim.
func (b *Batch) Attribute(u int32) []float64 {
	d := b.AttributeDim
	return b.Attributes[int(u)*d : int(u)*d+d]
}

// HasArc reports whether the arc from u to v is present.
func (b *Batch) HasArc(u, v int32) bool { return b.CountArcs(u, v) > 0 }

// CountArcs returns the number of arcs from u to v: at most 1, but for arcs of several types.
func (b *Batch) CountArcs(u, v int32) int { return countSorted(b.Neighbors(u), v) }

// countSorted returns how often v is in an ascending list.
func countSorted(row []int32, v int32) int {
	lo, hi := 0, len(row)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if row[mid] < v {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	n := 0
	for lo+n < len(row) && row[lo+n] == v {
		n++
	}
	return n
}

// ArcList is a list of arcs between vertices of a batch in any order: arc i goes from From[i] to
// To[i]. The data slices are nil or as long as From.
type ArcList struct {
	From, To []int32
	Labels   []int32
	Types    []int32
	Weights  []float64
}

// BuildOptions says how [FromArcs] reads an arc list.
type BuildOptions struct {
	Directed      bool // keep the arcs as given; otherwise every arc gets its reverse
	DropSelfLoops bool
}

// ArcError reports an arc that cannot be part of a batch. Index is its position in the arc list.
type ArcError struct {
	Index  int
	Reason string
}

func (e *ArcError) Error() string { return fmt.Sprintf("arc %d: %s", e.Index+1, e.Reason) }

// FromArcs builds the adjacency of a batch whose graphs own the vertices offsets[g] to
// offsets[g+1]-1, by the rules in the package comment. It returns an [*ArcError] for an arc whose
// end is not a vertex or that joins two graphs. Time and memory are linear in vertices and arcs.
func FromArcs(offsets []int32, arcs ArcList, opt BuildOptions) (*Batch, error) {
	n := int(offsets[len(offsets)-1])
	m := len(arcs.From)
	graphOf := make([]int32, n)
	for g := 0; g+1 < len(offsets); g++ {
		for v := offsets[g]; v < offsets[g+1]; v++ {
			graphOf[v] = int32(g)
		}
	}
	total := 0
	for i, u := range arcs.From {
		v := arcs.To[i]
		switch {
		case u < 0 || int(u) >= n:
			return nil, &ArcError{i, fmt.Sprintf("vertex %d is not one of the %d vertices", u+1, n)}
		case v < 0 || int(v) >= n:
			return nil, &ArcError{i, fmt.Sprintf("vertex %d is not one of the %d vertices", v+1, n)}
		case graphOf[u] != graphOf[v]:
			return nil, &ArcError{i, fmt.Sprintf("joins vertex %d of graph %d and vertex %d of graph %d",
				u+1, graphOf[u]+1, v+1, graphOf[v]+1)}
		}
		total++
		if !opt.Directed && u != v {
			total++
		}
	}
	if total > math.MaxInt32 || (!opt.Directed && m > math.MaxInt32/2) {
		return nil, fmt.Errorf("%d arcs: a batch holds at most %d", total, math.MaxInt32)
	}

	// Entry e < m is arc e as given; entry m+e is its reverse. Two stable counting sorts, by head and
	// then by tail, order the entries by (tail, head) with given arcs before added reverses.
	entries := make([]int32, 0, total)
	ends := func(e int32) (tail, head int32) {
		if int(e) < m {
			return arcs.From[e], arcs.To[e]
		}
		return arcs.To[int(e)-m], arcs.From[int(e)-m]
	}
	keep := func(e int32) bool {
		u, v := ends(e)
		return u != v || (int(e) < m && !opt.DropSelfLoops)
	}
	last := m
	if !opt.Directed {
		last = 2 * m
	}
	for e := 0; e < last; e++ {
		if keep(int32(e)) {
			entries = append(entries, int32(e))
		}
	}
	byHead := make([]int32, len(entries))
	countingSort(byHead, entries, n, func(e int32) int32 { _, v := ends(e); return v })
	rowPtr := countingSort(entries, byHead, n, func(e int32) int32 { u, _ := ends(e); return u })

	b := &Batch{Offsets: offsets, RowPtr: make([]int32, n+1), Directed: opt.Directed, Col: make([]int32, 0, len(entries))}
	typeOf := func(e int32) int32 {
		if arcs.Types == nil {
			return 0
		}
		return arcs.Types[int(e)%max(m, 1)]
	}
	distinct := byHead[:0]
	for u := range n {
		row := entries[rowPtr[u]:rowPtr[u+1]]
		for i, e := range row {
			_, v := ends(e)
			duplicate := false
			for j := i - 1; j >= 0 && !duplicate; j-- {
				if _, w := ends(row[j]); w != v {
					break
				}
				duplicate = typeOf(row[j]) == typeOf(e)
			}
			if !duplicate {
				b.Col = append(b.Col, v)
				distinct = append(distinct, e)
			}
		}
		b.RowPtr[u+1] = int32(len(b.Col))
	}
	b.ArcLabels = gather(arcs.Labels, distinct, m)
	b.ArcTypes = gather(arcs.Types, distinct, m)
	b.ArcWeights = gather(arcs.Weights, distinct, m)
	return b, nil
}

// FromAdjacency builds a batch from neighbour lists taken exactly as they stand: the order is kept
// and nothing is merged. It serves to state an enumeration order; data sets come through [FromArcs].
func FromAdjacency(offsets []int32, neighbors [][]int32) *Batch {
	b := &Batch{Offsets: offsets, RowPtr: make([]int32, len(neighbors)+1), Directed: true}
	for u, row := range neighbors {
		b.Col = append(b.Col, row...)
		b.RowPtr[u+1] = int32(len(b.Col))
	}
	return b
}

// countingSort writes src to dst ordered by key, stably, and returns the start of every key's run.
func countingSort(dst, src []int32, numKeys int, key func(int32) int32) []int32 {
	start := make([]int32, numKeys+1)
	for _, e := range src {
		start[key(e)+1]++
	}
	for k := range numKeys {
		start[k+1] += start[k]
	}
	next := make([]int32, numKeys)
	copy(next, start)
	for _, e := range src {
		k := key(e)
		dst[next[k]] = e
		next[k]++
	}
	return start
}

// gather returns the data of entries; entry m+i carries the data of arc i.
func gather[T any](data []T, entries []int32, m int) []T {
	if data == nil {
		return nil
	}
	out := make([]T, len(entries))
	for i, e := range entries {
		out[i] = data[int(e)%m]
	}
	return out
}
