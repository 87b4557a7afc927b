package gnn

import (
	"math/rand/v2"
	"testing"

	"github.com/grove-graph/grove/autodiff"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/train"
	"gorgonia.org/tensor"
)

// BenchmarkLabels lays out a batch of 128 graphs with 500 labels and trains a step on it, on one core, and reports how
// many times as fast that is as with the features of every vertex written out.
func BenchmarkLabels(b *testing.B) {
	const labels, vertices, arcs = 500, 430, 500
	rng := rand.New(rand.NewPCG(1, 2))
	graphs, classes := make([]graph.Graph, 128), make([]int32, 128)
	for i := range graphs {
		g := &graphs[i]
		g.NumVertices, classes[i] = vertices, int32(i%2)
		for range vertices {
			g.Labels = append(g.Labels, int32(float64(labels)*rng.Float64()*rng.Float64()*rng.Float64()))
		}
		for range arcs {
			u, v := int32(rng.IntN(1+rng.IntN(vertices))), int32(rng.IntN(vertices))
			g.AddArc(u, v)
			g.AddArc(v, u)
		}
	}
	batch, err := graph.NewBatch(graphs)
	if err != nil {
		b.Fatal(err)
	}
	input := train.Input{Labels: labels}
	e := engine.NewCPU(1)
	rows, err := input.LabelRows(e, tensor.Float32)
	if err != nil {
		b.Fatal(err)
	}
	index, err := input.Index(batch)
	if err != nil {
		b.Fatal(err)
	}
	for _, kind := range []Kind{GCN, GIN} {
		apart := 0.0
		for _, shared := range []bool{false, true} {
			name := string(kind) + "/apart"
			if shared {
				name = string(kind) + "/shared"
			}
			b.Run(name, func(b *testing.B) {
				o := Default(kind, model.GraphTask)
				o.Loss = autodiff.CrossEntropy
				of, err := define(e, o, input, 2)
				if err != nil {
					b.Fatal(err)
				}
				of.Shared = shared
				n, err := autodiff.New(e, of.Definition)
				if err != nil {
					b.Fatal(err)
				}
				defer n.Release()
				for b.Loop() {
					x, err := n.Layout(batch, autodiff.Features{Rows: rows, Index: index},
						autodiff.Targets{Classes: classes}, nil)
					if err != nil {
						b.Fatal(err)
					}
					if err := n.Step(x); err != nil {
						b.Fatal(err)
					}
					x.Release(e)
				}
				took := b.Elapsed().Seconds() / float64(b.N)
				if !shared {
					apart = took
				} else if apart > 0 {
					b.ReportMetric(apart/took, "x-apart")
				}
			})
		}
	}
}
