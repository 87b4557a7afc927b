//go:build gpu

package cuda

import (
	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

// The constants of kernels that share columns, which the host computes with too.
const (
	columnGroup   = 8    // columns of a block
	columnThreads = 1024 // of a block

	columnRows = 8192    // whose sums one block makes; of more it takes longer than two launches of slices
	sumSlice   = 4096    // rows of a block of several that make sums
	freeSlice  = 512     // rows of a block that makes none
	mostSlices = 1 << 12 // blocks in the second dimension
)

// columnGrid is a grid of blocks for the columns of n x d, each of so many rows.
func columnGrid(n, d, rows int) grid {
	return grid{blocks: dim{x: blocksOf(d, columnGroup), y: max(blocksOf(n, rows), 1)}, threads: dim{x: columnThreads}}
}

// cutColumns returns the rows of a block, and in how many slices the sums along columns of n rows come about: 0 where
// one block makes them, or where there are none.
func cutColumns(n int, sums bool) (rows, slices int) {
	switch {
	case !sums:
		return max(freeSlice, blocksOf(n, mostSlices)), 0
	case n <= columnRows:
		return max(n, 1), 0
	}
	rows = max(sumSlice, blocksOf(n, mostSlices))
	return rows, blocksOf(n, rows)
}

// BatchNorm implements [engine.Engine].
func (e *Engine) BatchNorm(y, x *tensor.Dense, b *engine.BatchNorm) error {
	if err := engine.CheckBatchNorm(y, x, b); err != nil {
		return err
	}
	if x.Dtype() == tensor.Float32 {
		return batchNormOn[float32](e, y, x, b)
	}
	return batchNormOn[float64](e, y, x, b)
}

func batchNormOn[T real](e *Engine, y, x *tensor.Dense, b *engine.BatchNorm) error {
	n, d := x.Shape()[0], x.Shape()[1]
	if n*d == 0 {
		return nil
	}
	k := e.begin("BatchNorm")
	to, from, scale, shift := of[T](k, y), of[T](k, x), of[T](k, b.Scale), of[T](k, b.Shift)
	mean, variance := of[T](k, b.Mean), of[T](k, b.Variance)
	var batchMean, batchDeviation pointer[T]
	if b.Training {
		batchMean, batchDeviation = of[T](k, b.BatchMean), of[T](k, b.BatchDeviation)
	}
	rows, slices := cutColumns(n, b.Training)
	partial := scratch[float64](k, 2*slices*d)
	return k.run(func(s *stream) error {
		g := columnGrid(n, d, rows)
		if slices > 0 {
			operations[T](s, 3, n, d)
			if err := batchNormMoments(s, g, partial, from, int32(n), int32(d), int32(rows)); err != nil {
				return err
			}
		}
		operations[T](s, 3, n, d)
		return batchNorm(s, g, to, from, scale, shift, mean, variance, batchMean, batchDeviation, partial, int32(slices),
			int32(n), int32(d), int32(rows), b.Momentum, b.Epsilon, number(b.Training), number(b.Rectify))
	})
}

// BatchNormGrad implements [engine.Engine].
func (e *Engine) BatchNormGrad(xGrad, scaleGrad, shiftGrad, yGrad, x, y *tensor.Dense, b *engine.BatchNorm) error {
	if err := engine.CheckBatchNormGrad(xGrad, scaleGrad, shiftGrad, yGrad, x, y, b); err != nil {
		return err
	}
	if x.Dtype() == tensor.Float32 {
		return batchNormGradOn[float32](e, xGrad, scaleGrad, shiftGrad, yGrad, x, y, b)
	}
	return batchNormGradOn[float64](e, xGrad, scaleGrad, shiftGrad, yGrad, x, y, b)
}

func batchNormGradOn[T real](e *Engine, xGrad, scaleGrad, shiftGrad, yGrad, x, y *tensor.Dense,
	b *engine.BatchNorm) error {
	n, d := x.Shape()[0], x.Shape()[1]
	if d == 0 {
		return nil
	}
	k := e.begin("BatchNormGrad")
	to, ofScale, ofShift := of[T](k, xGrad), of[T](k, scaleGrad), of[T](k, shiftGrad)
	from, in, scale := of[T](k, yGrad), of[T](k, x), of[T](k, b.Scale)
	mean, deviation := of[T](k, b.BatchMean), of[T](k, b.BatchDeviation)
	var result pointer[T]
	if b.Rectify {
		result = of[T](k, y)
	}
	rows, slices := cutColumns(n, true)
	partial := scratch[float64](k, 2*slices*d)
	return k.run(func(s *stream) error {
		g := columnGrid(n, d, rows)
		if slices > 0 {
			operations[T](s, 4, n, d)
			if err := batchNormSlopes(s, g, partial, from, in, result, mean, int32(n), int32(d), int32(rows)); err != nil {
				return err
			}
		}
		operations[T](s, 5, n, d)
		return batchNormGrad(s, g, to, ofScale, ofShift, from, in, result, scale, mean, deviation, partial, int32(slices),
			int32(n), int32(d), int32(rows))
	})
}

// Rectify implements [engine.Engine].
func (e *Engine) Rectify(y, x, bias *tensor.Dense) error {
	if err := engine.CheckRectify(y, x, bias); err != nil {
		return err
	}
	if x.Dtype() == tensor.Float32 {
		return rectifyOn[float32](e, y, x, bias)
	}
	return rectifyOn[float64](e, y, x, bias)
}

func rectifyOn[T real](e *Engine, y, x, bias *tensor.Dense) error {
	elements, d := x.DataSize(), x.Shape()[1]
	if elements == 0 {
		return nil
	}
	k := e.begin("Rectify")
	to, from, shift := of[T](k, y), of[T](k, x), of[T](k, bias)
	return k.run(func(s *stream) error {
		return rectify(s, linear(blocksOf(elements, vectorWidth[T]()), 256), to, from, shift, int64(elements), int32(d))
	})
}

// RectifyGrad implements [engine.Engine].
func (e *Engine) RectifyGrad(xGrad, biasGrad, yGrad, y *tensor.Dense) error {
	if err := engine.CheckRectifyGrad(xGrad, biasGrad, yGrad, y); err != nil {
		return err
	}
	if y.Dtype() == tensor.Float32 {
		return rectifyGradOn[float32](e, xGrad, biasGrad, yGrad, y)
	}
	return rectifyGradOn[float64](e, xGrad, biasGrad, yGrad, y)
}

func rectifyGradOn[T real](e *Engine, xGrad, biasGrad, yGrad, y *tensor.Dense) error {
	n, d := y.Shape()[0], y.Shape()[1]
	if d == 0 || n == 0 && biasGrad == nil {
		return nil
	}
	k := e.begin("RectifyGrad")
	to, ofBias, from, result := of[T](k, xGrad), of[T](k, biasGrad), of[T](k, yGrad), of[T](k, y)
	rows, slices := cutColumns(n, biasGrad != nil)
	sums := ofBias
	if slices > 0 {
		sums = scratch[T](k, slices*d)
	}
	return k.run(func(s *stream) error {
		g := columnGrid(n, d, rows)
		if err := rectifyGrad(s, g, to, sums, from, result, int32(n), int32(d), int32(rows)); err != nil || slices == 0 {
			return err
		}
		return matmulCombine(s, linear(d, 256), ofBias, sums, int64(d), int32(slices), 1, 0)
	})
}

// Dropout implements [engine.Engine].
func (e *Engine) Dropout(y, x *tensor.Dense, d engine.Dropout) error {
	if err := engine.CheckDropout(y, x, d); err != nil {
		return err
	}
	if x.Dtype() == tensor.Float32 {
		return dropoutOn[float32](e, y, x, d)
	}
	return dropoutOn[float64](e, y, x, d)
}

func dropoutOn[T real](e *Engine, y, x *tensor.Dense, d engine.Dropout) error {
	elements := x.DataSize()
	if elements == 0 {
		return nil
	}
	k := e.begin("Dropout")
	to, from := of[T](k, y), of[T](k, x)
	least, factor := d.Kept()
	return k.run(func(s *stream) error {
		return dropout(s, linear(blocksOf(elements, 4), 256), to, from, int64(elements), int64(d.Seed), int64(d.Step),
			int32(d.Stream), int32(least), T(factor))
	})
}

// LinearGrad implements [engine.Engine].
func (e *Engine) LinearGrad(xGrad, weightGrad, biasGrad, yGrad, x, weight *tensor.Dense) error {
	if err := engine.CheckLinearGrad(xGrad, weightGrad, biasGrad, yGrad, x, weight); err != nil {
		return err
	}
	if x.Dtype() == tensor.Float32 {
		return linearGradOn[float32](e, xGrad, weightGrad, biasGrad, yGrad, x, weight)
	}
	return linearGradOn[float64](e, xGrad, weightGrad, biasGrad, yGrad, x, weight)
}

// The splits of the rows of a gradient of weights: so many rows at least, and no more splits than these.
const (
	linearSplitRows  = 256
	linearMostSplits = 64
)

// linearSplits returns the rows of a split, whole stages of tiles, and how many splits there are.
func linearSplits(n int) (rows, splits int) {
	splits = min(max(n/linearSplitRows, 1), linearMostSplits)
	rows = max(blocksOf(blocksOf(n, splits), 16), 1) * 16
	return rows, max(blocksOf(n, rows), 1)
}

func linearGradOn[T real](e *Engine, xGrad, weightGrad, biasGrad, yGrad, x, weight *tensor.Dense) error {
	n, d, outputs, side := x.Shape()[0], x.Shape()[1], weight.Shape()[0], mediumTile*4/size[T]()
	k := e.begin("LinearGrad")
	from, in, w := of[T](k, yGrad), of[T](k, x), of[T](k, weight)
	var ofX, ofWeight, ofBias pointer[T]
	tiles, others := 0, 0 // of the gradient of x, of the others
	if xGrad != nil && n*d > 0 {
		ofX, tiles = of[T](k, xGrad), blocksOf(n, side)*blocksOf(d, side)
	}
	if biasGrad != nil && outputs > 0 {
		ofBias, others = of[T](k, biasGrad), blocksOf(outputs, side)
	}
	if weightGrad != nil && outputs*d > 0 {
		ofWeight, others = of[T](k, weightGrad), blocksOf(outputs, side)*blocksOf(d, side)
	}
	rows, splits := linearSplits(n)
	var partial pointer[T]
	var turns pointer[int32]
	if splits > 1 && others > 0 {
		partial, turns = scratch[T](k, splits*(outputs*d+outputs)), upload(k, make([]int32, others))
	}
	return k.run(func(s *stream) error {
		if tiles+others == 0 {
			return nil
		}
		operations[T](s, 4, n, outputs, d)
		g := grid{blocks: dim{x: tiles + others*splits}, threads: dim{x: 256}}
		return linearGrad(s, g, ofX, ofWeight, ofBias, from, in, w, partial, turns, int32(n), int32(outputs), int32(d),
			int32(tiles), int32(splits), int32(rows))
	})
}
