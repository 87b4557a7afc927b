//go:build gpu

package cuda

import (
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
)

// reversed finds the arcs of a batch by their heads, on the device. An arc is its position in Batch.Col.
type reversed struct {
	ptr  pointer[int32] // arcs into v are arc[ptr[v]:ptr[v+1]], by tail
	arc  pointer[int32]
	tail pointer[int32] // of every arc
	from pointer[int32] // tails in the order of arc: the reversed adjacency is (ptr, from)
}

// reversedOf returns the reversed arcs of the graph. In an undirected batch the reversed adjacency is the
// adjacency.
func (w *pathWork[T]) reversedOf(arcs bool) reversed {
	b := w.Graph
	if !arcs && !b.Directed {
		return reversed{ptr: w.graph.rowPtr, from: w.graph.col}
	}
	r := reversed{
		ptr: derived(w.k, b, "reversed arcs: rows", func() []int32 { ptr, _, _, _ := reverse(b); return ptr }),
	}
	if arcs {
		r.arc = derived(w.k, b, "reversed arcs: arcs", func() []int32 { _, arc, _, _ := reverse(b); return arc })
		r.tail = derived(w.k, b, "reversed arcs: tails", func() []int32 { _, _, tail, _ := reverse(b); return tail })
	} else {
		r.from = derived(w.k, b, "reversed arcs: columns", func() []int32 { _, _, _, from := reverse(b); return from })
	}
	return r
}

func reverse(b *graph.Batch) (ptr, arc, tail, from []int32) {
	n, m := b.NumVertices(), b.NumArcs()
	ptr, arc, tail, from = make([]int32, n+1), make([]int32, m), make([]int32, m), make([]int32, m)
	for _, v := range b.Col {
		ptr[v+1]++
	}
	for v := range n {
		ptr[v+1] += ptr[v]
	}
	at := append([]int32(nil), ptr...)
	for u := range int32(n) {
		for a := b.RowPtr[u]; a < b.RowPtr[u+1]; a++ {
			v := b.Col[a]
			tail[a] = u
			arc[at[v]], from[at[v]] = a, u
			at[v]++
		}
	}
	return ptr, arc, tail, from
}

// messageCounts enqueues the number of non-backtracking walks of 1 to Size vertices from every vertex, Size x
// n. ways and spare have room for the arcs, after as well.
func (w *pathWork[T]) messageCounts(s *stream, r reversed, counts, ways, spare, after pointer[float64]) error {
	exponentials[float64](s, func() int { return w.n })
	if err := walkStep(s, linear(w.n, 256), counts, pointer[float64]{}, pointer[int32]{}, pointer[float64]{},
		pointer[float64]{},
		pointer[int32]{}, w.graph.rowPtr, w.graph.col, int32(w.n), 1, 1, 0, 1, 1, 0, 0, 0); err != nil {
		return err
	}
	for j := 2; j <= w.Size; j++ {
		source := ways
		if j == 2 {
			source = pointer[float64]{}
		}
		exponentials[float64](s, func() int { return w.n })
		if err := messageStep(s, linear(w.n, 256), spare, after, pointer[int32]{}, source, pointer[float64]{},
			pointer[int32]{},
			w.graph.rowPtr, w.graph.col, r.ptr, r.arc, r.tail, int32(w.n), 1, 1, 0, 1, 1, 0, 0, 0); err != nil {
			return err
		}
		ways, spare = spare, ways
		if err := s.messageCounts(linear(w.n, 256), counts.at((j-1)*w.n), ways, w.graph.rowPtr, w.graph.col,
			int32(w.n)); err != nil {
			return err
		}
	}
	return nil
}

// messageCounter reserves memory for the numbers of non-backtracking walks and returns it with what enqueues
// them; null and nothing to do but for a mean.
func (w *pathWork[T]) messageCounter(r reversed) (counts pointer[float64], enqueue func(s *stream) error) {
	counts = w.countScratch()
	if counts.null() {
		return counts, func(*stream) error { return nil }
	}
	arcs := max(w.Graph.NumArcs(), 1)
	ways, spare, after := scratch[float64](w.k, arcs), scratch[float64](w.k, arcs), scratch[float64](w.k, arcs)
	return counts, func(s *stream) error { return w.messageCounts(s, r, counts, ways, spare, after) }
}

