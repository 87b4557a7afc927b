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
	return e.sparseMatMul("SparseMatMul", y, a, x, false)
}

// SparseMatMulAdd implements [engine.Engine].
func (e *Engine) SparseMatMulAdd(y *tensor.Dense, a *engine.Sparse, x *tensor.Dense) error {
	if err := engine.CheckSparseMatMulAdd(y, a, x); err != nil {
		return err
	}
	return e.sparseMatMul("SparseMatMulAdd", y, a, x, true)
}

func (e *Engine) sparseMatMul(name string, y *tensor.Dense, a *engine.Sparse, x *tensor.Dense, add bool) error {
	if y.Dtype() == tensor.Float32 {
		return sparseMatMulOn[float32](e.begin(name), y, a, x, add)
	}
	return sparseMatMulOn[float64](e.begin(name), y, a, x, add)
}

func sparseMatMulOn[T real](k *op, y *tensor.Dense, a *engine.Sparse, x *tensor.Dense, add bool) error {
	to, from, m := of[T](k, y), of[T](k, x), sparse[T](k, a)
	rows, q, wide := a.Rows(), x.Shape()[1], vectorWidth[T]()
	launch, narrow, finish := sparseMatmul[T], sparseMatmulNarrow[T], sparseMatmulFinish[T]
	if add {
		launch, narrow, finish = sparseMatmulAdd[T], sparseMatmulNarrowAdd[T], sparseMatmulFinishAdd[T]
	}
	if q%wide != 0 || to.address%16 != 0 || from.address%16 != 0 {
		launch, wide = narrow, 1
	}
	lanes := lanesFor((q + wide - 1) / wide)
	cut := cutRows(a.RowPtr, sparseThreads/lanes)
	blocks, parted := upload(k, cut.blocks), upload(k, cut.parted)
	sums := scratch[T](k, cut.parts*q)
	return k.run(func(s *stream) error {
		if rows*q == 0 {
			return nil
		}
		operations[T](s, 2, len(a.Col), q)
		g := grid{blocks: dim{x: len(cut.blocks) / 4}, threads: dim{x: sparseThreads}}
		if err := launch(s, g, to, sums, m.rowPtr, m.col, m.values, m.keepRows, m.keepCols, from, blocks, int32(q),
			int32(lanes)); err != nil || cut.parts == 0 {
			return err
		}
		long := len(cut.parted) / 3
		return finish(s, linear(long*q, sparseThreads), to, sums, parted, int32(long), int32(q))
	})
}

// The constants of the kernels sparse_matmul that the host computes with too.
const (
	sparseThreads    = 256
	sparseBlockItems = 2048

	fewItems, manyItems = 8, 32 // that a group of lanes takes, by the size of the matrix
	busyGroups          = 8192  // of lanes, which fill any GPU: the cuts must not depend on the one at hand
	partEntries         = 1024  // of a row that several blocks share
)

// rowCuts are the pieces of a sparse matrix that blocks of a kernel take, see sparse_matmul.
type rowCuts struct {
	blocks []int32 // of each: first row, the row after the last, first entry and the one after the last
	parted []int32 // rows in parts: the row, its first part and the one after the last
	parts  int
}

// cutRows cuts the rows of a matrix for blocks of so many groups of lanes.
func cutRows(rowPtr []int32, groups int) (c rowCuts) {
	rows := len(rowPtr) - 1
	if rows <= 0 {
		return c
	}
	total := rows + int(rowPtr[rows])
	items := min(min(max(total/busyGroups, fewItems), manyItems)*groups, sparseBlockItems)
	entries := func(row int) int { return int(rowPtr[row+1] - rowPtr[row]) }
	for row := 0; row < rows; {
		first := row
		for taken := 0; row < rows && taken < items && entries(row) <= partEntries; row++ {
			taken += 1 + entries(row)
		}
		if row > first {
			c.blocks = append(c.blocks, int32(first), int32(row), rowPtr[first], rowPtr[row])
		}
		if row == rows || entries(row) <= partEntries {
			continue
		}
		c.parted = append(c.parted, int32(row), int32(c.parts))
		for at, end := rowPtr[row], rowPtr[row+1]; at < end; at += partEntries {
			c.blocks = append(c.blocks, int32(row), int32(row-c.parts), at, min(at+partEntries, end))
			c.parts++
		}
		c.parted = append(c.parted, int32(c.parts))
		row++
	}
	return c
}

// vectorWidth returns the number of elements in 16 bytes.
func vectorWidth[T real]() int {
	var zero T
	if _, ok := any(zero).(float32); ok {
		return 4
	}
	return 2
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
