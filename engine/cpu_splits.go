package engine

import (
	"math"
	"slices"

	"github.com/grove-graph/grove/parallel"
	"gorgonia.org/tensor"
)

// SubsetWalks implements [Engine].
func (e *CPU) SubsetWalks(y, x *tensor.Dense, a *Sparse, s *Subsets) error {
	if err := CheckSubsetWalks(y, x, a, s); err != nil {
		return err
	}
	n, q, vectors := a.Rows(), x.Shape()[2], y.Shape()[0]
	from, to := x.Float64s(), y.Float64s()
	search := &SplitSearch{Sides: s.Sides}
	rows := n
	if s.Rows != nil {
		rows = len(s.Rows)
	}
	parallel.Chunks(e.workers, vectors*rows, rowChunk, func(first, end int) {
		for item := first; item < end; item++ {
			v, i := item/rows, item%rows
			if s.Rows != nil {
				i = int(s.Rows[i])
			}
			subset, base := int32(v), 0
			if s.Sides == nil {
				subset = -1
			}
			if x.Shape()[0] > 1 {
				base = v * n * q
			}
			dst := to[(v*n+i)*q : (v*n+i+1)*q]
			clear(dst)
			for p := a.RowPtr[i]; p < a.RowPtr[i+1]; p++ {
				j := int(a.Col[p])
				if !search.in(subset, j, n) {
					continue
				}
				w := a.value(p)
				for k, value := range from[base+j*q : base+(j+1)*q] {
					if value == value {
						dst[k] += round(w*value, shiftOf(s.Shifts, k))
					}
				}
			}
		}
	})
	return nil
}

// DynamicFeatures implements [Engine].
func (e *CPU) DynamicFeatures(columns, x *tensor.Dense, s *SplitSearch) error {
	if err := CheckDynamicFeatures(columns, x, s); err != nil {
		return err
	}
	f := features{SplitSearch: s, x: x.Float64s(), factors: data[float64](s.Factors), out: columns.Float64s(),
		places: s.Places(x.Shape()[2]), n: x.Shape()[1], q: x.Shape()[2]}
	parallel.For(e.workers, len(s.Searches)*f.q, func(item int) { f.fill(item/f.q, item%f.q) })
	return nil
}

// features are the columns of a search that are being made.
type features struct {
	*SplitSearch
	x, factors, out []float64
	places          []int64
	n, q            int
}

// fill makes the columns of feature k of one search.
func (f *features) fill(number, k int) {
	t := f.Searches[number]
	examples := f.Examples[f.Nodes[t.Node]:f.Nodes[t.Node+1]]
	column := f.out[int(f.places[number])+k*len(examples):]
	stride := f.q * len(examples) // between aggregations
	for at, example := range examples {
		if f.Offsets == nil {
			column[at] = f.entry(&t, int(example), k)
			continue
		}
		sum, low, high, entries, size := 0.0, 0.0, 0.0, 0, 0
		for v := int(f.Offsets[example]); v < int(f.Offsets[example+1]); v++ {
			in := f.in(t.Subset, v, f.n)
			if in {
				size++
			} else if t.Over == Within {
				continue
			}
			value := f.entry(&t, v, k)
			if value != value {
				continue
			}
			if entries == 0 || value < low {
				low = value
			}
			if entries == 0 || value > high {
				high = value
			}
			sum += value
			entries++
		}
		for i, a := range f.Aggregations {
			column[i*stride+at] = valueOf(a, sum, low, high, entries, size, t.Empty)
		}
	}
}

// valueOf returns an aggregation of so many entries of a subset of the given size.
func valueOf(a Aggregation, sum, low, high float64, entries, size int, empty float64) float64 {
	switch {
	case size == 0:
		return empty
	case entries == 0:
		return math.NaN()
	case a == MeanOf:
		return sum / float64(entries)
	case a == MinOf:
		return low
	case a == MaxOf:
		return high
	}
	return sum
}

// entry returns the entry of a vertex.
func (f *features) entry(t *Search, v, k int) float64 {
	if t.Over != Everywhere && !f.in(t.Subset, v, f.n) {
		return 0
	}
	value := f.x[(int(t.Vector)*f.n+v)*f.q+k]
	if t.Factor >= 0 {
		value = round(f.factors[int(t.Factor)*f.n+v]*value, shiftOf(f.Shifts, k))
	}
	return value
}

