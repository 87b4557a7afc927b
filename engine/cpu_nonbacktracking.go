package engine

import (
	"github.com/grove-graph/grove/engine/simd"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/parallel"
)

// Pooling over non-backtracking walks of j vertices is a recursion over arcs. The message of the arc
// from u to v in position i pools all ways to go on from v, which is the i-th vertex, without u:
//
//	m_i(u->v) = b_i(v) * pool of m_{i+1}(v->w) over the arcs from v to w other than u and v,   m_j(u->v) = b_j(v),
//
// and the output is b_1(u) * pool of m_2(u->w) over the arcs from u to w other than u, with b as for walks.
// The sum without u is not a difference, which would lose digits where one neighbour outweighs the
// others, but the sum of those before u and those after u: linear time, no subtraction, and right for
// maxima as well.

// reversedArcs finds the arcs by their heads. An arc is its position in Batch.Col.
type reversedArcs struct {
	tail []int32 // of every arc
	out  []int32 // every arc: those that leave v are out[RowPtr[v]:RowPtr[v+1]], by head
	ptr  []int32 // those that enter v are in[ptr[v]:ptr[v+1]], by tail
	in   []int32
}

func reverseArcs(b *graph.Batch) *reversedArcs {
	n, m := b.NumVertices(), b.NumArcs()
	r := &reversedArcs{tail: make([]int32, m), out: make([]int32, m), in: make([]int32, m), ptr: make([]int32, n+2)}
	for a, v := range b.Col {
		r.out[a] = int32(a)
		r.ptr[v+2]++
	}
	for v := range n {
		r.ptr[v+2] += r.ptr[v+1]
	}
	for u := range int32(n) {
		for a := b.RowPtr[u]; a < b.RowPtr[u+1]; a++ {
			r.tail[a] = u
			at := &r.ptr[b.Col[a]+1]
			r.in[*at] = a
			*at++
		}
	}
	return r
}

// leaving and entering return the arcs from and to v, ascending by their other ends.
func (r *reversedArcs) leaving(b *graph.Batch, v int32) []int32 {
	return r.out[b.RowPtr[v]:b.RowPtr[v+1]]
}

func (r *reversedArcs) entering(v int32) []int32 { return r.in[r.ptr[v]:r.ptr[v+1]] }

// exclusion pools the values of the arcs on one side of a vertex, without those to a given vertex.
type exclusion[T simd.Float] struct {
	pool   Pooling // Sum or Max of values that are not negative
	width  int
	before []T
	after  []T // what arc k and those after it pool to
	pooled []T
}

func newExclusion[T simd.Float](pool Pooling, width int) *exclusion[T] {
	return &exclusion[T]{pool: pool, width: width, before: make([]T, width), pooled: make([]T, width)}
}

func (x *exclusion[T]) add(dst, a, b []T) {
	if x.pool == Max {
		copy(dst, a)
		simd.Max(dst, b)
		return
	}
	simd.Add(dst, a, b)
}

// each calls emit for the arcs on one side of v, whose other ends are toEnd, with what the values of the
// arcs from on the other side pool to, without those that share the other end. Self loops are left out.
func (x *exclusion[T]) each(v int32, from, fromEnd, to, toEnd []int32, value func(arc int32) []T,
	emit func(arc int32, pooled []T)) {
	n, w := len(from), x.width
	if len(x.after) < (n+1)*w {
		x.after = make([]T, 2*(n+1)*w)
	}
	clear(x.after[n*w : (n+1)*w])
	for k := n - 1; k >= 0; k-- {
		here, last := x.after[k*w:(k+1)*w], x.after[(k+1)*w:(k+2)*w]
		if fromEnd[from[k]] == v {
			copy(here, last)
			continue
		}
		x.add(here, last, value(from[k]))
	}
	clear(x.before)
	k := 0
	for _, a := range to {
		u := toEnd[a]
		if u == v {
			continue
		}
		for ; k < n && fromEnd[from[k]] < u; k++ {
			if fromEnd[from[k]] != v {
				x.add(x.before, x.before, value(from[k]))
			}
		}
		next := k
		for next < n && fromEnd[from[next]] == u {
			next++
		}
		x.add(x.pooled, x.before, x.after[next*w:(next+1)*w])
		emit(a, x.pooled)
	}
}

// messages is the recursion of one piece of work.
type messages[T simd.Float] struct {
	*pathPool[T]
	piece
	arcs   *reversedArcs
	width  int
	factor []T
	others *exclusion[T]
}

