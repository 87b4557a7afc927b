package autodiff

import (
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"gorgonia.org/tensor"
)

// sequences are the distinct label sequences along the paths of a batch. Where labels are all that vertices show, a
// layer pools over them in place of the paths, of which many are alike:
//
//	x = A s,  kappa = exp(alpha (x - 1)),  out = C kappa
//
// with the scores s as a matrix of (rows Size) x q, the mean x of the scores along every sequence, and its count
// along the paths of every root, or for a mean its share. A maximum is over the sequences of a root. Sequences that
// stand for paths that were drawn have their weights in place of counts, and the norms of their roots.
type sequences struct {
	first            []int // number of the first sequence of each length, and of all
	sizes            []int // vertices of each length
	mean, meanBack   *engine.Sparse
	count, countBack *engine.Sparse
	norms, normsBack *engine.Sparse // from the norms of the rows to those of the sequences; nil: ones
	maxima           engine.Segments
	single           bool // every sequence is a row of its own: C is the identity
}

// newSequences lists the sequences of rows of every length, whose classes are given.
func newSequences(layer *Layer, tableRows int, all *graph.PathSequences, classes [][]int32) *sequences {
	rows, entries, distinct := 0, 0, 0
	for i, size := range all.Size {
		here := 0
		for _, class := range classes[i] {
			here += int(all.Offsets[i][class+1] - all.Offsets[i][class])
		}
		rows, entries = rows+len(classes[i]), entries+here
		distinct += min(here, len(all.Labels[i])/size)
	}
	s, mean := &sequences{sizes: all.Size, first: []int{0}}, newMeans(layer, tableRows, distinct)
	count := &engine.Sparse{RowPtr: make([]int32, 1, rows+1)}
	count.Col, count.Values = make([]int32, 0, entries), make([]float64, 0, entries)
	for i, size := range all.Size {
		local := make([]int32, len(all.Labels[i])/size) // of each sequence: 1 + its number in the batch
		for _, class := range classes[i] {
			total := routes(all, i, class, layer.Pool)
			for e := all.Offsets[i][class]; e < all.Offsets[i][class+1]; e++ {
				n := all.Number[i][e]
				if local[n] == 0 {
					mean.add(all.Labels[i][int(n)*size : int(n+1)*size])
					local[n] = int32(mean.Rows())
				}
				count.Col = append(count.Col, local[n]-1)
				count.Values = append(count.Values, float64(all.Count[i][e])/total)
			}
			count.RowPtr = append(count.RowPtr, int32(len(count.Col)))
		}
		s.first = append(s.first, mean.Rows())
	}
	count.Cols = mean.Rows()
	s.mean, s.meanBack = mean.Sparse, mean.Sparse.Transpose()
	if layer.Pool == engine.Max {
		s.maxima = engine.Segments{Offsets: count.RowPtr, Index: append([]int32{}, count.Col...)}
	} else {
		s.count, s.countBack = count, count.Transpose()
	}
	return s
}

// singleSequences lists the given sequences of every length, each a row of its own.
func singleSequences(layer *Layer, tableRows int, all *graph.PathSequences, numbers [][]int32) *sequences {
	distinct := 0
	for _, of := range numbers {
		distinct += len(of)
	}
	s, mean := &sequences{sizes: all.Size, first: []int{0}, single: true}, newMeans(layer, tableRows, distinct)
	for i, size := range all.Size {
		for _, n := range numbers[i] {
			mean.add(all.Labels[i][int(n)*size : int(n+1)*size])
		}
		s.first = append(s.first, mean.Rows())
	}
	s.mean, s.meanBack = mean.Sparse, mean.Sparse.Transpose()
	return s
}

// means is the matrix that takes scores to their means along sequences.
type means struct {
	*engine.Sparse
	size int // of the longest path
}

// newMeans returns a matrix without rows, and room for so many sequences.
func newMeans(layer *Layer, tableRows, sequences int) means {
	return means{&engine.Sparse{
		Cols: tableRows * layer.Size, RowPtr: make([]int32, 1, sequences+1),
		Col: make([]int32, 0, sequences*layer.Size), Values: make([]float64, 0, sequences*layer.Size),
	}, layer.Size}
}

// add adds the row of a sequence of labels.
func (m means) add(labels []int32) {
	for k, label := range labels {
		m.Col = append(m.Col, label*int32(m.size)+int32(k))
		m.Values = append(m.Values, 1/float64(len(labels)))
	}
	m.RowPtr = append(m.RowPtr, int32(len(m.Col)))
}

// each calls body for runs of sequences [from, to) with one kernel. With the exponent as a mean over positions that is
// one run for all lengths.
func (s *sequences) each(kernel engine.Kernel, body func(p *engine.PathPooling, from, to int) error) error {
	for i := 0; i < len(s.sizes); i++ {
		from, alpha := s.first[i], s.alpha(kernel, i)
		for i+1 < len(s.sizes) && s.alpha(kernel, i+1) == alpha {
			i++
		}
		if err := body(&engine.PathPooling{Size: 1, Kernel: engine.Kernel{Alpha: alpha}}, from, s.first[i+1]); err != nil {
			return err
		}
	}
	return nil
}

