//go:build gpu

package cuda

import (
	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

// NormalizeRows implements [engine.Engine].
func (e *Engine) NormalizeRows(dst, norms, x *tensor.Dense, eps float64) error {
	if err := engine.CheckNormalizeRows(dst, norms, x); err != nil {
		return err
	}
	if x.Dtype() == tensor.Float32 {
		return normalizeRowsOn(e, dst, norms, x, float32(eps))
	}
	return normalizeRowsOn(e, dst, norms, x, eps)
}

func normalizeRowsOn[T real](e *Engine, dst, norms, x *tensor.Dense, eps T) error {
	n, d := x.Shape()[0], x.Shape()[1]
	if n == 0 {
		return nil
	}
	k := e.begin("NormalizeRows")
	to, lengths, from := of[T](k, dst), of[T](k, norms), of[T](k, x)
	return k.run(func(s *stream) error {
		group := lanes(blocksOf(d, 4))
		return normalizeRows(s, linear(n*group, 256), to, lengths, from, int32(n), int32(d), eps, int32(group))
	})
}

// Gram implements [engine.Engine].
func (e *Engine) Gram(out, z *tensor.Dense, kernel engine.Kernel, allLengths bool) error {
	if err := engine.CheckGram(out, z, allLengths); err != nil {
		return err
	}
	if z.Dtype() == tensor.Float32 {
		return gramOn[float32](e, out, z, kernel, allLengths)
	}
	return gramOn[float64](e, out, z, kernel, allLengths)
}

// smallGram is the number of anchors up to which the smaller tiles keep more of a GPU busy.
const smallGram = 512

func gramOn[T real](e *Engine, out, z *tensor.Dense, kernel engine.Kernel, allLengths bool) error {
	p, q, d := z.Shape()[0], z.Shape()[1], z.Shape()[2]
	if q == 0 {
		return nil
	}
	k := e.begin("Gram")
	to, from := of[float64](k, out), of[T](k, z)
	launch, tile := gram[T], 64
	if q <= smallGram {
		launch, tile = gramSmall[T], 32
	}
	side := blocksOf(q, tile)
	g := grid{blocks: dim{x: side * (side + 1) / 2}, threads: dim{x: 256}}
	return k.run(func(s *stream) error {
		lengths := 1
		if allLengths {
			lengths = p
		}
		exponentials[float64](s, func() int { return lengths * g.blocks.x * tile * tile })
		operations[float64](s, 2, g.blocks.x, tile, tile, p, d)
		return launch(s, g, to, from, int32(p), int32(q), int32(d), kernel.Alpha, number(kernel.SumExponent),
			number(allLengths))
	})
}

// Assign implements [engine.Engine]. It waits for the result, which is on the host.
func (e *Engine) Assign(index []int32, best *tensor.Dense, points engine.Points, z *tensor.Dense) error {
	if err := engine.CheckAssign(index, best, points, z); err != nil {
		return err
	}
	if z.Dtype() == tensor.Float32 {
		return assignOn[float32](e, index, best, points, z)
	}
	return assignOn[float64](e, index, best, points, z)
}

func assignOn[T real](e *Engine, index []int32, best *tensor.Dense, points engine.Points, z *tensor.Dense) error {
	n, p, q, d := points.Len(), z.Shape()[0], z.Shape()[1], z.Shape()[2]
	if n == 0 {
		return nil
	}
	k := e.begin("Assign")
	nearest, similarity := scratch[int32](k, n), of[T](k, best)
	table, rows, anchors := of[T](k, points.Table), upload(k, points.Rows), of[T](k, z)
	fetch(k, index, nearest)
	return k.run(func(s *stream) error {
		g := grid{blocks: dim{x: blocksOf(n, largeTile*4/size[T]())}, threads: dim{x: 256}}
		operations[T](s, 2, n, p, q, d)
		return assign(s, g, nearest, similarity, table, rows, anchors, int32(n), int32(p), int32(q), int32(d),
			bestColumns(best))
	})
}

// bestColumns returns how many of the largest similarities of a point are wanted.
func bestColumns(best *tensor.Dense) int32 {
	if best == nil {
		return 0
	}
	return int32(min(best.Dims(), 2))
}

// SoftmaxCrossEntropy implements [engine.Engine].
func (e *Engine) SoftmaxCrossEntropy(loss, grad, logits *tensor.Dense, target []int32, weights []float64) error {
	if err := engine.CheckSoftmaxCrossEntropy(loss, grad, logits, target, weights); err != nil {
		return err
	}
	compute := func(loss, grad *tensor.Dense, weights []float64) error {
		if logits.Dtype() == tensor.Float32 {
			return softmaxCrossEntropyOn[float32](e, loss, grad, logits, target, weights)
		}
		return softmaxCrossEntropyOn[float64](e, loss, grad, logits, target, weights)
	}
	if logits.Shape()[1] > longRow {
		return e.weighted(loss, grad, weights, compute)
	}
	return e.losses(loss, grad, weights, compute)
}

// fewLosses is the number of rows up to which one block has them all, and adds up their losses.
const fewLosses = 4096

// losses computes losses and their slopes with one launch, unless weights and many rows ask for more.
func (e *Engine) losses(loss, grad *tensor.Dense, weights []float64,
	compute func(loss, grad *tensor.Dense, weights []float64) error) error {
	if len(weights) > fewLosses {
		return e.weighted(loss, grad, weights, compute)
	}
	return compute(loss, grad, weights)
}

// weighted computes the losses of rows and their slopes, and adds them up by their weights, if there are any.
func (e *Engine) weighted(loss, grad *tensor.Dense, weights []float64,
	compute func(loss, grad *tensor.Dense, weights []float64) error) error {
	if weights == nil {
		return compute(loss, grad, nil)
	}
	n := len(weights)
	each, slopes := e.Scratch(loss.Dtype(), n), (*tensor.Dense)(nil)
	if grad != nil {
		slopes = e.Scratch(grad.Dtype(), grad.Shape()...)
	}
	defer e.Release(each, slopes)
	if err := compute(each, slopes, nil); err != nil {
		return err
	}
	all := engine.Segments{Offsets: []int32{0, int32(n)}, Weights: weights}
	if err := e.SegmentReduce(e.View(loss, 0, 1, 1), e.View(each, 0, n, 1), all, engine.Sum); err != nil || grad == nil {
		return err
	}
	rows := engine.Segments{Offsets: make([]int32, n+1), Weights: weights}
	for i := range rows.Offsets {
		rows.Offsets[i] = int32(i)
	}
	return e.SegmentReduce(grad, slopes, rows, engine.Sum)
}

// longRow is the number of classes above which a block, not a warp, has a row.
const longRow = 1024

func softmaxCrossEntropyOn[T real](e *Engine, loss, grad, logits *tensor.Dense, target []int32,
	weights []float64) error {
	n, c := logits.Shape()[0], logits.Shape()[1]
	if n == 0 && weights == nil {
		return nil
	}
	k := e.begin("SoftmaxCrossEntropy")
	losses, gradient, x, aim := of[T](k, loss), of[T](k, grad), of[T](k, logits), upload(k, target)
	shares := uploadAs[T](k, weights)
	return k.run(func(s *stream) error {
		exponentials[T](s, func() int {
			if grad == nil {
				return n * c
			}
			return 2 * n * c
		})
		if c > longRow {
			return softmaxCrossEntropyLong(s, linear(n*256, 256), losses, gradient, x, aim, int32(n), int32(c))
		}
		group := lanes(blocksOf(c, 4))
		return softmaxCrossEntropy(s, lossGrid(n*group, weights), losses, gradient, x, aim, shares, int32(n), int32(c),
			int32(group))
	})
}

// lossGrid is the grid for losses with so many threads: one block where it adds them up.
func lossGrid(threads int, weights []float64) grid {
	g := linear(threads, 256)
	if weights != nil {
		g = grid{blocks: dim{x: 1}, threads: dim{x: min(blocksOf(max(threads, 1), 32)*32, 1024)}}
	}
	return g
}

// Adam implements [engine.Engine].
func (e *Engine) Adam(states []engine.AdamState, step engine.Adam) error {
	if err := engine.CheckAdam(states, step); err != nil {
		return err
	}
	if len(states) == 0 {
		return nil
	}
	if states[0].Parameter.Dtype() == tensor.Float32 {
		return adamOn[float32](e, states, step)
	}
	return adamOn[float64](e, states, step)
}

func adamOn[T real](e *Engine, states []engine.AdamState, step engine.Adam) error {
	longest, k := 0, e.begin("Adam")
	var table []int64 // of AdamState
	for _, o := range states {
		for _, t := range []*tensor.Dense{o.Parameter, o.Moment1, o.Moment2, o.Gradient} {
			table = append(table, int64(of[T](k, t).address))
		}
		n := o.Parameter.DataSize()
		table = append(table, int64(n), int64(bitsOf(T(o.Decay))))
		longest = max(longest, n)
	}
	list := upload(k, table)
	rate, root := step.Corrected()
	g := linear(blocksOf(longest, 16/size[T]()), 256)
	g.blocks.y = len(states)
	return k.run(func(s *stream) error {
		if longest == 0 {
			return nil
		}
		return adam(s, g, list, T(rate), T(root), T(step.Beta1), T(step.Beta2), T(1-step.Beta1), T(1-step.Beta2),
			T(step.Epsilon))
	})
}

// Place implements [engine.Engine].
func (e *Engine) Place(dst, src *tensor.Dense, index []int32, at engine.Placement) error {
	rows, err := engine.CheckPlace(dst, src, index, at)
	if err != nil {
		return err
	}
	if dst.Dtype() == tensor.Float32 {
		return placeOn[float32](e, dst, src, index, at, rows)
	}
	return placeOn[float64](e, dst, src, index, at, rows)
}

func placeOn[T real](e *Engine, dst, src *tensor.Dense, index []int32, at engine.Placement, rows int) error {
	q, columns := src.Shape()[1], dst.Shape()[1]
	if rows*q == 0 {
		return nil
	}
	k := e.begin("Place")
	to, from, order := of[T](k, dst).at(at.Row*columns+at.Column), of[T](k, src), upload(k, index)
	return k.run(func(s *stream) error {
		group := lanes(q)
		if at.Stride == 1 {
			group = lanes(blocksOf(q, 16/size[T]()))
		}
		return place(s, linear(rows*group, 256), to, from, order, int32(rows), int32(q), int32(columns), int32(at.Stride),
			int32(group))
	})
}
