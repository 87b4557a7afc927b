package walks

import (
	"math"

	"github.com/grove-graph/grove/parallel"
)

// push makes a step of walks from some vertices of a graph, whose first vertex is first: y += A x, where y and x are
// its vectors. With a grid the product with every weight is rounded to it.
func (r *rows) push(y, x []float64, sources []int32, first int32, g Grid) {
	for _, j := range sources {
		v := x[j-first]
		if v == 0 {
			continue
		}
		from, to := r.ptr[j], r.ptr[j+1]
		if r.weight != nil {
			r.pushWeighted(y, v, from, to, first, g)
			continue
		}
		for _, i := range r.col[from:to] {
			y[i-first] += v
		}
	}
}

func (r *rows) pushWeighted(y []float64, v float64, from, to, first int32, g Grid) {
	weight := r.weight[from:to]
	for p, i := range r.col[from:to] {
		y[i-first] += g.Round(weight[p] * v)
	}
}

// summary holds all aggregations of some entries of a vector; missing entries are left out.
type summary struct {
	sum, min, max float64
	count         int // entries that are not missing
}

// summarize takes all entries of v, in their order.
func summarize(v []float64) summary {
	if len(v) == 0 {
		return summary{}
	}
	s := summary{0, v[0], v[0], len(v)}
	for _, x := range v {
		s.sum += x
		if x < s.min {
			s.min = x
		}
		if x > s.max {
			s.max = x
		}
	}
	if s.sum != s.sum {
		return summarizePresent(v, nil, 0)
	}
	return s
}

// summarizeOver takes the entries of the given vertices of the batch; v[0] is that of first.
func summarizeOver(v []float64, vertices []int32, first int32) summary {
	if len(vertices) == 0 {
		return summary{}
	}
	x := v[vertices[0]-first]
	s := summary{0, x, x, len(vertices)}
	for _, i := range vertices {
		x := v[i-first]
		s.sum += x
		if x < s.min {
			s.min = x
		}
		if x > s.max {
			s.max = x
		}
	}
	if s.sum != s.sum {
		return summarizePresent(v, vertices, first)
	}
	return s
}

// summarizePresent takes the entries that are not missing (NaN), of the given vertices, nil for all.
func summarizePresent(v []float64, vertices []int32, first int32) summary {
	s, n := summary{min: math.Inf(1), max: math.Inf(-1)}, len(v)
	if vertices != nil {
		n = len(vertices)
	}
	for i := range n {
		if vertices != nil {
			i = int(vertices[i] - first)
		}
		if x := v[i]; x == x {
			s.sum, s.min, s.max, s.count = s.sum+x, min(s.min, x), max(s.max, x), s.count+1
		}
	}
	return s
}

// aggregate is one aggregation of all entries, as summarize computes it.
func aggregate(v []float64, a Aggregation) float64 {
	if a == Min || a == Max || len(v) == 0 {
		return summarize(v).Value(a)
	}
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	switch {
	case sum != sum:
		return summarizePresent(v, nil, 0).Value(a)
	case a == Mean:
		return sum / float64(len(v))
	}
	return sum
}

// aggregateOver is one aggregation of the entries of some vertices, as summarizeOver computes it.
func aggregateOver(v []float64, vertices []int32, first int32, a Aggregation) float64 {
	if a == Min || a == Max || len(vertices) == 0 {
		return summarizeOver(v, vertices, first).Value(a)
	}
	sum := 0.0
	for _, i := range vertices {
		sum += v[i-first]
	}
	switch {
	case sum != sum:
		return summarizePresent(v, vertices, first).Value(a)
	case a == Mean:
		return sum / float64(len(vertices))
	}
	return sum
}

// computeWalks fills in A^d f for all vertices as sources.
func (d *Data) computeWalks() {
	d.walks = make([][][]float64, len(d.Operators))
	for o := range d.Operators {
		d.walks[o] = make([][]float64, d.Length)
		for i := range d.walks[o] {
			d.walks[o][i] = d.Demand.Memory.zeros(len(d.values))
		}
	}
	parallel.For(d.Engine.Workers(), len(d.segments), func(s int) {
		st := &d.segments[s]
		g := d.features[d.featureOf(s)].grid
		for o, op := range d.Operators {
			for i, all := range d.walks[o] {
				if i == 0 {
					op.Out.push(st.vector(all), st.vector(d.values), d.sources[st.from:st.to], st.first, g)
				} else {
					op.Out.push(st.vector(all), st.vector(d.walks[o][i-1]), d.All(st.first, st.first+st.number), st.first, g)
				}
			}
		}
	})
}

// countStarts fills in the column sums of A^d, at graph level and without weights.
func (d *Data) countStarts() {
	if d.Input.Level == Vertices || d.Weighted() {
		return
	}
	d.starts = make([][][]float64, len(d.Operators))
	for o, op := range d.Operators {
		last := []float64(nil)
		for range d.Length {
			next := d.Demand.Memory.zeros(d.Batch.NumVertices())
			for v := range next {
				heads := op.Out.col[op.Out.ptr[v]:op.Out.ptr[v+1]]
				if last == nil {
					next[v] = float64(len(heads))
				}
				for _, u := range heads {
					if last != nil {
						next[v] += last[u]
					}
				}
			}
			d.starts[o] = append(d.starts[o], next)
			last = next
		}
	}
}

// withZeros adds so many entries that are zero.
func (s summary) withZeros(zeros int) summary {
	if zeros == 0 {
		return s
	}
	s.count += zeros
	s.min, s.max = min(s.min, 0), max(s.max, 0)
	if s.count == zeros {
		s.min, s.max = 0, 0
	}
	return s
}
