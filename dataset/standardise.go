package dataset

import (
	"fmt"
	"math"

	"github.com/grove-graph/grove/graph"
)

// A vector shorter than this is divided by it rather than by its norm.
const minNorm = 1e-6

// Standardisation brings attributes to the form the published experiments use (docs/conventions.md, 13):
// every column c of every vertex becomes (x_c - Mean[c]) / Scale[c], then unless they keep their norms every vertex is
// divided by max(norm, 1e-6).
type Standardisation struct {
	Mean  []float64 `json:"mean"`
	Scale []float64 `json:"scale"` // population standard deviation; 1 for a constant column

	Norms bool `json:"norms,omitempty"` // vertices keep theirs; otherwise each is divided by it
}

// FitStandardisation takes mean and scale of every column over all vertices of the batch that have a value there
// (see [Dataset.MissingAsNaN]). The published protocol fits on the whole data set; fit on the training graphs
// ([graph.Batch.Select]) to keep the test graphs out.
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
	known, origin := make([]float64, width), make([]float64, width) // number of values and the first of them
	constant, sums := make([]bool, width), make([]float64, width)
	pass := func(add func(c int, x float64)) error {
		clear(sums)
		return each(func(b *graph.Batch) {
			for v := range b.NumVertices() {
				for c, x := range b.Attributes[v*width : (v+1)*width] {
					if !math.IsNaN(x) {
						add(c, x)
					}
				}
			}
		})
	}
	err := pass(func(c int, x float64) {
		if known[c] == 0 {
			origin[c], constant[c] = x, true
		}
		constant[c] = constant[c] && x == origin[c]
		known[c]++
	})
	if err != nil {
		return nil, err
	}
	copy(s.Mean, origin)
	for range 2 {
		if err := pass(func(c int, x float64) { sums[c] += x - s.Mean[c] }); err != nil {
			return nil, err
		}
		for c, sum := range sums {
			s.Mean[c] += sum / max(known[c], 1)
		}
	}
	err = pass(func(c int, x float64) { sums[c] += (x - s.Mean[c]) * (x - s.Mean[c]) })
	for c, squares := range sums {
		s.Scale[c] = math.Sqrt(squares / max(known[c], 1))
		if constant[c] {
			s.Mean[c] = origin[c]
		}
		if constant[c] || s.Scale[c] == 0 {
			s.Scale[c] = 1
		}
	}
	return s, err
}

// leastDeviation bounds the deviation of a column that is not constant, as a share of its mean: among 2^31 numbers one
// may be off by a unit in the last place.
const leastDeviation = 1e-21

// check returns an error where mean and scale are not those of columns.
func (s *Standardisation) check() error {
	for c, scale := range s.Scale {
		mean := s.Mean[c]
		if !(scale > 0) || math.IsInf(scale, 0) || math.IsNaN(mean) || math.IsInf(mean, 0) ||
			scale != 1 && scale < leastDeviation*math.Abs(mean) {
			return fmt.Errorf("attribute %d has mean %g and deviation %g", c, mean, scale)
		}
	}
	return nil
}

// Apply returns the batch with standardised attributes. A missing one (NaN) stays missing and has no share in the norm
// of its vertex. It is an error if the batch has another number of attributes than the one that was fitted, or if
// values are so large that their norm overflows.
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
			if !math.IsNaN(x) {
				squares += row[c] * row[c]
			}
		}
		if math.IsNaN(squares) || math.IsInf(squares, 0) {
			return nil, fmt.Errorf("standardise: the attributes of vertex %d are too large", v)
		}
		if s.Norms {
			continue
		}
		norm := max(math.Sqrt(squares), minNorm)
		for c := range row {
			row[c] /= norm
		}
	}
	return &standard, nil
}
