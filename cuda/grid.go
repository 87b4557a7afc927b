//go:build gpu

package cuda

// dim is a size in up to three dimensions; 0 means 1.
type dim struct{ x, y, z int }

// grid is the shape of a launch: blocks, the threads of each, and bytes of dynamic shared memory of each.
type grid struct {
	blocks, threads dim
	shared          int
	together        bool // blocks wait for each other; there are no more than multiprocessors, in one dimension
}

// maxBlocks bounds the blocks of a launch over many elements; kernels loop with the stride of the grid, so
// more would only cost their start.
const maxBlocks = 1 << 16

// linear is a grid with a thread for each of n elements, or with so many blocks that every thread loops.
func linear(n, threads int) grid {
	return grid{blocks: dim{x: min(max((n+threads-1)/threads, 1), maxBlocks)}, threads: dim{x: threads}}
}
