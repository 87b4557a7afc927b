//go:build gpu

package cuda

import (
	"math"
	"unsafe"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"gorgonia.org/tensor"
)

// PathPool implements [engine.Engine]: paths of up to 8 vertices by the trie, walks and non-backtracking walks by
// their recursions, which runs of small graphs do in shared memory; longer paths by a thread for each vertex and
// filter. Roots with many paths are cut.
func (e *Engine) PathPool(out []*tensor.Dense, scores, norms *tensor.Dense, p *engine.PathPooling) error {
	q, err := engine.CheckPathPool(out, scores, norms, p)
	if err != nil {
		return err
	}
	if scores.Dtype() == tensor.Float32 {
		return pathPool[float32](e, out, scores, norms, p, q)
	}
	return pathPool[float64](e, out, scores, norms, p, q)
}

// pathPool pools in the best way: for paths of three vertices of every graph by itself, so that its bits do not depend
// on those beside it.
func pathPool[T real](e *Engine, out []*tensor.Dense, scores, norms *tensor.Dense, p *engine.PathPooling, q int) error {
	work := func(only []bool) *pathWork[T] { return newPathWork[T](e, "PathPool", out, scores, norms, p, q, only) }
	if p.Size != 3 || p.Route != graph.Paths {
		return work(nil).pool(bestWay)
	}
	dense, others := denseGraphs(p.Graph)
	switch {
	case dense == nil:
		return work(nil).pool(trieWay)
	case others == nil:
		return work(nil).pool(messageWay)
	}
	if err := work(dense).pool(messageWay); err != nil {
		return err
	}
	return work(others).pool(trieWay)
}

// unrolledSize is the number of vertices up to which the trie has its stack in registers.
const unrolledSize = 8

// pathWork is one call of PathPool or PathPoolGrad on the device. Sizes count from 1; size j is element
// j-1 of a slice.
type pathWork[T real] struct {
	*engine.PathPooling
	only          []bool // the roots of the call; nil: all
	e             *Engine
	k             *op
	n, q          int
	tableRows     int
	graph         deviceBatch
	scores, norms pointer[T]
	index         pointer[int32]
	out           []pointer[T] // null where the size is not pooled; the gradients of the outputs in PathPoolGrad
	matrices      pointer[int64]
	rootRow       pointer[int32] // Size x n; null: vertex v has row v
	alpha         T
	alpha2        T // alpha log2(e)
	sumExponent   int32
}

func newPathWork[T real](e *Engine, name string, out []*tensor.Dense, scores, norms *tensor.Dense,
	p *engine.PathPooling, q int, only []bool) *pathWork[T] {
	k := e.begin(name)
	w := &pathWork[T]{
		PathPooling: p, only: only, e: e, k: k, n: scores.Shape()[0], q: q, tableRows: scores.Shape()[0],
		scores: of[T](k, scores), norms: of[T](k, norms), index: upload(k, p.Index),
		alpha: T(p.Kernel.Alpha), alpha2: T(p.Kernel.Alpha * math.Log2E), sumExponent: number(p.Kernel.SumExponent),
	}
	if p.Graph != nil {
		w.n, w.graph = p.Graph.NumVertices(), k.batch(p.Graph)
	}
	w.out, w.matrices = w.bySize(out)
	w.rootRow = upload(k, w.rootRows())
	return w
}

func number(set bool) int32 {
	if set {
		return 1
	}
	return 0
}

// bySize returns the addresses of the matrices of the pooled lengths by size, also as a table on the
// device.
func (w *pathWork[T]) bySize(matrices []*tensor.Dense) ([]pointer[T], pointer[int64]) {
	pointers, addresses := make([]pointer[T], w.Size), make([]int64, w.Size)
	for i, j := range w.Lengths() {
		pointers[j-1] = of[T](w.k, matrices[i])
		// A matrix without elements has no address, but its size is pooled all the same.
		addresses[j-1] = max(int64(pointers[j-1].address), 1)
	}
	return pointers, upload(w.k, addresses)
}

// rootRows returns the row of every vertex in the matrix of each size, -1 where it has none; nil where all
// vertices are roots of every size.
func (w *pathWork[T]) rootRows() []int32 {
	if w.Roots == nil && w.only == nil {
		return nil
	}
	rows := make([]int32, w.Size*w.n)
	for i := range rows {
		rows[i] = -1
	}
	w.eachRoot(func(j, row, v int) { rows[(j-1)*w.n+v] = int32(row) })
	return rows
}

// rootsOf returns the rows of the vertices in the matrix of size j.
func (w *pathWork[T]) rootsOf(j int) pointer[int32] {
	if w.rootRow.null() {
		return w.rootRow
	}
	return w.rootRow.at((j - 1) * w.n)
}

// base2 returns rate and offset of the exponents to the base 2 of routes of j vertices.
func (w *pathWork[T]) base2(j int) (rate, offset T) {
	scale, shift := w.Kernel.Scale(j)
	return T(scale * math.Log2E), T(shift * math.Log2E)
}

