package trees

import (
	"fmt"
	"math"
	"slices"

	"github.com/grove-graph/grove/parallel"
)

// Table holds features: a row for each example, a column for each feature. NaN stands for a missing value.
type Table struct {
	Rows, Columns int
	Values        []float32 // Rows x Columns, row-major
}

// NewTable returns a table of zeros.
func NewTable(rows, columns int) *Table {
	return &Table{rows, columns, make([]float32, rows*columns)}
}

// Row returns the features of an example. The slice is part of the table.
func (t *Table) Row(i int) []float32 { return t.Values[i*t.Columns : (i+1)*t.Columns] }

// check returns an error where the sizes do not fit, or a value is infinite.
func (t *Table) check() error {
	if t.Rows < 0 || t.Columns < 0 || len(t.Values) != t.Rows*t.Columns {
		return fmt.Errorf("%d values in a table of %d rows and %d columns", len(t.Values), t.Rows, t.Columns)
	}
	for i, v := range t.Values {
		if math.IsInf(float64(v), 0) {
			return fmt.Errorf("row %d of the table has %g in column %d: want a number, or NaN where it is missing",
				i/t.Columns, v, i%t.Columns)
		}
	}
	return nil
}

// binned are the columns of some rows by the number of cuts below each value: at most 255.
type binned struct {
	rows  int
	cuts  [][]float32 // of each column, ascending
	first []int       // of each column: its first bin in a histogram; at the end the number of all bins
	codes []uint8     // columns x rows
}

// maxBins is the largest number of bins of a column: codes are bytes.
const maxBins = 256

// bin cuts the columns of some rows into at most so many bins of about equally many rows. A missing value is below all
// cuts.
func (t *Table) bin(rows []int, bins, workers int) *binned {
	b := &binned{rows: len(rows), cuts: make([][]float32, t.Columns), first: make([]int, t.Columns+1),
		codes: make([]uint8, t.Columns*len(rows))}
	parallel.For(workers, t.Columns, func(c int) {
		values := make([]float32, 0, len(rows))
		for _, r := range rows {
			if v := t.Values[r*t.Columns+c]; v == v {
				values = append(values, v)
			}
		}
		missing := len(values) < len(rows)
		slices.Sort(values)
		b.cuts[c] = cutsOf(values, bins, missing)
		codes := b.codes[c*len(rows):]
		for i, r := range rows {
			codes[i] = code(b.cuts[c], t.Values[r*t.Columns+c])
		}
	})
	for c, cuts := range b.cuts {
		b.first[c+1] = b.first[c] + len(cuts) + 1
	}
	return b
}

// code returns the number of cuts that a value is above: none where it is missing.
func code(cuts []float32, v float32) uint8 {
	if v != v {
		return 0
	}
	at, _ := slices.BinarySearch(cuts, v)
	return uint8(at)
}

// cutsOf returns thresholds between sorted values: between all that differ where these are few, else between quantiles.
// Where values are missing the first threshold tells them from all others.
func cutsOf(sorted []float32, bins int, missing bool) []float32 {
	if len(sorted) == 0 {
		return nil
	}
	var cuts []float32
	if missing {
		cuts = append(cuts, math.Nextafter32(sorted[0], float32(math.Inf(-1))))
		if math.IsInf(float64(cuts[0]), 0) {
			cuts = nil
		}
	}
	distinct := slices.Compact(slices.Clone(sorted))
	if len(distinct) <= bins-len(cuts) {
		for i := 1; i < len(distinct); i++ {
			cuts = append(cuts, between(distinct[i-1], distinct[i]))
		}
		return cuts
	}
	quantiles := bins - len(cuts)
	for q := 1; q < quantiles; q++ {
		at := q * len(sorted) / quantiles
		below, found := sorted[at-1], sorted[at]
		if below == found { // the cut lies below all that are equal
			next, _ := slices.BinarySearch(distinct, found)
			if next == 0 {
				continue
			}
			below = distinct[next-1]
		}
		if cut := between(below, found); len(cuts) == 0 || cut > cuts[len(cuts)-1] {
			cuts = append(cuts, cut)
		}
	}
	return cuts
}

// between returns a threshold that a is not above and b is.
func between(a, b float32) float32 {
	if m := a/2 + b/2; m >= a && m < b {
		return m
	}
	return a
}
