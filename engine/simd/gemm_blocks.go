package simd

import (
	"unsafe"

	"github.com/grove-graph/grove/parallel"
)

// The blocked product follows Goto and van de Geijn, Anatomy of high-performance matrix
// multiplication (2008). A panel of B, as deep as a block and as wide as a tile, stays in the first
// level cache while a block of A, which fits the second level cache, passes by it.
const (
	blockDepth = 256                  // inner dimension of a block
	blockBytes = 240 * blockDepth * 4 // size of a block of A
	blockCols  = 4096                 // columns of B that are packed at a time
	groupTiles = 8                    // tiles side by side in a piece, where there are few blocks of rows
	smallBytes = 64 << 10             // a matrix B of this size is used where it stands
)

// blocks is a product in progress: it adds to some columns of C a part of the sums along k.
type blocks[T Float] struct {
	product[T]
	tileRows, tileCols   int
	pieceRows, pieceCols int
	depth0, depth        int // the part of the sums
	col0, cols           int // the columns
	packed               []T // panels of B, or nil if B is used where it stands
}

// byBlocks computes a product of any shape.
func (p *product[T]) byBlocks(workers int) {
	size := int(unsafe.Sizeof(p.alpha))
	g := blocks[T]{product: *p}
	g.tileRows, g.tileCols = tileShape[T](p.level)
	if p.b.col != 1 || p.m > 3*g.tileRows && p.k*p.n*size > smallBytes {
		packed := borrow[T](min(blockCols, roundUp(p.n, g.tileCols)) * min(p.k, blockDepth))
		defer packed.release()
		g.packed = packed.x
	}
	rowPieces := pieces(p.m*blockDepth*size, blockBytes)
	g.pieceRows = roundUp(pieces(p.m, rowPieces), g.tileRows)
	rowPieces = pieces(p.m, g.pieceRows)
	for g.col0 = 0; g.col0 < p.n; g.col0 += blockCols {
		g.cols = min(blockCols, p.n-g.col0)
		g.pieceCols = g.cols
		if rowPieces < groupTiles {
			g.pieceCols = groupTiles * g.tileCols
		}
		g.beta = p.beta
		for g.depth0 = 0; g.depth0 < p.k; g.depth0 += blockDepth {
			g.depth = min(blockDepth, p.k-g.depth0)
			if g.packed != nil {
				g.run(workers, pieces(g.cols, g.tileCols), true)
			}
			g.run(workers, rowPieces*pieces(g.cols, g.pieceCols), false)
			g.beta = 1
		}
	}
}

// pieces is the number of pieces of a size that cover n.
func pieces(n, size int) int { return (n + size - 1) / size }

func roundUp(n, multiple int) int { return pieces(n, multiple) * multiple }

// run packs panels of B or computes tiles of C.
func (g *blocks[T]) run(workers, count int, packing bool) {
	if workers = g.team(workers, count); workers > 1 {
		h := *g
		parallel.For(workers, count, func(piece int) { h.do(piece, packing) })
		return
	}
	for piece := range count {
		g.do(piece, packing)
	}
}

func (g *blocks[T]) do(piece int, packing bool) {
	if packing {
		j := piece * g.tileCols
		dst := g.packed[j*g.depth:][:g.tileCols*g.depth]
		packPanel(g.level, g.depth, min(g.tileCols, g.cols-j), dst, g.tileCols, g.b.from(g.depth0, g.col0+j))
		return
	}
	rowPieces := pieces(g.m, g.pieceRows)
	g.tiles(piece%rowPieces*g.pieceRows, piece/rowPieces*g.pieceCols)
}

// tiles computes the tiles of a piece: some rows from i on by some columns from j on.
func (g *blocks[T]) tiles(i, from int) {
	rows, to := min(g.pieceRows, g.m-i), min(from+g.pieceCols, g.cols)
	a := g.a.from(i, g.depth0)
	if g.packsA(to-from) || g.apart && rows < leastRows(g.level) {
		packed := borrow[T](blockBytes) // enough for any block
		defer packed.release()
		a = packBlock(packed.x, a, rows, leastRows(g.level), g.depth)
	}
	for j := from; j < to; j += g.tileCols {
		b := view[T]{row: g.tileCols, col: 1}
		if g.packed != nil {
			b.x = g.packed[j*g.depth:]
		} else {
			b = g.b.from(g.depth0, g.col0+j)
		}
		multiplyPanel(g.level, g.apart, rows, min(g.tileCols, to-j), g.depth, g.alpha, a, b, g.beta, g.c.from(i, g.col0+j))
	}
}