// bytes returns the size of n values.
func (w *pathWork[T]) bytes(n int) int {
	var value T
	return n * int(unsafe.Sizeof(value))
}

// messageBranching is the number of ways to go on from an arc from which three vertices are pooled by
// messages. Predicted, not measured: a message is 60 bytes of traffic a filter and a step of the trie about 35
// instructions for 128 filters, which balance near 40 on an H200.
const messageBranching = 40

// way is how a call is computed.
type way int

const (
	bestWay way = iota // whichever is the fastest
	longWay
	trieWay
	walkWay
	messageWay
)

// wayOr returns by, or the fastest way where that is asked for.
func (w *pathWork[T]) wayOr(by way) way {
	switch {
	case by != bestWay:
		return by
	case w.Size == 1:
		return trieWay
	case w.Route == graph.Walks:
		return walkWay
	case w.Route == graph.NonBacktracking:
		return messageWay
	case w.Size > unrolledSize:
		return longWay
	case w.Size == 3 && branching(w.Graph, 0, w.n) >= messageBranching: // these paths are non-backtracking walks
		return messageWay
	}
	return trieWay
}

// denseGraphs returns the vertices of graphs that are pooled by messages, if of three vertices, and those of the other
// graphs; nil where there are none.
func denseGraphs(b *graph.Batch) (dense, others []bool) {
	for g := range b.NumGraphs() {
		from, to := b.Vertices(g)
		of := &others
		if branching(b, int(from), int(to)) >= messageBranching {
			of = &dense
		}
		if *of == nil && from < to {
			*of = make([]bool, b.NumVertices())
		}
		for v := from; v < to; v++ {
			(*of)[v] = true
		}
	}
	return dense, others
}

// branching returns the mean number of ways to go on from the head of an arc between the vertices [from, to) of whole
// graphs without turning back.
func branching(b *graph.Batch, from, to int) float64 {
	arcs := int(b.RowPtr[to] - b.RowPtr[from])
	if arcs < messageBranching/8*(to-from) || arcs == 0 {
		return 0 // not worth a closer look
	}
	ways := 0
	for u := from; u < to; u++ {
		d := b.Degree(int32(u))
		ways += d * (d - 1)
	}
	return float64(ways) / float64(arcs)
}

func (w *pathWork[T]) pool(by way) error {
	switch w.wayOr(by) {
	case trieWay:
		return w.trie()
	case walkWay:
		return w.walks()
	case messageWay:
		return w.messages()
	}
	return w.poolLong()
}

// longThreads bounds the threads of the kernels for long paths, each of which has a stack in global memory.
const longThreads = 1 << 16

// longGrid returns a grid for the given number of items and the threads it has.
func longGrid(items int) (grid, int) {
	const block = 128
	blocks := min((items+block-1)/block, longThreads/block)
	return grid{blocks: dim{x: blocks}, threads: dim{x: block}}, blocks * block
}

// memory returns how many of the last vertices of a route must not be met again.
func (w *pathWork[T]) memory() int32 {
	return map[graph.Route]int32{graph.Paths: int32(w.Size), graph.NonBacktracking: 2, graph.Walks: 0}[w.Route]
}

func (w *pathWork[T]) poolLong() error {
	g, threads := longGrid(w.n * w.q)
	if threads == 0 {
		return w.k.run(func(*stream) error { return nil })
	}
	var parts *pathParts
	if w.Route == graph.Paths && w.Size > unrolledSize {
		parts = w.partsOf()
	}
	on := w.onDevice(parts)
	for _, c := range on.chunks {
		_, most := longGrid(c.parts * w.q)
		threads = max(threads, most)
	}
	ints, values := scratch[int32](w.k, 3*w.Size*threads), scratch[T](w.k, (2*w.Size+1)*threads)
	var factors factorTable[T]
	if w.root() == 1 {
		var all packs
		all.addPieces(0, w.n)
		factors = w.factorTable(all)
	}
	return w.k.run(func(s *stream) error {
		// Those of all launches, for which the first stands.
		exponentials[T](s, func() int {
			if factors.pieces.len() > 0 {
				return factors.pieces.sum() * w.Size * w.q
			}
			return w.longExponentials(parts)
		})
		if err := w.makeFactors(s, factors); err != nil {
			return err
		}
		launch := func(g grid, of pointer[int32], count int) error {
			return pathPoolLong(s, g, w.matrices, w.scores, factors.values, factors.large, w.norms, w.index,
				w.graph.rowPtr, w.graph.col, w.rootRow, on.cut, of, on.partial, on.counts, int32(count),
				int32(w.n), int32(w.Size), int32(w.q), w.memory(), int32(w.Pool), w.alpha2, w.sumExponent, ints, values)
		}
		if err := launch(g, pointer[int32]{}, 0); err != nil {
			return err
		}
		for _, c := range on.chunks {
			g, _ := longGrid(c.parts * w.q)
			if err := launch(g, on.parts.at(partInts*c.part), c.parts); err != nil {
				return err
			}
			if err := w.join(s, on, c); err != nil {
				return err
			}
		}
		return nil
	})
}
