package engine

import (
	"sort"

	"github.com/grove-graph/grove/engine/simd"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/parallel"
	"gorgonia.org/tensor"
)

// PathPool implements [Engine] in five exact ways: walks by a recursion over vertices (cpu_walks.go),
// non-backtracking walks by one over arcs (cpu_nonbacktracking.go), paths by a fused depth-first search (the trie, this
// file), sums or means of paths by one that takes products of factors where many vertices share a row of the table
// (cpu_factors.go), and in graphs with many neighbours by a search that stops one vertex early (cpu_leaves.go). Where a
// path counts for nothing but the rows along it (cpu_tallies.go, and maxima), twins are taken together.
func (e *CPU) PathPool(out []*tensor.Dense, scores, norms *tensor.Dense, p *PathPooling) error {
	q, err := CheckPathPool(out, scores, norms, p)
	if err != nil {
		return err
	}
	if scores.Dtype() == tensor.Float32 {
		newPathPool[float32](out, scores, norms, p, q).run(e.workers)
	} else {
		newPathPool[float64](out, scores, norms, p, q).run(e.workers)
	}
	return nil
}

// rootChunk is the number of vertices that one piece of parallel work pools for.
const rootChunk = 64

// pathPool is one call of PathPool with its arrays in the shape that the inner loops want. Sizes j
// count from 1; arrays over sizes have Size+1 entries.
type pathPool[T simd.Float] struct {
	*PathPooling
	q            int
	scores       []T // D x (Size q)
	norms        []T
	out          [][]T     // by size; nil where the size is not pooled
	roots        [][]int32 // by size; nil: every vertex
	scale, shift []T       // by size
}

func newPathPool[T simd.Float](out []*tensor.Dense, scores, norms *tensor.Dense, p *PathPooling, q int) *pathPool[T] {
	pp := &pathPool[T]{
		PathPooling: p, q: q, scores: data[T](scores), norms: data[T](norms),
		out: make([][]T, p.Size+1), roots: make([][]int32, p.Size+1),
		scale: make([]T, p.Size+1), shift: make([]T, p.Size+1),
	}
	for i, j := range p.Lengths() {
		pp.out[j] = data[T](out[i])
		if p.Roots != nil {
			pp.roots[j] = p.Roots[i]
		}
	}
	for j := 1; j <= p.Size; j++ {
		scale, shift := p.Kernel.Scale(j)
		pp.scale[j], pp.shift[j] = T(scale), T(shift)
	}
	return pp
}

func (p *pathPool[T]) run(workers int) {
	switch {
	case p.Size == 1:
		p.vertices(workers)
	case p.Route == graph.Walks:
		p.walks(workers)
	case p.Route == graph.NonBacktracking:
		p.nonBacktracking(workers)
	default:
		p.paths(workers)
	}
}

// row returns the row of the table for vertex v.
func (p *pathPool[T]) row(v int32) int {
	if p.Index == nil {
		return int(v)
	}
	return int(p.Index[v])
}

// score returns s_j(v), 1 <= j <= Size.
func (p *pathPool[T]) score(v int32, j int) []T {
	at := (p.row(v)*p.Size + j - 1) * p.q
	return p.scores[at : at+p.q]
}

// finish turns the pooled kernel values of a vertex into its output: the mean, then the vertex's norm.
func (p *pathPool[T]) finish(dst []T, v int32, count float64) {
	factor := T(1)
	if p.Pool == Mean && count > 0 {
		factor = 1 / T(count)
	}
	if p.norms != nil {
		factor *= p.norms[p.row(v)]
	}
	if factor != 1 {
		simd.Scale(factor, dst)
	}
}

// vertices pools paths of a single vertex: every vertex has exactly one.
func (p *pathPool[T]) vertices(workers int) {
	n := len(p.out[1]) / max(p.q, 1)
	inOrder := p.Index == nil && p.roots[1] == nil
	parallel.Chunks(workers, n, rowChunk, func(from, to int) {
		if inOrder {
			simd.Exp(p.out[1][from*p.q:to*p.q], p.scores[from*p.q:to*p.q], p.scale[1], p.shift[1])
			if p.norms == nil {
				return
			}
		}
		for r := from; r < to; r++ {
			v := int32(r)
			if p.roots[1] != nil {
				v = p.roots[1][r]
			}
			dst := p.out[1][r*p.q : (r+1)*p.q]
			if !inOrder {
				simd.Exp(dst, p.score(v, 1), p.scale[1], p.shift[1])
			}
			p.finish(dst, v, 1)
		}
	})
}

// paths chooses for every run of graphs between the trie, by exponentials or by products, and its variant that stops a
// vertex early. Each small run of the latter is the work of one goroutine, whose tables stay in its cache.
func (p *pathPool[T]) paths(workers int) {
	var small []section
	start := func() rootPooler[T] { return newTrie(p) }
	factors := p.newFactors(workers)
	switch {
	case factors != nil && p.Ranks != nil:
		twins := p.Graph.Twins(p.Index, p.Size)
		p.forRoots(workers, 0, int32(p.Graph.NumVertices()), func() rootPooler[T] {
			return newTallies(factors, twins, mostTallies)
		})
		return
	case factors != nil:
		start = func() rootPooler[T] { return newProducts(factors) }
	case p.Pool == Max && p.Index != nil:
		twins := p.Graph.Twins(p.Index, p.Size)
		start = func() rootPooler[T] { return &highest[T]{newTrie(p), twins} }
	}
	for _, s := range p.sections() {
		switch {
		case !s.early:
			p.forRoots(workers, s.from, s.to, start)
		case s.to-s.from > sectionVertices:
			p.newLeaves(int(s.to-s.from)).pool(workers, s.from, s.to)
		default:
			small = append(small, s)
		}
	}
	parallel.Each(workers, len(small), func() func(int) {
		leaves := p.newLeaves(sectionVertices)
		return func(i int) { leaves.pool(1, small[i].from, small[i].to) }
	})
}

