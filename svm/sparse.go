package svm

import (
	"fmt"
	"slices"

	"gorgonia.org/tensor"

	"github.com/grove-graph/grove/parallel"
)

// Sparse is a matrix most of whose entries are 0. Row i holds Scale[i] Value[e] in column Column[e], for
// RowPtr[i] <= e < RowPtr[i+1]; a column may be there several times, and its values add up.
type Sparse struct {
	Columns int
	RowPtr  []int
	Column  []int32
	Value   []float32 // nil: ones
	Scale   []float64 // of every row; nil: ones
	// Alone holds the squared length of what a row has in further columns, in which no other row has anything; nil:
	// nothing.
	Alone []float64
}

// Len returns the number of rows.
func (x *Sparse) Len() int { return len(x.RowPtr) - 1 }

// check reports what is no matrix.
func (x *Sparse) check() error {
	n := x.Len()
	if n < 0 || x.RowPtr[0] != 0 || x.RowPtr[n] != len(x.Column) || x.Value != nil && len(x.Value) != len(x.Column) ||
		x.Scale != nil && len(x.Scale) != n || x.Alone != nil && len(x.Alone) != n {
		return fmt.Errorf("a sparse matrix whose parts do not fit each other")
	}
	for i := range n {
		if x.RowPtr[i] > x.RowPtr[i+1] {
			return fmt.Errorf("row %d of the sparse matrix ends before it begins", i)
		}
	}
	for e, c := range x.Column {
		if c < 0 || int(c) >= x.Columns {
			return fmt.Errorf("column %d is not in a sparse matrix of %d columns", c, x.Columns)
		}
		if x.Value != nil && x.Value[e]-x.Value[e] != 0 {
			return fmt.Errorf("an entry in column %d is NaN or infinite", c)
		}
	}
	if i := max(notFinite(x.Scale), notFinite(x.Alone)); i >= 0 {
		return fmt.Errorf("row %d of the sparse matrix is NaN or infinite", i)
	}
	return nil
}

func (x *Sparse) scale(i int) float64 {
	if x.Scale == nil {
		return 1
	}
	return x.Scale[i]
}

// value returns that of an entry, without the scale of its row.
func (x *Sparse) value(e int) float64 {
	if x.Value == nil {
		return 1
	}
	return float64(x.Value[e])
}

func (x *Sparse) alone(i int) float64 {
	if x.Alone == nil {
		return 0
	}
	return x.Alone[i]
}

// dot returns the product of a row with w.
func (x *Sparse) dot(i int, w []float64) float64 {
	columns := x.Column[x.RowPtr[i]:x.RowPtr[i+1]]
	sum := 0.0
	if x.Value == nil {
		for _, c := range columns {
			sum += w[c]
		}
	} else {
		for e, v := range x.Value[x.RowPtr[i]:x.RowPtr[i+1]] {
			sum += float64(v) * w[columns[e]]
		}
	}
	return sum * x.scale(i)
}

// addRow adds a multiple of a row to w.
func (x *Sparse) addRow(factor float64, i int, w []float64) {
	columns := x.Column[x.RowPtr[i]:x.RowPtr[i+1]]
	factor *= x.scale(i)
	if x.Value == nil {
		for _, c := range columns {
			w[c] += factor
		}
		return
	}
	for e, v := range x.Value[x.RowPtr[i]:x.RowPtr[i+1]] {
		w[columns[e]] += factor * float64(v)
	}
}

// square returns the squared length of a row whose columns are there once each, and an upper bound of it otherwise, to
// scale by.
func (x *Sparse) square(i int) float64 {
	sum := float64(x.RowPtr[i+1] - x.RowPtr[i])
	if x.Value != nil {
		sum = 0
		for _, v := range x.Value[x.RowPtr[i]:x.RowPtr[i+1]] {
			sum += float64(v) * float64(v)
		}
	}
	return sum*x.scale(i)*x.scale(i) + x.alone(i)
}

// some returns the matrix of some rows, in the columns that two of them have something in: other columns count for the
// lengths alone. places has an entry for each column, all 0 before and after.
func (x *Sparse) some(rows []int, places []int32) *Sparse {
	s := &Sparse{RowPtr: make([]int, 1, len(rows)+1), Scale: make([]float64, len(rows)), Alone: make([]float64, len(rows))}
	entries := 0
	for _, i := range rows {
		for _, c := range x.Column[x.RowPtr[i]:x.RowPtr[i+1]] {
			if places[c]--; places[c] < -1 {
				entries++
			}
		}
	}
	s.Column = make([]int32, 0, 2*entries)
	if x.Value != nil {
		s.Value = make([]float32, 0, 2*entries)
	}
	for k, i := range rows {
		s.Scale[k], s.Alone[k] = x.scale(i), x.alone(i)
		for e := x.RowPtr[i]; e < x.RowPtr[i+1]; e++ {
			c, value := x.Column[e], float32(1)
			if x.Value != nil {
				value = x.Value[e]
			}
			if places[c] == -1 {
				v := float64(value) * s.Scale[k]
				s.Alone[k] += v * v
				continue
			}
			if places[c] < 0 {
				s.Columns++
				places[c] = int32(s.Columns)
			}
			s.Column = append(s.Column, places[c]-1)
			if x.Value != nil {
				s.Value = append(s.Value, value)
			}
		}
		s.RowPtr = append(s.RowPtr, len(s.Column))
	}
	for _, i := range rows {
		for _, c := range x.Column[x.RowPtr[i]:x.RowPtr[i+1]] {
			places[c] = 0
		}
	}
	return s
}

// transpose returns the matrix whose rows are the columns of this one, without the scales of its rows and what they
// have alone. Entries of a column keep the order of the rows.
func (x *Sparse) transpose() *Sparse {
	t := &Sparse{Columns: x.Len(), RowPtr: make([]int, x.Columns+1), Column: make([]int32, len(x.Column))}
	if x.Value != nil {
		t.Value = make([]float32, len(x.Value))
	}
	for _, c := range x.Column {
		t.RowPtr[c+1]++
	}
	for c := range x.Columns {
		t.RowPtr[c+1] += t.RowPtr[c]
	}
	next := slices.Clone(t.RowPtr)
	for i := range x.Len() {
		for e := x.RowPtr[i]; e < x.RowPtr[i+1]; e++ {
			c := x.Column[e]
			t.Column[next[c]] = int32(i)
			if x.Value != nil {
				t.Value[next[c]] = x.Value[e]
			}
			next[c]++
		}
	}
	return t
}

// Decisions returns what machines of [FitSparseClassifier] decide of rows of the matrix that none of them was trained
// on, a column for each machine.
func (x *Sparse) Decisions(m *KernelClassifier, rows []int, workers int) *tensor.Dense {
	decisions := make([]float64, len(rows)*len(m.Pairs))
	w := make([]float64, x.Columns)
	for p := range m.Pairs {
		pair := &m.Pairs[p]
		clear(w)
		for s, i := range pair.Objects {
			x.addRow(pair.Coefficients[s], i, w)
		}
		parallel.Chunks(workers, len(rows), sparseChunk, func(from, to int) {
			for k := from; k < to; k++ {
				decisions[k*len(m.Pairs)+p] = x.dot(rows[k], w) + pair.Bias
			}
		})
	}
	return tensor.New(tensor.WithShape(len(rows), len(m.Pairs)), tensor.WithBacking(decisions))
}

// sparseChunk is the number of rows that one piece of parallel work covers.
const sparseChunk = 256

// columnChunk is the number of columns that one piece of parallel work covers: most have few entries.
const columnChunk = 1024
