//go:build gpu

package cuda

import (
	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

// SparseMatMul implements [engine.Engine].
func (e *Engine) SparseMatMul(y *tensor.Dense, a *engine.Sparse, x *tensor.Dense) error {
	if err := engine.CheckSparseMatMul(y, a, x); err != nil {
		return err
	}
	if y.Dtype() == tensor.Float32 {
		return sparseMatMulOn[float32](e, y, a, x)
	}
	return sparseMatMulOn[float64](e, y, a, x)
}

// The constants of the kernels sparse_matmul that the host computes with too.
const (
	sparseThreads = 256
	hugeRow       = 4096
	rowPart       = 1024

	// listedEntries is the size from which on a matrix may have so long a row that it is worth two more
	// launches to spread it over the device.
	listedEntries = 1 << 19
)

func sparseMatMulOn[T real](e *Engine, y *tensor.Dense, a *engine.Sparse, x *tensor.Dense) error {
	k := e.begin("SparseMatMul")
	to, from, m := of[T](k, y), of[T](k, x), sparse[T](k, a)
	rows, q := a.Rows(), x.Shape()[1]
	launch, launchParts := sparseMatmul[T], sparseMatmulParts[T]
	wide := vectorWidth[T]()
	if q%wide != 0 || to.address%16 != 0 || from.address%16 != 0 {
		launch, launchParts, wide = sparseMatmulNarrow[T], sparseMatmulPartsNarrow[T], 1
	}
	rowLanes, columnLanes := rowShape(rows, len(a.Col), q, wide)
	var counts, partRow, partNumber, hugeRows, hugeFirst pointer[int32]
	var sums pointer[T]
	// A row of n > hugeRow entries has at most n/rowPart + 1 parts.
	parts, listed := len(a.Col)/rowPart+len(a.Col)/hugeRow+1, len(a.Col)/hugeRow+1
	if len(a.Col) >= listedEntries {
		counts = cleared[int32](k, 2)
		partRow, partNumber = scratch[int32](k, parts), scratch[int32](k, parts)
		hugeRows, hugeFirst = scratch[int32](k, listed), scratch[int32](k, listed)
		sums = scratch[T](k, parts*q)
	}
	return k.run(func(s *stream) error {
		if rows*q == 0 {
			return nil
		}
		operations[T](s, 2, len(a.Col), q)
		if err := launch(s, linear(rows*rowLanes, sparseThreads), to, m.rowPtr, m.col, m.values, m.keepRows, m.keepCols, from,
			int32(rows), int32(q), int32(rowLanes), int32(columnLanes), counts, partRow, partNumber, hugeRows,
			hugeFirst); err != nil {
			return err
		}
		if counts.null() {
			return nil
		}
		if err := launchParts(s, linear(parts*32, sparseThreads), sums, m.rowPtr, m.col, m.values, m.keepCols, from,
			int32(q), int32(columnLanes), counts, partRow, partNumber); err != nil {
			return err
		}
		return sparseMatmulFinish(s, linear(listed*q, sparseThreads), to, sums, m.rowPtr, int32(q), counts, hugeRows,
			hugeFirst)
	})
}

// vectorWidth returns the number of elements in 16 bytes.
func vectorWidth[T real]() int {
	var zero T
	if _, ok := any(zero).(float32); ok {
		return 4
	}
	return 2
}

// rowShape returns the lanes for a row and for its columns: enough for q columns, wide to a lane, and where
// rows are long enough that each lane would walk more than four entries, several entries side by side.
func rowShape(rows, entries, q, wide int) (rowLanes, columnLanes int) {
	columnLanes = lanesFor((q + wide - 1) / wide)
	rowLanes = columnLanes
	for rowLanes < 32 && entries/max(rows, 1) >= 8*rowLanes/columnLanes {
		rowLanes *= 2
	}
	return rowLanes, columnLanes
}

// lanesFor returns the least power of two that is at least n, but no more than a warp.
func lanesFor(n int) int {
	lanes := 1
	for lanes < n && lanes < 32 {
		lanes *= 2
	}
	return lanes
}

// Posterior implements [engine.Engine].
func (e *Engine) Posterior(posterior, evidence, prior, likelihood *tensor.Dense, index []int32) error {
	if err := engine.CheckPosterior(posterior, evidence, prior, likelihood, index); err != nil {
		return err
	}
	if prior.Dtype() == tensor.Float32 {
		return posteriorOn[float32](e, posterior, evidence, prior, likelihood, index)
	}
	return posteriorOn[float64](e, posterior, evidence, prior, likelihood, index)
}

func posteriorOn[T real](e *Engine, to, evidence, prior, likelihood *tensor.Dense, index []int32) error {
	k := e.begin("Posterior")
	toAt, evidenceAt, priorAt, likelihoodAt := of[T](k, to), of[T](k, evidence), of[T](k, prior), of[T](k, likelihood)
	rows, n, c := upload(k, index), len(index), prior.Shape()[1]
	return k.run(func(s *stream) error {
		if n == 0 {
			return nil
		}
		lanes := 8 // of a row, see the kernel
		if c > 32 {
			lanes = 32
		}
		return posterior(s, linear(n*lanes, 256), toAt, evidenceAt, priorAt, likelihoodAt, rows, int32(n), int32(c))
	})
}
