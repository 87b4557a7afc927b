package main

import (
	"fmt"

	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

// vertexOperations pool over the vertices of graphs or the neighbours of vertices.
func vertexOperations() []operation {
	return []operation{
		{"segment-sum", "sum of 128 features over the vertices of every NCI1 graph", segments(engine.Sum), everywhere},
		{"segment-max", "maximum of 128 features over the vertices of every NCI1 graph", segments(engine.Max), everywhere},
		{"segment-neighbors", "weighted mean of 32 numbers over the neighbours of every NCI1 vertex, as in CGMM",
			neighborMean, everywhere},
		{"posterior", "Bayes' rule for every NCI1 vertex and 32 states", posterior, everywhere},
	}
}

func segments(pool engine.Pooling) func(t *table) (*task, error) {
	return func(t *table) (*task, error) {
		s, x, err := t.features("segments", tensor.Float32)
		if err != nil {
			return nil, err
		}
		n, graphs, q := x.Shape()[0], s.batch.NumGraphs(), x.Shape()[1]
		out := t.engine.New(tensor.Float32, graphs, q)
		bytes := 4 * float64((n+graphs)*q+graphs+1)
		return &task{
			shape: fmt.Sprintf("%s: %d vertices in %d graphs, %d columns", s.from, n, graphs, q),
			run: func(e engine.Engine) error {
				return e.SegmentReduce(out, x, engine.Segments{Offsets: s.batch.Offsets}, pool)
			},
			units: bytes, unit: "B/s",
			floor: floor{flops32: float64(n * q), bytes: bytes},
		}, nil
	}
}

// states is the number of hidden states of a layer of CGMM.
const states = 32

func neighborMean(t *table) (*task, error) {
	s, err := t.inputs.molecules()
	if err != nil {
		return nil, err
	}
	b := s.batch
	n, arcs := b.NumVertices(), b.NumArcs()
	r := newRandom("neighbors")
	x, err := r.matrix(t.engine, tensor.Float32, n, states)
	if err != nil {
		return nil, err
	}
	weights := make([]float64, arcs)
	for i := range weights {
		weights[i] = r.Float64()
	}
	out := t.engine.New(tensor.Float32, n, states)
	item := engine.Segments{Offsets: b.RowPtr, Index: b.Col, Weights: weights}
	lists := 4*float64(n+1) + 12*float64(arcs)
	return &task{
		shape: fmt.Sprintf("%s: %d vertices, %d arcs, %d columns", s.from, n, arcs, states),
		run:   func(e engine.Engine) error { return e.SegmentReduce(out, x, item, engine.Mean) },
		units: lists + 4*float64((n+arcs)*states), unit: "B/s",
		moved: lists + 4*float64((n+arcs)*states),
		floor: floor{flops32: 2 * float64(arcs*states), bytes: lists + 8*float64(n*states)},
	}, nil
}

func posterior(t *table) (*task, error) {
	const labels = 37 // of NCI1
	s, err := t.inputs.molecules()
	if err != nil {
		return nil, err
	}
	n, r := s.batch.NumVertices(), newRandom("posterior")
	positive := func(rows int) (*tensor.Dense, error) {
		x := tensor.New(tensor.Of(tensor.Float32), tensor.WithShape(rows, states))
		for i := range x.Float32s() {
			x.Float32s()[i] = r.Float32()
		}
		return onto(t.engine, x)
	}
	prior, err := positive(n)
	if err != nil {
		return nil, err
	}
	likelihood, err := positive(labels)
	if err != nil {
		return nil, err
	}
	index := r.indices(n, labels)
	out, evidence := t.engine.New(tensor.Float32, n, states), t.engine.New(tensor.Float32, n)
	bytes := 4 * float64(2*n*states+2*n+labels*states)
	return &task{
		shape: fmt.Sprintf("%s: %d vertices, %d states, %d labels", s.from, n, states, labels),
		run:   func(e engine.Engine) error { return e.Posterior(out, evidence, prior, likelihood, index) },
		units: float64(n), unit: "vertices/s",
		floor: floor{flops32: 3 * float64(n*states), bytes: bytes},
	}, nil
}
