package walks

import (
	"slices"
	"sync/atomic"

	"github.com/grove-graph/grove/parallel"
)

// CompactFrom is the number of values from which a batch of graphs is kept compact for fits on the host, where the
// values are labels and nothing is weighted: ones are not kept but by their vertices, the walks from all vertices as
// bytes, and aggregations over whole graphs in float32 without means, as far as all of these are exact. The same graphs
// then take less than half of the memory, and searches the same time.
var CompactFrom = 1 << 22

// suitsCompact reports whether the batch is to be kept compact.
func (d *Data) suitsCompact(size int) bool {
	return size >= CompactFrom && d.Demand.Fit && d.Input.Level == Graphs && d.Input.Attributes == 0 && !d.Weighted() &&
		!d.Engine.Capabilities().Wide
}

// compact holds walks as bytes and aggregations in float32.
type compact struct {
	walks [][][]uint8 // as those of Data
	whole [][]float32 // as those of Data, without means
}

// valuesOf returns the values of a segment, in buffer where they are not kept as such.
func (d *Data) valuesOf(st *Segment, buffer *[]float64) []float64 {
	if d.values != nil {
		return st.vector(d.values)
	}
	x := sized(buffer, int(st.number))
	clear(x)
	for _, v := range d.sources[st.from:st.to] {
		x[v-st.first] = 1
	}
	return x
}

// walksOf returns walks of a segment from all vertices, in buffer where they are not kept as such.
func (d *Data) walksOf(op, length int, st *Segment, buffer *[]float64) []float64 {
	if d.narrow == nil {
		return st.vector(d.walks[op][length-1])
	}
	x := sized(buffer, int(st.number))
	for i, v := range d.narrow.walks[op][length-1][st.at : st.at+int(st.number)] {
		x[i] = float64(v)
	}
	return x
}

// sized returns n numbers of a buffer.
func sized(buffer *[]float64, n int) []float64 {
	*buffer = slices.Grow((*buffer)[:0], n)[:n]
	return *buffer
}

// makeCompact makes the walks from all vertices as bytes. It reports false where some are too many.
func (d *Data) makeCompact() bool {
	c := &compact{walks: make([][][]uint8, len(d.Operators))}
	for o := range d.Operators {
		for range d.Length {
			c.walks[o] = append(c.walks[o], make([]uint8, d.size))
		}
	}
	var tooMany atomic.Bool
	const chunk = 64
	parallel.Each(d.Engine.Workers(), (len(d.segments)+chunk-1)/chunk, func() func(int) {
		var values, last, next []float64
		return func(i int) {
			for s := i * chunk; s < min(len(d.segments), (i+1)*chunk); s++ {
				st := &d.segments[s]
				for o, op := range d.Operators {
					from, sources := d.valuesOf(st, &values), d.sources[st.from:st.to]
					for l := range d.Length {
						x := sized(&next, int(st.number))
						clear(x)
						op.Out.push(x, from, sources, st.first, d.features[d.featureOf(s)].grid)
						for j, v := range x {
							if !(v >= 0 && v <= 255) || v != float64(uint8(v)) {
								tooMany.Store(true)
								return
							}
							c.walks[o][l][st.at+j] = uint8(v)
						}
						last, next = next, last
						from, sources = last[:st.number], d.All(st.first, st.first+st.number)
					}
				}
			}
		}
	})
	if tooMany.Load() {
		return false
	}
	d.narrow = c
	return true
}

// makeCompactWhole makes the aggregations over whole graphs in float32. It reports false where some are not exact.
func (d *Data) makeCompactWhole() bool {
	whole := make([][]float32, (1+2*len(d.Operators)*d.Length)*NumAggregations)
	for c := range whole {
		if Aggregation(c%NumAggregations)+Sum != Mean {
			whole[c] = make([]float32, len(d.segments))
		}
	}
	var inexact atomic.Bool
	d.eachWhole(func(column, s int, value float64) {
		if whole[column] == nil {
			return
		}
		whole[column][s] = float32(value)
		if float64(float32(value)) != value {
			inexact.Store(true)
		}
	})
	if inexact.Load() {
		return false
	}
	d.narrow.whole = whole
	return true
}

// WholeValues appends an aggregation of a kind of features of all vertices, for the segments that there are.
func (d *Data) WholeValues(values []float64, k *Kind, a Aggregation, segments, graphs []int32) []float64 {
	vector := wholeVector(k.Op, k.Length, d.Length, k.Walk == Cycle)
	if d.narrow == nil || d.narrow.whole == nil {
		table := d.whole[wholeColumn(vector, a)]
		for _, g := range graphs {
			if st := segments[g]; st >= 0 {
				values = append(values, table[st])
			}
		}
		return values
	}
	of := a
	if a == Mean {
		of = Sum
	}
	table := d.narrow.whole[wholeColumn(vector, of)]
	for _, g := range graphs {
		if st := segments[g]; st >= 0 {
			x := float64(table[st])
			if a == Mean {
				x /= float64(d.segments[st].number)
			}
			values = append(values, x)
		}
	}
	return values
}
