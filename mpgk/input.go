package mpgk

import (
	"fmt"
	"math"
	"slices"

	"github.com/grove-graph/grove/graph"
)

// Input says what k^0 compares: label ids (1 if they agree), real attributes (inner product), or degrees
// (product) where both numbers are 0.
type Input struct {
	Labels     int `json:"labels"`     // number of labels; a vertex with any other id resembles no vertex
	Attributes int `json:"attributes"` // width of the attributes, where Labels is 0
}

// InputOf returns the input that a batch offers: its attributes where it has them, else its labels, else
// degrees.
func InputOf(b *graph.Batch) Input {
	switch {
	case b.AttributeDim > 0:
		return Input{Attributes: b.AttributeDim}
	case b.Labels != nil && b.NumLabels > 0:
		return Input{Labels: b.NumLabels}
	}
	return Input{}
}

// check reports what keeps the vertices of b from being compared.
func (in Input) check(b *graph.Batch) error {
	switch {
	case in.Attributes > 0 && b.AttributeDim != in.Attributes:
		return fmt.Errorf("the kernel compares %d attributes of each vertex, the data have %d", in.Attributes, b.AttributeDim)
	case in.Attributes > 0:
		for i, x := range b.Attributes {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return fmt.Errorf("attribute %d of vertex %d is %g: replace it by a finite number",
					i%in.Attributes+1, i/in.Attributes+1, x)
			}
		}
	case in.Labels > maxLabels:
		return fmt.Errorf("%d different labels, at most %d: use attributes or degrees", in.Labels, maxLabels)
	case in.Labels > 0 && len(b.Labels) != b.NumVertices():
		return fmt.Errorf("the kernel compares vertex labels, the data have none")
	}
	return nil
}

// width returns the number of columns of the vectors whose inner product is k^0.
func (in Input) width() int { return max(in.Labels+in.Attributes, 1) }

// vectors returns the classes of equal vertices of b in ascending order of their vectors, and the vectors, whose
// inner product is k^0, row by row.
func (in Input) vectors(b *graph.Batch) (class []int32, rows []float64) {
	d := in.width()
	if in.Attributes > 0 {
		x := make([]float64, len(b.Attributes))
		for i, a := range b.Attributes {
			x[i] = a + 0 // -0 becomes 0
		}
		class, first := groupRows(x, d)
		for _, v := range first {
			rows = append(rows, x[int(v)*d:int(v+1)*d]...)
		}
		return class, rows
	}
	value := func(v int) int32 { return int32(b.Degree(int32(v))) }
	if in.Labels > 0 {
		value = func(v int) int32 { return in.label(b, v) }
	}
	class, values := numberValues(b.NumVertices(), value)
	rows = make([]float64, len(values)*d)
	for i, x := range values {
		if in.Labels == 0 {
			rows[i] = float64(x)
		} else if int(x) < d {
			rows[i*d+int(x)] = 1
		}
	}
	return class, rows
}

// label returns the label of vertex v, Labels for one that is not known.
func (in Input) label(b *graph.Batch, v int) int32 {
	if l := b.Labels[v]; l >= 0 && int(l) < in.Labels {
		return l
	}
	return int32(in.Labels)
}

// numberValues numbers the distinct values of n items in ascending order.
func numberValues(n int, value func(i int) int32) (number, values []int32) {
	number = make([]int32, n)
	for i := range number {
		number[i] = value(i)
	}
	values = slices.Clone(number)
	slices.Sort(values)
	values = slices.Compact(values)
	for i, v := range number {
		at, _ := slices.BinarySearch(values, v)
		number[i] = int32(at)
	}
	return number, values
}
