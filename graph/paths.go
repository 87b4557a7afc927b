package graph

// Sizes of paths and walks are counted in vertices throughout: size 1 is a vertex, size p has p-1
// arcs (the path length k of the GCKN paper is p-1).

// VisitPaths calls visit for every simple path of 1 to maxSize vertices that starts at u, in
// depth-first order with neighbours in stored order. The slice is reused between calls.
func (b *Batch) VisitPaths(u int32, maxSize int, visit func(path []int32)) {
	b.extend(make([]int32, 0, maxSize), u, maxSize, true, visit)
}

// VisitWalks is [Batch.VisitPaths] for walks, which may repeat vertices.
func (b *Batch) VisitWalks(u int32, maxSize int, visit func(walk []int32)) {
	b.extend(make([]int32, 0, maxSize), u, maxSize, false, visit)
}

func (b *Batch) extend(prefix []int32, u int32, maxSize int, simple bool, visit func([]int32)) {
	if simple {
		for _, w := range prefix {
			if w == u {
				return
			}
		}
	}
	prefix = append(prefix, u)
	visit(prefix)
	if len(prefix) == maxSize {
		return
	}
	for _, v := range b.Neighbors(u) {
		b.extend(prefix, v, maxSize, simple, visit)
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
