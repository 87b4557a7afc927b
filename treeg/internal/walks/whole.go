package walks

import "github.com/grove-graph/grove/parallel"

// Splits at graph level that use all vertices have the same values in every tree. They are computed once:
// column (vector, aggregation) of Data.whole holds them for every segment. With S = V target and target-source
// walks are source walks, so there are two vectors for each length and adjacency matrix.

// wholeVector returns the number of the vector of a split that uses all vertices, of walks of at most so many steps.
func wholeVector(op, length, most int, cycle bool) int {
	if length == 0 {
		return 0
	}
	i := 1 + 2*(op*most+length-1)
	if cycle {
		i++
	}
	return i
}

// wholeColumn returns the number of the column of a vector and an aggregation.
func wholeColumn(vector int, a Aggregation) int { return vector*NumAggregations + int(a) - 1 }

func (d *Data) computeWhole() {
	if d.narrow != nil && d.makeCompactWhole() {
		return
	}
	d.whole = make([][]float64, (1+2*len(d.Operators)*d.Length)*NumAggregations)
	for c := range d.whole {
		d.whole[c] = make([]float64, len(d.segments))
	}
	d.eachWhole(func(column, s int, value float64) { d.whole[column][s] = value })
}

// eachWhole computes the aggregations of all segments, on several goroutines.
func (d *Data) eachWhole(store func(column, s int, value float64)) {
	const chunk = 64
	parallel.Each(d.Engine.Workers(), (len(d.segments)+chunk-1)/chunk, func() func(int) {
		e := NewEvaluator(d, EmptyFormula)
		return func(i int) {
			for s := i * chunk; s < min(len(d.segments), (i+1)*chunk); s++ {
				d.wholeOf(e, s, store)
			}
		}
	})
}

func (d *Data) wholeOf(e *Evaluator, s int, put func(column, s int, value float64)) {
	r := Rule{Split: Split{Feature: d.featureOf(s)}}
	st := &d.segments[s]
	store := func(cycle bool) {
		r.Walk = Source
		if cycle {
			r.Walk = Cycle
		}
		first := wholeColumn(wholeVector(r.Op, r.Length, d.Length, cycle), Sum)
		values := summarize(e.Vector(&r, st, nil, true))
		for a := Sum; a <= Max; a++ {
			put(first+int(a-Sum), s, values.Value(a))
		}
	}
	store(false)
	for r.Op = range d.Operators {
		for r.Length = 1; r.Length <= d.Length; r.Length++ {
			store(false)
			if d.Demand.Cycles {
				store(true)
			}
		}
		r.Length = 0
	}
}
