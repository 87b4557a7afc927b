package engine

// Rows returns the number of rows of a.
func (a *Sparse) Rows() int { return max(len(a.RowPtr)-1, 0) }

// value returns entry e of a without its masks.
func (a *Sparse) value(e int32) float64 {
	if a.Values == nil {
		return 1
	}
	return a.Values[e]
}

// keeps reports whether no mask leaves out the entries of row r and column c.
func (a *Sparse) keeps(r int, c int32) bool {
	return (a.KeepRows == nil || a.KeepRows[r]) && (a.KeepCols == nil || a.KeepCols[c])
}

// Unmasked returns the matrix diag(KeepRows) A diag(KeepCols) without masks: a itself where it has none,
// else a copy of the entries that they keep. Time and memory are linear in the entries.
func (a *Sparse) Unmasked() *Sparse {
	if a.KeepRows == nil && a.KeepCols == nil {
		return a
	}
	selected := &Sparse{Cols: a.Cols, RowPtr: make([]int32, len(a.RowPtr)), Col: []int32{}}
	if a.Values != nil {
		selected.Values = []float64{}
	}
	for r := range a.Rows() {
		for e := a.RowPtr[r]; e < a.RowPtr[r+1]; e++ {
			if !a.keeps(r, a.Col[e]) {
				continue
			}
			selected.Col = append(selected.Col, a.Col[e])
			if a.Values != nil {
				selected.Values = append(selected.Values, a.Values[e])
			}
		}
		selected.RowPtr[r+1] = int32(len(selected.Col))
	}
	return selected
}

// Transpose returns the transpose of a, masks included. The columns of its rows ascend, entries of one
// row and column in the order of a. Time and memory are linear in rows, columns and entries.
func (a *Sparse) Transpose() *Sparse {
	t := &Sparse{Cols: a.Rows(), RowPtr: make([]int32, a.Cols+1), Col: make([]int32, len(a.Col)), KeepRows: a.KeepCols,
		KeepCols: a.KeepRows}
	if a.Values != nil {
		t.Values = make([]float64, len(a.Values))
	}
	for _, c := range a.Col {
		t.RowPtr[c+1]++
	}
	for c := range a.Cols {
		t.RowPtr[c+1] += t.RowPtr[c]
	}
	next := make([]int32, a.Cols)
	copy(next, t.RowPtr)
	for r := range a.Rows() {
		for e := a.RowPtr[r]; e < a.RowPtr[r+1]; e++ {
			at := next[a.Col[e]]
			next[a.Col[e]]++
			t.Col[at] = int32(r)
			if a.Values != nil {
				t.Values[at] = a.Values[e]
			}
		}
	}
	return t
}
