// Package planted makes the vertex task by which trees on one large graph are measured.
package planted

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/treeg"
)

// Task classifies the vertices of one large graph.
type Task struct {
	Batch   *graph.Batch
	Targets treeg.Targets // every other vertex is trained on
}

// Full is the size of the Arxiv data set: 170 000 vertices, 1.2 million arcs, 128 attributes.
func Full() (*Task, error) { return New(170000, 1200000, 128) }

// New returns a task on a generated power-law graph with so many vertices, arcs and attributes, at least 8. The class
// of a vertex is decided by the sum of attribute 3 over those neighbours whose attribute 7 is positive.
func New(vertices, arcs, width int) (*Task, error) {
	d, err := dataset.Synth("power-law", dataset.SynthOptions{Graphs: 1, Vertices: vertices, Degree: 8})
	if err != nil {
		return nil, err
	}
	h := fnv.New64a()
	h.Write([]byte("planted"))
	r := rand.New(rand.NewPCG(1, h.Sum64()))
	b := thinned(d.Batch, arcs, r)
	b.AttributeDim, b.Attributes = width, make([]float64, vertices*width)
	for i := range b.Attributes {
		b.Attributes[i] = r.NormFloat64()
	}
	t := &Task{Batch: b, Targets: treeg.Targets{Classes: make([]int, vertices)}}
	for v := range t.Targets.Classes {
		sum := 0.0
		for _, u := range b.Neighbors(int32(v)) {
			if x := b.Attribute(u); x[7] > 0 {
				sum += x[3]
			}
		}
		if sum > 0 {
			t.Targets.Classes[v] = 1
		}
		if v%2 == 0 {
			t.Targets.Train = append(t.Targets.Train, v)
		}
	}
	return t, nil
}

// thinned keeps so many arcs of an undirected graph, edges drawn with equal chances.
func thinned(b *graph.Batch, arcs int, r *rand.Rand) *graph.Batch {
	neighbors := make([][]int32, b.NumVertices())
	left, want := b.NumArcs()/2, arcs/2
	for u := range int32(len(neighbors)) {
		for _, v := range b.Neighbors(u) {
			if v < u {
				continue
			}
			if r.IntN(left) < want {
				neighbors[u], neighbors[v] = append(neighbors[u], v), append(neighbors[v], u)
				want--
			}
			left--
		}
	}
	return graph.FromAdjacency(b.Offsets, neighbors)
}

// Options are those of boosted trees of depth 6.
func Options(trees int) treeg.Options {
	opt := treeg.Defaults(treeg.Vertices, treeg.Boosting)
	opt.Estimators, opt.Growth, opt.MaxLeaves, opt.MaxDepth = trees, treeg.LevelWise, 0, 6
	return opt
}

// String tells the sizes.
func (t *Task) String() string {
	return fmt.Sprintf("generated power-law: %d vertices, %d arcs, %d attributes, %d training vertices",
		t.Batch.NumVertices(), t.Batch.NumArcs(), t.Batch.AttributeDim, len(t.Targets.Train))
}
