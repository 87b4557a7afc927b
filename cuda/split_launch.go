//go:build gpu

package cuda

import (
	"math"

	"github.com/grove-graph/grove/engine"
)

// splitLaunch is a search of the best threshold of every column.
type splitLaunch struct {
	splitKernels
	searches
	columns       pointer[float64]
	q             int // features
	mask          pointer[uint8]
	weights       pointer[float64]
	targets       pointer[float64]
	classes       pointer[int32]
	information   pointer[float64]
	impurity      engine.Impurity
	width, bins   int
	minLeaf, unit float64
	ofGraphs      bool

	*draws // nil: every column has its best threshold

	found        pointer[float64]
	exactly      splitSpace
	values, sums pointer[float64]
	indices      pointer[int32]
	cells        histogramSpace
	cellSpace    pointer[int64]
	weightSpace  pointer[int32]
	cellSums     pointer[float64]
}

// draws are the seeds and streams of thresholds that are drawn.
type draws struct {
	hollow                              pointer[uint8]
	seeds, streams, ofKinds, ofFeatures pointer[int64]
}

// space takes memory for searches of at most so many columns.
func (l *splitLaunch) space(k *op, count int) {
	l.found = scratch[float64](k, 3*max(count, 1))
	if l.exactly = l.exactSpace(l.longest, count, l.width); l.draws != nil {
		l.exactly.values, l.exactly.sums = 1, l.exactly.blocks.x*(l.width+1)*(drawThreads+3)
	}
	l.values, l.indices = scratch[float64](k, l.exactly.values), scratch[int32](k, l.exactly.values)
	l.sums = scratch[float64](k, l.exactly.sums)
	if l.draws == nil && engine.Histogrammed(l.longest, l.bins) {
		l.cells = l.histogramSpace(count, l.width)
	}
	l.cellSpace, l.weightSpace = scratch[int64](k, l.cells.cells), scratch[int32](k, l.cells.weights)
	l.cellSums = scratch[float64](k, l.cells.sums)
}

// share takes the memory of a search that needs as much or more.
func (l *splitLaunch) share(with *splitLaunch) {
	l.longest, l.found, l.exactly, l.cells = with.longest, with.found, with.exactly, with.cells
	l.values, l.indices, l.sums = with.values, with.indices, with.sums
	l.cellSpace, l.weightSpace, l.cellSums = with.cellSpace, with.weightSpace, with.cellSums
}

// launch enqueues the search of all columns.
func (l *splitLaunch) launch(s *stream) error {
	count, unit, empties := int64(l.count)*int64(l.perSearch), 1.0, l.empties
	if count == 0 {
		return nil
	}
	if l.impurity == engine.Variance {
		unit = l.unit
	}
	if !l.ofGraphs {
		empties = pointer[float64]{}
	}
	if l.draws != nil {
		return s.drawnSplitsF64(grid{blocks: dim{x: l.exactly.blocks.x}, threads: dim{x: drawThreads}}, l.found, l.columns,
			l.fields, l.empties, l.places, l.nodes, l.mask, l.weights, l.targets, l.classes, l.information, int32(l.impurity),
			int32(l.width), l.minLeaf, int32(l.perSearch), int32(l.q), count, l.hollow, l.seeds, l.streams, l.ofKinds,
			l.ofFeatures, l.sums)
	}
	impurity, width, bins := int32(l.impurity), int32(l.width), int32(min(l.bins, math.MaxInt32))
	if l.cells.cells > 0 {
		if err := l.histogram(s, l.cells.grid, l.found, l.columns, l.fields, empties, l.places, l.nodes, l.mask, l.weights,
			l.targets, l.classes, l.information, impurity, width, l.minLeaf, int32(l.perSearch), int32(l.q), count,
			l.cellSpace, l.weightSpace, l.cellSums, bins, unit); err != nil {
			return err
		}
	}
	return l.exact(s, l.exactly.grid, l.found, l.columns, l.fields, l.places, l.nodes, l.mask, l.weights, l.targets,
		l.classes, l.information, impurity, width, l.minLeaf, int32(l.perSearch), int32(l.q), count, l.values, l.indices,
		l.sums, int32(l.longest), int32(l.exactly.tile), bins)
}

// splitSpace is the shape of a launch that sorts columns, and the memory that it needs.
type splitSpace struct {
	grid
	tile         int
	values, sums int // elements
}

func (e *Engine) splitSpace(longest, count, width int) splitSpace {
	b := splitSpace{tile: 1}
	for b.tile < min(longest, sortTile) {
		b.tile *= 2
	}
	threads := min(max(b.tile/4, 32), 256)
	ofBlock := 24*longest + 8*(width+1)*(threads+2)
	blocks := min(count, e.device.multiprocessors*(2048/threads), max(sortSpace/max(ofBlock, 1), 1))
	b.grid = grid{blocks: dim{x: blocks}, threads: dim{x: threads}, shared: b.tile * 12}
	b.values, b.sums = max(blocks*2*longest, 1), blocks*(width+1)*(threads+2)
	return b
}

// histogramSpace is the shape of a launch that makes histograms of columns, and the memory that it needs.
type histogramSpace struct {
	grid
	cells, weights, sums int // elements
}

func (e *Engine) histogramSpace(count, width int) histogramSpace {
	ofColumn := 8*allCells*(width+2) + 4*allCells
	most := max(min(count, sortSpace/ofColumn), 1)
	const threads, together = 256, 6 // blocks of a multiprocessor
	blocks := min(most, e.device.multiprocessors*together)
	g := grid{blocks: dim{x: blocks}, threads: dim{x: threads}}
	return histogramSpace{g, blocks * allCells * width, 1, blocks * (width + 1) * (threads + 2)}
}
