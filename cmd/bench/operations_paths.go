package main

import (
	"fmt"

	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

const (
	trieTarget    = 12e6 // wanted rate of encoding, in trie nodes for a second and a core with AVX-512
	speedupTarget = 1.8  // wanted ratio of the times of one worker and two
)

func pathTrie(t *table) (*task, error) {
	s, err := t.inputs.molecules()
	if err != nil {
		return nil, err
	}
	task, err := paths(t, s, 4, s.batch.NumLabels, s.batch.Labels)
	if err != nil {
		return nil, err
	}
	task.rate = target{"trie nodes per second and core, 128 filters", trieTarget, atLeast}
	task.speedup = target{"path pooling, two workers over one", speedupTarget, atLeast}
	return task, nil
}

func pathTrieVertex(t *table) (*task, error) {
	s, err := t.inputs.molecules()
	if err != nil {
		return nil, err
	}
	return paths(t, s, 4, s.batch.NumVertices(), nil)
}

// paths pools over paths of 1 to size vertices from all vertices of s. A trie node is a path of any of
// these sizes; each one costs an exponential for every filter.
func paths(t *table, s source, size, rows int, index []int32) (*task, error) {
	p := pooling(s, size, index)
	counts := pathsBySize(s, size)
	nodes := 0.0
	for _, c := range counts {
		nodes += c
	}
	q := float64(t.sizes.filters)
	vertices := float64(s.batch.NumVertices())
	return &task{
		shape: fmt.Sprintf("%s: %d vertices, %.0f trie nodes, sizes 1 to %d, %d filters", s.from, s.batch.NumVertices(), nodes, size, t.sizes.filters),
		run:   runPooling(t, p, rows),
		units: nodes, unit: "nodes/s",
		floor: floor{exps32: nodes * q, bytes: 4 * q * float64(size) * (float64(rows) + vertices)},
	}, nil
}

func pathEarly(t *table) (*task, error) {
	s, err := t.inputs.social()
	if err != nil {
		return nil, err
	}
	return pathsEarly(t, s)
}

func pathEarlyDense(t *table) (*task, error) {
	s, err := t.inputs.dense()
	if err != nil {
		return nil, err
	}
	return pathsEarly(t, s)
}

// pathsEarly counts the trie nodes that are covered, though the search does not visit the last of every
// path. It takes an exponential for every path that is not of full size, for every vertex on its own and
// for every vertex as the end of a path of each size.
func pathsEarly(t *table, s source) (*task, error) {
	const size = 3
	task, err := paths(t, s, size, s.batch.NumLabels, s.batch.Labels)
	if err != nil {
		return nil, err
	}
	counts := pathsBySize(s, size)
	exps := counts[0] * size
	for _, c := range counts[:size-1] {
		exps += c
	}
	task.floor.exps32 = exps * float64(t.sizes.filters)
	return task, nil
}

// walkPool counts a step for every arc in every pass of the recursion.
func walkPool(t *table) (*task, error) {
	const size = 4
	s, err := t.inputs.molecules()
	if err != nil {
		return nil, err
	}
	p := pooling(s, size, s.batch.Labels)
	p.Walks = true
	n, q := float64(s.batch.NumVertices()), float64(t.sizes.filters)
	const passes, factors = size * (size - 1) / 2, size * (size + 1) / 2
	steps := passes * float64(s.batch.NumArcs())
	return &task{
		shape: fmt.Sprintf("%s: %.0f steps over arcs, sizes 1 to %d, %.0f filters", s.from, steps, size, q),
		run:   runPooling(t, p, s.batch.NumLabels),
		units: steps, unit: "steps/s",
		floor: floor{exps32: factors * n * q, flops32: steps * q, bytes: 4 * n * q * size},
	}, nil
}

func pathClasses(t *table) (*task, error) {
	s, err := t.inputs.molecules()
	if err != nil {
		return nil, err
	}
	nodes := 0.0
	for _, c := range pathsBySize(s, 4) {
		nodes += c
	}
	b := s.batch
	classes := b.PathClasses(b.Labels, 4, true, false, 1)
	return &task{
		shape: fmt.Sprintf("%s: %d vertices, %d classes of size 4", s.from, b.NumVertices(), len(classes.Roots[3])),
		run: func(e engine.Engine) error {
			b.PathClasses(b.Labels, 4, true, false, e.Workers())
			return nil
		},
		units: nodes, unit: "nodes/s",
	}, nil
}

func pooling(s source, size int, index []int32) *engine.PathPooling {
	return &engine.PathPooling{Graph: s.batch, Index: index, Size: size, AllLengths: true, Kernel: gramKernel()}
}

// runPooling makes scores of the given number of rows and the outputs.
func runPooling(t *table, p *engine.PathPooling, rows int) func(e engine.Engine) error {
	q := t.sizes.filters
	scores := newRandom("paths").matrix(t.engine, tensor.Float32, rows, p.Size*q)
	out := make([]*tensor.Dense, p.Size)
	for i := range out {
		out[i] = engine.New(t.engine, tensor.Float32, p.Graph.NumVertices(), q)
	}
	return func(e engine.Engine) error { return e.PathPool(out, scores, nil, p) }
}

// pathsBySize returns the number of paths of 1 to size vertices.
func pathsBySize(s source, size int) []float64 {
	counts := make([]float64, size)
	for i, c := range s.batch.PathCounts(size) {
		counts[i%size] += float64(c)
	}
	return counts
}
