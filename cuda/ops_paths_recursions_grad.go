//go:build gpu

package cuda

import "github.com/grove-graph/grove/engine"

// walksGrad goes back through the recursion over walks, one launch a position, with the values of all
// positions of one size in memory.
func (w *pathGradWork[T]) walksGrad() error {
	maximum := w.Pool == engine.Max
	counts := w.countScratch()
	in := w.reversedOf(false)
	tile := w.tile(2 * (w.Size + 1) * w.n)
	level := w.n * tile
	value := scratch[T](w.k, w.Size*level)
	share, previous := scratch[T](w.k, level), scratch[T](w.k, level)
	var pooled pointer[T] // of sums, by position
	var picked pointer[int32]
	if maximum {
		picked = scratch[int32](w.k, w.Size*level)
	} else {
		pooled = scratch[T](w.k, w.Size*level)
	}
	pooledAt := func(i int) pointer[T] {
		if maximum {
			return pooled
		}
		return pooled.at((i - 1) * level)
	}
	pickedAt := func(i int) pointer[int32] {
		if !maximum {
			return picked
		}
		return picked.at((i - 1) * level)
	}
	return w.k.run(func(s *stream) error {
		if err := zero(s, w.grad, w.n*w.Size*w.q); err != nil {
			return err
		}
		if !counts.null() {
			if err := w.walkCounts(s, counts); err != nil {
				return err
			}
		}
		return w.eachTile(tile, func(f0, width int) error {
			return w.eachSize(func(j int) error {
				var source pointer[T]
				for i := j; i >= 1; i-- {
					if err := w.walkStep(s, value.at((i-1)*level), pooledAt(i), pickedAt(i), source, f0, width, i, j); err != nil {
						return err
					}
					source = value.at((i - 1) * level)
				}
				scale, _ := w.Kernel.Scale(j)
				_, offset := w.base2(j)
				for i := 1; i <= j; i++ {
					last, next := previous, share
					var pick pointer[int32] // by the vertices of the position before
					if i == 1 {
						last = pointer[T]{}
					} else {
						pick = pickedAt(i - 1)
					}
					if i == j {
						next = pointer[T]{}
					}
					if i == 1 {
						w.finishes(s, j, width)
					}
					if err := walkGrad(s, linear(w.n*width, 256), w.grad, next, last, value.at((i-1)*level), pooledAt(i), pick,
						w.out[j-1],
						w.norms, w.index, w.countsOf(counts, j), w.rootsOf(j), in.ptr, in.from, int32(w.n), int32(w.Size), int32(w.q),
						int32(f0), int32(width), int32(i), number(maximum), T(scale), offset); err != nil {
						return err
					}
					share, previous = previous, share
				}
				return nil
			})
		})
	})
}

// messagesGrad goes back through the messages of non-backtracking walks in the same manner.
func (w *pathGradWork[T]) messagesGrad() error {
	maximum := w.Pool == engine.Max
	r := w.reversedOf(true)
	counts, count := w.messageCounter(r)
	arcs := max(w.Graph.NumArcs(), 1) // messages that are not there would mean walks of one vertex
	tile := w.tile((2*w.Size+3)*arcs + 2*w.n)
	level := arcs * tile
	value := scratch[T](w.k, w.Size*level) // of position i from (i-1) level on; the first is for the roots
	root := scratch[T](w.k, w.n*tile)
	after, message, next := scratch[T](w.k, level), scratch[T](w.k, level), scratch[T](w.k, level)
	var picked, rootPicked pointer[int32]
	pickedAt := func(i int) pointer[int32] { return picked }
	if maximum {
		picked, rootPicked = scratch[int32](w.k, w.Size*level), scratch[int32](w.k, w.n*tile)
		pickedAt = func(i int) pointer[int32] { return picked.at((i - 1) * level) }
	}
	return w.k.run(func(s *stream) error {
		if err := zero(s, w.grad, w.n*w.Size*w.q); err != nil {
			return err
		}
		if err := count(s); err != nil {
			return err
		}
		return w.eachTile(tile, func(f0, width int) error {
			return w.eachSize(func(j int) error {
				var source pointer[T]
				for i := j; i >= 2; i-- {
					if err := w.messageStep(s, r, value.at((i-1)*level), after, pickedAt(i), source, f0, width, i, j); err != nil {
						return err
					}
					source = value.at((i - 1) * level)
				}
				if err := w.messageRoot(s, root, rootPicked, source, f0, width, j); err != nil {
					return err
				}
				scale, _ := w.Kernel.Scale(j)
				rate, offset := w.base2(j)
				g := linear(w.n*width, 256)
				first := message
				if j == 1 {
					first = pointer[T]{}
				}
				if maximum || j > 1 {
					exponentials[T](s, func() int { return w.n * width })
				}
				if err := messageRootGrad(s, g, w.grad, first, root, rootPicked, w.out[j-1], w.scores, w.norms, w.index,
					w.countsOf(counts, j), w.rootsOf(j),
					w.graph.rowPtr, w.graph.col, int32(w.n), int32(w.Size), int32(w.q), int32(f0), int32(width), number(maximum),
					rate, offset, offset/T(j), T(scale)); err != nil {
					return err
				}
				for i := 2; i <= j; i++ {
					to := next
					if i == j {
						to = pointer[T]{}
					}
					if i < j {
						w.factors(s, width)
					}
					if err := messageGrad(s, g, w.grad, to, after, message, value.at((i-1)*level), pickedAt(i), w.scores, w.index,
						w.graph.rowPtr, w.graph.col,
						r.ptr, r.arc, r.tail, int32(w.n), int32(w.Size), int32(w.q), int32(f0), int32(width), int32(i), number(maximum),
						rate, offset/T(j), T(scale)); err != nil {
						return err
					}
					message, next = next, message
				}
				return nil
			})
		})
	})
}
