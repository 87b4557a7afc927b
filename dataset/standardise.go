package dataset

import (
	"fmt"
	"math"

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
	n, width := b.NumVertices(), b.AttributeDim
	s := &Standardisation{Mean: make([]float64, width), Scale: make([]float64, width)}
	for c := range width {
		s.Mean[c], s.Scale[c] = columnMoments(b.Attributes, n, width, c)
	}
	return s
}

// columnMoments returns the mean and the population standard deviation of a column. The mean is taken
// about the first value and corrected once, so that a constant column gives itself exactly.
func columnMoments(values []float64, n, width, c int) (mean, scale float64) {
	if n == 0 {
		return 0, 1
	}
	origin, constant := values[c], true
	mean = origin
	for range 2 {
		sum := 0.0
		for v := range n {
			x := values[v*width+c]
			constant = constant && x == origin
			sum += x - mean
		}
		mean += sum / float64(n)
	}
	if constant {
		return origin, 1
	}
	squares := 0.0
	for v := range n {
		diff := values[v*width+c] - mean
		squares += diff * diff
	}
	scale = math.Sqrt(squares / float64(n))
	if scale == 0 {
		scale = 1
	}
	return mean, scale
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
