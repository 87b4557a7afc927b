package treeg

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/grove-graph/grove/treeg/internal/treegtest"
)

// Mean steps are those over a matrix whose rows were divided by their sums beforehand: the trees are the same.
func TestMeanSteps(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 71))
		p := treegtest.RandomProblem(r)
		plain := p.Batch(t)
		p.Weighted, p.Directed = true, true
		for g := range p.Graphs {
			a := p.Graphs[g].Matrices[Arcs{Type: AllArcs}]
			for i := range a {
				sum := 0.0
				for _, w := range a[i] {
					sum += math.Abs(w)
				}
				for j := range a[i] {
					if a[i][j] != 0 {
						a[i][j] /= sum
					}
				}
			}
		}
		divided := p.Batch(t)
		if divided.ArcWeights == nil { // no arcs at all
			continue
		}
		opt := Defaults(p.Level, Boosting)
		opt.Estimators, opt.MinSplit, opt.MaxLength, opt.Keep = 3, 2, 1+r.IntN(3), 1
		n := plain.NumGraphs()
		if p.Level == Vertices {
			n = plain.NumVertices()
		}
		targets := Targets{Values: make([]float64, n)}
		for i := range targets.Values {
			targets.Values[i] = r.NormFloat64()
		}
		want, err := Fit(context.Background(), treegtest.OpenCPU(t, 2), divided, targets, opt, nil)
		if err != nil {
			t.Fatal(err)
		}
		opt.MeanSteps = true
		got, err := Fit(context.Background(), treegtest.OpenCPU(t, 2), plain, targets, opt, nil)
		if err != nil {
			t.Fatal(err)
		}
		a, err := json.Marshal(got.all())
		if err != nil {
			t.Fatal(err)
		}
		b, err := json.Marshal(want.all())
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(a, b) {
			t.Fatalf("problem %d: trees\n%s\nwant\n%s", seed, a, b)
		}
		scores, err := got.Scores(context.Background(), plain)
		if err != nil {
			t.Fatal(err)
		}
		same, err := want.Scores(context.Background(), divided)
		if err != nil {
			t.Fatal(err)
		}
		for i := range scores {
			if scores[i] != same[i] {
				t.Fatalf("problem %d: scores %v, want %v", seed, scores, same)
			}
		}
	}
}

// A step back along an arc takes the mean over the arcs that leave a vertex, not the transpose of the other mean.
func TestMeanStepsAgainst(t *testing.T) {
	b := treegtest.BatchOf(t, []treegtest.Dense{{N: 3,
		Matrices: map[Arcs][][]float64{{Type: AllArcs}: {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}}},
		Features: [][]float64{{4}, {2}, {1}}}}, false) // 0 to 1, 0 to 2, 1 to 2
	opt := Defaults(Vertices, Boosting)
	opt.MaxLength, opt.Directions, opt.MeanSteps, opt.Constant = 1, BothWays, true, false
	got, err := StaticFeatures(context.Background(), treegtest.OpenCPU(t, 1), b, opt)
	if err != nil {
		t.Fatal(err)
	}
	want := []float64{4, 0, 1.5, 2, 4, 1, 1, 3, 0} // itself, along, against
	if !treegtest.NearAll(got.Attributes, want) {
		t.Fatalf("%v, want %v", got.Attributes, want)
	}
}
