package baseline

import (
	"math"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/parallel"
	"github.com/grove-graph/grove/trees"
)

// row is a row that is filled from the left.
type row struct{ to []float32 }

// add appends numbers. What float32 cannot hold becomes its largest number.
func (w *row) add(values ...float64) {
	for _, v := range values {
		w.to = append(w.to, float32(max(-math.MaxFloat32, min(v, math.MaxFloat32))))
	}
}

// ofGraph counts a graph.
func (f *counted) ofGraph(w *row, b *graph.Batch, g, components int, walks []float64, common []int32) {
	from, to := b.Vertices(g)
	n, arcs := float64(to-from), float64(b.RowPtr[to]-b.RowPtr[from])
	per := 1 / max(n, 1)
	var largest, smallest, squares, triangles, wedges float64
	shares := make([]float64, f.Degrees)
	for v := from; v < to; v++ {
		degree := b.Degree(v)
		if x := float64(degree); v == from {
			largest, smallest, squares = x, x, x*x
		} else {
			largest, smallest, squares = max(largest, x), min(smallest, x), squares+x*x
		}
		if f.Degrees > 0 {
			shares[min(degreeClass(degree), f.Degrees-1)]++
		}
		t, pairs := closed(b, common, v)
		triangles, wedges = triangles+t, wedges+pairs
	}
	mean := arcs * per
	w.add(n, arcs, mean, arcs/max(n*(n-1), 1), float64(components), largest, smallest,
		math.Sqrt(max(squares*per-mean*mean, 0)), triangles/3, triangles/3*per, triangles/max(wedges, 1))
	width := f.Steps + 2
	for s := range f.Steps {
		sum := 0.0
		for v := from; v < to; v++ {
			sum += walks[int(v)*width+s+2]
		}
		w.add(sum * per)
	}
	for c := range shares {
		shares[c] *= per
	}
	w.add(shares...)
	f.ofLabels(w, b, from, to, walks)
	for k := range f.Encoding.Attributes {
		ofAttribute(w, b, from, to, k)
	}
	counts, known := make([]float64, len(f.Encoding.ArcLabels)), len(f.Encoding.ArcLabels)
	if known > 0 {
		for _, l := range b.ArcLabels[b.RowPtr[from]:b.RowPtr[to]] {
			if int(l) < known {
				counts[l]++
			}
		}
	}
	for _, c := range counts {
		w.add(c, c/max(arcs, 1))
	}
	if f.Colours > 0 {
		colours := make([]float64, f.Colours)
		f.colours(colours, b, g)
		w.add(colours...)
	}
}

// ofLabels counts the vertices with each label, and the walks from them.
func (f *counted) ofLabels(w *row, b *graph.Batch, from, to int32, walks []float64) {
	labels, width := len(f.Encoding.Labels), f.Steps+2
	if labels == 0 {
		return
	}
	sums := make([]float64, labels*(f.Steps+1)) // of walks of 0, 1, ... steps
	for v := from; v < to; v++ {
		if l := int(b.Labels[v]); l < labels {
			for s := range f.Steps + 1 {
				sums[l*(f.Steps+1)+s] += walks[int(v)*width+s]
			}
		}
	}
	n := max(float64(to-from), 1)
	for l := range labels {
		of := sums[l*(f.Steps+1) : (l+1)*(f.Steps+1)]
		w.add(of[0])
		for _, sum := range of {
			w.add(sum / n)
		}
	}
}

// ofAttribute sums an attribute of the vertices of a graph up.
func ofAttribute(w *row, b *graph.Batch, from, to int32, k int) {
	var n, sum, byDegree float64
	smallest, largest := math.Inf(1), math.Inf(-1)
	at := func(v int32) float64 { return b.Attributes[int(v)*b.AttributeDim+k] }
	for v := from; v < to; v++ {
		if x := at(v); x == x {
			n, sum, byDegree = n+1, sum+x, byDegree+x*float64(b.Degree(v))
			smallest, largest = min(smallest, x), max(largest, x)
		}
	}
	if n == 0 {
		missing := math.NaN()
		w.add(missing, missing, missing, missing, missing, missing)
		return
	}
	squares := 0.0
	for v := from; v < to; v++ {
		if x := at(v); x == x {
			squares += (x - sum/n) * (x - sum/n)
		}
	}
	w.add(sum/n, sum, smallest, largest, math.Sqrt(squares/n), byDegree/n)
}

// ofVertices counts the vertices of a batch.
func (f *counted) ofVertices(t *trees.Table, b *graph.Batch, walks []float64, common []int32, workers int) {
	labels, first := len(f.Encoding.Labels), 3+f.Steps
	shown := labels + f.Encoding.Attributes
	parallel.Chunks(workers, b.NumVertices(), 256, func(from, to int) {
		for v := from; v < to; v++ {
			w := &row{to: t.Row(v)[:0]}
			triangles, pairs := closed(b, common, int32(v))
			w.add(float64(b.Degree(int32(v))), triangles, 2*triangles/max(2*pairs, 1))
			w.add(walks[v*(f.Steps+2)+2 : (v+1)*(f.Steps+2)]...)
			own := t.Row(v)[first : first+shown]
			if labels > 0 && int(b.Labels[v]) < labels {
				own[b.Labels[v]] = 1
			}
			w.to = own[:labels]
			w.add(b.Attributes[v*b.AttributeDim : (v+1)*b.AttributeDim]...)
		}
	})
	for s := range f.Steps {
		at := first + s*shown
		parallel.Chunks(workers, b.NumVertices(), 64, func(from, to int) {
			sums, n := make([]float64, shown), make([]float64, shown)
			for v := from; v < to; v++ {
				clear(sums)
				clear(n)
				for _, u := range b.Neighbors(int32(v)) {
					for c, x := range t.Row(int(u))[at : at+shown] {
						if x == x {
							sums[c] += float64(x)
							n[c]++
						}
					}
				}
				w := &row{to: t.Row(v)[:at+shown]}
				for c := range sums {
					w.add(sums[c] / n[c]) // missing where all are
				}
			}
		})
	}
}

// ofEdges puts the ends of edges beside each other: their sum and the magnitude of their difference, in a directed
// graph the tail and the head.
func (f *counted) ofEdges(t, vertices *trees.Table, b *graph.Batch, edges []dataset.Edge) {
	for i, e := range edges {
		first, _ := b.Vertices(e.Graph)
		from, to := first+e.From, first+e.To
		tail, head, w := vertices.Row(int(from)), vertices.Row(int(to)), &row{to: t.Row(i)[:0]}
		for c, x := range tail {
			if f.Directed {
				w.add(float64(x))
			} else {
				w.add(float64(x) + float64(head[c]))
			}
		}
		for c, x := range head {
			if f.Directed {
				w.add(float64(x))
			} else {
				w.add(math.Abs(float64(tail[c]) - float64(x)))
			}
		}
		w.add(float64(commonOf(b, from, to)))
	}
}
