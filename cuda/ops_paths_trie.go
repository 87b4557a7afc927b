//go:build gpu

package cuda

import (
	"github.com/grove-graph/grove/engine"
)

// wideFilters is the number of filters from which a lane of the trie takes four of them.
const wideFilters = 65

// trieKernel launches one of the kernels that pool paths by the trie.
type trieKernel[T real] func(s *stream, g grid, out pointer[int64], scores, factors pointer[T], large pointer[int32],
	norms pointer[T], index, rowPtr, col, rootRow, packs pointer[int32], cut pointer[uint8], parts pointer[int32],
	partial pointer[T], counts pointer[int32],
	n, rows, size, q, mean int32, alpha2 T, sumExponent, maxRows, maxArcs, root, partCount int32) error

// trieShape is a kernel of the trie, how many filters a warp of it takes, and how many of its blocks share a
// multiprocessor at least, see path_trie_blocks.
type trieShape[T real] struct {
	launch         trieKernel[T]
	name           string
	tile, resident int
}

// trieShape chooses the kernel.
func (w *pathWork[T]) trieShape() trieShape[T] {
	short, maximum := w.Size <= 4, w.Pool == engine.Max
	if _, single := any(w).(*pathWork[float32]); single && w.q >= wideFilters {
		var shape any
		switch {
		case short && maximum:
			shape = trieShape[float32]{(*stream).pathTrieMaxWide4F32, "path_trie_max_wide_4", 128, 2}
		case maximum:
			shape = trieShape[float32]{(*stream).pathTrieMaxWide8F32, "path_trie_max_wide_8", 128, 1}
		case short:
			shape = trieShape[float32]{(*stream).pathTrieWide4F32, "path_trie_wide_4", 128, 2}
		default:
			shape = trieShape[float32]{(*stream).pathTrieWide8F32, "path_trie_wide_8", 128, 1}
		}
		return shape.(trieShape[T])
	}
	switch {
	case short && maximum:
		return trieShape[T]{pathTrieMax4[T], "path_trie_max_4", 32, 3}
	case maximum:
		return trieShape[T]{pathTrieMax8[T], "path_trie_max_8", 32, 2}
	case short:
		return trieShape[T]{pathTrie4[T], "path_trie_4", 32, 3}
	}
	return trieShape[T]{pathTrie8[T], "path_trie_8", 32, 2}
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

// trieWork is a call by the trie.
type trieWork[T real] struct {
	*pathWork[T]
	shape   trieShape[T]
	tiles   int
	packs   packing
	whole   int // rows of the table that packs keep as a whole
	factors factorTable[T]
	parts   *pathParts // nil: no root is cut
	on      deviceParts[T]
}

// trie pools paths by the trie. A small table goes into shared memory as a whole; otherwise the rows of
// the vertices of a run of graphs do.
func (w *pathWork[T]) trie() error {
	t := &trieWork[T]{pathWork: w, shape: w.trieShape(), parts: w.partsOf()}
	t.tiles = blocksOf(w.q, t.shape.tile)
	perBlock, perMultiprocessor := w.e.device.sharedPerBlock, w.e.device.sharedPerMultiprocessor
	third, half := min(perBlock, perMultiprocessor/3-1024), min(perBlock, perMultiprocessor/2-1024)
	run := w.packVertices(t.tiles, t.shape.resident)
	switch {
	case w.Graph == nil || w.Size == 1:
		t.packs.large.addPieces(0, w.n)
	case w.Index != nil && w.tableRows <= run && t.shared(w.tableRows, manyVertices, 4*manyVertices) <= half:
		t.whole = w.tableRows
		bytes := func(vertices, arcs int) int { return t.shared(t.whole, vertices, arcs) }
		t.packs = packGraphs(w.Graph, run, half, perBlock, bytes, t.parts)
	default:
		bytes := func(vertices, arcs int) int { return t.shared(vertices, vertices, arcs) }
		t.packs = packGraphs(w.Graph, run, third, perBlock, bytes, t.parts)
	}
	t.on = w.onDevice(t.parts)
	if w.root() != 0 {
		t.factors = w.factorTable(t.packs.apart)
	}
	lists := []packs{t.packs.small, t.packs.medium, t.packs.large}
	bounds := make([]pointer[int32], len(lists))
	for i, list := range lists {
		bounds[i] = upload(w.k, list.bounds)
	}
	return w.k.run(func(s *stream) error {
		if w.q == 0 {
			return nil
		}
		// Those of all launches, for which the first stands.
		exponentials[T](s, func() int { return t.exponentials() })
		if err := w.makeFactors(s, t.factors); err != nil {
			return err
		}
		for i, list := range lists {
			if err := t.launchPacks(s, list, bounds[i], i < 2); err != nil {
				return err
			}
		}
		for _, c := range t.on.chunks {
			if err := t.launchParts(s, c); err != nil {
				return err
			}
		}
		return nil
	})
}

// factorTable is room for the factors of scores in device memory.
type factorTable[T real] struct {
	pieces packs // of the rows
	bounds pointer[int32]
	values pointer[T]     // as scores; null: none are wanted
	large  pointer[int32] // 1 where one is too large for products
}

// factorTable reserves room for the factors of the vertices in some packs, or of the whole table where vertices share
// rows.
func (w *pathWork[T]) factorTable(of packs) factorTable[T] {
	if w.Pool == engine.Max || of.len() == 0 || w.q == 0 {
		return factorTable[T]{}
	}
	if w.Index != nil {
		of = packs{}
		of.addPieces(0, w.tableRows)
	}
	return factorTable[T]{of, upload(w.k, of.bounds), scratch[T](w.k, w.tableRows*w.Size*w.q), scratch[int32](w.k, 1)}
}

// makeFactors enqueues the factors.
func (w *pathWork[T]) makeFactors(s *stream, f factorTable[T]) error {
	if f.values.null() {
		return nil
	}
	if err := zero(s, f.large, 1); err != nil {
		return err
	}
	g := grid{blocks: dim{x: f.pieces.len()}, threads: dim{x: 256}}
	return pathFactors(s, g, f.values, f.large, w.scores, f.bounds, int32(w.Size), int32(w.q), w.alpha2, w.sumExponent,
		w.root())
}

// shared returns the bytes of shared memory that a block needs.
func (t *trieWork[T]) shared(rows, vertices, arcs int) int {
	return rows*t.bytes(t.Size*t.shape.tile) + 4*(2*arcs+2*vertices+1)
}

func (t *trieWork[T]) launchPacks(s *stream, list packs, bounds pointer[int32], shared bool) error {
	if list.len() == 0 {
		return nil
	}
	g := grid{blocks: dim{x: list.len()}}
	rows, maxRows := 0, 0
	if shared {
		rows, maxRows = t.whole, max(t.whole, 1)
		if t.whole == 0 {
			maxRows = max(list.vertices, 1)
		}
		g.shared = t.shared(maxRows, list.vertices, list.arcs)
	}
	return t.launch(s, g, bounds, pointer[int32]{}, rows, maxRows, list.arcs, 0)
}

// launchParts enqueues the parts of some roots, and adds them up.
func (t *trieWork[T]) launchParts(s *stream, c chunk) error {
	g := grid{blocks: dim{x: blocksOf(c.parts, warpsOfTrie)}}
	if err := t.launch(s, g, pointer[int32]{}, t.on.parts.at(partInts*c.part), 0, 0, 0, c.parts); err != nil {
		return err
	}
	return t.join(s, t.on, c)
}

// warpsOfTrie is how many warps a block of the trie has.
const warpsOfTrie = 8

func (t *trieWork[T]) launch(s *stream, g grid, bounds, parts pointer[int32], rows, maxRows, maxArcs, count int) error {
	g.blocks.y, g.threads = t.tiles, dim{x: 32, y: warpsOfTrie}
	return t.shape.launch(s, g, t.matrices, t.scores, t.factors.values, t.factors.large, t.norms, t.index,
		t.graph.rowPtr, t.graph.col, t.rootRow, bounds, t.on.cut, parts, t.on.partial, t.on.counts,
		int32(t.n), int32(rows), int32(t.Size), int32(t.q), number(t.Pool == engine.Mean), t.alpha2, t.sumExponent,
		int32(maxRows), int32(maxArcs), t.root(), int32(count))
}
