//go:build gpu

package cuda

import (
	"math"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
)

// routes returns the number of routes of 1 to Size vertices from each vertex, n x Size.
func (w *pathWork[T]) routes() []int64 {
	switch {
	case w.Graph == nil:
		counts := make([]int64, w.n*w.Size)
		for v := range w.n {
			counts[v*w.Size] = 1
		}
		return counts
	case w.Route == graph.Paths:
		return w.Graph.PathCounts(w.Size)
	}
	counts := make([]int64, w.n*w.Size)
	for v := range w.n {
		w.Graph.Visit(w.Route, int32(v), w.Size, func(route []int32) { counts[v*w.Size+len(route)-1]++ })
	}
	return counts
}

// eachRoot calls visit for the pooled sizes, the rows of their matrices and the roots that these are of.
func (w *pathWork[T]) eachRoot(visit func(j, row, v int)) {
	for i, j := range w.Lengths() {
		rows := w.n
		if w.Roots != nil && w.Roots[i] != nil {
			rows = len(w.Roots[i])
		}
		for row := range rows {
			v := row
			if w.Roots != nil && w.Roots[i] != nil {
				v = int(w.Roots[i][row])
			}
			if w.only == nil || w.only[v] {
				visit(j, row, v)
			}
		}
	}
}

// pooledRoutes returns the number of routes from the roots of all sizes, at most so many from a root.
func (w *pathWork[T]) pooledRoutes(most int64) int {
	routes, all := w.routes(), 0
	w.eachRoot(func(j, _, v int) { all += int(min(routes[v*w.Size+j-1], most)) })
	return all
}

// exponentials returns how many exponentials the trie takes: one for every row and position that a pack keeps, and for
// those in device memory, where paths are products of factors, as they are while no factor is larger than scores of
// unit rows make it; otherwise one for every path, or for every maximum. Packs have lanes beyond the last filter.
func (t *trieWork[T]) exponentials() int {
	lanes := t.tiles * t.shape.tile
	switch {
	case t.Pool == engine.Max:
		cut := t.roots(func(_, v int) bool { return t.parts.cuts(v, v+1) })
		return (t.roots(func(int, int) bool { return true })-cut)*lanes + cut*t.q
	case t.root() == 0 || t.Graph == nil || t.Size == 1:
		return t.pooledRoutes(math.MaxInt64) * lanes
	}
	factors := t.packs.small.sum() + t.packs.medium.sum()
	if t.whole > 0 {
		factors = t.whole * (t.packs.small.len() + t.packs.medium.len())
	}
	return factors*t.Size*lanes + t.factors.pieces.sum()*t.Size*t.q
}

// longExponentials returns how many exponentials poolLong takes without factors: one for every path, and for the
// maxima of a root that is cut.
func (w *pathWork[T]) longExponentials(parts *pathParts) int {
	if w.Pool != engine.Max || parts == nil {
		return w.pooledRoutes(math.MaxInt64) * w.q
	}
	routes, all := w.routes(), 0
	w.eachRoot(func(j, _, v int) {
		if parts.cuts(v, v+1) {
			all++
		} else {
			all += int(routes[v*w.Size+j-1])
		}
	})
	return all * w.q
}

// roots returns the number of roots of all sizes that are of interest.
func (w *pathWork[T]) roots(of func(j, v int) bool) int {
	all := 0
	w.eachRoot(func(j, _, v int) {
		if of(j, v) {
			all++
		}
	})
	return all
}

// gradExponentials returns how many exponentials the lanes of the gather of gradients take together: one for every row
// and position that a block keeps, where paths are products of factors, with the reservation of trieExponentials;
// otherwise one for every path that a block meets.
func (w *pathGradWork[T]) gradExponentials(lists []gradList) int {
	all := 0
	for _, list := range lists {
		switch {
		case list.rows == 0 || w.root() == 0:
			all += w.gatheredRoutes(list.has) * list.grid.blocks.y
		case list.whole > 0:
			all += list.whole * list.len() * w.Size * list.grid.blocks.y * list.shares
		default:
			all += list.sum() * w.Size * list.grid.blocks.y * list.shares
		}
	}
	return all
}

// gatheredRoutes returns how often the gather of gradients meets a path that counts, from the roots that are of
// interest: for each of its positions up to the largest size that its root has a weight for, which only
// norms of zero make smaller on the device.
func (w *pathWork[T]) gatheredRoutes(of func(v int) bool) int {
	routes, all := w.routes(), 0
	largest := make([]int, w.n)
	w.eachRoot(func(j, _, v int) {
		if of(v) && (w.Pool != engine.Mean || routes[v*w.Size+j-1] > 0) {
			largest[v] = max(largest[v], j)
		}
	})
	for _, j := range w.Lengths() {
		for v := range w.n {
			all += int(routes[v*w.Size+j-1]) * min(j, largest[v])
		}
	}
	return all
}

// factors tells of a launch of a recursion that makes a factor of every vertex and filter, but for a maximum.
func (w *pathWork[T]) factors(s *stream, width int) {
	if w.Pool != engine.Max {
		exponentials[T](s, func() int { return w.n * width })
	}
}

// finishes tells of a launch that ends a recursion over routes of j vertices, whose exponents a maximum has kept.
func (w *pathWork[T]) finishes(s *stream, j, width int) {
	if w.Pool == engine.Max {
		exponentials[T](s, func() int { return w.roots(func(size, _ int) bool { return size == j }) * width })
	}
}

// small tells of a launch that does all positions and sizes of some graphs with a number of vertices, in lanes for the
// filters.
func (w *pathWork[T]) small(s *stream, p packs, lanes int) {
	exponentials[T](s, func() int {
		if w.Pool == engine.Max {
			return w.roots(func(_, v int) bool { return p.has(v) }) * w.q
		}
		all := 0
		for _, j := range w.Lengths() {
			all += j
		}
		return all * p.sum() * lanes
	})
}

// has reports whether a vertex lies in one of the packs.
func (p *packs) has(v int) bool {
	for i := 0; i < len(p.bounds); i += 2 {
		if int(p.bounds[i]) <= v && v < int(p.bounds[i+1]) {
			return true
		}
	}
	return false
}

// sum returns the number of vertices in all packs.
func (p *packs) sum() int {
	n := 0
	for i := 0; i < len(p.bounds); i += 2 {
		n += int(p.bounds[i+1] - p.bounds[i])
	}
	return n
}
