//go:build gpu

package cuda

import (
	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

func (e plainEngine) SubsetWalks(y, x *tensor.Dense, a *engine.Sparse, s *engine.Subsets) error {
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
		return s.subsetWalksPlainF64(linear(items, 256), to, from, m.rowPtr, m.col, m.values, sides, rows, shifts, int32(n),
			int32(q), int32(vectors), int32(wanted), number(x.Shape()[0] > 1))
	})
}

func (e plainEngine) DynamicFeatures(columns, x *tensor.Dense, s *engine.SplitSearch) error {
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
	g := linear(d.longest*q, 256)
	g.blocks.y = d.count
	return k.run(func(s *stream) error {
		if d.longest*d.perSearch == 0 {
			return nil
		}
		return s.dynamicFeaturesPlainF64(g, to, from, d.fields, d.empties, d.places, examples, d.nodes, offsets, sides,
			factors,
			shifts, kinds, ofFeature, int32(n), int32(q), int32(d.count))
	})
}

func (e plainEngine) BestSplits(best, columns *tensor.Dense, s *engine.SplitSearch, features int) error {
	if err := engine.CheckBestSplits(best, columns, s, features); err != nil {
		return err
	}
	return e.bestSplits(best, columns, s, features, splitKernels{
		exact: (*stream).bestSplitsPlainF64, histogram: (*stream).bestSplitsHistogramPlainF64,
		exactSpace: plainSplitSpace, histogramSpace: plainHistogramSpace,
	})
}

// The threads of a block of best_splits_plain, and SAMPLE_MOST of the kernel.
const (
	plainSplitThreads = 64
	sampleMost        = 256
)

// plainSplitSpace has a thread for each column, with memory of its own.
func plainSplitSpace(longest, count, width int) splitSpace {
	g := linear(count, plainSplitThreads)
	all := g.blocks.x * plainSplitThreads
	return splitSpace{grid: g, values: max(all*longest, 1), sums: all * 3 * (width + 1)}
}

func plainHistogramSpace(count, width int) histogramSpace {
	g := linear(count, plainSplitThreads)
	all := g.blocks.x * plainSplitThreads
	return histogramSpace{g, all * allCells * (width + 2), all * allCells, all * (3*(width+1) + sampleMost)}
}
