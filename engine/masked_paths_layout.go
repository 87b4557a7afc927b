package engine

import (
	"fmt"

	"gorgonia.org/tensor"
)

// maskedWork is one call on the tensors of an engine.
type maskedWork struct {
	*MaskedPaths
	e                     Engine
	q                     int
	means, weights, kappa *tensor.Dense // of the paths of all lengths
}

// lay checks the arguments and computes the mean scores and the weights of all paths. out has the shape of the outputs.
func (m *MaskedPaths) lay(e Engine, out []*tensor.Dense, scores, norms *tensor.Dense, mask [][]float64) (*maskedWork, error) {
	q, err := checkPooling("masked paths", out, scores, norms, &m.pooling)
	if err != nil {
		return nil, err
	}
	if mask != nil {
		if err := m.check(mask); err != nil {
			return nil, err
		}
	}
	count, rows, dtype := len(m.rootRow), scores.Shape()[0], scores.Dtype()
	w := &maskedWork{m, e, q, Scratch(e, dtype, count, q), Scratch(e, dtype, count), Scratch(e, dtype, count, q)}
	if err = e.SegmentReduce(w.means, View(scores, 0, rows*m.pooling.Size, q), m.positions, Mean); err == nil {
		err = w.weigh(norms, flattened(mask))
	}
	if err != nil {
		w.release()
		return nil, err
	}
	return w, nil
}

// weigh computes M_j[p] norm(u) for all paths.
func (w *maskedWork) weigh(norms *tensor.Dense, mask []float64) error {
	count := len(w.rootRow)
	if norms != nil {
		of := &Sparse{Cols: norms.Shape()[0], RowPtr: make([]int32, count+1), Col: w.rootRow, Values: mask}
		for k := range of.RowPtr {
			of.RowPtr[k] = int32(k)
		}
		return w.e.SparseMatMul(View(w.weights, 0, count, 1), of, View(norms, 0, of.Cols, 1))
	}
	if mask == nil {
		mask = make([]float64, count)
		for k := range mask {
			mask[k] = 1
		}
	}
	return w.e.Convert(w.weights, tensor.New(tensor.WithShape(count), tensor.WithBacking(mask)))
}

// each calls body for every length with the layout of its paths as single vertices. kappa has any content.
func (w *maskedWork) each(body func(i int, single *PathPooling, means, weights, kappa *tensor.Dense) error) error {
	for i, j := range w.pooling.Lengths() {
		// exp(scale_j sum + shift_j) = exp(alpha (mean - 1)) for alpha = j scale_j, in both forms of the kernel.
		scale, _ := w.pooling.Kernel.Scale(j)
		single := &PathPooling{Size: 1, Kernel: Kernel{Alpha: scale * float64(j)}}
		if err := body(i, single, w.part(w.means, i, w.q), w.numbers(w.weights, i), w.part(w.kappa, i, w.q)); err != nil {
			return err
		}
	}
	return nil
}

// first returns the number of the first path of length i among those of all lengths.
func (m *MaskedPaths) first(i int) int {
	n := 0
	for k := range i {
		n += m.Len(k)
	}
	return n
}

// part returns the rows of the paths of length i.
func (w *maskedWork) part(t *tensor.Dense, i, q int) *tensor.Dense {
	return View(t, w.first(i)*q, w.Len(i), q)
}

// numbers returns the elements of the paths of length i.
func (w *maskedWork) numbers(t *tensor.Dense, i int) *tensor.Dense {
	return View(t, w.first(i), w.Len(i))
}

func (w *maskedWork) release() { Release(w.e, w.means, w.weights, w.kappa) }

// byRoot returns the matrix from paths to the rows of their roots, with the masks as values.
func (m *MaskedPaths) byRoot(rows int, mask []float64) *Sparse {
	of := &Sparse{Cols: len(m.rootRow), RowPtr: make([]int32, rows+1), Col: make([]int32, len(m.rootRow))}
	if mask != nil {
		of.Values = make([]float64, len(mask))
	}
	for _, r := range m.rootRow {
		of.RowPtr[r+1]++
	}
	for r := range rows {
		of.RowPtr[r+1] += of.RowPtr[r]
	}
	at := append([]int32(nil), of.RowPtr...)
	for k, r := range m.rootRow {
		of.Col[at[r]] = int32(k)
		if mask != nil {
			of.Values[at[r]] = mask[k]
		}
		at[r]++
	}
	return of
}

// check wants a slice for each length with a weight for each of its paths.
func (m *MaskedPaths) check(mask [][]float64) error {
	if len(mask) != len(m.paths) {
		return fmt.Errorf("masks of %d lengths, want %d", len(mask), len(m.paths))
	}
	for i := range mask {
		if len(mask[i]) != m.Len(i) {
			return fmt.Errorf("a mask of %d weights for the %d paths of %d vertices", len(mask[i]), m.Len(i), m.pooling.Lengths()[i])
		}
	}
	return nil
}

// flattened returns the masks of all lengths one after another, nil for nil.
func flattened(mask [][]float64) []float64 {
	if mask == nil {
		return nil
	}
	all := []float64{}
	for _, of := range mask {
		all = append(all, of...)
	}
	return all
}
