package cgmm

import (
	"context"
	"slices"
	"testing"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/model"
	"gorgonia.org/tensor"
)

// states returns the states and posteriors of one graph.
func states(t *testing.T, m *Model, g graph.Graph) *States {
	t.Helper()
	b, err := graph.NewBatch([]graph.Graph{g})
	if err != nil {
		t.Fatal(err)
	}
	s, err := m.States(context.Background(), b, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// path is a path of three vertices with the given labels and arc labels.
func path(labels, arcs []int32) graph.Graph {
	return graph.Graph{NumVertices: 3, Labels: labels, Arcs: graph.ArcList{From: []int32{0, 1}, To: []int32{1, 2},
		Labels: arcs}}
}

func ruleModel(t *testing.T) *Model {
	t.Helper()
	opt := smallOptions(4)
	opt.Layers, opt.Soft = 2, true
	return trained(t, engine.NewCPU(1), randomBatch(t, 21, false), Input{Labels: 6, ArcLabels: 3}, opt, Training{})
}

// A vertex without neighbours has the mean state of the layer as its context.
func TestVertexWithoutNeighbours(t *testing.T) {
	m := ruleModel(t)
	s := states(t, m, graph.Graph{NumVertices: 1, Labels: []int32{1},
		Arcs: graph.ArcList{From: []int32{0}, To: []int32{0}, Labels: []int32{0}}})
	y := m.layers[1]
	want := make([]float64, y.states)
	for i := range want {
		want[i] = y.marginal[i] * y.emission.discrete[1*y.states+i]
	}
	normalise(want, 0)
	if err := closeTo(s.Posterior(1, 0), want); err != nil {
		t.Error(err)
	}
	// Arcs of labels that are unknown to the model count as none.
	far := states(t, m, path([]int32{1, 1, 1}, []int32{3, 7}))
	if err := closeTo(far.Posterior(1, 1), want); err != nil {
		t.Errorf("arcs of unknown labels: %v", err)
	}
}

// A label that training did not see, or that the model does not know, leaves the context alone.
func TestUnseenLabel(t *testing.T) {
	m := ruleModel(t)
	for _, label := range []int32{5, 6, 1000} { // labels 0 to 3 were seen, 6 are known
		s := states(t, m, graph.Graph{NumVertices: 1, Labels: []int32{label}})
		if err := closeTo(s.Posterior(0, 0), m.layers[0].transition); err != nil {
			t.Errorf("label %d in layer 1: %v", label, err)
		}
		s = states(t, m, path([]int32{label, 2, 3}, []int32{0, 1}))
		y := m.layers[1]
		want, theta := make([]float64, y.states), make([]float64, y.columns()*y.states)
		y.theta(theta)
		for j, p := range s.Posterior(0, 1) {
			for i := range want {
				want[i] += p * theta[(y.column(0, 0)+j)*y.states+i]
			}
		}
		normalise(want, 0)
		if err := closeTo(s.Posterior(1, 0), want); err != nil {
			t.Errorf("label %d in layer 2: %v", label, err)
		}
	}
}

// Where label and context exclude each other the context is left out.
func TestContextThatExcludesTheLabel(t *testing.T) {
	m := ruleModel(t)
	first, y := m.layers[0], m.layers[1]
	clear(first.emission.discrete)
	for k := range 6 {
		first.emission.discrete[k*4+k%4] = 0.5 // label k: state k mod 4
		for i := range 4 {
			y.emission.discrete[k*4+i] = 0
		}
		y.emission.discrete[k*4+k%2] = 0.2 // even labels: state 0, odd labels: state 1
	}
	copy(first.transition, []float64{0.25, 0.25, 0.25, 0.25})
	clear(y.transition)
	for c := range y.columns() {
		y.transition[c*4+2+c%2] = 1 // contexts lead to states 2 and 3
	}
	copy(y.marginal, []float64{0.1, 0.2, 0.3, 0.4})
	s := states(t, m, path([]int32{0, 1, 2}, []int32{0, 1}))
	if got := s.Of(1); !slices.Equal(got, []int32{0, 1, 0}) {
		t.Errorf("states %v, want those of the labels", got)
	}
	// With nothing to go by but the mean state, that one.
	y.marginal[0], y.marginal[1] = 0, 0
	if got := states(t, m, path([]int32{0, 1, 2}, []int32{0, 1})).Of(1); !slices.Equal(got, []int32{3, 3, 3}) {
		t.Errorf("states %v, want the most frequent", got)
	}
}

// Several neighbours count by their share, whatever their number.
func TestProportionsOfNeighbours(t *testing.T) {
	m := ruleModel(t)
	star := func(leaves ...int32) graph.Graph {
		g := graph.Graph{NumVertices: 1, Labels: []int32{0}}
		for _, l := range leaves {
			g.AddArc(0, int32(g.NumVertices))
			g.Arcs.Labels = append(g.Arcs.Labels, 1)
			g.Labels = append(g.Labels, l)
			g.NumVertices++
		}
		return g
	}
	one, three := states(t, m, star(1, 2)), states(t, m, star(2, 1, 1, 2, 2, 1))
	if err := closeTo(one.Posterior(1, 0), three.Posterior(1, 0)); err != nil {
		t.Error(err)
	}
}

func TestFingerprintsCount(t *testing.T) {
	m := ruleModel(t)
	b, err := graph.NewBatch([]graph.Graph{path([]int32{0, 1, 2}, []int32{0, 1}),
		{Labels: []int32{}, Arcs: graph.ArcList{Labels: []int32{}}}, path([]int32{1, 1, 1}, []int32{2, 2})})
	if err != nil {
		t.Fatal(err)
	}
	s, err := m.States(context.Background(), b, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []Fingerprint{
		{}, {Last: true}, {Depth: 1}, {Depth: 1, Last: true}, {Bigrams: true}, {Frequencies: true, Bigrams: true},
		{Soft: true}, {Soft: true, Bigrams: true, Frequencies: true, Last: true},
	} {
		x, err := s.Fingerprints(f)
		if err != nil {
			t.Fatal(err)
		}
		if err := closeTo(x.Float64s(), plainFingerprints(s, f)); err != nil {
			t.Errorf("%s: %v", f, err)
		}
		shares, err := s.VertexFeatures(f)
		if err != nil {
			t.Fatal(err)
		}
		if err := closeTo(addUp(b, shares), x.Float64s()); err != nil {
			t.Errorf("%s: shares of the vertices: %v", f, err)
		}
	}
	if _, err := s.Fingerprints(Fingerprint{Depth: -1}); err == nil {
		t.Error("a fingerprint of -1 layers")
	}
}

// addUp adds the rows of the vertices of every graph.
func addUp(b *graph.Batch, x *tensor.Dense) []float64 {
	dim := x.Shape()[1]
	sums := make([]float64, b.NumGraphs()*dim)
	for g := range b.NumGraphs() {
		from, to := b.Vertices(g)
		for at := int(from) * dim; at < int(to)*dim; at++ {
			sums[g*dim+at%dim] += x.Float64s()[at]
		}
	}
	return sums
}

// plainFingerprints counts states and pairs of states vertex by vertex, layer by layer.
func plainFingerprints(s *States, f Fingerprint) []float64 {
	var out []float64
	b := s.batch
	first, end := f.span(s.Layers())
	for g := range b.NumGraphs() {
		from, to := b.Vertices(g)
		arcs := float64(b.RowPtr[to] - b.RowPtr[from])
		for l := first; l < end; l++ {
			c := s.NumStates(l)
			p := func(v int32) []float64 {
				if f.Soft {
					return s.Posterior(l, v)
				}
				one := make([]float64, c)
				one[s.Of(l)[v]] = 1
				return one
			}
			counts, pairs := make([]float64, c), make([]float64, c*c)
			for v := from; v < to; v++ {
				for i := range c {
					counts[i] += p(v)[i]
					for _, w := range b.Neighbors(v) {
						for j := range c {
							pairs[i*c+j] += p(v)[i] * p(w)[j]
						}
					}
				}
			}
			if f.Frequencies && from < to {
				for i := range counts {
					counts[i] /= float64(to - from)
				}
				for i := range pairs {
					pairs[i] /= arcs
				}
			}
			out = append(out, counts...)
			if f.Bigrams {
				out = append(out, pairs...)
			}
		}
	}
	return out
}

func TestClassMeans(t *testing.T) {
	m := ruleModel(t)
	b, err := graph.NewBatch([]graph.Graph{path([]int32{0, 1, 2}, []int32{0, 1}),
		path([]int32{1, 1, 1}, []int32{2, 2}), path([]int32{3, 1, 0}, []int32{2, 2})})
	if err != nil {
		t.Fatal(err)
	}
	s, err := m.States(context.Background(), b, nil)
	if err != nil {
		t.Fatal(err)
	}
	x, err := s.Fingerprints(Fingerprint{Depth: 2, Last: true, Frequencies: true})
	if err != nil {
		t.Fatal(err)
	}
	means, err := s.ClassMeans(1, []int{1, -1, 1}, 3)
	if err != nil {
		t.Fatal(err)
	}
	want := make([]float64, 12)
	for i := range 4 {
		want[4+i] = (x.Float64s()[i] + x.Float64s()[8+i]) / 2
	}
	if err := closeTo(means, want); err != nil {
		t.Error(err)
	}
	if _, err := s.ClassMeans(1, []int{0}, 1); err == nil {
		t.Error("one class for three graphs")
	}
	if _, err := s.ClassMeans(1, []int{0, 0, 1}, 1); err == nil {
		t.Error("class 1 of 1")
	}
}

// How many graphs are taken on at a time makes no difference.
func TestRunsOfGraphs(t *testing.T) {
	m := ruleModel(t)
	m.opt.Soft = false
	b := randomBatch(t, 22, false)
	want, err := m.Transform(context.Background(), b, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, limit := range []int64{1, 7, 20} {
		var got []float64
		runs := 0
		err := model.EachRun(context.Background(), b, limit, nil, func(run *graph.Batch, first int) error {
			if first*m.Dim() != len(got) {
				t.Errorf("a run from graph %d after %d numbers", first, len(got))
			}
			s, err := m.States(context.Background(), run, nil)
			if err != nil {
				return err
			}
			x, err := s.Fingerprints(m.opt.Fingerprint)
			got = append(got, x.Float64s()...)
			runs++
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, want.Float64s()) || runs < 2 {
			t.Errorf("runs of %d vertices: other fingerprints, or none cut (%d runs)", limit, runs)
		}
	}
}
