package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/wl"
)

// colourOperations refine colours 5 times and compute the kernel matrix of all graphs, and learn the weights of all
// colours. The figures of other programs are CPU seconds on one thread of another machine: GraKeL with its default
// dense rows, which was not run to the end on NCI1 for the assignment kernel; numpy and scipy take 8.0 s there, for
// both kernels together.
func colourOperations() []operation {
	mutag := func(in *inputs) (source, error) {
		return in.named("MUTAG", "molecules", dataset.SynthOptions{Graphs: 188, Vertices: 18})
	}
	proteins := func(in *inputs) (source, error) {
		return in.named("PROTEINS", "molecules", dataset.SynthOptions{Graphs: 1113, Vertices: 39})
	}
	nci1 := (*inputs).molecules
	about := "colours of 5 rounds and the %s kernel matrix of %s"
	type graphs = func(*inputs) (source, error)
	matrix := func(name string, k wl.Kernel, set string, from graphs, limit float64, r rival) operation {
		return operation{name, fmt.Sprintf(about, k, set), colourMatrix(k, from, set, limit, r), large}
	}
	return []operation{
		matrix("wl-mutag", wl.Subtree, "MUTAG", mutag, 0, rival{Name: "GraKeL", Seconds: 0.04}),
		matrix("wl-proteins", wl.Subtree, "PROTEINS", proteins, 0, rival{Name: "GraKeL", Seconds: 0.80}),
		matrix("wl-nci1", wl.Subtree, "NCI1", nci1, 0.5, rival{Name: "GraKeL", Seconds: 3.74}),
		matrix("wl-oa-mutag", wl.Assignment, "MUTAG", mutag, 0, rival{Name: "GraKeL", Seconds: 0.37}),
		matrix("wl-oa-proteins", wl.Assignment, "PROTEINS", proteins, 0.5, rival{Name: "GraKeL", Seconds: 265}),
		matrix("wl-oa-nci1", wl.Assignment, "NCI1", nci1, 4, rival{Name: "numpy and scipy", Seconds: 8}),
		{"dwl-oa-nci1", "EasyMKL weights of all colours of 5 rounds of NCI1", colourWeights(30), onHost},
	}
}

// colourMatrix refines colours and compares the graphs. Its rate counts pairs of graphs; the floor is an addition and
// a product or minimum for each colour that two graphs share, and writing the matrix.
func colourMatrix(
	kernel wl.Kernel, from func(*inputs) (source, error), set string, limit float64, r rival,
) func(t *table) (*task, error) {
	return func(t *table) (*task, error) {
		s, err := from(t.inputs)
		if err != nil {
			return nil, err
		}
		ctx := context.Background()
		run := func(e engine.Engine) (*wl.Model, error) {
			m, err := wl.Fit(ctx, e, s.batch, wl.DefaultOptions(kernel), nil)
			if err != nil {
				return nil, err
			}
			_, err = m.Gram(ctx, nil)
			return m, err
		}
		m, err := run(t.engine)
		if err != nil {
			return nil, err
		}
		n, shared, colours := float64(s.batch.NumGraphs()), float64(m.Pairs()), 0
		for _, c := range m.NumColours() {
			colours += c
		}
		task := &task{
			shape: fmt.Sprintf("%s: %.0f graphs, %d vertices, %d colours, %.3g pairs that share one",
				s.from, n, s.batch.NumVertices(), colours, shared),
			run: func(e engine.Engine) error {
				_, err := run(e)
				return err
			},
			units: n * n / 2, unit: "pairs/s",
			floor: floor{flops64: 2 * shared, bytes: 8 * n * n},
		}
		if s.from == set {
			task.against = func(*runner) (*rival, error) { return &r, nil }
			if limit > 0 {
				task.rate = target{fmt.Sprintf("pairs in a second, %g seconds for all", limit), n * n / 2 / limit, atLeast}
			}
		}
		return task, nil
	}
}

// colourWeights learns a weight for each colour. Its rate counts colours; the floor is one
// product with the sum of their kernels, which reads and adds every occurrence.
func colourWeights(limit float64) func(t *table) (*task, error) {
	return func(t *table) (*task, error) {
		d, err := classified(t.inputs)
		if err != nil {
			return nil, err
		}
		b, err := encoded(d)
		if err != nil {
			return nil, err
		}
		ctx, opt := context.Background(), wl.DefaultOptions(wl.Assignment)
		opt.Normalise = false
		learn := func(e engine.Engine) (*wl.Deep, error) {
			m, err := wl.Fit(ctx, e, b, opt, nil)
			if err != nil {
				return nil, err
			}
			return m.Learn(ctx, nil, d.Classes, wl.DefaultDeepOptions(0), nil)
		}
		learned, err := learn(t.engine)
		if err != nil {
			return nil, err
		}
		zero, colours := learned.Zero()
		occurrences := float64(b.NumVertices() * (opt.Iterations + 1))
		return &task{
			shape: fmt.Sprintf("%s: %d graphs, %d colours, of which %d weigh nothing",
				d.Name, b.NumGraphs(), colours, zero),
			run: func(e engine.Engine) error {
				_, err := learn(e)
				return err
			},
			units: float64(colours), unit: "colours/s",
			floor: floor{flops64: 2 * occurrences, bytes: 8 * occurrences},
			rate:  target{fmt.Sprintf("colours in a second, %g seconds for all", limit), float64(colours) / limit, atLeast},
		}, nil
	}
}

// classified returns NCI1 with its classes, or generated molecules of its size.
func classified(in *inputs) (*dataset.Dataset, error) {
	d, err := dataset.Open(filepath.Join(in.root, "tu", "NCI1"))
	if err != nil {
		d, err = dataset.Synth("molecules", dataset.SynthOptions{Graphs: min(4110, in.sizes.graphs), Vertices: 30})
	}
	if err != nil {
		return nil, err
	}
	return thinned(d, in.sizes.graphs), nil
}
