//go:build gpu

package cuda

import "github.com/grove-graph/grove/engine"

// recursionBytes bounds the memory that a recursion holds for its filters; large batches take a few filters
// at a time.
const recursionBytes = 1 << 28

// tile returns how many filters a recursion takes at a time that holds so many values for each of them.
func (w *pathWork[T]) tile(values int) int {
	fit := recursionBytes / max(w.bytes(values), 1)
	return min(max(fit/32*32, 32), max(w.q, 1))
}

// eachTile calls body for runs of at most tile filters.
func (w *pathWork[T]) eachTile(tile int, body func(f0, width int) error) error {
	for f0 := 0; f0 < w.q; f0 += tile {
		if err := body(f0, min(tile, w.q-f0)); err != nil {
			return err
		}
	}
	return nil
}

// eachSize calls body for the pooled sizes.
func (w *pathWork[T]) eachSize(body func(j int) error) error {
	for _, j := range w.Lengths() {
		if err := body(j); err != nil {
			return err
		}
	}
	return nil
}

// walkCounts enqueues the number of walks of 1 to Size vertices from every vertex, Size x n.
func (w *pathWork[T]) walkCounts(s *stream, counts pointer[float64]) error {
	for j := 1; j <= w.Size; j++ {
		exponentials[float64](s, func() int { return w.n })
		var source pointer[float64]
		if j > 1 {
			source = counts.at((j - 2) * w.n)
		}
		if err := walkStep(s, linear(w.n, 256), counts.at((j-1)*w.n), pointer[float64]{}, pointer[int32]{}, source,
			pointer[float64]{},
			pointer[int32]{}, w.graph.rowPtr, w.graph.col, int32(w.n), 1, 1, 0, 1, 1, 0, 0, 0); err != nil {
			return err
		}
	}
	return nil
}

// countsOf returns the numbers of routes of size j; null but for a mean.
func (w *pathWork[T]) countsOf(counts pointer[float64], j int) pointer[float64] {
	if counts.null() {
		return counts
	}
	return counts.at((j - 1) * w.n)
}

// countScratch returns memory for the numbers of routes; null but for a mean.
func (w *pathWork[T]) countScratch() pointer[float64] {
	if w.Pool != engine.Mean {
		return pointer[float64]{}
	}
	return scratch[float64](w.k, w.Size*w.n)
}

// smallRecursions cuts the batch for kernels that keep a recursion in shared memory, with the given number of
// bytes for vertices and arcs. It reports whether every graph fits: if one does not, the batch goes through
// global memory.
func (w *pathWork[T]) smallRecursions(bytes func(vertices, arcs int) int) ([]packs, bool) {
	const resident = 3 // at least
	run, quarter := w.packVertices((w.q+31)/32, resident), w.e.device.sharedPerMultiprocessor/4-1024
	p := packGraphs(w.Graph, run, quarter, w.e.device.sharedPerBlock, bytes, nil)
	return []packs{p.small, p.medium}, p.large.len() == 0
}

// walks pools over walks: where a graph is large by one launch a position, and then small ones in shared memory, so
// that the bits of a graph do not depend on the others.
func (w *pathWork[T]) walks() error {
	bytes := func(vertices, arcs int) int { return w.bytes(64*vertices) + 4*(vertices+1+arcs) }
	counts := w.countScratch()
	lists, fits := w.smallRecursions(bytes)
	byPosition := func(*stream) error { return nil }
	if !fits {
		byPosition = w.walksByPosition(counts)
	}
	bounds := []pointer[int32]{upload(w.k, lists[0].bounds), upload(w.k, lists[1].bounds)}
	return w.k.run(func(s *stream) error {
		if !counts.null() {
			if err := w.walkCounts(s, counts); err != nil {
				return err
			}
		}
		if err := byPosition(s); err != nil {
			return err
		}
		for i, list := range lists {
			if list.len() == 0 || w.q == 0 {
				continue
			}
			g := grid{blocks: dim{x: list.len(), y: (w.q + 31) / 32}, threads: dim{x: 32, y: 8}, shared: bytes(list.vertices,
				list.arcs)}
			w.small(s, list, 32*g.blocks.y)
			if err := walkSmall(s, g, w.matrices, w.scores, w.norms, w.index, w.graph.rowPtr, w.graph.col, counts, w.rootRow,
				bounds[i],
				int32(w.n), int32(w.Size), int32(w.q), number(w.Pool == engine.Max), w.alpha2, w.sumExponent,
				int32(list.vertices)); err != nil {
				return err
			}
		}
		return nil
	})
}

// walksByPosition returns what enqueues the recursion for all graphs.
func (w *pathWork[T]) walksByPosition(counts pointer[float64]) func(*stream) error {
	tile := w.tile(2 * w.n)
	next, current := scratch[T](w.k, w.n*tile), scratch[T](w.k, w.n*tile)
	maximum := number(w.Pool == engine.Max)
	return func(s *stream) error {
		return w.eachTile(tile, func(f0, width int) error {
			g := linear(w.n*width, 256)
			return w.eachSize(func(j int) error {
				for i := j; i >= 1; i-- {
					source := next
					if i == j {
						source = pointer[T]{}
					}
					if err := w.walkStep(s, current, pointer[T]{}, pointer[int32]{}, source, f0, width, i, j); err != nil {
						return err
					}
					next, current = current, next
				}
				_, offset := w.base2(j)
				w.finishes(s, j, width)
				return walkFinish(s, g, w.out[j-1], next, w.norms, w.index, w.countsOf(counts, j), w.rootsOf(j),
					int32(w.n), int32(w.q), int32(f0), int32(width), maximum, offset)
			})
		})
	}
}

// walkStep enqueues position i of the recursion over walks of j vertices.
func (w *pathWork[T]) walkStep(s *stream, value, pooled pointer[T], picked pointer[int32], source pointer[T], f0, width,
	i, j int) error {
	rate, offset := w.base2(j)
	w.factors(s, width)
	return walkStep(s, linear(w.n*width, 256), value, pooled, picked, source, w.scores, w.index, w.graph.rowPtr,
		w.graph.col,
		int32(w.n), int32(w.Size), int32(w.q), int32(f0), int32(width), int32(i), number(w.Pool == engine.Max), rate,
		offset/T(j))
}
