package treeg

import (
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/grove-graph/grove/treeg/internal/treegtest"
)

// Static features are the products with dense powers of the matrix.
func TestStaticFeatures(t *testing.T) {
	for seed := range uint64(40) {
		p := treegtest.RandomProblem(rand.New(rand.NewPCG(seed, 31)))
		opt := Defaults(p.Level, Boosting)
		opt.MaxLength = int(seed % 4)
		arcs := []Arcs{{Type: AllArcs}}
		if p.Both {
			opt.Directions = BothWays
			arcs = append(arcs, Arcs{Type: AllArcs, Against: true})
		}
		got, err := StaticFeatures(context.Background(), treegtest.OpenCPU(t, 2), p.Batch(t), opt)
		if err != nil {
			t.Fatal(err)
		}
		if want := staticRows(p, arcs, opt.MaxLength); !treegtest.NearAll(got.Attributes, slices.Concat(want...)) {
			t.Fatalf("problem %d: %v, want %v", seed, got.Attributes, want)
		}
	}
}

// staticRows computes static features from Eq. 1, a row for each example.
func staticRows(p *treegtest.ProblemOf, arcs []Arcs, length int) (rows [][]float64) {
	for _, g := range p.Graphs {
		vertices := make([][]float64, g.N)
		for v, f := range g.Features {
			g.Features[v] = append(slices.Clone(f), 1)
		}
		for k := range g.Features[0] {
			add := func(a [][]float64) {
				for v := range g.N {
					sum := 0.0
					for u := range g.N {
						sum += a[v][u] * g.Features[u][k]
					}
					vertices[v] = append(vertices[v], sum)
				}
			}
			add(g.Power(arcs[0], 0))
			for _, a := range arcs {
				for d := range length {
					add(g.Power(a, d+1))
				}
			}
		}
		if p.Level == Vertices {
			rows = append(rows, vertices...)
			continue
		}
		var row []float64
		for c := range vertices[0] {
			sum := 0.0
			for v := range vertices {
				sum += vertices[v][c]
			}
			row = append(row, sum, sum/float64(g.N))
		}
		rows = append(rows, row)
	}
	return rows
}

// Of vertices the values that are missing stay so; no other feature becomes a missing value.
func TestStaticFeaturesOfMissingValues(t *testing.T) {
	b := noisy(t, 9, 40, true)
	opt := Defaults(Vertices, Boosting)
	x, err := StaticFeatures(context.Background(), treegtest.OpenCPU(t, 1), b, opt)
	if err != nil {
		t.Fatal(err)
	}
	each := 1 + opt.MaxLength // columns of a feature
	for v := range int32(x.NumVertices()) {
		for c, value := range x.Attribute(v) {
			k := c / each
			missing := c%each == 0 && k < b.AttributeDim && math.IsNaN(b.Attribute(v)[k])
			if math.IsNaN(value) != missing {
				t.Fatalf("feature %d of vertex %d is %g", c, v, value)
			}
		}
	}
	targets := Targets{Values: make([]float64, x.NumVertices())}
	if _, err := Fit(context.Background(), treegtest.OpenCPU(t, 1), x, targets, opt.OnStatic(), nil); err != nil {
		t.Error(err)
	}
}

// The first rounds of a fit are a fit of so many.
func TestFirstRoundsAreAFitOfTheirOwn(t *testing.T) {
	set := small(t, 80)
	for _, ensemble := range []Ensemble{Boosting, Forest, ExtraTrees} {
		opt := Defaults(Graphs, ensemble)
		opt.Subsample = 0.8
		models := map[int]*Model{}
		for _, n := range []int{4, 9} {
			opt.Estimators = n
			m, err := Fit(context.Background(), treegtest.OpenCPU(t, 2), set.Batch, Targets{Classes: set.Classes}, opt, nil)
			if err != nil {
				t.Fatal(err)
			}
			models[n] = m
		}
		want, _ := json.Marshal(models[4])
		if got, _ := json.Marshal(models[9].First(4)); !slices.Equal(got, want) || models[9].Rounds() != 9 {
			t.Errorf("%s: the first 4 of 9 trees are not the fit of 4", ensemble)
		}
	}
}
