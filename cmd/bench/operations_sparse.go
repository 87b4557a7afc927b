package main

import (
	"fmt"

	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

func sparseOperations() []operation {
	return []operation{
		{"sparse-matmul", "sparse-dense product: NCI1 adjacency with 128 features",
			sparseMatMul((*inputs).molecules, noMasks), everywhere},
		{"sparse-matmul-dense", "the same on denser graphs of the kind of COLLAB (generated)",
			sparseMatMul((*inputs).dense, noMasks), everywhere},
		{"sparse-matmul-power-law", "the same on one power-law graph of 10 million arcs (generated) with 64 features",
			sparseMatMul((*inputs).powerLaw, noMasks), large},
		{"sparse-matmul-rows", "the same product for half of the rows, as a subset of targets asks for it",
			sparseMatMul((*inputs).powerLaw, keepRows), large},
		{"sparse-matmul-cols", "the same product with half of the columns, as a subset of sources asks for it",
			sparseMatMul((*inputs).powerLaw, keepCols), large},
		{"histogram-intersection", "Gram matrix of 2000 histograms of 60 among 20 000 bins", histogramIntersection,
			everywhere},
	}
}

// masks says which half of a matrix counts.
type masks int

const (
	noMasks masks = iota
	keepRows
	keepCols
)

// sparseMatMul counts for its rate the bytes of all accesses, every arc reading a row of features. The
// floor reads each row once.
func sparseMatMul(from func(*inputs) (source, error), m masks) func(t *table) (*task, error) {
	return func(t *table) (*task, error) {
		s, err := from(t.inputs)
		if err != nil {
			return nil, err
		}
		n, arcs, q := s.batch.NumVertices(), s.batch.NumArcs(), t.sizes.filters
		isLarge := s.batch.NumGraphs() == 1
		if isLarge {
			q = t.sizes.columns
		}
		x, err := newRandom("sparse").matrix(t.engine, tensor.Float32, n, q)
		if err != nil {
			return nil, err
		}
		a, y := engine.Adjacency(s.batch), t.engine.New(tensor.Float32, n, q)
		keep := make([]bool, n)
		r := newRandom("masks")
		for v := range keep {
			keep[v] = r.IntN(2) == 0
		}
		rows := float64(n) // of x that are read
		kept := float64(arcs)
		switch m {
		case keepRows:
			a.KeepRows, kept = keep, keptArcs(a, keep, nil)
		case keepCols:
			a.KeepCols, kept = keep, keptArcs(a, nil, keep)
			rows = count(keep)
		}
		csr := 4*float64(n+1) + 4*float64(arcs)
		width := 4 * float64(q)
		task := &task{
			shape: fmt.Sprintf("%s: %d x %d with %.0f arcs, %d columns", s.from, n, n, kept, q),
			run:   func(e engine.Engine) error { return e.SparseMatMul(y, a, x) },
			moved: csr + width*(kept+float64(n)), unit: "B/s",
			floor: floor{flops32: kept * float64(q), bytes: csr + width*(rows+float64(n))},
		}
		task.units = task.moved
		if isLarge && m == noMasks {
			task.device = deviceTarget{share: 0.6, ofCopy: true}
			task.against = func(r *runner) (*rival, error) { return r.torchSparse(a, x, y) }
		}
		return task, nil
	}
}

// keptArcs returns the number of entries that no mask leaves out.
func keptArcs(a *engine.Sparse, rows, cols []bool) float64 {
	kept := 0
	for u := range len(a.RowPtr) - 1 {
		if rows != nil && !rows[u] {
			continue
		}
		for _, v := range a.Col[a.RowPtr[u]:a.RowPtr[u+1]] {
			if cols == nil || cols[v] {
				kept++
			}
		}
	}
	return float64(kept)
}

func count(keep []bool) float64 {
	n := 0.0
	for _, k := range keep {
		if k {
			n++
		}
	}
	return n
}

// histogramIntersection takes histograms like those of colour refinement. Its rate counts pairs; the floor
// adds up the least entries of the two rows of a pair, as far as both have an entry.
func histogramIntersection(t *table) (*task, error) {
	const bins, entries = 20000, 60
	n := t.sizes.histograms
	a := histograms(n, bins, entries)
	out := t.engine.New(tensor.Float32, n, n)
	column := make([]float64, bins)
	for _, c := range a.Col {
		column[c]++
	}
	common := 0.0
	for _, c := range column {
		common += c * c
	}
	pairs := float64(n) * float64(n)
	return &task{
		shape: fmt.Sprintf("%d x %d of %d bins, %d entries in all, %.0f in common", n, n, bins, len(a.Col), common),
		run:   func(e engine.Engine) error { return e.HistogramIntersection(out, a, a) },
		units: pairs, unit: "pairs/s",
		floor: floor{flops32: 2 * common, bytes: 2*12*float64(len(a.Col)) + 4*pairs},
	}, nil
}

// histograms draws rows whose bins are the less frequent the higher their number.
func histograms(rows, bins, entries int) *engine.Sparse {
	r := newRandom("histograms")
	a := &engine.Sparse{Cols: bins, RowPtr: make([]int32, 1, rows+1)}
	counts := make([]float64, bins)
	for range rows {
		for range entries {
			x := r.Float64()
			counts[int(float64(bins)*x*x*x)]++
		}
		for c, k := range counts {
			if k > 0 {
				a.Col, a.Values = append(a.Col, int32(c)), append(a.Values, k)
				counts[c] = 0
			}
		}
		a.RowPtr = append(a.RowPtr, int32(len(a.Col)))
	}
	return a
}
