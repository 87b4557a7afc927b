//go:build gpu

package cuda

import (
	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

// The constants of the kernels of k-means++ that the host computes with too.
const (
	tried     = 8    // points that one launch tries at most
	seedPiece = 1024 // points whose masses have a sum of their own
)

// PlusPlus implements [engine.Engine]: all of it is one submission.
func (e *Engine) PlusPlus(start []int32, s *engine.Seeding) error {
	if err := engine.CheckPlusPlus(start, s); err != nil {
		return err
	}
	if s.Stop != nil {
		if err := s.Stop(); err != nil {
			return err
		}
	}
	if s.Table.Dtype() == tensor.Float32 {
		return plusPlusOn[float32](e, start, s)
	}
	return plusPlusOn[float64](e, start, s)
}

// seeding is what the launches of k-means++ share.
type seeding[T real] struct {
	table                                      pointer[T]
	list, chosen, tries                        pointer[int32]
	weights, draws, least, sums, masses, gains pointer[float64]
	n, p, d, pieces                            int
	shift, units                               float64
}

func plusPlusOn[T real](e *Engine, start []int32, s *engine.Seeding) error {
	n, candidates := s.Len(), 1
	if len(start) > 1 {
		candidates = max(1, len(s.Draws)/(len(start)-1))
	}
	elements, units := s.Grids()
	k := e.begin("PlusPlus")
	w := seeding[T]{
		table: of[T](k, s.Table), list: upload(k, s.Rows), weights: upload(k, s.Weights), draws: upload(k, s.Draws),
		n: n, p: s.Size, d: s.Table.Shape()[1], pieces: blocksOf(n, seedPiece), shift: 1.5 * 0x1p52 / elements, units: units,
	}
	first := upload(k, start[:1])
	w.chosen, w.tries = scratch[int32](k, len(start)), scratch[int32](k, candidates)
	w.least, w.sums = scratch[float64](k, n), scratch[float64](k, w.pieces)
	w.masses, w.gains = scratch[float64](k, candidates*n), scratch[float64](k, candidates*w.grid().blocks.x)
	fetch(k, start, w.chosen)
	return k.run(func(s *stream) error {
		if err := w.choose(s, 0, first, 1); err != nil {
			return err
		}
		for f := 1; f < len(start); f++ {
			g := grid{blocks: dim{x: candidates}, threads: dim{x: 256}}
			draws := pointer[float64]{w.draws.address + uint64(8*(f-1)*candidates)}
			if err := s.seedDrawF64(g, w.tries, w.least, w.sums, draws, int32(n)); err != nil {
				return err
			}
			if err := w.choose(s, f, w.tries, candidates); err != nil {
				return err
			}
		}
		return nil
	})
}

// grid is that of a launch over all points, a group of lanes each.
func (w *seeding[T]) grid() grid { return linear(min(w.n*lanes(w.d), 1<<18), 256) }

// choose enqueues the choice of point number f among some.
func (w *seeding[T]) choose(s *stream, f int, tries pointer[int32], count int) error {
	g, least := w.grid(), w.least
	if f == 0 {
		least = pointer[float64]{}
	}
	operations[float64](s, 6, count, w.n, w.p, w.d)
	for t := 0; t < count; t += tried {
		masses := pointer[float64]{w.masses.address + uint64(8*t*w.n)}
		gains := pointer[float64]{w.gains.address + uint64(8*t*g.blocks.x)}
		if err := seedMasses(s, g, masses, gains, least, w.table, w.list, w.weights,
			pointer[int32]{tries.address + uint64(4*t)}, int32(min(tried, count-t)), int32(w.n), int32(w.p), int32(w.d),
			w.shift, w.units, int32(lanes(w.d))); err != nil {
			return err
		}
	}
	chosen := pointer[int32]{w.chosen.address + uint64(4*f)}
	return s.seedChooseF64(grid{blocks: dim{x: min(w.pieces, maxBlocks)}, threads: dim{x: 256}}, chosen, w.least, w.sums,
		w.masses, w.gains, tries, int32(count), int32(g.blocks.x), int32(w.n), number(f == 0))
}

// AddRows implements [engine.Engine].
func (e *Engine) AddRows(sums, x *tensor.Dense, s engine.Segments) error {
	if err := engine.CheckAddRows(sums, x, s); err != nil {
		return err
	}
	if x.Dtype() == tensor.Float32 {
		return addRowsOn[float32](e, sums, x, s)
	}
	return addRowsOn[float64](e, sums, x, s)
}

func addRowsOn[T real](e *Engine, sums, x *tensor.Dense, s engine.Segments) error {
	segments, q := sums.Shape()[0], sums.Shape()[1]
	if segments*q == 0 {
		return nil
	}
	k := e.begin("AddRows")
	to, from := of[float64](k, sums), of[T](k, x)
	offsets, index, weights := upload(k, s.Offsets), upload(k, s.Index), upload(k, s.Weights)
	return k.run(func(st *stream) error {
		operations[float64](st, 2, int(s.Offsets[segments]), q)
		group := lanes(q)
		return addRows(st, linear(segments*blocksOf(q, group)*group, 256), to, from, offsets, index, weights,
			int32(segments), int32(q), int32(group))
	})
}
