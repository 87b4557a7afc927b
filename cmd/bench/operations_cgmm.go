package main

import (
	"context"
	"fmt"

	"github.com/grove-graph/grove/cgmm"
	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
)

// contextualOperations train the contextual graph Markov model. The paper reports 20 to 22 vertices in a
// millisecond; the published tensor code takes 57 CPU seconds for the whole embedding of PROTEINS on one core.
func contextualOperations() []operation {
	return []operation{
		{"cgmm-iteration-20-1", "an iteration on NCI1: layer 4, 20 states, one arc label", cgmmIteration(20, 1, false),
			everywhere},
		{"cgmm-iteration-40-1", "the same with 40 states", cgmmIteration(40, 1, false), everywhere},
		{"cgmm-iteration-20-4", "the same with 20 states and 4 arc labels drawn at random", cgmmIteration(20, 4, false),
			everywhere},
		{"cgmm-iteration-40-4", "the same with 40 states and 4 arc labels drawn at random", cgmmIteration(40, 4, false),
			everywhere},
		{"cgmm-iteration-soft", "the same with 20 states, one arc label and posteriors as context",
			cgmmIteration(20, 1, true), everywhere},
		{"cgmm-embedding", "training of 8 layers of 20 states by 10 iterations on PROTEINS, and its fingerprints",
			cgmmEmbedding, everywhere},
	}
}

// onEngines keeps what is made for an engine.
func onEngines[T any](build func(e engine.Engine) (T, error)) func(e engine.Engine) (T, error) {
	made := map[engine.Engine]T{}
	return func(e engine.Engine) (T, error) {
		if known, ok := made[e]; ok {
			return known, nil
		}
		t, err := build(e)
		made[e] = t
		return t, err
	}
}

func cgmmIteration(states, arcLabels int, soft bool) func(t *table) (*task, error) {
	return func(t *table) (*task, error) {
		s, err := t.inputs.molecules()
		if err != nil {
			return nil, err
		}
		b := *s.batch
		b.ArcLabels = newRandom("arc labels").indices(b.NumArcs(), arcLabels)
		in, err := cgmm.InputOf(&b, arcLabels > 1)
		if err != nil {
			return nil, err
		}
		opt := cgmm.DefaultOptions()
		opt.States, opt.Layers, opt.Soft, opt.Tolerance = states, 4, soft, 0
		estimator := onEngines(func(e engine.Engine) (*cgmm.EM, error) {
			m, err := cgmm.Fit(context.Background(), e, &b, in, opt, cgmm.Training{})
			if err != nil {
				return nil, err
			}
			return m.EM(context.Background(), &b, opt.Layers-1)
		})
		own, err := estimator(t.engine)
		if err != nil {
			return nil, err
		}
		rows, entries := own.Size()
		limit := target{}
		if states == 20 && arcLabels == 1 && !soft {
			limit = target{"vertices in a second of an iteration", 1e6, atLeast}
		}
		return &task{
			shape: fmt.Sprintf("%s: %d vertices, %d of them different with %d neighbouring states", s.from, b.NumVertices(),
				rows, entries),
			run: func(e engine.Engine) error {
				estimator, err := estimator(e)
				if err == nil {
					_, err = estimator.Iterate()
				}
				return err
			},
			units: float64(b.NumVertices()), unit: "vertices/s",
			floor: floor{flops64: 4 * float64(entries), bytes: 12 * float64(entries)},
			rate:  limit,
		}, nil
	}
}

func cgmmEmbedding(t *table) (*task, error) {
	s, err := t.inputs.named("PROTEINS", "molecules", dataset.SynthOptions{Graphs: 1113, Vertices: 39})
	if err != nil {
		return nil, err
	}
	in, err := cgmm.InputOf(s.batch, false)
	if err != nil {
		return nil, err
	}
	opt := cgmm.DefaultOptions()
	opt.Tolerance = 0
	vertices := float64(s.batch.NumVertices())
	return &task{
		shape: fmt.Sprintf("%s: %d graphs, %.0f vertices; %s", s.from, s.batch.NumGraphs(), vertices, opt),
		run: func(e engine.Engine) error {
			m, err := cgmm.Fit(context.Background(), e, s.batch, in, opt, cgmm.Training{})
			if err == nil {
				_, err = m.Transform(context.Background(), s.batch, nil)
			}
			return err
		},
		units: vertices, unit: "vertices/s",
		floor: floor{bytes: 4 * float64(opt.Layers) * float64(s.batch.NumArcs())},
		rate:  target{"vertices in a second, 1.5 seconds for PROTEINS", vertices / 1.5, atLeast},
	}, nil
}
