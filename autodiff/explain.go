package autodiff

import (
	"errors"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"gorgonia.org/tensor"
)

// Explain returns the gradient of a sum of the logits of some graphs, or of some of their vertices, with respect to the
// features of the vertices (vertices x d, on the engine and good until the next run), as the network predicts. weights
// are those of the logits, items x outputs in host memory.
func (n *Network) Explain(b *graph.Batch, f Features, weights *tensor.Dense, vertices []int32) (*tensor.Dense, error) {
	if _, err := n.program(explained); err != nil {
		return nil, err
	}
	at, err := n.Layout(b, f, Targets{}, vertices)
	if err != nil {
		return nil, err
	}
	defer at.Release(n.engine)
	if !weights.Shape().Eq(tensor.Shape{at.items, n.outputs}) {
		return nil, errors.New("weights of other logits than those that are to be explained")
	}
	p, l := n.programs[explained], &at.layout
	l.seeds = n.engine.Scratch(n.dtype, at.items, n.outputs)
	at.own = append(at.own, l.seeds)
	err = engine.Record(n.engine, func() error {
		if err := at.arrive(); err != nil {
			return err
		}
		if err := n.engine.Convert(l.seeds, weights); err != nil {
			return err
		}
		l.vertices = l.rows
		if l.index != nil {
			l.vertices = n.engine.Scratch(n.dtype, len(l.index), l.rows.Shape()[1])
			at.own = append(at.own, l.vertices)
			if err := n.engine.Place(l.vertices, l.rows, l.index, engine.Placement{Stride: 1}); err != nil {
				return err
			}
		}
		p.machine.Let(p.graph.features, l.vertices)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := n.use(explained, at); err != nil {
		return nil, err
	}
	return n.last.value(n.last.gradients[0]), nil
}
