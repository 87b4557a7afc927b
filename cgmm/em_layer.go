package cgmm

import (
	"context"
	"fmt"
	"slices"

	"github.com/grove-graph/grove/graph"
)

// EM goes on with the expectation maximisation of one layer of a model, on any graphs. The model stays as it is. It
// serves one goroutine at a time.
type EM struct {
	sums  *em
	layer *layer
	opt   Options
}

// EM returns the expectation maximisation of a layer, counted from 0, on the graphs of b and the states that the layers
// below give them. Close it in the end.
func (m *Model) EM(ctx context.Context, b *graph.Batch, layer int) (*EM, error) {
	if layer < 0 || layer >= len(m.layers) {
		return nil, fmt.Errorf("layer %d of %d", layer, len(m.layers))
	}
	below := *m
	below.layers = m.layers[:layer]
	s, err := below.States(ctx, b, nil)
	if err != nil {
		return nil, err
	}
	y := m.layers[layer].clone()
	c, err := s.contexts(y.previous, y.arcs, m.opt.Soft)
	if err != nil {
		return nil, err
	}
	return &EM{newEM(m.engine, s.shown, c, y.states), y, m.opt}, nil
}

// Iterate makes one iteration and returns the log-likelihood before it (Eq. 2).
func (e *EM) Iterate() (float64, error) {
	value, err := e.sums.expect(e.layer)
	if err == nil {
		e.sums.maximise(e.layer, e.opt.Smoothing)
	}
	return value, err
}

// Size returns the number of vertices that differ in what they show or in their context, and the number of
// entries of their contexts: an iteration looks at nothing else.
func (e *EM) Size() (rows, entries int) { return len(e.sums.c.weight), len(e.sums.c.x.Col) }

// Close gives the memory on the engine back.
func (e *EM) Close() { e.sums.release() }

// clone returns a layer with the same parameters in memory of its own.
func (y *layer) clone() *layer {
	copied := *y
	for _, p := range copied.parameters(0) {
		*p.values = slices.Clone(*p.values)
	}
	return &copied
}
