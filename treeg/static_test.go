package treeg

import (
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Static features are the products with dense powers of the matrix.
func TestStaticFeatures(t *testing.T) {
	for seed := range uint64(40) {
		p := randomProblem(rand.New(rand.NewPCG(seed, 31)))
		opt := Defaults(p.level, Boosting)
		opt.MaxLength = int(seed % 4)
		arcs := []Arcs{{Type: AllArcs}}
		if p.both {
			opt.Directions = BothWays
			arcs = append(arcs, Arcs{Type: AllArcs, Against: true})
		}
		got, err := StaticFeatures(context.Background(), openCPU(t, 2), p.batch(t), opt)
		if err != nil {
			t.Fatal(err)
		}
		if want := staticRows(p, arcs, opt.MaxLength); !nearAll(got.Attributes, slices.Concat(want...)) {
			t.Fatalf("problem %d: %v, want %v", seed, got.Attributes, want)
		}
	}
}

// staticRows computes static features from Eq. 1, a row for each example.
func staticRows(p *problemOf, arcs []Arcs, length int) (rows [][]float64) {
	for _, g := range p.graphs {
		vertices := make([][]float64, g.n)
		for v, f := range g.features {
			g.features[v] = append(slices.Clone(f), 1)
		}
		for k := range g.features[0] {
			add := func(a [][]float64) {
				for v := range g.n {
					sum := 0.0
					for u := range g.n {
						sum += a[v][u] * g.features[u][k]
					}
					vertices[v] = append(vertices[v], sum)
				}
			}
			add(g.power(arcs[0], 0))
			for _, a := range arcs {
				for d := range length {
					add(g.power(a, d+1))
				}
			}
		}
		if p.level == Vertices {
			rows = append(rows, vertices...)
			continue
		}
		var row []float64
		for c := range vertices[0] {
			sum := 0.0
			for v := range vertices {
				sum += vertices[v][c]
			}
			row = append(row, sum, sum/float64(g.n))
		}
		rows = append(rows, row)
	}
	return rows
}

// Of vertices the values that are missing stay so; no other feature becomes a missing value.
func TestStaticFeaturesOfMissingValues(t *testing.T) {
	b := noisy(t, 9, 40, true)
	opt := Defaults(Vertices, Boosting)
	x, err := StaticFeatures(context.Background(), openCPU(t, 1), b, opt)
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
	if _, err := Fit(context.Background(), openCPU(t, 1), x, targets, opt.OnStatic(), nil); err != nil {
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
			m, err := Fit(context.Background(), openCPU(t, 2), set.Batch, Targets{Classes: set.Classes}, opt, nil)
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
