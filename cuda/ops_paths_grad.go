//go:build gpu

package cuda

import (
	"math"

	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

// PathPoolGrad implements [engine.Engine]. The gradients of the scores are found by vertex, each element by one
// thread in a fixed order, and then, where vertices share rows, added up by row in the order of the
// vertices. The gradients of the norms follow from the outputs without norms, which are pooled again.
func (e *Engine) PathPoolGrad(scoreGrad, normGrad *tensor.Dense, outGrad []*tensor.Dense, scores, norms *tensor.Dense,
	p *engine.PathPooling) error {
	q, err := engine.CheckPathPoolGrad(scoreGrad, normGrad, outGrad, scores, norms, p)
	if err != nil {
		return err
	}
	if p.Size == 1 && p.Index == nil && p.Roots == nil {
		single := singleGrad[float64]
		if scores.Dtype() == tensor.Float32 {
			single = singleGrad[float32]
		}
		return single(e, scoreGrad, normGrad, outGrad[0], scores, norms, p.Kernel.Alpha)
	}
	return e.pathPoolGrad(scoreGrad, normGrad, outGrad, scores, norms, p, q, bestWay)
}

func (e *Engine) pathPoolGrad(scoreGrad, normGrad *tensor.Dense, outGrad []*tensor.Dense, scores, norms *tensor.Dense,
	p *engine.PathPooling, q int, by way) (err error) {
	vertices := scores.Shape()[0]
	if p.Graph != nil {
		vertices = p.Graph.NumVertices()
	}
	byVertex := func(rows *tensor.Dense, columns int) *tensor.Dense {
		if p.Index == nil {
			return rows
		}
		return e.Scratch(rows.Dtype(), vertices, columns)
	}
	if normGrad != nil {
		vertexGrad := byVertex(normGrad, 1)
		if err := e.normGradient(vertexGrad, outGrad, scores, p, q); err != nil {
			return err
		}
		if err := e.addByRow(normGrad, vertexGrad, 1, p.Index); err != nil {
			return err
		}
	}
	vertexGrad := byVertex(scoreGrad, p.Size*q)
	if scores.Dtype() == tensor.Float32 {
		err = newPathGradWork[float32](e, vertexGrad, outGrad, scores, norms, p, q).gradient(by)
	} else {
		err = newPathGradWork[float64](e, vertexGrad, outGrad, scores, norms, p, q).gradient(by)
	}
	if err != nil {
		return err
	}
	return e.addByRow(scoreGrad, vertexGrad, p.Size*q, p.Index)
}

// addByRow adds the rows of the vertices that share a row of the table, and releases them.
func (e *Engine) addByRow(dst, byVertex *tensor.Dense, columns int, index []int32) error {
	if index == nil {
		return nil
	}
	rows := dst.Shape()[0]
	offsets := make([]int32, rows+1)
	for _, r := range index {
		offsets[r+1]++
	}
	for r := range rows {
		offsets[r+1] += offsets[r]
	}
	at, order := append([]int32(nil), offsets...), make([]int32, len(index))
	for v, r := range index {
		order[at[r]] = int32(v)
		at[r]++
	}
	err := e.SegmentReduce(e.View(dst, 0, rows, columns), byVertex, engine.Segments{Offsets: offsets, Index: order},
		engine.Sum)
	e.Release(byVertex)
	return err
}

// normGradient computes the gradient of the norm of every vertex: its outputs without norm times their
// gradients.
func (e *Engine) normGradient(byVertex *tensor.Dense, outGrad []*tensor.Dense, scores *tensor.Dense,
	p *engine.PathPooling, q int) error {
	var pooled []*tensor.Dense
	for _, g := range outGrad {
		pooled = append(pooled, e.Scratch(g.Dtype(), g.Shape()...))
	}
	if err := e.PathPool(pooled, scores, nil, p); err != nil {
		return err
	}
	var err error
	if scores.Dtype() == tensor.Float32 {
		err = normGradientOn(newPathWork[float32](e, "PathPoolGrad", outGrad, scores, nil, p, q, nil), byVertex, pooled)
	} else {
		err = normGradientOn(newPathWork[float64](e, "PathPoolGrad", outGrad, scores, nil, p, q, nil), byVertex, pooled)
	}
	e.Release(pooled...)
	return err
}

func normGradientOn[T real](w *pathWork[T], byVertex *tensor.Dense, pooled []*tensor.Dense) error {
	dst := of[T](w.k, byVertex)
	_, matrices := w.bySize(pooled)
	return w.k.run(func(s *stream) error {
		return pathNormGrad(s, warps(w.n, 1), dst, w.matrices, matrices, w.rootRow, int32(w.n), int32(w.Size), int32(w.q))
	})
}

// warps returns a grid with a warp for each of n items and the given number of tiles of filters.
func warps(n, tiles int) grid {
	const perBlock = 8
	return grid{blocks: dim{x: min((n+perBlock-1)/perBlock, 1<<20), y: tiles}, threads: dim{x: 32, y: perBlock}}
}

// pathGradWork is one call of PathPoolGrad; its outputs are their gradients, its result is by vertex.
type pathGradWork[T real] struct {
	*pathWork[T]
	grad pointer[T] // n x (Size q)
}

func newPathGradWork[T real](e *Engine, byVertex *tensor.Dense, outGrad []*tensor.Dense, scores, norms *tensor.Dense,
	p *engine.PathPooling, q int) *pathGradWork[T] {
	w := newPathWork[T](e, "PathPoolGrad", outGrad, scores, norms, p, q, nil)
	return &pathGradWork[T]{w, of[T](w.k, byVertex)}
}

func (w *pathGradWork[T]) gradient(by way) error {
	if w.n == 0 || w.q == 0 {
		return w.k.run(func(*stream) error { return nil })
	}
	switch w.wayOr(by) {
	case trieWay:
		if w.Pool == engine.Max {
			return w.maxTrieGrad()
		}
		return w.trieGrad()
	case walkWay:
		return w.walksGrad()
	case messageWay:
		return w.messagesGrad()
	}
	return w.longGrad()
}

func (w *pathGradWork[T]) longGrad() error {
	graphs := w.n
	if w.Graph != nil {
		graphs = w.graph.graphs
	}
	g, threads := longGrid(graphs * w.q)
	ints, values := scratch[int32](w.k, 5*w.Size*threads), scratch[T](w.k, (3*w.Size+1)*threads)
	return w.k.run(func(s *stream) error {
		if err := zero(s, w.grad, w.n*w.Size*w.q); err != nil {
			return err
		}
		exponentials[T](s, func() int {
			if w.Pool == engine.Max {
				return w.pooledRoutes(1) * w.q
			}
			return w.pooledRoutes(math.MaxInt64) * w.q
		})
		return pathGradLong(s, g, w.grad, w.matrices, w.scores, w.norms, w.index, w.graph.rowPtr, w.graph.col, w.rootRow,
			w.graph.offsets,
			int32(graphs), int32(w.n), int32(w.Size), int32(w.q), w.memory(), int32(w.Pool), w.alpha2, w.alpha, w.sumExponent,
			ints, values)
	})
}

// weights enqueues scale, norm and mean of the gradients of the outputs, Size x n.
func (w *pathGradWork[T]) weights(s *stream, weights pointer[T], counts pointer[int32]) error {
	if !counts.null() {
		if err := s.pathCounts(linear(w.n, 128), counts, w.graph.rowPtr, w.graph.col, int32(w.n), int32(w.Size)); err != nil {
			return err
		}
	}
	return pathWeights(s, linear(w.n*w.Size, 256), weights, w.matrices, counts, w.norms, w.index, w.rootRow, int32(w.n),
		int32(w.Size), w.alpha, w.sumExponent)
}

// gradKernel launches one of the kernels that gather the gradients of sums and means over paths.
type gradKernel[T real] func(s *stream, g grid, grad pointer[T], out pointer[int64], scores, weights pointer[T],
	index, rowPtr, col, inPtr, inCol, rootRow, packs pointer[int32], n, rows, size, q int32, alpha2 T,
	sumExponent, maxRows, maxVertices, maxArcs, root, shares int32) error

// gradKernelOf chooses the kernel, and the filters that a warp of it takes.
func (w *pathGradWork[T]) gradKernelOf() (gradKernel[T], int) {
	if w.Size > 4 {
		return pathGrad8[T], 32
	}
	if _, single := any(w).(*pathGradWork[float32]); single && w.q >= wideFilters {
		var kernel any = gradKernel[float32]((*stream).pathGradWide4F32)
		return kernel.(gradKernel[T]), 128
	}
	return pathGrad4[T], 32
}

// trieGrad gathers the gradients of sums and means over paths, of packs as trie makes them.
func (w *pathGradWork[T]) trieGrad() error {
	weights := scratch[T](w.k, w.Size*w.n)
	var counts pointer[int32]
	if w.Pool == engine.Mean && w.Size > 1 {
		counts = scratch[int32](w.k, w.Size*w.n)
	}
	var in reversed
	directions := 1
	if w.Graph != nil {
		in = w.reversedOf(false)
		if w.Graph.Directed {
			directions = 2
		}
	}
	kernel, tile := w.gradKernelOf()
	row := w.bytes(w.Size * tile)
	shared := func(rows, vertices, arcs int) int {
		return rows*row + vertices*w.bytes(w.Size) + 4*(vertices+directions*(vertices+1+2*arcs))
	}
	lists := w.gradLists(tile, shared)
	return w.k.run(func(s *stream) error {
		if err := w.weights(s, weights, counts); err != nil {
			return err
		}
		// All lists together, which the first launch stands for.
		exponentials[T](s, func() int { return w.gradExponentials(lists) * tile })
		for _, list := range lists {
			if list.len() == 0 {
				continue
			}
			if err := kernel(s, list.grid, w.grad, w.matrices, w.scores, weights, w.index, w.graph.rowPtr, w.graph.col, in.ptr,
				in.from, w.rootRow, list.bounds, int32(w.n), int32(list.whole), int32(w.Size), int32(w.q), w.alpha2,
				w.sumExponent, int32(list.rows), int32(list.vertices), int32(list.arcs), w.root(), int32(list.shares)); err != nil {
				return err
			}
		}
		return nil
	})
}

// gradList is a list of packs as a launch takes it.
type gradList struct {
	packs
	bounds pointer[int32]
	rows   int // of the table that a block keeps; 0: none
	whole  int // the same where it is the whole table, otherwise 0
	shares int // blocks of a pack
	grid   grid
}

// gradLists packs the graphs as trie does, for tiles of so many filters; shared returns the bytes that so many rows,
// vertices and arcs need.
func (w *pathGradWork[T]) gradLists(tile int, shared func(rows, vertices, arcs int) int) []gradList {
	perBlock, perMultiprocessor := w.e.device.sharedPerBlock, w.e.device.sharedPerMultiprocessor
	third, half := min(perBlock, perMultiprocessor/3-1024), min(perBlock, perMultiprocessor/2-1024)
	tiles := blocksOf(w.q, tile)
	run := w.packVertices(tiles, 2)
	whole := 0
	var p packing
	switch {
	case w.Graph == nil || w.Size == 1:
		p.large.addPieces(0, w.n)
	case w.Index != nil && w.tableRows <= run && shared(w.tableRows, manyVertices, 4*manyVertices) <= half:
		whole = w.tableRows
		bytes := func(vertices, arcs int) int { return shared(whole, vertices, arcs) }
		p = packGraphs(w.Graph, run, half, perBlock, bytes, nil)
	default:
		bytes := func(vertices, arcs int) int { return shared(vertices, vertices, arcs) }
		p = packGraphs(w.Graph, run, third, perBlock, bytes, nil)
	}
	lists := []gradList{{packs: p.small}, {packs: p.medium}, {packs: p.large}}
	for i := range lists {
		list, bytes := &lists[i], 0
		if i < 2 {
			list.whole, list.rows = whole, max(whole, 1)
			if whole == 0 {
				list.rows = max(list.vertices, 1)
			}
			bytes = shared(list.rows, list.vertices, list.arcs)
		}
		list.bounds = upload(w.k, list.packs.bounds)
		list.shares, list.grid = w.gradGrid(list.packs, tiles, bytes)
	}
	return lists
}

// gradGrid returns a grid for some packs with so much shared memory, and how many blocks of it have a pack. Blocks have
// as many warps as the registers of the kernels allow, and share the vertices and positions of a pack where there would
// be too few to go round.
func (w *pathGradWork[T]) gradGrid(p packs, tiles, shared int) (shares int, g grid) {
	warps := 16
	if w.Size > 4 {
		warps = 8
	}
	shares = max(min(w.e.device.multiprocessors/max(p.len()*tiles, 1), blocksOf(p.vertices*w.Size, warps)), 1)
	return shares, grid{blocks: dim{x: p.len() * shares, y: tiles}, threads: dim{x: 32, y: warps}, shared: shared}
}

// maxTrieGrad finds the paths that attain the maxima, and gathers what they take.
func (w *pathGradWork[T]) maxTrieGrad() error {
	weights := scratch[T](w.k, w.Size*w.n)
	vertices := w.n * w.Size * (w.Size + 1) / 2
	tile := w.tile(w.n*w.Size + vertices)
	winners, shares := scratch[int32](w.k, vertices*tile), scratch[T](w.k, w.n*w.Size*tile)
	var in reversed
	if w.Graph != nil {
		in = w.reversedOf(false)
	}
	search, gather := pathWinners8[T], pathMaxGrad8[T]
	if w.Size <= 4 {
		search, gather = pathWinners4[T], pathMaxGrad4[T]
	}
	return w.k.run(func(s *stream) error {
		if err := w.weights(s, weights, pointer[int32]{}); err != nil {
			return err
		}
		return w.eachTile(tile, func(f0, width int) error {
			g := warps(w.n, (width+31)/32)
			exponentials[T](s, func() int { return w.pooledRoutes(1) * width })
			if err := search(s, g, winners, shares, w.matrices, w.scores, weights, w.index, w.graph.rowPtr, w.graph.col,
				w.rootRow,
				int32(w.n), int32(w.Size), int32(w.q), int32(f0), int32(width), w.alpha2, w.sumExponent); err != nil {
				return err
			}
			return gather(s, g, w.grad, winners, shares, in.ptr, in.from, int32(w.n), int32(w.Size), int32(w.q), int32(f0),
				int32(width))
		})
	})
}
