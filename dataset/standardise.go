package dataset

import (
	"fmt"
	"math"
	"slices"

	"github.com/grove-graph/grove/graph"
)

// A vector shorter than this is divided by it rather than by its norm.
const minNorm = 1e-6

// Standardisation brings attributes to the form the published experiments use (docs/conventions.md, 13):
// every column c of every vertex becomes (x_c - Mean[c]) / Scale[c], then every vertex is divided by
// max(norm, 1e-6).
type Standardisation struct {
	Mean  []float64 `json:"mean"`
	Scale []float64 `json:"scale"` // population standard deviation; 1 for a constant column
}

// FitStandardisation takes mean and scale of every column over all vertices of the batch. The published
// protocol fits on the whole data set; fit on the training graphs ([graph.Batch.Select]) to keep the
// test graphs out.
func FitStandardisation(b *graph.Batch) *Standardisation {
	s, err := fitStandardisation(b.AttributeDim, func(visit func(*graph.Batch)) error {
		visit(b)
		return nil
	})
	if err != nil {
		panic(err) // there is nothing to fail
	}
	return s
}

// fitStandardisation is FitStandardisation for vertices that each visits in pieces, always the same ones. The mean is
// taken about the first value and corrected once, so that a constant column gives itself exactly.
func fitStandardisation(width int, each func(visit func(*graph.Batch)) error) (*Standardisation, error) {
	s := &Standardisation{Mean: make([]float64, width), Scale: make([]float64, width)}
	origin, constant, sums := []float64(nil), make([]bool, width), make([]float64, width)
	n := 0.0
	pass := func(add func(c int, x float64)) error {
		clear(sums)
		return each(func(b *graph.Batch) {
			for v := range b.NumVertices() {
				for c, x := range b.Attributes[v*width : (v+1)*width] {
					add(c, x)
				}
			}
		})
	}
	err := each(func(b *graph.Batch) {
		if origin == nil && b.NumVertices() > 0 {
			origin = slices.Clone(b.Attributes[:width])
		}
		n += float64(b.NumVertices())
	})
	if err != nil || n == 0 {
		for c := range s.Scale {
			s.Scale[c] = 1
		}
		return s, err
	}
	copy(s.Mean, origin)
	for c := range constant {
		constant[c] = true
	}
	for range 2 {
		err := pass(func(c int, x float64) {
			constant[c] = constant[c] && x == origin[c]
			sums[c] += x - s.Mean[c]
		})
		if err != nil {
			return nil, err
		}
		for c, sum := range sums {
			s.Mean[c] += sum / n
		}
	}
	err = pass(func(c int, x float64) { sums[c] += (x - s.Mean[c]) * (x - s.Mean[c]) })
	for c, squares := range sums {
		s.Scale[c] = math.Sqrt(squares / n)
		if constant[c] {
			s.Mean[c] = origin[c]
		}
		if constant[c] || s.Scale[c] == 0 {
			s.Scale[c] = 1
		}
	}
	return s, err
}

// Apply returns the batch with standardised attributes. It is an error if the batch has another number
// of attributes than the one that was fitted, or if values are so large that their norm overflows.
func (s *Standardisation) Apply(b *graph.Batch) (*graph.Batch, error) {
	width := len(s.Mean)
	if b.AttributeDim != width {
		return nil, fmt.Errorf("standardise: %d attributes, the statistics are of %d", b.AttributeDim, width)
	}
	standard := *b
	standard.Attributes = make([]float64, len(b.Attributes))
	for v := range b.NumVertices() {
		row := standard.Attributes[v*width : (v+1)*width]
		squares := 0.0
		for c, x := range b.Attribute(int32(v)) {
			row[c] = (x - s.Mean[c]) / s.Scale[c]
			squares += row[c] * row[c]
		}
		if math.IsNaN(squares) || math.IsInf(squares, 0) {
			return nil, fmt.Errorf("standardise: the attributes of vertex %d are too large", v)
		}
		norm := max(math.Sqrt(squares), minNorm)
		for c := range row {
			row[c] /= norm
		}
	}
	return &standard, nil
}
