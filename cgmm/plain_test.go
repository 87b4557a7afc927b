package cgmm

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/enginetest"
	"github.com/grove-graph/grove/graph"
)

// plainStep is one iteration of expectation maximisation straight from Eqs. 2 and 3, a loop over the vertices
// and over every value of (i, l, a, j): the reference of [em]. below holds, for each layer that is
// looked at, the state distribution of every vertex.
func plainStep(b *graph.Batch, in *Input, y *layer, below [][][]float64) (logLikelihood float64, next *layer) {
	next = newLayer(in, y.states, y.previous, y.below)
	next.allocate()
	mass := make([]float64, y.states)
	type share struct {
		v int32
		p []float64
	}
	var shares []share
	for u := range int32(b.NumVertices()) {
		emitted := make([]float64, y.states)
		for i := range emitted {
			emitted[i] = plainEmission(b, in, y, u, i)
		}
		posterior := make([]float64, y.states)
		z := 0.0
		visit := func(do func(l, a, j, i int, responsibility float64)) {
			for l, c := range y.below {
				for a := range y.arcs {
					counts, total := plainCounts(b, in, y, below, u, l, a)
					for j := range c {
						if total == 0 {
							continue
						}
						for i := range y.states {
							do(l, a, j, i, emitted[i]*y.layerWeight[l]*y.arcWeight[l*y.arcs+a]*
								y.transition[(y.column(l, a)+j)*y.states+i]*counts[j]/total)
						}
					}
				}
			}
		}
		visit(func(_, _, _, _ int, r float64) { z += r })
		if z == 0 {
			continue
		}
		logLikelihood += math.Log(z)
		visit(func(l, a, j, i int, r float64) {
			next.layerWeight[l] += r / z
			next.arcWeight[l*y.arcs+a] += r / z
			next.transition[(y.column(l, a)+j)*y.states+i] += r / z
			posterior[i] += r / z
		})
		shares = append(shares, share{u, posterior})
		for i, p := range posterior {
			mass[i] += p
		}
	}
	normalise(next.layerWeight, 0)
	for l := range y.below {
		normalise(next.arcWeight[l*y.arcs:(l+1)*y.arcs], 0)
	}
	for c := range y.columns() {
		normalise(next.transition[c*y.states:(c+1)*y.states], 0)
	}
	dims := y.emission.dims
	for _, s := range shares {
		for i, p := range s.p {
			if in.Labels > 0 {
				next.emission.discrete[int(b.Labels[s.v])*y.states+i] += p
			}
			for d, x := range plainReals(b, in, s.v) {
				next.emission.mean[i*dims+d] += p * x / mass[i]
			}
		}
	}
	for _, s := range shares {
		for i, p := range s.p {
			for d, x := range plainReals(b, in, s.v) {
				x -= next.emission.mean[i*dims+d]
				next.emission.variance[i*dims+d] += p * x * x / mass[i]
			}
		}
	}
	normaliseColumns(next.emission.discrete, y.states, 0)
	return logLikelihood, next
}

// plainCounts returns n_uaj for the states j of layer l, and N_ua.
func plainCounts(b *graph.Batch, in *Input, y *layer, below [][][]float64, u int32, l, a int) (counts []float64,
	total float64) {
	if len(y.previous) == 0 {
		return []float64{1}, 1
	}
	counts = make([]float64, y.below[l])
	for v := range int32(b.NumVertices()) {
		for at := b.RowPtr[v]; at < b.RowPtr[v+1]; at++ {
			if b.Col[at] != u || v == u || in.ArcLabels > 0 && int(b.ArcLabels[at]) != a {
				continue
			}
			for j, p := range below[l][v] {
				counts[j] += p
				total += p
			}
		}
	}
	return counts, total
}

// plainReals returns the attributes that a vertex shows.
func plainReals(b *graph.Batch, in *Input, v int32) []float64 {
	if in.Attributes == 0 {
		return nil
	}
	return b.Attribute(v)
}

func plainEmission(b *graph.Batch, in *Input, y *layer, u int32, i int) float64 {
	p := 1.0
	if in.Labels > 0 {
		p = y.emission.discrete[int(b.Labels[u])*y.states+i]
	}
	for d, x := range plainReals(b, in, u) {
		mean, variance := y.emission.mean[i*y.emission.dims+d], y.emission.variance[i*y.emission.dims+d]
		p *= math.Exp(-(x-mean)*(x-mean)/(2*variance)) / math.Sqrt(2*math.Pi*variance)
	}
	return p
}

// randomBatch draws graphs with labels, arc labels, self loops, isolated vertices, two attributes of which the
// first has three values, and both directions of every arc unless directed.
func randomBatch(t testing.TB, seed uint64, directed bool) *graph.Batch {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 77))
	var graphs []graph.Graph
	for range 12 {
		g := graph.Graph{NumVertices: 1 + rng.IntN(8), Directed: directed, AttributeDim: 2}
		for v := range g.NumVertices {
			g.Labels = append(g.Labels, rng.Int32N(4))
			g.Attributes = append(g.Attributes, float64(rng.IntN(3)), rng.NormFloat64()+float64(g.Labels[v]))
		}
		for range rng.IntN(2 * g.NumVertices) {
			g.AddArc(rng.Int32N(int32(g.NumVertices)), rng.Int32N(int32(g.NumVertices)))
			g.Arcs.Labels = append(g.Arcs.Labels, rng.Int32N(3))
		}
		graphs = append(graphs, g)
	}
	graphs[0].AddArc(0, 0)
	graphs[0].Arcs.Labels = append(graphs[0].Arcs.Labels, 2)
	b, err := graph.NewBatch(graphs)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// inputs are the kinds of what a vertex can show.
