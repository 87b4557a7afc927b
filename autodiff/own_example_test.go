package autodiff_test

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"

	"github.com/grove-graph/grove/autodiff"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// chainsAndStars gives batches of some graphs, whose classes are 0 for chains and 1 for stars.
type chainsAndStars struct {
	graphs  *graph.Batch
	network *autodiff.Network
	rows    *tensor.Dense
}

// Batch implements [autodiff.Source].
func (s *chainsAndStars) Batch(items []int) (*autodiff.Batch, error) {
	b, t := s.graphs.Select(items), autodiff.Targets{}
	for _, i := range items {
		t.Classes = append(t.Classes, int32(i%2))
	}
	return s.network.Layout(b, autodiff.Features{Rows: s.rows, Index: b.Labels}, t, nil)
}

// A network of one's own: neighbours are added up, a linear layer with ReLU follows, and the vertices of a graph are
// added up for a linear classifier. It tells chains from stars.
func ExampleNew() {
	var graphs []graph.Graph
	for i := range 20 {
		g := graph.Graph{NumVertices: 4 + i/2, Labels: make([]int32, 4+i/2)}
		for v := 1; v < g.NumVertices; v++ {
			g.AddArc(int32((v-1)*(1-i%2)), int32(v)) // from the vertex before, or from the first
			g.AddArc(int32(v), int32((v-1)*(1-i%2)))
		}
		graphs = append(graphs, g)
	}
	b, err := graph.NewBatch(graphs)
	if err != nil {
		log.Fatal(err)
	}
	e, random := engine.NewCPU(1), rand.New(rand.NewPCG(1, 1)) // or a GPU: engine.Open("auto", 1)
	matrix := func(scale float64, shape ...int) *tensor.Dense {
		values := make([]float64, shape[0]*shape[1])
		for i := range values {
			values[i] = scale * random.NormFloat64()
		}
		t, err := engine.FromHost(e, tensor.New(tensor.WithShape(shape...), tensor.WithBacking(values)))
		if err != nil {
			log.Fatal(err)
		}
		return t
	}
	n, err := autodiff.New(e, autodiff.Definition{
		Loss: autodiff.CrossEntropy,
		Parameters: []autodiff.Parameter{
			{Name: "hidden weight", Value: matrix(1, 8, 1)}, {Name: "hidden bias", Value: matrix(1, 1, 8)},
			{Name: "weight", Value: matrix(0.1, 2, 8)}, {Name: "bias", Value: matrix(0, 1, 2)},
		},
		Build: func(g *autodiff.Graph, p []*G.Node) (logits, representation *G.Node) {
			x := g.Neighbours(g.Vertices(1), autodiff.SumWithSelf)
			x = g.ReLU(g.Linear(x, p[0], p[1]), nil)
			items := g.Items(engine.Mean, x)
			return g.Linear(items, p[2], p[3]), items
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	source := &chainsAndStars{b, n, matrix(1, 1, 1)}
	trainer := autodiff.Trainer{Network: n, Source: source, Items: []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11},
		Options: autodiff.TrainOptions{Epochs: 200, BatchSize: 6, Rate: 0.02, MaxLoss: 1e4}}
	if err := trainer.Run(context.Background()); err != nil {
		log.Fatal(err)
	}
	unseen := n.NewEvaluator(source, []int{12, 13, 14, 15, 16, 17, 18, 19}, 8, false)
	score, err := unseen.Score(context.Background())
	fmt.Println(score, err)
	// Output: 1 <nil>
}