// messages pools over non-backtracking walks: where a graph is large by one launch a position, and then small ones in
// shared memory, so that the bits of a graph do not depend on the others.
func (w *pathWork[T]) messages() error {
	bytes := func(vertices, arcs int) int { return w.bytes(96*arcs) + 4*(2*(vertices+1)+3*arcs) }
	r := w.reversedOf(true)
	counts, count := w.messageCounter(r)
	lists, fits := w.smallRecursions(bytes)
	for i := range lists {
		lists[i] = lists[i].of(w.only)
	}
	byPosition := func(*stream) error { return nil }
	if !fits {
		byPosition = w.messagesByPosition(r, counts)
	}
	bounds := []pointer[int32]{upload(w.k, lists[0].bounds), upload(w.k, lists[1].bounds)}
	return w.k.run(func(s *stream) error {
		if err := count(s); err != nil {
			return err
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
			w.small(s, list, w.q)
			if err := messageSmall(s, g, w.matrices, w.scores, w.norms, w.index, w.graph.rowPtr, w.graph.col, r.ptr, r.arc,
				r.tail, counts,
				w.rootRow, bounds[i], int32(w.n), int32(w.Size), int32(w.q), number(w.Pool == engine.Max), w.alpha2, w.sumExponent,
				int32(list.vertices), int32(list.arcs)); err != nil {
				return err
			}
		}
		return nil
	})
}

// messagesByPosition returns what enqueues the recursion for all graphs.
func (w *pathWork[T]) messagesByPosition(r reversed, counts pointer[float64]) func(*stream) error {
	arcs := max(w.Graph.NumArcs(), 1) // messages that are not there would mean walks of one vertex
	tile := w.tile(3*arcs + w.n)
	next, current, after := scratch[T](w.k, arcs*tile), scratch[T](w.k, arcs*tile), scratch[T](w.k, arcs*tile)
	value := scratch[T](w.k, w.n*tile)
	return func(s *stream) error {
		return w.eachTile(tile, func(f0, width int) error {
			return w.eachSize(func(j int) error {
				var source pointer[T]
				for i := j; i >= 2; i-- {
					if err := w.messageStep(s, r, current, after, pointer[int32]{}, source, f0, width, i, j); err != nil {
						return err
					}
					source = current
					next, current = current, next
				}
				if err := w.messageRoot(s, value, pointer[int32]{}, source, f0, width, j); err != nil {
					return err
				}
				_, offset := w.base2(j)
				w.finishes(s, j, width)
				return walkFinish(s, linear(w.n*width, 256), w.out[j-1], value, w.norms, w.index, w.countsOf(counts, j),
					w.rootsOf(j),
					int32(w.n), int32(w.q), int32(f0), int32(width), number(w.Pool == engine.Max), offset)
			})
		})
	}
}

// messageStep enqueues position i > 1 of the recursion over non-backtracking walks of j vertices.
func (w *pathWork[T]) messageStep(s *stream, r reversed, value, after pointer[T], picked pointer[int32],
	source pointer[T], f0, width, i, j int) error {
	rate, offset := w.base2(j)
	w.factors(s, width)
	return messageStep(s, linear(w.n*width, 256), value, after, picked, source, w.scores, w.index, w.graph.rowPtr,
		w.graph.col, r.ptr, r.arc, r.tail,
		int32(w.n), int32(w.Size), int32(w.q), int32(f0), int32(width), int32(i), number(w.Pool == engine.Max), rate,
		offset/T(j))
}

// messageRoot enqueues what the messages of position 2 pool to; source is null for walks of one vertex.
func (w *pathWork[T]) messageRoot(s *stream, value pointer[T], picked pointer[int32], source pointer[T], f0, width,
	j int) error {
	rate, offset := w.base2(j)
	w.factors(s, width)
	return messageRoot(s, linear(w.n*width, 256), value, picked, source, w.scores, w.index, w.graph.rowPtr, w.graph.col,
		int32(w.n), int32(w.Size), int32(w.q), int32(f0), int32(width), number(w.Pool == engine.Max), rate, offset/T(j))
}
