//go:build gpu

package cuda

import (
	"unsafe"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"gorgonia.org/tensor"
)

// PowerDiagonal implements [engine.Engine]: graphs that fit go into the shared memory of a block, and the
// walks in others are kept as lists in up to 2 GiB of device memory.
func (e *Engine) PowerDiagonal(y *tensor.Dense, b *graph.Batch) error {
	if err := engine.CheckPowerDiagonal(y, b); err != nil {
		return err
	}
	if y.Dtype() == tensor.Float32 {
		return powerDiagonalOn[float32](e, y, b)
	}
	return powerDiagonalOn[float64](e, y, b)
}

const (
	// diagonalWarps is DIAGONAL_WARPS of the kernel.
	diagonalWarps = 8
	// diagonalBytes is the shared memory of a graph, so that four blocks run on a multiprocessor of 228 KiB.
	diagonalBytes = 48 << 10
	// walkBytes bounds the memory of all walks in large graphs, but for one block's.
	walkBytes = 2 << 30
)

// diagonalPlan says how the graphs of a batch go to the kernels.
type diagonalPlan struct {
	shared   int // bytes of the largest graph that fits
	small    bool
	large    int // vertices of graphs that do not fit
	vertices int // of the largest graph
}

func planDiagonal(b *graph.Batch, element int) diagonalPlan {
	var p diagonalPlan
	for g := range b.NumGraphs() {
		from, to := b.Vertices(g)
		n, m := int(to-from), int(b.RowPtr[to]-b.RowPtr[from])
		p.vertices = max(p.vertices, n)
		bytes := element*2*diagonalWarps*n + 4*(n+1+m)
		if b.ArcWeights != nil {
			bytes += element * m
		}
		switch {
		case n == 0:
		case bytes <= diagonalBytes:
			p.small, p.shared = true, max(p.shared, bytes)
		default:
			p.large += n
		}
	}
	return p
}

func powerDiagonalOn[T real](e *Engine, y *tensor.Dense, b *graph.Batch) error {
	k := e.begin("PowerDiagonal")
	to, device, weights := of[T](k, y), k.batch(b), arcWeights[T](k, b)
	element := int(unsafe.Sizeof(*new(T)))
	plan := planDiagonal(b, element)
	graphs, n, powers, stride := int32(b.NumGraphs()), int32(b.NumVertices()), int32(y.Shape()[1]), int64(plan.vertices)
	if n == 0 || powers == 0 {
		return k.run(func(*stream) error { return nil })
	}
	symmetric := number(isSymmetric(b))
	var values pointer[T]
	var met, lists pointer[int32]
	blocks := 0
	if plan.large > 0 {
		perBlock := diagonalWarps * plan.vertices * (2*element + 16)
		blocks = min((plan.large+diagonalWarps-1)/diagonalWarps, 8*e.device.multiprocessors, max(walkBytes/perBlock, 1))
		space := 2 * plan.vertices * diagonalWarps * blocks
		values, met, lists = scratch[T](k, space), cleared[int32](k, space), scratch[int32](k, space)
	}
	return k.run(func(s *stream) error {
		if plan.small {
			g := grid{blocks: dim{x: min(int(graphs), 1<<19)}, threads: dim{x: diagonalWarps * 32}, shared: plan.shared}
			if err := powerDiagonal(s, g, to, device.rowPtr, device.col, weights, device.offsets, graphs, powers, symmetric, diagonalBytes); err != nil {
				return err
			}
		}
		if plan.large == 0 {
			return nil
		}
		g := grid{blocks: dim{x: blocks}, threads: dim{x: diagonalWarps * 32}}
		return powerDiagonalLarge(s, g, to, device.rowPtr, device.col, weights, device.offsets, graphs, n, powers, symmetric, diagonalBytes, values, met, lists, stride)
	})
}

// isSymmetric reports whether the adjacency matrix of a batch is known to be symmetric.
func isSymmetric(b *graph.Batch) bool {
	if b.Directed {
		return false
	}
	return b.ArcWeights == nil || engine.Adjacency(b).Symmetric()
}
