package dataset

import (
	"fmt"
	"math"

	"github.com/grove-graph/grove/graph"
)

// columnMeans are the means of the attributes that are there, for where one is missing.
type columnMeans struct {
	sums   []float64
	counts []int
	rows   int
}

// add takes the attributes of further vertices, NaN where there is none.
func (m *columnMeans) add(b *graph.Batch) {
	width := b.AttributeDim
	if len(m.sums) < width { // pieces without vertices have no attributes
		m.sums, m.counts = make([]float64, width), make([]int, width)
	}
	for c := range width {
		for p := c; p < len(b.Attributes); p += width {
			if v := b.Attributes[p]; !math.IsNaN(v) {
				m.sums[c] += v
				m.counts[c]++
			}
		}
	}
	m.rows += b.NumVertices()
}

// missing returns how many attributes there are not.
func (m *columnMeans) missing() (n int) {
	for _, count := range m.counts {
		n += m.rows - count
	}
	return n
}

// fill puts the mean of the column where there is no value.
func (m *columnMeans) fill(d *Dataset) {
	if m.missing() == 0 {
		return
	}
	values, width := d.Batch.Attributes, d.Batch.AttributeDim
	for p, v := range values {
		if math.IsNaN(v) {
			values[p] = m.sums[p%width] / float64(max(m.counts[p%width], 1))
			d.Missing = append(d.Missing, p)
		}
	}
}

// notes says how many attributes are missing, if any are.
func (m *columnMeans) notes() []string {
	n := m.missing()
	if n == 0 {
		return nil
	}
	return []string{fmt.Sprintf(
		"%d attributes are missing: decision trees see that, other models the mean of the column", n)}
}

// fillMissing puts the mean of the column where there is no value.
func (d *Dataset) fillMissing() {
	m := &columnMeans{}
	m.add(d.Batch)
	m.fill(d)
	d.Notes = append(d.Notes, m.notes()...)
}
