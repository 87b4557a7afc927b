//go:build gpu

package cuda

import (
	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

// HistogramIntersection implements [engine.Engine] by an inverted index of b, which the host makes while it
// uploads: time and memory linear in the entries.
func (e *Engine) HistogramIntersection(out *tensor.Dense, a, b *engine.Sparse) error {
	if err := engine.CheckHistogramIntersection(out, a, b); err != nil {
		return err
	}
	if out.Dtype() == tensor.Float32 {
		return intersectOn[float32](e, out, a, b)
	}
	return intersectOn[float64](e, out, a, b)
}

// histogramTile is HISTOGRAM_TILE of the kernel, histogramThreads the threads of its blocks.
const (
	histogramTile    = 1024
	histogramThreads = 32
)

func intersectOn[T real](e *Engine, out *tensor.Dense, a, b *engine.Sparse) error {
	same := a == b
	rows, others := a.Rows(), b.Rows()
	k := e.begin("HistogramIntersection")
	to := of[T](k, out)
	if rows*others == 0 {
		return k.run(func(*stream) error { return nil })
	}
	a, b = a.Unmasked(), b.Unmasked()
	rowPtr, col, values := upload(k, a.RowPtr), upload(k, a.Col), uploadAs[T](k, a.Values)
	index := b.Transpose()
	binPtr, binRow, binValues := upload(k, index.RowPtr), upload(k, index.Col), uploadAs[T](k, index.Values)
	items := rows * ((others + histogramTile - 1) / histogramTile)
	g := grid{blocks: dim{x: min(items, 1<<19)}, threads: dim{x: histogramThreads}}
	return k.run(func(s *stream) error {
		if err := histogramIntersection(s, g, to, rowPtr, col, values, binPtr, binRow, binValues, int32(rows), int32(others),
			number(same)); err != nil {
			return err
		}
		if !same {
			return nil
		}
		tiles := (rows + 31) / 32
		return mirrorUpper(s, grid{blocks: dim{x: min(tiles*tiles, 1<<19)}, threads: dim{x: 256}}, to, int32(rows))
	})
}
