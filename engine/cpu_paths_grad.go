package engine

import (
	"sort"

	"github.com/grove-graph/grove/engine/simd"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/parallel"
	"gorgonia.org/tensor"
)

// PathPoolGrad implements [Engine]. Like PathPool it goes back through walks and non-backtracking walks by their
// recursions (cpu_walks_grad.go, cpu_nonbacktracking_grad.go) and through paths by the trie (cpu_trie_grad.go), which
// takes products of factors where PathPool does (cpu_factors_grad.go); paths of up to three vertices, which are
// non-backtracking walks, take the recursion where graphs have many neighbours. Single vertices are matrix elements
// (cpu_vertices_grad.go).
//
// Each piece of work adds up its gradients alone, in a fixed order, by the table rows that its graphs
// use; the sums of the pieces are then added in the order of the graphs. So the bits do not depend on
// the number of workers, whatever vertices share a row.
func (e *CPU) PathPoolGrad(scoreGrad, normGrad *tensor.Dense, outGrad []*tensor.Dense, scores, norms *tensor.Dense,
	p *PathPooling) error {
	q, err := CheckPathPoolGrad(scoreGrad, normGrad, outGrad, scores, norms, p)
	if err != nil {
		return err
	}
	back := typed(scores, pathPoolGrad[float32], pathPoolGrad[float64])
	back(e.workers, scoreGrad, normGrad, outGrad, scores, norms, p, q)
	return nil
}

func pathPoolGrad[T simd.Float](workers int, scoreGrad, normGrad *tensor.Dense, outGrad []*tensor.Dense,
	scores, norms *tensor.Dense, p *PathPooling, q int) {
	pp := newPathPool[T](outGrad, scores, norms, p, q)
	g := &pathGrad[T]{pathPool: pp, scoreGrad: data[T](scoreGrad), normGrad: data[T](normGrad)}
	if p.Size == 1 && p.Index == nil && p.Roots == nil {
		g.verticesBack(workers)
		return
	}
	clear(g.scoreGrad)
	clear(g.normGrad)
	g.prepare()
	if p.Route == graph.Paths && p.Size > 1 && p.Graph != nil {
		g.factors = g.newFactors(workers)
	}
	parallel.For(workers, len(g.work), func(i int) { g.runPiece(g.work[i]) })
	g.reduce(workers)
}

// pathGrad is one call of PathPoolGrad: a pathPool whose outputs are their gradients.
type pathGrad[T simd.Float] struct {
	*pathPool[T]
	scoreGrad, normGrad []T
	work                []piece
	slots               []int32       // of each vertex: which of the rows of its run of graphs it has; nil without Index
	rows                [][]int32     // by run: the rows in use, by first use; nil without Index
	partial             [][]T         // by run: gradients of these rows; nil without Index
	byNorm              [][]float64   // by piece: gradient of the norm of each vertex; nil if not asked for
	factors             *factors[T]   // of paths that are products; nil where they take exponentials
	arcs                *reversedArcs // of non-backtracking walks
	counts              []float64     // of walks: vertices x Size; nil unless Pool is Mean
}

// prepare cuts the work and gives every run of graphs memory for its sums.
func (g *pathGrad[T]) prepare() {
	g.work = g.pieces()
	g.byNorm = make([][]float64, len(g.work))
	for i, pc := range g.work {
		if g.normGrad != nil {
			g.byNorm[i] = make([]float64, pc.to-pc.from)
		}
	}
	if g.Index != nil {
		g.assignSlots()
	}
	if g.Graph == nil || g.Size == 1 || g.Route == graph.Paths && g.Size != 3 {
		return
	}
	if g.Route != graph.Walks {
		g.arcs = reverseArcs(g.Graph)
	}
	switch {
	case g.Pool != Mean:
	case g.Route == graph.Walks:
		g.counts = g.Graph.WalkCounts(g.Size)
	default:
		g.counts = nonBacktrackingCounts(g.Graph, g.arcs, g.Size)
	}
}

// assignSlots numbers the rows that each run of graphs uses.
func (g *pathGrad[T]) assignSlots() {
	g.slots = make([]int32, len(g.Index))
	slotOf := make([]int32, len(g.scores)/max(g.Size*g.q, 1))
	for i := range slotOf {
		slotOf[i] = -1
	}
	for _, pc := range g.work {
		if pc.lo > 0 {
			continue
		}
		var rows []int32
		for v := pc.from; v < pc.to; v++ {
			r := g.Index[v]
			if slotOf[r] < 0 {
				slotOf[r] = int32(len(rows))
				rows = append(rows, r)
			}
			g.slots[v] = slotOf[r]
		}
		for _, r := range rows {
			slotOf[r] = -1
		}
		g.rows = append(g.rows, rows)
		g.partial = append(g.partial, make([]T, len(rows)*g.Size*g.q))
	}
}

// gradient returns the sum of the gradients of s_j(v) for the filters of the piece.
func (g *pathGrad[T]) gradient(pc piece, v int32, j int) []T {
	sums, slot := g.scoreGrad, int(v)
	if g.Index != nil {
		sums, slot = g.partial[pc.run], int(g.slots[v])
	}
	at := (slot*g.Size + j - 1) * g.q
	return sums[at+pc.lo : at+pc.hi]
}

// addNorm adds <gradient, pooled> to the gradient of the norm of v.
func (g *pathGrad[T]) addNorm(pc piece, v int32, gradient, pooled []T) {
	if g.normGrad != nil {
		g.byNorm[pc.number][v-pc.from] += float64(simd.Dot(gradient, pooled))
	}
}

// weight returns the factor that norm and mean put on the kernel values of count routes from v.
func (g *pathGrad[T]) weight(v int32, count float64) T {
	weight := T(1)
	if g.Pool == Mean && count > 0 {
		weight = 1 / T(count)
	}
	if g.norms != nil {
		weight *= g.norms[g.row(v)]
	}
	return weight
}

func (g *pathGrad[T]) runPiece(pc piece) {
	switch {
	case g.Graph != nil && g.Size > 1 && g.Route == graph.Walks:
		g.walksBack(pc)
	case g.arcs != nil && (g.Route == graph.NonBacktracking || branching(g.Graph, pc.from, pc.to) >= earlyDegree):
		g.nonBacktrackingBack(pc)
	case g.Pool == Max:
		g.maxTrieBack(pc)
	default:
		g.trieBack(pc)
	}
}

// reduce adds the sums of the runs of graphs, in their order, and those of the norms.
func (g *pathGrad[T]) reduce(workers int) {
	if g.normGrad != nil {
		sums := make([]float64, len(g.normGrad))
		for i, pc := range g.work {
			for v, x := range g.byNorm[i] {
				sums[g.row(pc.from+int32(v))] += x
			}
		}
		for r, x := range sums {
			g.normGrad[r] = T(x)
		}
	}
	if g.Index == nil {
		return
	}
	width := g.Size * g.q
	parallel.Chunks(workers, width, pieceFilters, func(from, to int) {
		for run, rows := range g.rows {
			for slot, r := range rows {
				dst := g.scoreGrad[int(r)*width+from : int(r)*width+to]
				simd.Add(dst, dst, g.partial[run][slot*width+from:slot*width+to])
			}
		}
	})
}

// firstRoot returns the position of the first root that is not below v.
func firstRoot(roots []int32, v int32) int {
	return sort.Search(len(roots), func(i int) bool { return roots[i] >= v })
}
