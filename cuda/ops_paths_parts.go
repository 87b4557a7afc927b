//go:build gpu

package cuda

import (
	"fmt"
	"slices"
	"sort"

	"github.com/grove-graph/grove/graph"
)

const (
	// manyPaths is the number of paths from which a root is cut, as long as its graph makes no more than some
	// mostParts of it.
	manyPaths = 1024
	mostParts = 1 << 13
	// partInts is the number of integers of a part, as kernels/paths.cuh lays it out.
	partInts = 11
	// mostPrefix bounds the vertices that all paths of a part begin with: their arcs are among its integers.
	mostPrefix = unrolledSize - 1
)

// pathParts are how the paths of up to size vertices in a batch are cut into pieces of work, by upper bounds of their
// numbers: those of walks that never go back along the arc they came by, of all walks in a directed graph. Each graph
// is cut by itself, and for any device alike, so that outputs have the same bits. A nil pointer is a batch without a
// root of many paths.
type pathParts struct {
	paths []float64 // n+1: bounds of the paths of all roots before each vertex that are not cut
	cut   []uint8   // n: 1 for a root that is cut
	parts []int32   // partInts for each part, by root, depth first
	roots []int32   // for each root that is cut: the vertex, its first part and the one after its last
}

// newPathParts returns nil where every run of graphs of a pack is light.
func newPathParts(b *graph.Batch, size int) *pathParts {
	if degreeBound(b, 0, b.NumVertices(), size)*manyVertices <= manyPaths*pieceOfGraph {
		return nil
	}
	n := b.NumVertices()
	p := &pathParts{paths: make([]float64, n+1), cut: make([]uint8, n)}
	c := cutter{pathParts: p, b: b, size: size, ways: make([]float64, (size+1)*n), n: n}
	for g := range b.NumGraphs() {
		from, to := b.Vertices(g)
		c.graph(int(from), int(to))
	}
	return p
}

// degreeBound returns a bound of the paths of a vertex of [from, to) by the largest degree alone.
func degreeBound(b *graph.Batch, from, to, size int) float64 {
	degree, paths, ways := 0, 1.0, 1.0
	for v := from; v < to; v++ {
		degree = max(degree, b.Degree(int32(v)))
	}
	for j := 2; j <= size; j++ {
		ways *= float64(degree)
		paths += ways
	}
	return paths
}

// between returns a bound of the paths of the roots of [from, to) that are not cut, and of any of them the number where
// no root has many paths.
func (p *pathParts) between(from, to int) float64 {
	if p == nil {
		return float64(to - from)
	}
	return p.paths[to] - p.paths[from]
}

// cuts reports whether a root of [from, to) is cut.
func (p *pathParts) cuts(from, to int) bool {
	return p != nil && slices.Contains(p.cut[from:to], 1)
}

// numRoots returns how many roots are cut.
func (p *pathParts) numRoots() int {
	if p == nil {
		return 0
	}
	return len(p.roots) / 3
}

// cutter cuts the roots of a batch. ways[r n + v] bounds the number of paths of up to r vertices from v.
type cutter struct {
	*pathParts
	b       *graph.Batch
	size, n int
	ways    []float64
	path    []int32 // root and prefix
	arcs    []int32 // of the prefix
	counted int     // of the vertices of the prefix
	share   float64
}

// graph cuts the roots of one graph.
func (c *cutter) graph(from, to int) {
	bound := degreeBound(c.b, from, to, c.size)
	light := bound <= manyPaths
	total := 0.0
	if !light {
		c.walks(from, to)
		for v := from; v < to; v++ {
			total += c.ways[c.size*c.n+v]
		}
	}
	c.share = max(manyPaths, total/mostParts)
	for v := from; v < to; v++ {
		paths := bound
		if !light {
			paths = c.ways[c.size*c.n+v]
		}
		if paths > c.share && c.size > 1 {
			paths = 0
			c.root(int32(v))
		}
		c.paths[v+1] = c.paths[v] + paths
	}
}

// walks fills the bounds of a graph by their recursion.
func (c *cutter) walks(from, to int) {
	for r := 1; r <= c.size; r++ {
		for v := from; v < to; v++ {
			paths := 1.0
			for _, u := range c.b.Neighbors(int32(v)) {
				paths += c.along(int32(v), u, r-1)
			}
			c.ways[r*c.n+v] = paths
		}
	}
}

// along bounds the number of paths of up to r vertices from v on for those that came from u. Without the way back,
//
//	along(u, v, r) = ways(v, r) - along(v, u, r-1)
func (c *cutter) along(u, v int32, r int) float64 {
	switch {
	case u == v || r == 0:
		return 0
	case c.b.Directed:
		return c.ways[r*c.n+int(v)]
	}
	paths := 0.0
	for ; r > 0; r -= 2 {
		paths += c.ways[r*c.n+int(v)]
		if r > 1 {
			paths -= c.ways[(r-1)*c.n+int(u)]
		}
	}
	return paths
}

