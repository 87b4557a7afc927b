package wl

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/grove-graph/grove/engine/enginetest"
	"github.com/grove-graph/grove/graph"
	"gorgonia.org/tensor"
)

// What the vertices carry adds up to the decision.
func TestContributionsAddUp(t *testing.T) {
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(5, 2))
	graphs, y := marked(rng, 30, 2)
	fresh, _ := marked(rng, 12, 2)
	old, b := batch(t, graphs), batch(t, fresh)
	coef := make([]float64, len(graphs))
	for i := range coef {
		coef[i] = rng.NormFloat64()
	}
	check := func(what string, shares []float64, err error, want func(g int) float64) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		for g := range fresh {
			sum := 0.0
			from, to := b.Vertices(g)
			for _, s := range shares[from:to] {
				sum += s
			}
			if math.Abs(sum-want(g)) > 1e-12*max(1, math.Abs(sum)) {
				t.Errorf("%s: the vertices of graph %d add up to %g, want %g", what, g, sum, want(g))
			}
		}
	}
	expand := func(k *tensor.Dense) func(g int) float64 {
		return func(g int) float64 {
			sum := 0.0
			for j, v := range k.Float64s()[g*len(coef) : (g+1)*len(coef)] {
				sum += coef[j] * v
			}
			return sum
		}
	}
	for _, kernel := range []Kernel{Subtree, Assignment} {
		for _, normalise := range []bool{false, true} {
			opt := DefaultOptions(kernel)
			opt.Normalise = normalise
			m := fit(t, enginetest.Open(t, 1), old, opt)
			k, err := m.Cross(ctx, b, nil)
			if err != nil {
				t.Fatal(err)
			}
			shares, err := m.Contributions(ctx, b, coef)
			check(string(kernel), shares, err, expand(k))
			if kernel == Subtree {
				continue
			}
			d := learn(t, m, nil, y, DefaultDeepOptions(0))
			if k, err = d.Cross(ctx, b, nil); err != nil {
				t.Fatal(err)
			}
			shares, err = d.Contributions(ctx, b, coef)
			check("weighted", shares, err, expand(k))
		}
	}
}

func TestPlantedColourIsTheHeaviest(t *testing.T) {
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(7, 2))
	graphs := randomGraphs(rng, 60, false)
	y := make([]int, len(graphs))
	for i := range graphs {
		for v, l := range graphs[i].Labels {
			graphs[i].Labels[v] = l % 2
		}
		if y[i] = i % 2; y[i] == 1 {
			graphs[i] = union(graphs[i], triangle()) // nothing else has label 2
		}
	}
	b := batch(t, graphs)
	m := fit(t, enginetest.Open(t, 1), b, DefaultOptions(Assignment))
	d := learn(t, m, nil, y, DefaultDeepOptions(0))
	c, err := m.Colours(ctx, b)
	if err != nil {
		t.Fatal(err)
	}
	heavy := d.HeaviestIn(c, 1, 6) // the triangle after 0 to 5 rounds
	if len(heavy) != 6 {
		t.Fatalf("%d heavy colours", len(heavy))
	}
	for k, h := range heavy {
		if k > 0 && h.Weight > heavy[k-1].Weight || h.Group != -1 {
			t.Errorf("heavy colours %+v", heavy)
		}
		found := c.Vertices(h.Round, h.Colour)
		if len(found) != 3*30 {
			t.Errorf("colour %+v is on %d vertices", h, len(found))
		}
		for _, v := range found {
			if b.Labels[v] != 2 {
				t.Errorf("colour %+v is on vertex %d of label %d", h, v, b.Labels[v])
			}
		}
	}
	for _, h := range d.HeaviestIn(c, 2, 100) {
		if slices.Contains(heavy, h) {
			t.Errorf("a graph without the triangle has %+v", h)
		}
	}
	zero, total := d.Zero()
	if weights := slices.Concat(d.model.weights...); total != len(weights) || zero == 0 || zero == total {
		t.Errorf("%d of %d weights are zero", zero, total)
	}
}

func TestBalls(t *testing.T) {
	path := graph.Graph{NumVertices: 4, Directed: true}
	for v := range int32(3) {
		path.AddArc(v, v+1)
	}
	b := batch(t, []graph.Graph{path})
	for _, c := range []struct {
		follow Follow
		ball   []int32
	}{
		{FollowOut, []int32{1, 2, 3}},
		{FollowIn, []int32{1, 0}},
		{FollowBoth, []int32{1, 2, 0, 3}},
	} {
		m := fit(t, enginetest.Open(t, 1), b, Options{Kernel: Subtree, Iterations: 2, Follow: c.follow})
		if ball := m.Ball(b, 1, 2); !slices.Equal(ball, c.ball) {
			t.Errorf("%s: vertices %v, want %v", c.follow, ball, c.ball)
		}
	}
}
