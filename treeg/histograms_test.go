package treeg

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/treeg/internal/treegtest"
)

// A large fit with few distinct values has the same trees with histograms as with exact thresholds.
func TestHistogramsFitTheSameTrees(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 8))
	g := graph.Graph{NumVertices: histogramFrom + 100, AttributeDim: 3}
	for v := range g.NumVertices {
		g.Attributes = append(g.Attributes, float64(r.IntN(5))/10, float64(r.IntN(3)), r.NormFloat64())
		g.Attributes[3*v+2] = math.Round(4*g.Attributes[3*v+2]) / 7
		if v%3 > 0 {
			g.AddArc(int32(v), int32(v-v%3))
		}
	}
	b, err := graph.NewBatch([]graph.Graph{g})
	if err != nil {
		t.Fatal(err)
	}
	y := make([]float64, g.NumVertices)
	for v := range y {
		y[v] = r.NormFloat64()
		if x := b.Attribute(int32(v)); x[0] > 0.25 {
			y[v] += x[2]
		}
	}
	opt := Defaults(Vertices, Boosting)
	opt.Estimators, opt.MaxLength = 2, 1
	var models [2]*Model
	for i, bins := range []int{0, 255} {
		opt.Bins = bins
		if models[i], err = Fit(context.Background(), treegtest.OpenCPU(t, 2), b, Targets{Values: y}, opt, nil); err != nil {
			t.Fatal(err)
		}
	}
	exact, histogram := models[0].all(), models[1].all()
	for i := range exact {
		for j := range exact[i].Nodes {
			s, h := exact[i].Nodes[j].Split, histogram[i].Nodes[j].Split
			if (s == nil) != (h == nil) || s != nil && *s != *h {
				t.Fatalf("tree %d, node %d: exact %+v, histogram %+v", i, j, s, h)
			}
		}
	}
}
