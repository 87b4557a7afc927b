package cgmm

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/enginetest"
	"github.com/grove-graph/grove/graph"
)

// trained fits a model and fails the test where that does not work.
func trained(t testing.TB, e engine.Engine, b *graph.Batch, in Input, opt Options, training Training) *Model {
	t.Helper()
	m, err := Fit(context.Background(), e, b, in, opt, training)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// The log-likelihood never decreases, whatever is emitted and looked at. With smoothing that holds for the
// posterior of the parameters.
func TestLikelihoodNeverDecreases(t *testing.T) {
	for name, in := range inputs() {
		for seed := range uint64(20) {
			b := randomBatch(t, seed, false)
			opt := Options{
				States: 3 + int(seed%3), Layers: 3, Previous: []int{1, 2}, Soft: seed%2 == 0, Iterations: 40, Pool: 1, Seed: seed,
			}
			m := trained(t, engine.NewCPU(1), b, in, opt, Training{})
			for l, h := range m.history {
				for i, value := range h.LogLikelihood {
					if math.IsNaN(value) || math.IsInf(value, 0) {
						t.Fatalf("%s, seed %d, layer %d: log-likelihood %g after %d iterations", name, seed, l+1, value, i)
					}
					if i > 0 && value < h.LogLikelihood[i-1]-1e-9*math.Abs(value) {
						t.Errorf("%s, seed %d, layer %d: log-likelihood %.15g after %d iterations, %.15g before", name, seed, l+1,
							value, i, h.LogLikelihood[i-1])
					}
				}
				if len(h.LogLikelihood) < 2 {
					t.Errorf("%s, seed %d, layer %d: no iteration", name, seed, l+1)
				}
			}
		}
	}
}

func TestSmoothedLikelihoodNeverDecreases(t *testing.T) {
	for seed := range uint64(20) {
		in := Input{Labels: 4, ArcLabels: 3}
		s, err := newStates(&in, standard{}, randomBatch(t, seed, true))
		if err != nil {
			t.Fatal(err)
		}
		first := newLayer(&in, 3, nil, nil)
		first.draw(rand.New(rand.NewPCG(seed, 1)), s.shown)
		if err := s.add(engine.NewCPU(1), first, false); err != nil {
			t.Fatal(err)
		}
		y := newLayer(&in, 4, []int{0}, []int{3})
		y.draw(rand.New(rand.NewPCG(seed, 2)), s.shown)
		c, err := s.contexts(y.previous, y.arcs, false)
		if err != nil {
			t.Fatal(err)
		}
		est := newEM(engine.NewCPU(1), s.shown, c, 4)
		last := math.Inf(-1)
		for i := range 30 {
			value, err := est.expect(y)
			if err != nil {
				t.Fatal(err)
			}
			if value += 0.1 * y.logarithms(); value < last-1e-9*math.Abs(last) {
				t.Errorf("seed %d: %.15g after %d iterations, %.15g before", seed, value, i, last)
			}
			last = value
			est.maximise(y, 0.1)
		}
	}
}

// The first layer is a fixed point after one iteration, with the entropy of the labels as its likelihood.
func TestFirstLayerIsAFixedPointAfterOneIteration(t *testing.T) {
	b := randomBatch(t, 3, false)
	counts := make([]float64, 4)
	for _, l := range b.Labels {
		counts[l]++
	}
	want := 0.0
	for _, n := range counts {
		want += n * math.Log(n/float64(b.NumVertices()))
	}
	for _, states := range []int{1, 2, 5, 20} {
		in := Input{Labels: 4}
		s, err := newStates(&in, standard{}, b)
		if err != nil {
			t.Fatal(err)
		}
		y := newLayer(&in, states, nil, nil)
		y.draw(rand.New(rand.NewPCG(1, 1)), s.shown)
		est := newEM(enginetest.Open(t, 1), s.shown, withoutContext(s.shown), states)
		var after []float64
		for i := range 4 {
			value, err := est.expect(y)
			if err != nil {
				t.Fatal(err)
			}
			if i > 0 && math.Abs(value-want) > 1e-10*math.Abs(want) {
				t.Errorf("%d states: log-likelihood %.15g after %d iterations, want %.15g", states, value, i, want)
			}
			if i > 1 {
				if err := closeTo(append(append([]float64{}, y.transition...), y.emission.discrete...), after); err != nil {
					t.Errorf("%d states: parameters after %d iterations: %v", states, i, err)
				}
			}
			est.maximise(y, 0)
			after = append(append([]float64{}, y.transition...), y.emission.discrete...)
		}
		est.release()
	}
}

func TestIterationsStop(t *testing.T) {
	b, in := randomBatch(t, 1, false), Input{Labels: 4}
	opt := DefaultOptions()
	opt.Layers, opt.Iterations, opt.Tolerance = 3, 500, 1e-3
	for l, h := range trained(t, engine.NewCPU(1), b, in, opt, Training{}).history {
		n := len(h.LogLikelihood)
		if gain := h.LogLikelihood[n-1] - h.LogLikelihood[n-2]; n > 500 || gain > 1e-3*math.Abs(h.LogLikelihood[n-1]) {
			t.Errorf("layer %d: %d iterations, the last with a gain of %g", l+1, n-1, gain)
		}
	}
	opt.Iterations, opt.Tolerance = 3, 0
	if h := trained(t, engine.NewCPU(1), b, in, opt, Training{}).history[2].LogLikelihood; len(h) != 4 {
		t.Errorf("%d likelihoods for 3 iterations", len(h))
	}
}

func last(x []float64) float64 { return x[len(x)-1] }

// A row whose context allows only states that hardly emit what it shows has its likelihood from logarithms.
func TestEvidenceBelowTheSmallestNumber(t *testing.T) {
	b, err := graph.NewBatch([]graph.Graph{{
		NumVertices: 3, Arcs: graph.ArcList{From: []int32{0, 1}, To: []int32{1, 2}}, Attributes: []float64{0, 60,
			0}, AttributeDim: 1,
	}})
	if err != nil {
		t.Fatal(err)
	}
	in := Input{Attributes: 1}
	s, err := newStates(&in, standard{[]float64{0}, []float64{1}}, b)
	if err != nil {
		t.Fatal(err)
	}
	normal := func(y *layer) {
		copy(y.emission.mean, []float64{0, 60})
		copy(y.emission.variance, []float64{1, 1})
		copy(y.marginal, []float64{0.5, 0.5})
	}
	first := newLayer(&in, 2, nil, nil)
	first.allocate()
	normal(first)
	first.layerWeight[0], first.arcWeight[0] = 1, 1
	copy(first.transition, []float64{0.5, 0.5})
	e := enginetest.Open(t, 1)
	if err := s.add(e, first, false); err != nil {
		t.Fatal(err)
	}
	// The second layer repeats the state of the neighbours, which is never that of the vertex itself.
	y := newLayer(&in, 2, []int{0}, []int{2})
	y.allocate()
	normal(y)
	y.layerWeight[0], y.arcWeight[0] = 1, 1
	copy(y.transition, []float64{1, 0, 0, 1})
	c, err := s.contexts(y.previous, 1, false)
	if err != nil {
		t.Fatal(err)
	}
	est := newEM(e, s.shown, c, 2)
	defer est.release()
	value, err := est.expect(y)
	if err != nil {
		t.Fatal(err)
	}
	if want := 3 * (-60*60/2 - math.Log(2*math.Pi)/2); math.Abs(value-want) > 1e-9*math.Abs(want) {
		t.Errorf("log-likelihood %.15g, want %.15g", value, want)
	}
	if err := closeTo(est.joint, []float64{1, 0, 0, 2}); err != nil {
		t.Errorf("expected counts: %v", err)
	}
	if err := closeTo(est.expected, []float64{0, 2, 1, 0}); err != nil {
		t.Errorf("expected observations: %v", err)
	}
	est.maximise(y, 0)
	if y.emission.mean[0] != 60 || y.emission.mean[1] != 0 || y.emission.variance[0] != minVariance {
		t.Errorf("means %v and variances %v", y.emission.mean, y.emission.variance)
	}
	y.emission.mean[0], y.emission.mean[1] = 0, 60
	if err := s.add(e, y, false); err != nil {
		t.Fatal(err)
	}
	if got := s.Of(1); got[0] != 1 || got[1] != 0 || got[2] != 1 {
		t.Errorf("states %v, want those that the neighbours allow", got)
	}
}

// Graphs without arcs, without different labels or with more states than anything to tell apart give numbers.
func TestDegenerateGraphs(t *testing.T) {
	edge := graph.ArcList{From: []int32{0}, To: []int32{1}}
	tests := map[string][]graph.Graph{
		"one vertex":      {{NumVertices: 1, Labels: []int32{0}}},
		"no arcs":         {{NumVertices: 3, Labels: []int32{0, 1, 0}}, {NumVertices: 1, Labels: []int32{1}}},
		"one label":       {{NumVertices: 2, Labels: []int32{0, 0}, Arcs: edge}},
		"a self loop":     {{NumVertices: 2, Labels: []int32{0, 1}, Arcs: graph.ArcList{From: []int32{0}, To: []int32{0}}}},
		"an empty graph":  {{NumVertices: 2, Labels: []int32{0, 1}, Arcs: edge}, {}},
		"empty ones only": {{}, {}},
	}
	for name, graphs := range tests {
		b, err := graph.NewBatch(graphs)
		if err != nil {
			t.Fatal(err)
		}
		in := Input{Labels: 2}
		opt := Options{States: 5, Layers: 3, Previous: []int{1}, Iterations: 5, Pool: 1,
			Fingerprint: Fingerprint{Bigrams: true, Frequencies: true}}
		m, err := Fit(context.Background(), engine.NewCPU(1), b, in, opt, Training{})
		if b.NumVertices() == 0 {
			if err == nil {
				t.Errorf("%s: no error", name)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		x, err := m.Transform(context.Background(), b, nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for i, v := range x.Float64s() {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Fatalf("%s: element %d of the fingerprints is %g", name, i, v)
			}
		}
		for l, h := range m.history {
			if v := last(h.LogLikelihood); math.IsNaN(v) || math.IsInf(v, 0) {
				t.Errorf("%s: log-likelihood %g of layer %d", name, v, l+1)
			}
		}
	}
}

// The expectation maximisation of a layer goes on where the training ended and leaves the model alone.
func TestEMGoesOn(t *testing.T) {
	b, in := randomBatch(t, 13, false), Input{Labels: 4}
	opt := smallOptions(1)
	opt.Pool, opt.Tolerance = 1, 0
	m := trained(t, enginetest.Open(t, 1), b, in, opt, Training{})
	before := contents(t, m)
	e, err := m.EM(context.Background(), b, 2)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	value := last(m.history[2].LogLikelihood)
	for i := range 5 {
		next, err := e.Iterate()
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 && math.Abs(next-value) > 1e-9*math.Abs(value) || next < value-1e-9*math.Abs(value) {
			t.Errorf("log-likelihood %.15g in iteration %d, %.15g before", next, i, value)
		}
		value = next
	}
	if contents(t, m) != before {
		t.Error("the model has changed")
	}
	if rows, entries := e.Size(); rows < 1 || rows > b.NumVertices() || entries < 1 {
		t.Errorf("%d rows with %d entries", rows, entries)
	}
	if _, err := m.EM(context.Background(), b, 4); err == nil {
		t.Error("expectation maximisation of a layer that is not there")
	}
}
