package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/mpgk"
	"gorgonia.org/tensor"
)

// messageOperations fit message passing graph kernels and compute their matrices after 1 to 4 iterations. The
// published code, which knows AA alone, takes 13.4 CPU seconds for MUTAG and 282 for ENZYMES on one core, for the
// matrix after 4 iterations with 150 + 50 Nyström samples and hierarchies of depth 8 with 4 children.
func messageOperations() []operation {
	molecules := func(in *inputs) (source, error) {
		return in.named("MUTAG", "molecules", dataset.SynthOptions{Graphs: 188, Vertices: 18})
	}
	about := "kernel matrices of MPGK-%s after 1 to 4 iterations, %s, hierarchies of depth 8"
	return []operation{
		{"mpgk-aa-mutag", fmt.Sprintf(about, "AA", "exact, MUTAG"),
			messagePassing("mpgk-aa", 0, molecules, 0.5, 13.4), large},
		{"mpgk-aa-enzymes", fmt.Sprintf(about, "AA", "exact, attributes of ENZYMES"),
			messagePassing("mpgk-aa", 0, enzymes, 5, 282), large},
		{"mpgk-aa-enzymes-200", fmt.Sprintf(about, "AA", "200 landmarks, attributes of ENZYMES"),
			messagePassing("mpgk-aa", 200, enzymes, 5, 282), large},
		{"mpgk-ra-enzymes", fmt.Sprintf(about, "RA", "exact, attributes of ENZYMES"),
			messagePassing("mpgk-ra", 0, enzymes, 0, 0), large},
		{"mpgk-aa-nci1", fmt.Sprintf(about, "AA", "exact, NCI1"),
			messagePassing("mpgk-aa", 0, (*inputs).molecules, 0, 0), large},
	}
}

// enzymes returns ENZYMES with its attributes, or generated graphs of its size with as many.
func enzymes(in *inputs) (source, error) {
	if d, err := dataset.Open(filepath.Join(in.root, "tu", "ENZYMES")); err == nil {
		return source{batch: thinned(d, in.sizes.graphs).Batch, from: "ENZYMES"}, nil
	}
	s, err := in.named("", "molecules", dataset.SynthOptions{Graphs: 600, Vertices: 33})
	if err != nil {
		return source{}, err
	}
	b, r := *s.batch, newRandom("attributes")
	b.AttributeDim = 18
	for range b.NumVertices() * b.AttributeDim {
		b.Attributes = append(b.Attributes, r.NormFloat64())
	}
	return source{batch: &b, from: s.from}, nil
}

// messagePassing fits a kernel and computes its matrices. Its rate counts graphs; the floor reads every entry of the
// different vertices' features once at every depth of every hierarchy, where each adds to the scores of 4 clusters.
func messagePassing(
	name string, landmarks int, from func(*inputs) (source, error), limit, published float64,
) func(t *table) (*task, error) {
	return func(t *table) (*task, error) {
		s, err := from(t.inputs)
		if err != nil {
			return nil, err
		}
		opt, err := mpgk.Preset(name)
		if err != nil {
			return nil, err
		}
		opt.Landmarks = landmarks
		run := func(e engine.Engine) (*mpgk.Model, error) {
			m, err := mpgk.Fit(context.Background(), e, s.batch, opt, nil)
			if err != nil {
				return nil, err
			}
			return m, m.EachGram(context.Background(), nil, func(int, *tensor.Dense) error { return nil })
		}
		m, err := run(t.engine)
		if err != nil {
			return nil, err
		}
		graphs := float64(s.batch.NumGraphs())
		points, entries := m.Size()
		passes := float64(opt.Depth) * float64(entries)
		task := &task{
			shape: fmt.Sprintf("%s: %.0f graphs, %d vertices; %d different ones under k^0 to k^%d, %d entries",
				s.from, graphs, s.batch.NumVertices(), points, opt.Iterations, entries),
			run: func(e engine.Engine) error {
				_, err := run(e)
				return err
			},
			units: graphs, unit: "graphs/s",
			floor: floor{flops64: float64(opt.Branching) * passes, bytes: 4 * passes},
		}
		if limit > 0 {
			task.rate = target{fmt.Sprintf("graphs in a second, %g seconds for all", limit), graphs / limit, atLeast}
		}
		if published > 0 {
			task.against = func(*runner) (*rival, error) {
				return &rival{Name: "the published code", Seconds: published}, nil
			}
		}
		return task, nil
	}
}
