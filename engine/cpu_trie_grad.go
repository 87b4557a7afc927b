package engine

import (
	"math"

	"github.com/grove-graph/grove/engine/simd"
)

// trieGrad goes back through the trie of the paths from a root. With w_j the gradient of the output of
// size j times the factors of its kernel values, the gradient of the running sum t of a node is
//
//	D = w_j * exp(scale_j t + shift_j) scale_j + sum of D of its children,
//
// which is what the node adds to the gradient of the score of its vertex. As in the forward search,
// nothing is stored per path.
type trieGrad[T simd.Float] struct {
	*pathGrad[T]
	piece
	path      []int32
	prefix    [][]T // by size: sum of the scores of the first vertices
	sum       [][]T // by size: gradient of that sum
	weight    [][]T // by size: gradient of the output times norm, mean and scale
	acc       [][]T // by size: pooled kernel values
	active    []bool
	count     []int
	value     []T
	limit     int
	best      [][]T     // by size: the largest exponent
	bestPaths [][]int32 // by size: its path for every filter, one after another
}

func newTrieGrad[T simd.Float](g *pathGrad[T], pc piece) *trieGrad[T] {
	n, w := g.Size+1, pc.hi-pc.lo
	return &trieGrad[T]{
		pathGrad: g, piece: pc, path: make([]int32, g.Size), prefix: vectors[T](n, w), sum: vectors[T](n, w),
		weight: vectors[T](n, w), acc: vectors[T](n, w), active: make([]bool, n), count: make([]int, n), value: make([]T, w),
	}
}

// eachRoot calls body for every vertex of the piece that is a root of some size, with limit the largest.
func (t *trieGrad[T]) eachRoot(body func(root int32, row func(j int) []T)) {
	rows := t.rootRows(t.from, t.to)
	for v := t.from; v < t.to; v++ {
		t.limit = 0
		for j := 1; j <= t.Size; j++ {
			t.active[j] = rows[j] != nil && rows[j][v-t.from] >= 0
			if t.active[j] {
				t.limit = j
			}
		}
		if t.limit > 0 {
			body(v, func(j int) []T { return t.outputs(t.piece, j, rows[j][v-t.from]) })
		}
	}
}

// trieBack goes back through sums and means.
func (g *pathGrad[T]) trieBack(pc piece) {
	t := newTrieGrad(g, pc)
	back := func(root int32) { t.step(root, 1) }
	if g.factors != nil && pc.hi-pc.lo == g.q {
		back = newProductGrad(t).from
	}
	t.eachRoot(func(root int32, row func(j int) []T) {
		clear(t.count)
		if t.Pool == Mean {
			t.countFrom(root, 1)
		}
		for j := 1; j <= t.limit; j++ {
			clear(t.acc[j])
			if t.active[j] {
				scaled(t.weight[j], t.scale[j]*g.weight(root, float64(t.count[j])), row(j))
			}
		}
		back(root)
		for j := 1; j <= t.limit; j++ {
			if t.active[j] && t.normGrad != nil {
				if t.Pool == Mean && t.count[j] > 0 {
					simd.Scale(1/T(t.count[j]), t.acc[j])
				}
				t.addNorm(pc, root, row(j), t.acc[j])
			}
		}
	})
}

// countFrom counts the paths whose j-th vertex is v.
func (t *trieGrad[T]) countFrom(v int32, j int) {
	t.count[j]++
	t.path[j-1] = v
	if j < t.limit {
		t.eachNext(v, j, func(w int32) { t.countFrom(w, j+1) })
	}
}

// eachNext calls body for the neighbours of v that are not among the first j vertices of the path.
func (t *trieGrad[T]) eachNext(v int32, j int, body func(w int32)) {
	path := t.path[:j]
next:
	for _, w := range t.Graph.Neighbors(v) {
		for _, u := range path {
			if u == w {
				continue next
			}
		}
		body(w)
	}
}

// step appends v as the j-th vertex of the path, searches on and adds the gradient of its prefix to sum[j-1].
func (t *trieGrad[T]) step(v int32, j int) {
	t.path[j-1] = v
	score, dst := t.pieceScore(t.piece, v, j), t.gradient(t.piece, v, j)
	if j == t.limit {
		simd.PathGradLeaf(t.acc[j], dst, t.sum[j-1], t.prefix[j-1], score, t.weight[j], t.scale[j], t.shift[j])
		return
	}
	if t.active[j] {
		simd.PathGradStep(t.acc[j], t.prefix[j], t.sum[j], t.prefix[j-1], score, t.weight[j], t.scale[j], t.shift[j])
	} else {
		simd.Add(t.prefix[j], t.prefix[j-1], score)
		clear(t.sum[j])
	}
	t.eachNext(v, j, func(w int32) { t.step(w, j+1) })
	simd.AddToBoth(dst, t.sum[j-1], t.sum[j])
}

// maxTrieBack goes back through maxima: a first search finds the best path of every filter.
func (g *pathGrad[T]) maxTrieBack(pc piece) {
	t := newTrieGrad(g, pc)
	w := pc.hi - pc.lo
	t.best, t.bestPaths = vectors[T](g.Size+1, w), make([][]int32, g.Size+1)
	for j := range t.bestPaths {
		t.bestPaths[j] = make([]int32, w*j)
	}
	t.eachRoot(func(root int32, row func(j int) []T) {
		clear(t.count)
		t.search(root, 1)
		for j := 1; j <= t.limit; j++ {
			if !t.active[j] || t.count[j] == 0 {
				continue
			}
			gradient, weight := row(j), t.scale[j]*g.weight(root, 1)
			simd.Exp(t.value, t.best[j], 1, t.shift[j])
			t.addNorm(pc, root, gradient, t.value)
			for f, value := range t.value {
				for i, v := range t.bestPaths[j][f*j : (f+1)*j] {
					t.gradient(pc, v, i+1)[f] += weight * gradient[f] * value
				}
			}
		}
	})
}

// search appends v as the j-th vertex of the path and compares the paths that go on from there.
func (t *trieGrad[T]) search(v int32, j int) {
	t.path[j-1] = v
	simd.Add(t.prefix[j], t.prefix[j-1], t.pieceScore(t.piece, v, j))
	if t.active[j] {
		scaled(t.value, t.scale[j], t.prefix[j])
		for f, exponent := range t.value {
			if t.count[j] == 0 || exponent > t.best[j][f] {
				t.best[j][f] = exponent
				copy(t.bestPaths[j][f*j:(f+1)*j], t.path[:j])
			}
		}
		t.count[j]++
	}
	if j < t.limit {
		t.eachNext(v, j, func(w int32) { t.search(w, j+1) })
	}
}

// negativeInfinity is the exponent of the kernel value of no walk at all.
func negativeInfinity[T simd.Float]() T { return T(math.Inf(-1)) }