// rootPooler pools all paths of up to limit vertices from one root: the result for size j is in
// sum(j), count(j) paths were found.
type rootPooler[T simd.Float] interface {
	pool(root int32, limit int)
	result(j int) (sum []T, count float64)
}

// forRoots pools for every vertex of [from, to) that is a root of some size and writes its rows.
func (p *pathPool[T]) forRoots(workers int, from, to int32, start func() rootPooler[T]) {
	chunks := (int(to-from) + rootChunk - 1) / rootChunk
	parallel.Each(workers, chunks, func() func(int) {
		pooler := start()
		next := make([]int, p.Size+1) // first root of each size that was not passed yet
		return func(chunk int) {
			lo := from + int32(chunk*rootChunk)
			hi := min(lo+rootChunk, to)
			for j := 1; j <= p.Size; j++ {
				next[j] = int(lo)
				if roots := p.roots[j]; roots != nil {
					next[j] = sort.Search(len(roots), func(i int) bool { return roots[i] >= lo })
				}
			}
			for v := lo; v < hi; v++ {
				limit := 0
				for j := 1; j <= p.Size; j++ {
					if p.out[j] != nil && (p.roots[j] == nil || (next[j] < len(p.roots[j]) && p.roots[j][next[j]] == v)) {
						limit = j
					}
				}
				if limit == 0 {
					continue
				}
				pooler.pool(v, limit)
				for j := 1; j <= limit; j++ {
					if p.out[j] == nil || (p.roots[j] != nil && (next[j] == len(p.roots[j]) || p.roots[j][next[j]] != v)) {
						continue
					}
					dst := p.out[j][next[j]*p.q : (next[j]+1)*p.q]
					sum, count := pooler.result(j)
					copy(dst, sum)
					p.finish(dst, v, count)
					next[j]++
				}
			}
		}
	})
}

// trie is the state of the fused search. The paths from a root form a tree; the search keeps the
// running sum of scores along the current path, so that a tree node costs one vector addition, one
// vector exponential and one accumulation, and nothing is stored per path.
type trie[T simd.Float] struct {
	*pathPool[T]
	path   []int32 // current path
	prefix [][]T   // by size: sum of the scores of its first vertices
	acc    [][]T   // by size: pooled kernel values
	count  []int
	limit  int
}

func newTrie[T simd.Float](p *pathPool[T]) *trie[T] {
	return &trie[T]{
		pathPool: p, path: make([]int32, p.Size), count: make([]int, p.Size+1),
		prefix: vectors[T](p.Size+1, p.q), acc: vectors[T](p.Size+1, p.q),
	}
}

// vectors returns n zero vectors of length q in one block of memory.
func vectors[T simd.Float](n, q int) [][]T {
	block := make([]T, n*q)
	out := make([][]T, n)
	for i := range out {
		out[i] = block[i*q : (i+1)*q : (i+1)*q]
	}
	return out
}

func (t *trie[T]) result(j int) ([]T, float64) { return t.acc[j], float64(t.count[j]) }

func (t *trie[T]) pool(root int32, limit int) {
	t.limit = limit
	for j := 1; j <= limit; j++ {
		clear(t.acc[j])
		t.count[j] = 0
	}
	t.step(root, 1)
}

// step appends v as the j-th vertex of the path and searches on.
func (t *trie[T]) step(v int32, j int) {
	t.path[j-1] = v
	t.extend(v, j)
	t.count[j]++
	if j == t.limit {
		return
	}
	path := t.path[:j]
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

// extend takes v as the j-th vertex into the scores of the path and pools its value.
func (t *trie[T]) extend(v int32, j int) {
	score := t.score(v, j)
	switch {
	case t.out[j] == nil:
		simd.Add(t.prefix[j], t.prefix[j-1], score)
	case t.Pool == Max:
		simd.PathStepMax(t.acc[j], t.prefix[j], t.prefix[j-1], score, t.scale[j], t.shift[j])
	default:
		simd.PathStepSum(t.acc[j], t.prefix[j], t.prefix[j-1], score, t.scale[j], t.shift[j])
	}
}

// highest is the trie of a maximum. Paths through the same classes of twins have the same value, so one of them is
// enough; it does not count them.
type highest[T simd.Float] struct {
	*trie[T]
	twins *graph.Twins
}

func (h *highest[T]) pool(root int32, limit int) {
	h.limit = limit
	for j := 1; j <= limit; j++ {
		clear(h.acc[j])
	}
	h.visit(h.twins.Class[root], 1)
}

// visit appends a vertex of class c as the j-th of the path and searches on.
func (h *highest[T]) visit(c int32, j int) {
	path := h.path[:j]
	path[j-1] = c
	h.extend(h.twins.First[c], j)
	if j == h.limit {
		return
	}
	for _, d := range h.twins.Next(c) {
		if h.twins.Left(path, d) > 0 {
			h.visit(d, j+1)
		}
	}
}
