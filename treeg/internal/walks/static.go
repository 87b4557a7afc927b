package walks

import (
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/parallel"
)

// Static makes the graph of static features.
func (d *Data) Static() *graph.Batch {
	d.MakeWalks()
	each := 1 + len(d.Operators)*d.Length // columns of a feature; for graphs twice as many
	if d.Input.Level == Graphs {
		each *= 2
	}
	n, width := d.Examples(), each*d.Input.Features()
	out := &graph.Batch{
		Offsets: []int32{0, int32(n)}, RowPtr: make([]int32, n+1),
		Attributes: make([]float64, n*width), AttributeDim: width,
	}
	parallel.For(d.Engine.Workers(), len(d.segments), func(s int) {
		st := &d.segments[s]
		column := each * d.featureOf(s)
		var buffer []float64
		put := func(values []float64) { column += d.putRows(out, column, st, values) }
		put(d.valuesOf(st, &buffer))
		for o := range d.Operators {
			for length := 1; length <= d.Length; length++ {
				put(d.walksOf(o, length, st, &buffer))
			}
		}
	})
	return out
}

// putRows writes the values of a segment from a column on and returns how many columns it took.
func (d *Data) putRows(out *graph.Batch, column int, st *Segment, values []float64) int {
	if d.Input.Level == Graphs {
		s := summarize(values)
		row := out.Attribute(st.graph)
		row[column], row[column+1] = s.Value(Sum), s.Value(Mean)
		return 2
	}
	for i, x := range values {
		out.Attribute(st.first + int32(i))[column] = x
	}
	return 1
}
