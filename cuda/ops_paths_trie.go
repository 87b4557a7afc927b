//go:build gpu

package cuda

import (
	"github.com/grove-graph/grove/engine"
)

// wideFilters is the number of filters from which a lane of the trie takes four of them.
const wideFilters = 65

// trieKernel launches one of the kernels that pool paths by the trie.
type trieKernel[T real] func(s *stream, g grid, out pointer[int64], scores, norms pointer[T], index, rowPtr, col,
	rootRow, packs pointer[int32],
	n, rows, size, q, mean int32, alpha2 T, sumExponent, maxRows, maxArcs, root int32) error

// trieKernelOf chooses the kernel, and the filters that a warp of it takes.
func (w *pathWork[T]) trieKernelOf() (trieKernel[T], int) {
	short, maximum := w.Size <= 4, w.Pool == engine.Max
	if _, single := any(w).(*pathWork[float32]); single && w.q >= wideFilters {
		var kernel any
		switch {
		case short && maximum:
			kernel = trieKernel[float32]((*stream).pathTrieMaxWide4F32)
		case maximum:
			kernel = trieKernel[float32]((*stream).pathTrieMaxWide8F32)
		case short:
			kernel = trieKernel[float32]((*stream).pathTrieWide4F32)
		default:
			kernel = trieKernel[float32]((*stream).pathTrieWide8F32)
		}
		return kernel.(trieKernel[T]), 128
	}
	switch {
	case short && maximum:
		return pathTrieMax4[T], 32
	case maximum:
		return pathTrieMax8[T], 32
	case short:
		return pathTrie4[T], 32
	}
	return pathTrie8[T], 32
}

// root returns the root of which the kernel values of paths are powers, as the kernels take it: 1 where the product of
// the factors is the value itself, otherwise a multiple of the pooled lengths; 0 where exponentials are taken, because
// the rounding errors of that power would show.
func (w *pathWork[T]) root() int32 {
	_, single := any(w).(*pathWork[float32])
	switch {
	case !w.AllLengths || w.Size == 1 || w.Kernel.SumExponent:
		return 1
	case w.Size <= 4:
		return 12
	case single:
		return 0
	case w.Size <= 6:
		return 60
	}
	return 840
}

// trie pools paths by the trie. A small table goes into shared memory as a whole; otherwise the rows of
// the vertices of a run of graphs do.
func (w *pathWork[T]) trie() error {
	kernel, tile := w.trieKernelOf()
	row := w.bytes(w.Size * tile)
	shared := func(rows, vertices, arcs int) int { return rows*row + 4*(2*arcs+2*vertices+1) }
	perBlock, perMultiprocessor := w.e.device.sharedPerBlock, w.e.device.sharedPerMultiprocessor
	third, half := min(perBlock, perMultiprocessor/3-1024), min(perBlock, perMultiprocessor/2-1024)

	tiles := (w.q + tile - 1) / tile
	run := w.packVertices(tiles)
	whole := 0 // rows of the table that are kept as a whole
	var p packing
	switch {
	case w.Graph == nil || w.Size == 1:
		p.large.addPieces(0, w.n)
	case w.Index != nil && w.tableRows <= run && shared(w.tableRows, manyVertices, 4*manyVertices) <= half:
		whole = w.tableRows
		p = packGraphs(w.Graph, run, half, perBlock, func(vertices, arcs int) int { return shared(whole, vertices, arcs) })
	default:
		bytes := func(vertices, arcs int) int { return shared(vertices, vertices, arcs) }
		p = packGraphs(w.Graph, run, third, perBlock, bytes)
	}
	lists := []struct {
		packs
		shared bool
		bounds pointer[int32]
	}{{packs: p.small, shared: true}, {packs: p.medium, shared: true}, {packs: p.large}}
	for i := range lists {
		lists[i].bounds = upload(w.k, lists[i].packs.bounds)
	}
	return w.k.run(func(s *stream) error {
		// All lists together, which the first launch stands for.
		exponentials[T](s, func() int { return w.trieExponentials(&p, whole) * tiles * tile })
		for _, list := range lists {
			if list.len() == 0 || tiles == 0 {
				continue
			}
			g := grid{blocks: dim{x: list.len(), y: tiles}, threads: dim{x: 32, y: 8}}
			rows, maxRows := 0, 0
			if list.shared {
				rows, maxRows = whole, max(whole, 1)
				if whole == 0 {
					maxRows = max(list.vertices, 1)
				}
				g.shared = shared(maxRows, list.vertices, list.arcs)
			}
			if err := kernel(s, g, w.matrices, w.scores, w.norms, w.index, w.graph.rowPtr, w.graph.col, w.rootRow, list.bounds,
				int32(w.n), int32(rows), int32(w.Size), int32(w.q), number(w.Pool == engine.Mean), w.alpha2, w.sumExponent,
				int32(maxRows), int32(list.arcs), w.root()); err != nil {
				return err
			}
		}
		return nil
	})
}