func newMessages[T simd.Float](p *pathPool[T], pc piece, arcs *reversedArcs) *messages[T] {
	w := pc.hi - pc.lo
	return &messages[T]{pathPool: p, piece: pc, arcs: arcs, width: w, factor: make([]T, w),
		others: newExclusion[T](p.Pool, w)}
}

// size returns the number of values of one position.
func (m *messages[T]) size() int {
	return int(m.Graph.RowPtr[m.to]-m.Graph.RowPtr[m.from]) * m.width
}

// at returns what table holds for an arc.
func (m *messages[T]) at(table []T, arc int32) []T {
	at := int(arc-m.Graph.RowPtr[m.from]) * m.width
	return table[at : at+m.width]
}

// pass computes the messages of position i > 1 from those of position i+1.
func (m *messages[T]) pass(i, j int, dst, src []T) {
	for v := m.from; v < m.to; v++ {
		entering := m.arcs.entering(v)
		simd.Exp(m.factor, m.pieceScore(m.piece, v, i), m.scale[j], m.shift[j]/T(j))
		if i == j {
			for _, a := range entering {
				copy(m.at(dst, a), m.factor)
			}
			continue
		}
		m.others.each(v, m.arcs.leaving(m.Graph, v), m.Graph.Col, entering, m.arcs.tail,
			func(arc int32) []T { return m.at(src, arc) },
			func(arc int32, pooled []T) { simd.Mul(m.at(dst, arc), pooled, m.factor) })
	}
}

// root pools all walks of j vertices from u into dst; second holds the messages of position 2.
func (m *messages[T]) root(dst []T, u int32, j int, second []T) {
	simd.Exp(dst, m.pieceScore(m.piece, u, 1), m.scale[j], m.shift[j]/T(j))
	if j == 1 {
		return
	}
	pooled := m.others.pooled
	clear(pooled)
	for _, a := range m.arcs.leaving(m.Graph, u) {
		if m.Graph.Col[a] != u {
			m.others.add(pooled, pooled, m.at(second, a))
		}
	}
	simd.Mul(dst, dst, pooled)
}

// nonBacktracking pools over non-backtracking walks.
func (p *pathPool[T]) nonBacktracking(workers int) {
	arcs := reverseArcs(p.Graph)
	var counts []float64
	if p.Pool == Mean {
		counts = nonBacktrackingCounts(p.Graph, arcs, p.Size)
	}
	pieces := p.pieces()
	parallel.For(workers, len(pieces), func(number int) {
		pc := pieces[number]
		m := newMessages(p, pc, arcs)
		rows := p.rootRows(pc.from, pc.to)
		next, current := make([]T, m.size()), make([]T, m.size())
		for j := 1; j <= p.Size; j++ {
			if rows[j] == nil {
				continue
			}
			for i := j; i >= 2; i-- {
				m.pass(i, j, current, next)
				next, current = current, next
			}
			for u := pc.from; u < pc.to; u++ {
				r := rows[j][u-pc.from]
				if r < 0 {
					continue
				}
				count := 0.0
				if counts != nil {
					count = counts[int(u)*p.Size+j-1]
				}
				dst := p.outputs(pc, j, r)
				m.root(dst, u, j, next)
				p.finish(dst, u, count)
			}
		}
	})
}

// nonBacktrackingCounts returns the number of non-backtracking walks of 1 to size vertices from each
// vertex, as a row-major matrix. Counts are exact up to 2^53 and rounded above.
func nonBacktrackingCounts(b *graph.Batch, arcs *reversedArcs, size int) []float64 {
	n, m := b.NumVertices(), b.NumArcs()
	counts := make([]float64, n*size)
	next, current := make([]float64, m), make([]float64, m) // by arc: ways to go on from its head
	others := newExclusion[float64](Sum, 1)
	for j := 1; j <= size; j++ {
		for v := range int32(n) {
			if j == 1 {
				counts[int(v)*size] = 1
				continue
			}
			for _, a := range arcs.leaving(b, v) {
				if j == 2 {
					next[a] = 1
				}
				if b.Col[a] != v {
					counts[int(v)*size+j-1] += next[a]
				}
			}
		}
		if j == 1 {
			continue
		}
		for v := range int32(n) {
			others.each(v, arcs.leaving(b, v), b.Col, arcs.entering(v), arcs.tail,
				func(arc int32) []float64 { return next[arc : arc+1] },
				func(arc int32, pooled []float64) { current[arc] = pooled[0] })
		}
		next, current = current, next
	}
	return counts
}
