//go:build gpu

package cuda

import (
	"fmt"
	"math"

	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

// SubsetWalks implements [engine.Engine].
func (e *Engine) SubsetWalks(y, x *tensor.Dense, a *engine.Sparse, s *engine.Subsets) error {
	if err := engine.CheckSubsetWalks(y, x, a, s); err != nil {
		return err
	}
	k := e.begin("SubsetWalks")
	to, from, m := of[float64](k, y), of[float64](k, x), sparse[float64](k, a)
	sides, rows, shifts := upload(k, s.Sides), upload(k, s.Rows), upload(k, s.Shifts)
	vectors, n, q := y.Shape()[0], a.Rows(), x.Shape()[2]
	wanted := n
	if s.Rows != nil {
		wanted = len(s.Rows)
	}
	items := vectors * wanted * q
	return k.run(func(s *stream) error {
		if items == 0 {
			return nil
		}
		operations[float64](s, 2, len(a.Col), q, vectors)
		return s.subsetWalksF64(linear(items, 256), to, from, m.rowPtr, m.col, m.values, sides, rows, shifts, int32(n),
			int32(q),
			int32(vectors), int32(wanted), number(x.Shape()[0] > 1))
	})
}

// searches are those of an engine.SplitSearch on the device.
type searches struct {
	fields  pointer[int32] // searchFields for each
	empties pointer[float64]
	places  pointer[int64]
	nodes   pointer[int32]
	count   int
	columns int // of each search
	longest int // examples of a node that has searches
}

// searchFields is SEARCH_FIELDS of the kernels.
const searchFields = 5

func (k *op) searches(s *engine.SplitSearch, q int) searches {
	fields, empties := make([]int32, 0, searchFields*len(s.Searches)), make([]float64, 0, len(s.Searches))
	d := searches{count: len(s.Searches), columns: s.Kinds() * q}
	for _, t := range s.Searches {
		fields = append(fields, t.Node, t.Vector, t.Subset, t.Factor, int32(t.Over))
		empties = append(empties, t.Empty)
		d.longest = max(d.longest, int(s.Nodes[t.Node+1]-s.Nodes[t.Node]))
	}
	if int64(d.count)*int64(d.columns) > math.MaxInt32/4 {
		k.fail(fmt.Errorf("%s: %d searches of %d columns each, want at most %d columns: search fewer features at a time",
			k.name, d.count, d.columns, math.MaxInt32/4))
	}
	d.fields, d.empties = upload(k, fields), upload(k, empties)
	d.places, d.nodes = upload(k, s.Places(q)), upload(k, s.Nodes)
	return d
}

// The constants of the kernels dynamic_features and best_splits that the host computes with too.
const (
	tileExamples, tileFeatures = 32, 8
	sortTile                   = 2048 // values that a block sorts in shared memory
	sortSpace                  = 512 << 20
	allCells                   = engine.NumCells + 1
)

// DynamicFeatures implements [engine.Engine].
func (e *Engine) DynamicFeatures(columns, x *tensor.Dense, s *engine.SplitSearch) error {
	if err := engine.CheckDynamicFeatures(columns, x, s); err != nil {
		return err
	}
	k := e.begin("DynamicFeatures")
	n, q := x.Shape()[1], x.Shape()[2]
	to, from, d := of[float64](k, columns), of[float64](k, x), k.searches(s, q)
	examples, offsets := upload(k, s.Examples), upload(k, s.Offsets)
	sides, factors, shifts := upload(k, s.Sides), of[float64](k, s.Factors), upload(k, s.Shifts)
	aggregations := make([]int32, len(s.Aggregations))
	for i, a := range s.Aggregations {
		aggregations[i] = int32(a)
	}
	kinds, ofFeature := upload(k, aggregations), int32(s.Kinds())
	tiles := (d.longest + tileExamples - 1) / tileExamples * ((q + tileFeatures - 1) / tileFeatures)
	g := linear(tiles*tileExamples*tileFeatures, tileExamples*tileFeatures)
	g.blocks.y = min(d.count, 1<<15)
	return k.run(func(s *stream) error {
		if d.longest*d.columns == 0 {
			return nil
		}
		return s.dynamicFeaturesF64(g, to, from, d.fields, d.empties, d.places, examples, d.nodes, offsets, sides, factors,
			shifts,
			kinds, ofFeature, int32(n), int32(q), int32(d.count))
	})
}

// BestSplits implements [engine.Engine].
func (e *Engine) BestSplits(best, columns *tensor.Dense, s *engine.SplitSearch, features int) error {
	if err := engine.CheckBestSplits(best, columns, s, features); err != nil {
		return err
	}
	return e.bestSplits(best, columns, s, features, splitKernels{
		exact: (*stream).bestSplitsF64, histogram: (*stream).bestSplitsHistogramF64,
		exactSpace: e.splitSpace, histogramSpace: e.histogramSpace,
	})
}

// splitKernels are the kernels that find the best threshold of every column, exact or by histograms, with the shapes of
// their launches. All serve the same arguments, so that the tests can put others in their place.
type splitKernels struct {
	exact func(s *stream, g grid, found, columns pointer[float64], searches pointer[int32], places pointer[int64],
		nodes pointer[int32], features pointer[uint8], weights, targets pointer[float64], classes pointer[int32],
		information pointer[float64], impurity, width int32, minLeaf float64, perSearch, q int32, count int64,
		valueSpace pointer[float64], indexSpace pointer[int32], sumSpace pointer[float64], longest, tile, bins int32) error
	histogram func(s *stream, g grid, found, columns pointer[float64], searches pointer[int32], empties pointer[float64],
		places pointer[int64], nodes pointer[int32], features pointer[uint8], weights, targets pointer[float64],
		classes pointer[int32], information pointer[float64], impurity, width int32, minLeaf float64, perSearch, q int32,
		count int64, cellSpace pointer[int64], weightSpace pointer[int32], sumSpace pointer[float64], bins int32,
		unit float64) error
	exactSpace     func(longest, count, width int) splitSpace
	histogramSpace func(count, width int) histogramSpace
}

func (e *Engine) bestSplits(best, columns *tensor.Dense, s *engine.SplitSearch, features int,
	kernels splitKernels) error {
	k := e.begin("BestSplits")
	to, from, d := of[float64](k, best), of[float64](k, columns), k.searches(s, features)
	nodes, count, width := len(s.Nodes)-1, d.count*d.columns, max(s.Number, 1)
	if nodes == 0 {
		return k.run(func(*stream) error { return nil })
	}
	mask, weights := uploadBools(k, s.Features), upload(k, s.Weights)
	targets, classes := upload(k, s.Targets), upload(k, s.Classes)
	information, first := upload(k, s.Information()), upload(k, firstSearches(s))
	found := scratch[float64](k, 3*max(count, 1))
	b := kernels.exactSpace(d.longest, count, width)
	values, indices, sums := scratch[float64](k, b.values), scratch[int32](k, b.values), scratch[float64](k, b.sums)
	h := histogramSpace{}
	if engine.Histogrammed(d.longest, s.Bins) {
		h = kernels.histogramSpace(count, width)
	}
	cells, weightsOf, sumsOf := scratch[int64](k, h.cells), scratch[int32](k, h.weights), scratch[float64](k, h.sums)
	impurity, minLeaf, bins := int32(s.Impurity), s.MinLeaf, int32(min(s.Bins, math.MaxInt32))
	unit, empties := 1.0, d.empties
	if s.Impurity == engine.Variance {
		unit = s.Unit
	}
	if s.Offsets == nil {
		empties = pointer[float64]{}
	}
	return k.run(func(s *stream) error {
		s.engine.counter.next.Values = int64(elementCount(columns))
		if count > 0 && h.cells > 0 {
			if err := kernels.histogram(s, h.grid, found, from, d.fields, empties, d.places, d.nodes, mask, weights, targets,
				classes, information, impurity, int32(width), minLeaf, int32(d.columns), int32(features), int64(count), cells,
				weightsOf, sumsOf, bins, unit); err != nil {
				return err
			}
		}
		if count > 0 {
			if err := kernels.exact(s, b.grid, found, from, d.fields, d.places, d.nodes, mask, weights, targets, classes,
				information,
				impurity, int32(width), minLeaf, int32(d.columns), int32(features), int64(count), values, indices, sums,
				int32(d.longest), int32(b.tile), bins); err != nil {
				return err
			}
		}
		return s.bestSplitsFinishF64(grid{blocks: dim{x: min(nodes, maxBlocks)}, threads: dim{x: 256}}, to, found, first,
			int32(d.columns), int32(nodes))
	})
}

// firstSearches returns the number of the first search of every node, and of all searches.
func firstSearches(s *engine.SplitSearch) []int32 {
	first := make([]int32, len(s.Nodes))
	for _, t := range s.Searches {
		first[t.Node+1]++
	}
	for node := 1; node < len(first); node++ {
		first[node] += first[node-1]
	}
	return first
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