// alpha is that of exp(alpha (mean - 1)) = exp(scale_j sum + shift_j) for length i of j vertices: j scale_j.
func (s *sequences) alpha(kernel engine.Kernel, i int) float64 {
	if kernel.SumExponent {
		return kernel.Alpha * float64(s.sizes[i])
	}
	return kernel.Alpha
}

// sequencePooling is the pooling of one layer over sequences, with what its last run left for the way back.
type sequencePooling struct {
	layer                               Layer
	means, kappa, meanGrads, kappaGrads *memory
	norms, normGrads                    *memory
	x, k, n                             *tensor.Dense // of the last run; n is nil without norms
}

func (op *operation) newSequencePooling(layer Layer) *sequencePooling {
	return &sequencePooling{
		layer: layer, means: op.newMemory(), kappa: op.newMemory(), meanGrads: op.newMemory(), kappaGrads: op.newMemory(),
		norms: op.newMemory(), normGrads: op.newMemory(),
	}
}

// pool computes out from the scores.
func (p *sequencePooling) pool(g *Graph, s *sequences, out *tensor.Dense, table *Table) error {
	n, q, scores := s.mean.Rows(), out.Shape()[1], table.Rows
	p.x, p.kappa.used, p.k = p.means.tensor(g.engine, g.dtype, n, q), 0, out
	if !s.single {
		p.k = p.kappa.tensor(g.engine, g.dtype, n, q)
	}
	if err := g.engine.SparseMatMul(p.x, s.mean, p.means.view(scores, 0, s.mean.Cols, q)); err != nil {
		return err
	}
	if p.n = nil; s.norms != nil {
		p.n = p.norms.tensor(g.engine, g.dtype, n)
		rows := p.norms.view(table.Norms, 0, s.norms.Cols, 1)
		if err := g.engine.SparseMatMul(p.norms.view(p.n, 0, n, 1), s.norms, rows); err != nil {
			return err
		}
	}
	err := s.each(p.layer.Kernel, func(single *engine.PathPooling, from, to int) error {
		k, x := p.kappa.view(p.k, from*q, to-from, q), p.kappa.view(p.x, from*q, to-from, q)
		return g.engine.PathPool([]*tensor.Dense{k}, x, part(p.norms, p.n, from, to), single)
	})
	switch {
	case err != nil || s.single:
		return err
	case p.layer.Pool == engine.Max:
		return g.engine.SegmentReduce(out, p.k, s.maxima, engine.Max)
	}
	return g.engine.SparseMatMul(out, s.count, p.k)
}

// part views the entries [from, to) of a vector, of none as nil.
func part(m *memory, t *tensor.Dense, from, to int) *tensor.Dense {
	if t == nil {
		return nil
	}
	return m.view(t, from, to-from)
}

// back computes the gradient of the scores and norms that pool saw from that of what it computed.
func (p *sequencePooling) back(g *Graph, s *sequences, table *Table, grad *tensor.Dense) error {
	n, q, scoreGrad := s.mean.Rows(), grad.Shape()[1], table.Rows
	kGrad, xGrad := grad, p.meanGrads.tensor(g.engine, g.dtype, n, q)
	p.kappaGrads.used = 0
	if !s.single {
		kGrad = p.kappaGrads.tensor(g.engine, g.dtype, n, q)
	}
	var err error
	switch {
	case s.single:
	case p.layer.Pool == engine.Max:
		err = g.engine.SegmentReduceGrad(kGrad, grad, p.k, s.maxima, engine.Max)
	default:
		err = g.engine.SparseMatMul(kGrad, s.countBack, grad)
	}
	if err != nil {
		return err
	}
	var normGrad *tensor.Dense
	if p.n != nil {
		normGrad = p.normGrads.tensor(g.engine, g.dtype, n)
	}
	err = s.each(p.layer.Kernel, func(single *engine.PathPooling, from, to int) error {
		rows := func(t *tensor.Dense) *tensor.Dense { return p.kappaGrads.view(t, from*q, to-from, q) }
		return g.engine.PathPoolGrad(rows(xGrad), part(p.normGrads, normGrad, from, to), []*tensor.Dense{rows(kGrad)},
			rows(p.x), part(p.normGrads, p.n, from, to), single)
	})
	if err != nil {
		return err
	}
	if p.n != nil {
		rows := p.normGrads.view(table.Norms, 0, s.norms.Cols, 1)
		if err := g.engine.SparseMatMul(rows, s.normsBack, p.normGrads.view(normGrad, 0, n, 1)); err != nil {
			return err
		}
	}
	return g.engine.SparseMatMul(p.meanGrads.view(scoreGrad, 0, s.mean.Cols, q), s.meanBack, xGrad)
}
