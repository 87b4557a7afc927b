package gckn

import (
	"github.com/grove-graph/grove/autodiff"
	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

// wholeVectors returns sequences of so many rows of a table as vectors, the rows one after another, divided by their
// norms.
func wholeVectors(e engine.Engine, table *tensor.Dense, rows []int32, size int) (*tensor.Dense, error) {
	d := table.Shape()[1]
	vectors := e.New(table.Dtype(), len(rows)/size, size*d)
	if err := e.Place(engine.View(vectors, 0, len(rows), d), table, rows, engine.Placement{Stride: 1}); err != nil {
		return nil, err
	}
	return vectors, e.NormalizeRows(vectors, nil, vectors, autodiff.NormEps)
}

// clusteredAnchors returns clusters of whole paths (1 x q x p d) as anchors, p x q x d.
func clusteredAnchors(e engine.Engine, z *tensor.Dense, p int) (*tensor.Dense, error) {
	q, d := z.Shape()[1], z.Shape()[2]/p
	index := make([]int32, 0, p*q)
	for j := range p {
		for f := range q {
			index = append(index, int32(f*p+j))
		}
	}
	anchors := e.New(z.Dtype(), p, q, d)
	return anchors, e.Place(flat(anchors), engine.View(z, 0, q*p, d), index, engine.Placement{Stride: 1})
}

// unitAnchors returns anchors, p x q x d, with each divided by its norm as a whole.
func unitAnchors(e engine.Engine, z *tensor.Dense) (*tensor.Dense, error) {
	p, q := z.Shape()[0], z.Shape()[1]
	index := make([]int32, 0, p*q)
	for f := range q {
		for j := range p {
			index = append(index, int32(j*q+f))
		}
	}
	vectors, err := wholeVectors(e, flat(z), index, p)
	if err != nil {
		return nil, err
	}
	s := vectors.Shape()
	return clusteredAnchors(e, engine.View(vectors, 0, 1, s[0], s[1]), p)
}
