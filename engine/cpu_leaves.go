package engine

import (
	"github.com/grove-graph/grove/engine/simd"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/parallel"
)

// The kernel of a path is a product over its vertices, so all the ways to end a path at a neighbour of
// u share the factor of the part up to u:
//
//	sum over w of exp(scale (t + s_j(w)) + shift) = f(t) (E_j(u) - sum over visited neighbours x of e_j(x))
//
// with e_j(w) = exp(scale_j s_j(w) + leaf shift) and E_j(u) the sum of e_j over all neighbours of u.
// The search therefore stops one vertex early, which saves a factor of the mean degree. For paths
// of two vertices it is the walk recursion, for three it is pooling over non-backtracking walks.

// earlyDegree is the branching factor from which stopping early pays: with 128 filters a step that stops
// early takes about 130 ns and stands for 1 + branching trie nodes of about 40 ns each (path-early and path-trie of
// cmd/bench).
const earlyDegree = 2.5

// sectionVertices bounds the vertices whose tables e and E exist at a time for each goroutine, unless one
// graph is larger.
const sectionVertices = 512

// section is a run of whole graphs that own the vertices [from, to).
type section struct {
	from, to int32
	early    bool
}

// sections cuts the batch into runs of graphs that are pooled in the same way.
func (p *pathPool[T]) sections() []section {
	b := p.Graph
	var all []section
	for g := range b.NumGraphs() {
		from, to := b.Vertices(g)
		early := p.Pool != Max && branching(b, from, to) >= earlyDegree
		if n := len(all); n > 0 && all[n-1].early == early && (!early || to-all[n-1].from <= sectionVertices) {
			all[n-1].to = to
		} else {
			all = append(all, section{from, to, early})
		}
	}
	return all
}

// branching returns the mean number of ways to go on from the head of an arc without turning back.
func branching(b *graph.Batch, from, to int32) float64 {
	arcs, ways := 0, 0
	for u := from; u < to; u++ {
		d := b.Degree(u)
		arcs += d
		ways += d * (d - 1)
	}
	if arcs == 0 {
		return 0
	}
	return float64(ways) / float64(arcs)
}

// leaves are the tables of the vertices of one section.
type leaves[T simd.Float] struct {
	*pathPool[T]
	from        int32
	leaf, total [][]T // by size: e_j and E_j, vertices x q; nil where the size is not pooled
}

// newLeaves returns tables with room for n vertices.
func (p *pathPool[T]) newLeaves(n int) *leaves[T] {
	l := &leaves[T]{pathPool: p, leaf: make([][]T, p.Size+1), total: make([][]T, p.Size+1)}
	for j := 2; j <= p.Size; j++ {
		if p.out[j] != nil {
			l.leaf[j], l.total[j] = make([]T, n*p.q), make([]T, n*p.q)
		}
	}
	return l
}

// row returns the row of vertex v in a table.
func (l *leaves[T]) row(table []T, v int32) []T {
	at := int(v-l.from) * l.q
	return table[at : at+l.q]
}

// pool fills the tables for the vertices of a section and pools from each of them.
func (l *leaves[T]) pool(workers int, from, to int32) {
	l.from = from
	each := func(run func(v int32, j int)) {
		parallel.Chunks(workers, int(to-from), rowChunk, func(lo, hi int) {
			for j := 2; j <= l.Size; j++ {
				for v := from + int32(lo); l.out[j] != nil && v < from+int32(hi); v++ {
					run(v, j)
				}
			}
		})
	}
	each(func(v int32, j int) {
		_, shift := l.split(j)
		simd.Exp(l.row(l.leaf[j], v), l.score(v, j), l.scale[j], shift)
	})
	each(func(v int32, j int) {
		dst := l.row(l.total[j], v)
		clear(dst)
		sum := longSum[T]{total: dst}
		for _, w := range l.Graph.Neighbors(v) {
			to := sum.next()
			simd.Add(to, to, l.row(l.leaf[j], w))
		}
		sum.end()
	})
	l.forRoots(workers, from, to, func() rootPooler[T] {
		t := &early[T]{trie: newTrie(l.pathPool), leaves: l, rest: make([]T, l.q), power: make([]T, l.q)}
		t.sums = make([]longSum[T], l.Size+1)
		for j := range t.sums {
			t.sums[j].total = t.acc[j]
		}
		return t
	})
}

// early is the state of a search that stops one vertex early.
type early[T simd.Float] struct {
	*trie[T]
	leaves      *leaves[T]
	rest, power []T
	sums        []longSum[T] // by size, into acc
}

// split shares the shift of paths of j vertices between the first j-1 and the last, by their number.
func (p *pathPool[T]) split(j int) (prefix, leaf T) {
	leaf = p.shift[j] / T(j)
	return p.shift[j] - leaf, leaf
}

func (t *early[T]) pool(root int32, limit int) {
	t.limit = limit
	for j := 1; j <= limit; j++ {
		clear(t.acc[j])
		t.count[j] = 0
	}
	t.step(root, 1)
	for j := 1; j <= limit; j++ {
		t.sums[j].end()
	}
}

// step appends v as the j-th vertex and pools all paths of j+1 vertices that have this prefix.
func (t *early[T]) step(v int32, j int) {
	t.path[j-1] = v
	simd.Add(t.prefix[j], t.prefix[j-1], t.score(v, j))
	if j == 1 && t.out[1] != nil {
		simd.Exp(t.acc[1], t.prefix[1], t.scale[1], t.shift[1])
		t.count[1] = 1
	}
	if j == t.limit {
		return
	}
	path := t.path[:j]
	if t.out[j+1] != nil {
		t.endAt(v, j+1)
	}
	if j+1 == t.limit {
		return
	}
next:
	for _, w := range t.Graph.Neighbors(v) {
		for _, u := range path {
			if u == w {
				continue next
			}
		}
		t.step(w, j+1)
	}
}

// endAt adds the paths of j vertices whose last but one vertex is v.
func (t *early[T]) endAt(v int32, j int) {
	b := t.Graph
	ways := b.Degree(v)
	tables := t.leaves
	rest, shared := tables.row(tables.total[j], v), true
	for i, u := range t.path[:j-1] {
		arcs := 1
		if i != j-3 || b.Directed || b.ArcTypes != nil { // otherwise u is the vertex before v
			arcs = b.CountArcs(v, u)
		}
		if arcs == 0 {
			continue
		}
		ways -= arcs
		if shared {
			copy(t.rest, rest)
			rest, shared = t.rest, false
		}
		simd.Axpy(-T(arcs), tables.row(tables.leaf[j], u), t.rest)
	}
	if ways == 0 {
		return
	}
	shift, _ := t.split(j)
	simd.Exp(t.power, t.prefix[j-1], t.scale[j], shift)
	simd.MulAdd(t.sums[j].next(), t.power, rest)
	t.count[j] += ways
}
