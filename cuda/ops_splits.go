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
		return s.subsetWalksF64(linear(items, 256), to, from, m.rowPtr, m.col, m.values, sides, pointer[int32]{}, rows,
			shifts, pointer[int32]{}, 0, int32(n), int32(q), int32(vectors), int32(wanted), number(x.Shape()[0] > 1))
	})
}

// searches are those of an engine.SplitSearch on the device.
type searches struct {
	fields    pointer[int32] // searchFields for each
	empties   pointer[float64]
	places    pointer[int64]
	nodes     pointer[int32]
	count     int
	perSearch int // columns of each search
	longest   int // examples of a node that has searches
}

// searchFields is SEARCH_FIELDS of the kernels.
const searchFields = 6

func (k *op) searches(s *engine.SplitSearch, q int) searches {
	fields, empties := make([]int32, 0, searchFields*len(s.Searches)), make([]float64, 0, len(s.Searches))
	d := searches{count: len(s.Searches), perSearch: s.Kinds() * q}
	for _, t := range s.Searches {
		fields = append(fields, t.Node, t.Vector, t.Subset, t.Factor, int32(t.Over), t.Mask)
		empties = append(empties, t.Empty)
		d.longest = max(d.longest, int(s.Nodes[t.Node+1]-s.Nodes[t.Node]))
	}
	k.limit(&d)
	d.fields, d.empties = upload(k, fields), upload(k, empties)
	d.places, d.nodes = upload(k, s.Places(q)), upload(k, s.Nodes)
	return d
}

// limit wants so few columns that the kernels can number them.
func (k *op) limit(d *searches) {
	if int64(d.count)*int64(d.perSearch) > math.MaxInt32/4 {
		k.fail(fmt.Errorf("%s: %d searches of %d columns each, want at most %d columns: search fewer features at a time",
			k.name, d.count, d.perSearch, math.MaxInt32/4))
	}
}

// The constants of the kernels dynamic_features and best_splits that the host computes with too.
const (
	tileExamples, tileFeatures = 32, 8
	sortTile                   = 2048 // values that a block sorts in shared memory
	sortSpace                  = 512 << 20
	drawThreads                = 128 // of a block of drawn_splits
	allCells                   = engine.NumCells + 1
)

// DynamicFeatures implements [engine.Engine].
func (e *Engine) DynamicFeatures(columns, x *tensor.Dense, s *engine.SplitSearch) error {
	if err := engine.CheckDynamicFeatures(columns, x, s); err != nil {
		return err
	}
	k := e.begin("DynamicFeatures")
	vectors, n, q := x.Shape()[0], x.Shape()[1], x.Shape()[2]
	to, from, d := of[float64](k, columns), of[float64](k, x), k.searches(s, q)
	examples, offsets := upload(k, s.Examples), upload(k, s.Offsets)
	sides, factors, shifts := upload(k, s.Sides), of[float64](k, s.Factors), upload(k, s.Shifts)
	aggregations := make([]int32, len(s.Aggregations))
	for i, a := range s.Aggregations {
		aggregations[i] = int32(a)
	}
	kinds, ofFeature := upload(k, aggregations), int32(s.Kinds())
	return k.run(func(s *stream) error {
		if d.longest*d.perSearch == 0 {
			return nil
		}
		return s.dynamicFeaturesF64(featureGrid(d.longest, q, d.count), to, pointer[uint8]{}, from, pointer[float64]{},
			int32(vectors), d.fields, d.empties, d.places, examples, d.nodes, offsets, sides, factors, shifts, kinds,
			ofFeature, int32(n), int32(q), int32(d.count))
	})
}

// featureGrid is the shape of a launch of dynamic_features for searches of nodes of so many examples at most.
func featureGrid(longest, q, count int) grid {
	tiles := (longest + tileExamples - 1) / tileExamples * ((q + tileFeatures - 1) / tileFeatures)
	g := linear(tiles*tileExamples*tileFeatures, tileExamples*tileFeatures)
	g.blocks.y = min(count, 1<<15)
	return g
}

// BestSplits implements [engine.Engine].
func (e *Engine) BestSplits(best, columns *tensor.Dense, s *engine.SplitSearch, features int) error {
	if err := engine.CheckBestSplits(best, columns, s, features); err != nil {
		return err
	}
	return e.bestSplits(best, columns, s, features, e.splitKernels())
}

// splitKernels are those of this package.
func (e *Engine) splitKernels() splitKernels {
	return splitKernels{
		exact: (*stream).bestSplitsF64, histogram: (*stream).bestSplitsHistogramF64,
		exactSpace: e.splitSpace, histogramSpace: e.histogramSpace,
	}
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
	nodes, count, width := len(s.Nodes)-1, d.count*d.perSearch, max(s.Number, 1)
	if nodes == 0 {
		return k.run(func(*stream) error { return nil })
	}
	l := &splitLaunch{
		splitKernels: kernels, columns: from, searches: d, q: features, mask: uploadBools(k, s.Features),
		weights: upload(k, s.Weights), targets: upload(k, s.Targets), classes: upload(k, s.Classes),
		information: upload(k, s.Information()), impurity: s.Impurity, width: width, minLeaf: s.MinLeaf, bins: s.Bins,
		unit: s.Unit, ofGraphs: s.Offsets != nil,
	}
	first := upload(k, firstSearches(s))
	l.space(k, count)
	return k.run(func(s *stream) error {
		s.engine.counter.next.Values = int64(elementCount(columns))
		if err := l.launch(s); err != nil {
			return err
		}
		return s.bestSplitsFinishF64(grid{blocks: dim{x: min(nodes, maxBlocks)}, threads: dim{x: 256}}, to, l.found, first,
			int32(d.perSearch), int32(nodes))
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
