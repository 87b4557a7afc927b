package engine

import (
	"math"
	"slices"

	"gorgonia.org/tensor"
)

// SubsetWalks implements [Engine].
func (Reference) SubsetWalks(y, x *tensor.Dense, a *Sparse, s *Subsets) error {
	if err := CheckSubsetWalks(y, x, a, s); err != nil {
		return err
	}
	n, q, vectors := a.Rows(), x.Shape()[2], y.Shape()[0]
	from, to := x.Float64s(), y.Float64s()
	search := &SplitSearch{Sides: s.Sides}
	rows := s.Rows
	if rows == nil {
		for i := range int32(n) {
			rows = append(rows, i)
		}
	}
	for v := range vectors {
		subset := int32(v)
		if s.Sides == nil {
			subset = -1
		}
		first := 0
		if x.Shape()[0] > 1 {
			first = v * n * q
		}
		for _, i := range rows {
			for k := range q {
				sum := 0.0
				for e := a.RowPtr[i]; e < a.RowPtr[i+1]; e++ {
					j := int(a.Col[e])
					value := from[first+j*q+k]
					if !math.IsNaN(value) && search.in(subset, j, n) {
						sum += round(a.value(e)*value, shiftOf(s.Shifts, k))
					}
				}
				to[(v*n+int(i))*q+k] = sum
			}
		}
	}
	return nil
}

// DynamicFeatures implements [Engine].
func (Reference) DynamicFeatures(columns, x *tensor.Dense, s *SplitSearch) error {
	if err := CheckDynamicFeatures(columns, x, s); err != nil {
		return err
	}
	n, q := x.Shape()[1], x.Shape()[2]
	places, values, factors, out := s.Places(q), x.Float64s(), data[float64](s.Factors), columns.Float64s()
	for number, t := range s.Searches {
		entry := func(v, k int) float64 {
			value := values[(int(t.Vector)*n+v)*q+k]
			if t.Over != Everywhere && !s.in(t.Subset, v, n) {
				return 0
			}
			if t.Factor >= 0 {
				value = round(factors[int(t.Factor)*n+v]*value, shiftOf(s.Shifts, k))
			}
			return value
		}
		examples := s.Examples[s.Nodes[t.Node]:s.Nodes[t.Node+1]]
		for kind := range s.Kinds() {
			for k := range q {
				column := out[int(places[number])+(kind*q+k)*len(examples):]
				for at, example := range examples {
					if s.Offsets == nil {
						column[at] = entry(int(example), k)
						continue
					}
					var entries []float64
					size := 0 // of the subset
					for v := int(s.Offsets[example]); v < int(s.Offsets[example+1]); v++ {
						in := s.in(t.Subset, v, n)
						if in {
							size++
						}
						if value := entry(v, k); !math.IsNaN(value) && (in || t.Over != Within) {
							entries = append(entries, value)
						}
					}
					column[at] = t.Empty
					if size > 0 {
						column[at] = aggregate(entries, s.Aggregations[kind])
					}
				}
			}
		}
	}
	return nil
}

// aggregate returns the aggregation of entries, NaN where there are none.
func aggregate(entries []float64, a Aggregation) float64 {
	if len(entries) == 0 {
		return math.NaN()
	}
	switch a {
	case MinOf:
		return slices.Min(entries)
	case MaxOf:
		return slices.Max(entries)
	}
	sum := 0.0
	for _, x := range entries {
		sum += x
	}
	if a == MeanOf {
		return sum / float64(len(entries))
	}
	return sum
}

// BestSplits implements [Engine].
func (Reference) BestSplits(best, columns *tensor.Dense, s *SplitSearch, features int) error {
	if err := CheckBestSplits(best, columns, s, features); err != nil {
		return err
	}
	out := best.Float64s()
	clear(out)
	places, values := s.Places(features), columns.Float64s()
	for number, t := range s.Searches {
		size, row := s.size(t.Node), out[4*t.Node:4*t.Node+4]
		for column := range s.Kinds() * features {
			if s.Features != nil && !s.Features[int(t.Mask)*features+column%features] {
				continue
			}
			at := int(places[number]) + column*size
			gain, threshold, above := s.bestOf(values[at:at+size], &t)
			if gain > row[0] {
				row[0], row[1], row[2], row[3] = gain, threshold, float64(number*s.Kinds()*features+column), above
			}
		}
	}
	return nil
}

// bestOf returns the best threshold of a column: every one between two values that follow each other, in different
// groups where there are groups, with the missing values below it or above.
func (s *SplitSearch) bestOf(values []float64, t *Search) (gain, threshold, above float64) {
	groups, groupOf := s.groups(values, t), map[float64]int{}
	for i, v := range values {
		if groups != nil {
			groupOf[v] = groups[i]
		}
	}
	distinct := slices.DeleteFunc(slices.Clone(values), math.IsNaN)
	missing := len(distinct) < len(values)
	slices.Sort(distinct)
	distinct = slices.Compact(distinct)
	all := s.scoreWhere(values, t.Node, func(float64) bool { return true })
	for _, missingAbove := range []bool{false, true} {
		if missingAbove && !missing {
			continue
		}
		for i, v := range distinct {
			last := i == len(distinct)-1
			if last && !missingAbove || !last && groups != nil && groupOf[v] == groupOf[distinct[i+1]] {
				continue
			}
			below := s.scoreWhere(values, t.Node, func(x float64) bool { return x <= v || x != x && !missingAbove })
			rest := s.scoreWhere(values, t.Node, func(x float64) bool { return !(x <= v) && (x == x || missingAbove) })
			if below.n < s.MinLeaf || rest.n < s.MinLeaf {
				continue
			}
			if g := below.score + rest.score - all.score; g > gain {
				gain, threshold, above = g, v, 0
				if !last {
					threshold = Midpoint(v, distinct[i+1])
				}
				if missingAbove || !missing && rest.n > below.n {
					above = 1
				}
			}
		}
	}
	return gain, threshold, above
}

// score is the weight of some examples and their score.
type score struct{ n, score float64 }

// scoreWhere returns the score of the examples of a node whose values pass a test.
func (s *SplitSearch) scoreWhere(values []float64, node int32, test func(x float64) bool) score {
	n, sums := 0.0, make([]float64, max(s.Number, 1))
	for i, x := range values {
		if at := int(s.Nodes[node]) + i; test(x) {
			n += s.Weights[at]
			if s.Impurity == Variance {
				sums[0] += s.Targets[at]
			} else {
				sums[s.Classes[at]] += s.Weights[at]
			}
		}
	}
	return score{n, s.Impurity.score(n, sums)}
}

// score returns the score of examples of weight n with the given sums: of the targets, or the weight of every class.
func (i Impurity) score(n float64, sums []float64) float64 {
	total := 0.0
	for _, x := range sums {
		if i == Entropy {
			total += xLog2x(x)
		} else {
			total += float64(x * x)
		}
	}
	if i == Entropy {
		return total - xLog2x(n)
	}
	return total / n
}

func xLog2x(x float64) float64 {
	if x <= 0 {
		return 0
	}
	return x * math.Log2(x)
}
