package graph

// Sizes of paths and walks are counted in vertices throughout: size 1 is a vertex, size p has p-1
// arcs (the path length k of the GCKN paper is p-1).

// Route says which sequences of adjacent vertices count.
type Route int

const (
	// Paths never repeat a vertex.
	Paths Route = iota
	// Walks may repeat vertices.
	Walks
	// NonBacktracking walks differ in every three consecutive vertices: they never turn back on an arc.
	// Up to a size below the girth, and up to three vertices in any graph, they are the paths.
	NonBacktracking
)

func (r Route) String() string { return [...]string{"paths", "walks", "non-backtracking walks"}[r] }

// continues reports whether a route that came along prefix may go on to u.
func (r Route) continues(prefix []int32, u int32) bool {
	switch r {
	case Walks:
		return true
	case NonBacktracking:
		prefix = prefix[max(0, len(prefix)-2):]
	}
	for _, w := range prefix {
		if w == u {
			return false
		}
	}
	return true
}

// VisitPaths calls visit for every simple path of 1 to maxSize vertices that starts at u, in
// depth-first order with neighbours in stored order. The slice is reused between calls.
func (b *Batch) VisitPaths(u int32, maxSize int, visit func(path []int32)) {
	b.Visit(Paths, u, maxSize, visit)
}

// VisitWalks is [Batch.VisitPaths] for walks, which may repeat vertices.
func (b *Batch) VisitWalks(u int32, maxSize int, visit func(walk []int32)) {
	b.Visit(Walks, u, maxSize, visit)
}

// Visit is [Batch.VisitPaths] for any route.
func (b *Batch) Visit(r Route, u int32, maxSize int, visit func(sequence []int32)) {
	b.extend(r, make([]int32, 0, maxSize), u, maxSize, visit)
}

func (b *Batch) extend(r Route, prefix []int32, u int32, maxSize int, visit func([]int32)) {
	if !r.continues(prefix, u) {
		return
	}
	prefix = append(prefix, u)
	visit(prefix)
	if len(prefix) == maxSize {
		return
	}
	for _, v := range b.Neighbors(u) {
		b.extend(r, prefix, v, maxSize, visit)
	}
}

// PathCounts returns the number of simple paths of 1 to maxSize vertices that start at each vertex,
// as a NumVertices x maxSize row-major matrix.
func (b *Batch) PathCounts(maxSize int) []int64 {
	counts := make([]int64, b.NumVertices()*maxSize)
	path := make([]int32, maxSize)
	for u := range b.NumVertices() {
		b.countFrom(counts[u*maxSize:(u+1)*maxSize], path, 0, int32(u))
	}
	return counts
}

func (b *Batch) countFrom(counts []int64, path []int32, depth int, u int32) {
	for _, w := range path[:depth] {
		if w == u {
			return
		}
	}
	path[depth] = u
	counts[depth]++
	if depth+1 == len(path) {
		return
	}
	for _, v := range b.Neighbors(u) {
		b.countFrom(counts, path, depth+1, v)
	}
}

// WalkCounts returns the number of walks of 1 to maxSize vertices that start at each vertex, as a
// NumVertices x maxSize row-major matrix. Counts are exact up to 2^53 and rounded above, where an
// integer would overflow: a graph of 66 neighbours everywhere has 10^20 walks of 12 vertices.
func (b *Batch) WalkCounts(maxSize int) []float64 {
	n := b.NumVertices()
	counts := make([]float64, n*maxSize)
	for j := range maxSize {
		for u := range n {
			if j == 0 {
				counts[u*maxSize] = 1
				continue
			}
			for _, v := range b.Neighbors(int32(u)) {
				counts[u*maxSize+j] += counts[int(v)*maxSize+j-1]
			}
		}
	}
	return counts
}
