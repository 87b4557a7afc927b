package engine

import "github.com/grove-graph/grove/engine/simd"

// piece is a piece of the work on paths that depends on no other: a run of whole graphs, which own the
// vertices [from, to), and the filters [lo, hi). One goroutine does it from beginning to end.
type piece struct {
	number   int // of the piece
	run      int // number of its run of graphs
	from, to int32
	lo, hi   int
}

const (
	// pieceVertices ends a run of graphs.
	pieceVertices = 512
	// pieceFilters is the number of filters of a piece of a graph with more vertices than a run, so
	// that several goroutines can work on it: two cache lines of float32.
	pieceFilters = 32
)

// pieces cuts the work by rules that know nothing of workers. Without a graph every vertex is one.
func (p *pathPool[T]) pieces() []piece {
	var all []piece
	runs := 0
	add := func(from, to int32) {
		width := p.q
		if to-from > pieceVertices {
			width = pieceFilters
		}
		for lo := 0; lo < p.q; lo += width {
			all = append(all, piece{len(all), runs, from, to, lo, min(lo+width, p.q)})
		}
		runs++
	}
	if p.Graph == nil {
		n := int32(len(p.scores) / max(p.Size*p.q, 1))
		for from := int32(0); from < n; from += pieceVertices {
			add(from, min(from+pieceVertices, n))
		}
		return all
	}
	from := int32(0)
	for g := range p.Graph.NumGraphs() {
		first, end := p.Graph.Vertices(g)
		if end-from > pieceVertices && first > from {
			add(from, first)
			from = first
		}
		if g == p.Graph.NumGraphs()-1 && end > from {
			add(from, end)
		}
	}
	return all
}

// rootRows gives for every size the row of each vertex of [from, to) in the matrix of that size, -1
// where it is not a root; nil for a size that is not pooled.
func (p *pathPool[T]) rootRows(from, to int32) [][]int32 {
	rows := make([][]int32, p.Size+1)
	for j := range rows {
		if p.out[j] == nil {
			continue
		}
		rows[j] = make([]int32, to-from)
		for i := range rows[j] {
			rows[j][i] = from + int32(i)
			if p.roots[j] != nil {
				rows[j][i] = -1
			}
		}
		for r := firstRoot(p.roots[j], from); r < len(p.roots[j]) && p.roots[j][r] < to; r++ {
			rows[j][p.roots[j][r]-from] = int32(r)
		}
	}
	return rows
}

// outputs returns the filters of the piece in row r of the matrix of size j.
func (p *pathPool[T]) outputs(pc piece, j int, r int32) []T {
	at := int(r) * p.q
	return p.out[j][at+pc.lo : at+pc.hi]
}

// pieceScore returns the filters of the piece in s_j(v).
func (p *pathPool[T]) pieceScore(pc piece, v int32, j int) []T { return p.score(v, j)[pc.lo:pc.hi] }

// scaled sets dst to scale x.
func scaled[T simd.Float](dst []T, scale T, x []T) {
	copy(dst, x)
	simd.Scale(scale, dst)
}