// root cuts the paths of a root.
func (c *cutter) root(v int32) {
	first := int32(len(c.parts) / partInts)
	c.path, c.arcs, c.counted = append(c.path[:0], v), c.arcs[:0], 0
	c.prefix()
	c.cut[v] = 1
	c.roots = append(c.roots, v, first, int32(len(c.parts)/partInts))
}

// prefix cuts the paths that go on from a prefix: runs of arcs with about a share of paths, and one by one what goes on
// by an arc with more.
func (c *cutter) prefix() {
	depth := len(c.path)
	last, rest := c.path[depth-1], c.size-depth
	start, sum := c.b.RowPtr[last], 0.0
	flush := func(end int32) {
		if start < end && (sum > 0 || c.counted < depth) {
			c.add(start, end)
		}
		start, sum = end, 0
	}
	for a := c.b.RowPtr[last]; a < c.b.RowPtr[last+1]; a++ {
		next := c.b.Col[a]
		if slices.Contains(c.path, next) {
			continue
		}
		paths := c.along(last, next, rest)
		if rest > 1 && depth < mostPrefix && paths > c.share {
			flush(a)
			c.path, c.arcs = append(c.path, next), append(c.arcs, a)
			c.prefix()
			c.path, c.arcs = c.path[:depth], c.arcs[:depth-1]
			c.counted, start = min(c.counted, depth), a+1
			continue
		}
		if sum+paths > c.share {
			flush(a)
		}
		sum += paths
	}
	flush(c.b.RowPtr[last+1])
}

// add adds the part that goes on from the prefix by the arcs [from, to).
func (c *cutter) add(from, to int32) {
	depth := len(c.path)
	c.parts = append(c.parts, c.path[0], int32(depth), int32(c.counted))
	c.parts = append(c.parts, c.arcs...)
	c.parts = append(c.parts, from, to)
	c.parts = append(c.parts, make([]int32, partInts-4-depth)...)
	c.counted = depth
}

// partsOf returns how the paths of the call are cut, which is kept with the batch.
func (w *pathWork[T]) partsOf() *pathParts {
	if w.Graph == nil || w.Size == 1 {
		return nil
	}
	return planned(w.e, w.Graph, fmt.Sprint("parts of paths of size ", w.Size), func() *pathParts {
		return newPathParts(w.Graph, w.Size)
	})
}

// deviceParts are pathParts on the device, with room for what a chunk of the parts comes to.
type deviceParts[T real] struct {
	cut          pointer[uint8]
	parts, roots pointer[int32]
	partial      pointer[T]
	counts       pointer[int32]
	chunks       []chunk
}

// chunk is a run of roots that are cut, with their parts, and where the parts start.
type chunk struct{ root, roots, part, parts int }

// chunks returns runs of roots with at most fit parts, or a single root.
func (p *pathParts) chunks(fit int) []chunk {
	var all []chunk
	for root := 0; root < p.numRoots(); {
		part := int(p.roots[3*root+1])
		roots := max(1, sort.Search(p.numRoots()-root, func(i int) bool { return int(p.roots[3*(root+i)+2])-part > fit }))
		end := root + roots
		all = append(all, chunk{root, roots, part, int(p.roots[3*end-1]) - part})
		root = end
	}
	return all
}

// join enqueues the sums of the parts of some roots.
func (w *pathWork[T]) join(s *stream, on deviceParts[T], c chunk) error {
	g := grid{blocks: dim{x: c.roots, y: blocksOf(w.q, 32)}, threads: dim{x: 32, y: warpsOfTrie}}
	return pathJoin(s, g, w.matrices, on.partial, on.counts, on.roots.at(3*c.root), w.norms, w.index, w.rootRow,
		int32(c.part), int32(w.n), int32(w.Size), int32(w.q), int32(w.Pool))
}

// onDevice brings the parts to the device.
func (w *pathWork[T]) onDevice(p *pathParts) deviceParts[T] {
	var d deviceParts[T]
	if p.numRoots() == 0 || w.q == 0 {
		return d
	}
	name := func(what string) string { return fmt.Sprint(what, " of paths of size ", w.Size) }
	d.cut = derived(w.k, w.Graph, name("cut roots"), func() []uint8 { return p.cut })
	d.parts = derived(w.k, w.Graph, name("parts"), func() []int32 { return p.parts })
	d.roots = derived(w.k, w.Graph, name("parts of the roots"), func() []int32 { return p.roots })
	d.chunks = p.chunks(recursionBytes / w.bytes(w.Size*w.q))
	most := 0
	for _, c := range d.chunks {
		most = max(most, c.parts)
	}
	d.partial, d.counts = scratch[T](w.k, most*w.Size*w.q), scratch[int32](w.k, most*w.Size)
	return d
}
