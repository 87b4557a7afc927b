package treegtest

import "github.com/grove-graph/grove/treeg/internal/walks"

// VectorOf returns v = (A^d o M_r(S)) f_k (Eq. 1) for graph g and a subset of its vertices, numbered from 0 within the
// graph, ascending: n numbers, zero where the mask drops a row. The features are those of the data, on their grids.
func VectorOf(d *walks.Data, s walks.Split, g int, subset []int) []float64 {
	first, last := d.Batch.Vertices(g)
	out := make([]float64, last-first)
	v, vertices := maskedVector(d, s, g, subset)
	switch {
	case v == nil:
	case s.Walk == walks.Source:
		copy(out, v)
	default:
		for _, j := range vertices {
			out[j-first] = v[j-first]
		}
	}
	return out
}

// ValueOf returns the dynamic feature of graph g (section 3.5).
func ValueOf(d *walks.Data, s walks.Split, g int, subset []int, empty walks.Empty) float64 {
	v, vertices := maskedVector(d, s, g, subset)
	r := d.Input.Rule(s)
	return walks.NewEvaluator(d, empty).OfGraph(&r, d.Segment(s.Feature, int32(g)), v, vertices, len(vertices), false)
}

// maskedVector returns nil for zeros.
func maskedVector(d *walks.Data, s walks.Split, g int, subset []int) (v []float64, vertices []int32) {
	first, _ := d.Batch.Vertices(g)
	for _, j := range subset {
		vertices = append(vertices, first+int32(j))
	}
	if st := d.Segment(s.Feature, int32(g)); st != nil {
		r := d.Input.Rule(s)
		v = walks.NewEvaluator(d, walks.EmptyFormula).Vector(&r, st, vertices, false)
	}
	return v, vertices
}

// Ints converts a list.
func Ints(x []int32) []int {
	out := make([]int, len(x))
	for i, v := range x {
		out[i] = int(v)
	}
	return out
}
