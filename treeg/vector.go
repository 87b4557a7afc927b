package treeg

import "fmt"

// Vector returns v = (A^d o M_r(S)) f_k (Eq. 1) for graph g and a subset of its vertices, numbered from 0 within the
// graph, ascending: n numbers, zero where the mask drops a row. The split's pointer and threshold do not matter.
// The features are those of the data, on their grids.
func (d *Data) Vector(s Split, g int, subset []int) ([]float64, error) {
	v, vertices, err := d.vector(s, g, subset)
	if err != nil {
		return nil, err
	}
	first, last := d.batch.Vertices(g)
	out := make([]float64, last-first)
	if v == nil {
		return out, nil
	}
	if s.Walk == Source {
		copy(out, v)
		return out, nil
	}
	for _, j := range vertices {
		out[j-first] = v[j-first]
	}
	return out, nil
}

// Value returns the dynamic feature of graph g (section 3.5): Vector aggregated over the subset, or over all vertices
// for source walks. An empty subset has the value that empty says.
func (d *Data) Value(s Split, g int, subset []int, empty Empty) (float64, error) {
	if s.Aggregation == NoAggregation {
		return 0, fmt.Errorf("a graph needs an aggregation")
	}
	v, vertices, err := d.vector(s, g, subset)
	if err != nil {
		return 0, err
	}
	r := d.input.rule(s)
	return newEvaluator(d, empty).ofGraph(&r, d.strand(s.Feature, int32(g)), v, vertices, len(vertices), false), nil
}

// vector computes the vector of a split that is checked first; nil stands for zeros.
func (d *Data) vector(s Split, g int, subset []int) (v []float64, vertices []int32, err error) {
	if g < 0 || g >= d.batch.NumGraphs() {
		return nil, nil, fmt.Errorf("graph %d of %d", g, d.batch.NumGraphs())
	}
	if err := d.input.checkSplit(&s); err != nil {
		return nil, nil, err
	}
	if s.Length > d.length {
		return nil, nil, fmt.Errorf("walks of length %d: the data were prepared for %d", s.Length, d.length)
	}
	first, last := d.batch.Vertices(g)
	for i, j := range subset {
		if j < 0 || j >= int(last-first) || i > 0 && j <= subset[i-1] {
			return nil, nil, fmt.Errorf("vertex %d of the subset: want vertices of the graph, ascending", j)
		}
		vertices = append(vertices, first+int32(j))
	}
	if st := d.strand(s.Feature, int32(g)); st != nil {
		r := d.input.rule(s)
		v = newEvaluator(d, EmptyFormula).vector(&r, st, vertices, false)
	}
	return v, vertices, nil
}

// checkSplit reports what in a split does not fit the input.
func (in *Input) checkSplit(s *Split) error {
	switch {
	case s.Feature < 0 || s.Feature >= in.Features():
		return fmt.Errorf("feature %d of %d", s.Feature, in.Features())
	case s.Length < 0 || s.Length > maxLength:
		return fmt.Errorf("walks of length %d: want 0 to %d", s.Length, maxLength)
	case s.Walk >= numWalks:
		return fmt.Errorf("unknown walk type %d", s.Walk)
	case s.Aggregation > numAggregations:
		return fmt.Errorf("unknown aggregation %d", s.Aggregation)
	case s.Pointer < 0:
		return fmt.Errorf("pointer %d: want 0 or more", s.Pointer)
	}
	if s.Length == 0 {
		return nil
	}
	for _, a := range in.Arcs {
		if a == s.Arcs {
			return nil
		}
	}
	return fmt.Errorf("arcs of type %d are not among those of the data", s.Arcs.Type)
}