// BestSplits implements [Engine].
func (e *CPU) BestSplits(best, columns *tensor.Dense, s *SplitSearch, features int) error {
	if err := CheckBestSplits(best, columns, s, features); err != nil {
		return err
	}
	places, values := s.Places(features), columns.Float64s()
	perSearch := s.Kinds() * features
	found := make([]found, len(s.Searches)*perSearch)
	parallel.Each(e.workers, len(found), func() func(int) {
		c := &splitColumn{SplitSearch: s, sums: make([]float64, 2*max(s.Number, 1))}
		return func(i int) {
			t := s.Searches[i/perSearch]
			if s.Features != nil && !s.Features[int(t.Mask)*features+i%features] {
				return
			}
			size := s.size(t.Node)
			at := int(places[i/perSearch]) + i%perSearch*size
			found[i] = c.search(values[at:at+size], &t)
		}
	})
	out := best.Float64s()
	clear(out)
	for i, f := range found {
		row := out[4*s.Searches[i/perSearch].Node:]
		if f.gain > row[0] {
			row[0], row[1], row[2], row[3] = f.gain, f.threshold, float64(i), f.above
		}
	}
	return nil
}

// found is the best split of a column; above is 1 where missing values count as above the threshold.
type found struct{ gain, threshold, above float64 }

// splitColumn is a column whose best threshold is searched.
type splitColumn struct {
	*SplitSearch
	order  []int32 // of the values that are not missing, ascending
	groups []int   // of the values, see [SplitSearch.groups]
	sums   []float64
}

func (c *splitColumn) search(values []float64, t *Search) found {
	node, first := t.Node, c.Nodes[t.Node]
	c.groups = c.SplitSearch.groups(values, t)
	c.order = c.order[:0]
	for i, v := range values {
		if v == v {
			c.order = append(c.order, int32(i))
		}
	}
	slices.SortFunc(c.order, func(i, j int32) int {
		switch {
		case values[i] < values[j]:
			return -1
		case values[i] > values[j]:
			return 1
		}
		return 0
	})
	missing := len(c.order) < len(values)
	width := len(c.sums) / 2
	total, n := c.sums[width:], 0.0
	clear(total)
	for i := range values {
		n += c.add(total, int(first)+i)
	}
	best := c.between(values, node, n, missing, false)
	if missing {
		if other := c.between(values, node, n, missing, true); other.gain > best.gain {
			best = other
		}
	}
	return best
}

// add takes up an example and returns its weight.
func (c *splitColumn) add(sums []float64, i int) float64 {
	if c.Impurity == Variance {
		sums[0] += c.Targets[i]
	} else {
		sums[c.Classes[i]] += c.Weights[i]
	}
	return c.Weights[i]
}

// together reports whether no threshold may lie between two examples.
func (c *splitColumn) together(values []float64, i, j int32) bool {
	if c.groups != nil {
		return c.groups[i] == c.groups[j]
	}
	return values[i] == values[j]
}

// between tries all thresholds with the missing values on one side.
func (c *splitColumn) between(values []float64, node int32, total float64, missing, missingAbove bool) (best found) {
	first, width := int(c.Nodes[node]), len(c.sums)/2
	left, all := c.sums[:width], c.sums[width:]
	rest := make([]float64, width)
	clear(left)
	below := 0.0
	if missing && !missingAbove {
		for i, v := range values {
			if v != v {
				below += c.add(left, first+i)
			}
		}
	}
	base := c.Impurity.score(total, all)
	for p, i := range c.order {
		below += c.add(left, first+int(i))
		v, last := values[i], p == len(c.order)-1
		if last && !missingAbove || !last && c.together(values, i, c.order[p+1]) {
			continue
		}
		if below < c.MinLeaf || total-below < c.MinLeaf {
			continue
		}
		for k := range rest {
			rest[k] = all[k] - left[k]
		}
		gain := c.Impurity.score(below, left) + c.Impurity.score(total-below, rest) - base
		if gain <= best.gain {
			continue
		}
		best = found{gain: gain, threshold: v}
		if !last {
			best.threshold = Midpoint(v, values[c.order[p+1]])
		}
		if missingAbove || !missing && total-below > below {
			best.above = 1
		}
	}
	return best
}
