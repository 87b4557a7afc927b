package layout

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/spatial/r2"
)

// block is a laid out component, or all isolated vertices, with its corner at the origin.
type block struct {
	vertices      []int32
	points        []r2.Vec
	width, height float64
}

func newBlock(vertices []int32, points []r2.Vec) block {
	lo, hi := bounds(points)
	moved := make([]r2.Vec, len(points))
	for i, p := range points {
		moved[i] = r2.Sub(p, lo)
	}
	return block{vertices, moved, hi.X - lo.X, hi.Y - lo.Y}
}

// blockSpacing is the distance kept between components.
const blockSpacing = 1.2

// pack writes the positions of all blocks to points: in rows from the top, larger blocks first,
// rows as wide as makes the whole about 1.6 times as wide as high.
func pack(points []r2.Vec, blocks []block) {
	area, widest := 0.0, 0.0
	for _, b := range blocks {
		area += (b.width + blockSpacing) * (b.height + blockSpacing)
		widest = max(widest, b.width)
	}
	limit := max(widest, math.Sqrt(1.6*area))
	slices.SortStableFunc(blocks, func(a, b block) int { return len(b.vertices) - len(a.vertices) })
	var x, top, rowHeight float64
	for first := 0; first < len(blocks); {
		last := first
		x, rowHeight = 0, 0
		for last < len(blocks) && (last == first || x+blocks[last].width <= limit+1e-9) {
			x += blocks[last].width + blockSpacing
			rowHeight = max(rowHeight, blocks[last].height)
			last++
		}
		x = 0
		for _, b := range blocks[first:last] {
			y := top - rowHeight/2 - b.height/2 // centred within the row
			for i, v := range b.vertices {
				points[v] = r2.Add(b.points[i], r2.Vec{X: x, Y: y})
			}
			x += b.width + blockSpacing
		}
		top -= rowHeight + blockSpacing
		first = last
	}
}