func inputs() map[string]Input {
	return map[string]Input{
		"labels":             {Labels: 4},
		"labels, arc labels": {Labels: 4, ArcLabels: 3},
		"real attributes":    {Attributes: 2},
		"labels and reals":   {Labels: 4, Attributes: 2, ArcLabels: 3},
	}
}

func TestEMFollowsTheEquations(t *testing.T) {
	for name, in := range inputs() {
		for _, soft := range []bool{false, true} {
			for seed := range uint64(4) {
				for engineName, e := range map[string]engine.Engine{"reference": engine.Reference{},
					"device": enginetest.Open(t, 2)} {
					checkAgainstPlain(t, name+" on "+engineName, e, &in, randomBatch(t, seed, seed%2 == 1), soft, seed)
				}
			}
		}
	}
}

// checkAgainstPlain runs three layers, of which the last looks at both below, from the same parameters by both ways.
func checkAgainstPlain(t *testing.T, name string, e engine.Engine, in *Input, b *graph.Batch, soft bool, seed uint64) {
	t.Helper()
	shift := make([]float64, in.Attributes)
	scale := make([]float64, in.Attributes)
	fill(scale, 1)
	s, err := newStates(in, standard{shift, scale}, b)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(seed, 5))
	var below [][][]float64
	for l, states := range []int{3, 4, 2} {
		var previous, sizes []int
		var looked [][][]float64
		for p := l - 1; p >= 0; p-- {
			previous, sizes, looked = append(previous, p), append(sizes, s.layers[p].states), append(looked, below[p])
		}
		y := newLayer(in, states, previous, sizes)
		y.draw(rng, s.shown)
		c, err := s.contexts(previous, y.arcs, soft)
		if err != nil {
			t.Fatal(err)
		}
		est := newEM(e, s.shown, c, states)
		for range 4 {
			wantValue, want := plainStep(b, in, y, looked)
			value, err := est.expect(y)
			if err != nil {
				t.Fatal(err)
			}
			est.maximise(y, 0)
			if math.Abs(value-wantValue) > 1e-9*math.Abs(wantValue) {
				t.Fatalf("%s, soft %v, layer %d: log-likelihood %.15g, want %.15g", name, soft, l+1, value, wantValue)
			}
			for i, p := range want.parameters(l)[:3] {
				if err := closeTo(*y.parameters(l)[i].values, *p.values); err != nil {
					t.Fatalf("%s, soft %v: %s: %v", name, soft, p.name, err)
				}
			}
			if err := closeTo(y.emission.discrete, want.emission.discrete); err != nil {
				t.Fatalf("%s, soft %v, layer %d: emission: %v", name, soft, l+1, err)
			}
			for i := range want.emission.variance {
				want.emission.variance[i] = max(want.emission.variance[i], minVariance)
			}
			if err := closeTo(y.emission.mean, want.emission.mean); err != nil {
				t.Fatalf("%s, soft %v, layer %d: means: %v", name, soft, l+1, err)
			}
			if err := closeTo(y.emission.variance, want.emission.variance); err != nil {
				t.Fatalf("%s, soft %v, layer %d: variances: %v", name, soft, l+1, err)
			}
		}
		if _, err := est.expect(y); err != nil {
			t.Fatal(err)
		}
		est.setMarginal(y)
		a, err := y.assign(e, s.shown, c)
		if err != nil {
			t.Fatal(err)
		}
		est.release()
		s.layers = append(s.layers, a)
		distributions := make([][]float64, b.NumVertices())
		for v := range distributions {
			distributions[v] = s.Posterior(l, int32(v))
			if !soft {
				distributions[v] = make([]float64, states)
				distributions[v][a.stateOf(int32(v))] = 1
			}
		}
		below = append(below, distributions)
		checkPosteriors(t, s, in, y, below[:l], l)
	}
}

// checkPosteriors holds the posteriors of the vertices with neighbours against Eqs. 4 and 5.
func checkPosteriors(t *testing.T, s *States, in *Input, y *layer, below [][][]float64, l int) {
	t.Helper()
	for u := range int32(s.batch.NumVertices()) {
		want, sum := make([]float64, y.states), 0.0
		for i := range want {
			for k := range y.below {
				for a := range y.arcs {
					var looked [][][]float64
					for _, p := range y.previous {
						looked = append(looked, below[p])
					}
					counts, total := plainCounts(s.batch, in, y, looked, u, k, a)
					for j, n := range counts {
						if total > 0 {
							want[i] += plainEmission(s.batch, in, y, u, i) * y.layerWeight[k] * y.arcWeight[k*y.arcs+a] *
								y.transition[(y.column(k, a)+j)*y.states+i] * n / total
						}
					}
				}
			}
			sum += want[i]
		}
		if sum < 1e-200 {
			continue
		}
		for i := range want {
			want[i] /= sum
		}
		if err := closeTo(s.Posterior(l, u), want); err != nil {
			t.Fatalf("layer %d: posterior of vertex %d: %v", l+1, u, err)
		}
	}
}
