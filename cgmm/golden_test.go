package cgmm

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/enginetest"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/internal/testfiles"
)

// goldenTraining is a file of expectation maximisation from given parameters, layer by layer.
type goldenTraining struct {
	K         int
	A         int
	C         []int
	Smoothing float64
	Context   string
	SingleArc bool `json:"single_arc_label"`
	Graphs    []struct {
		N          int
		Edges      [][2]int32
		Labels     []int32
		EdgeLabels []int32 `json:"edge_labels"`
	}
	Layer1, Layer2, Layer3 *goldenLayer
	NeighbourCounts        [][][]float64 `json:"neighbour_counts"`
	Isolated               []int
	Fingerprint            *struct{ Layer1, Last, Concat [][]float64 }
}

type goldenLayer struct {
	Previous  []int `json:"previous_layers"`
	Steps     []goldenStep
	Posterior [][]float64 `json:"posterior_final"`
	States    []int32
}

type goldenStep struct {
	Prior         []float64
	LayerWeight   []float64       `json:"layer_weight"`
	ArcWeight     [][]float64     `json:"arc_weight"`
	Transition    [][][][]float64 // layer, arc label, state i, state j below
	Emission      [][]float64     // state, symbol
	LogLikelihood float64         `json:"loglik"`
}

const goldenTolerance = 1e-8

// eachGolden runs a subtest for every file of the form of goldenTraining.
func eachGolden(t *testing.T, test func(t *testing.T, g *goldenTraining)) {
	testfiles.Golden(t, "cgmm", func(raw []byte) bool {
		g := &goldenTraining{}
		return json.Unmarshal(raw, g) == nil && g.Layer1 != nil && len(g.Layer1.Steps) > 0 && len(g.Graphs) > 0
	}, func(t *testing.T, raw []byte) { test(t, testfiles.Decode[goldenTraining](t, raw)) })
}

func TestGoldenExpectationMaximisation(t *testing.T) {
	eachGolden(t, func(t *testing.T, g *goldenTraining) {
		for name, e := range map[string]engine.Engine{"reference": engine.Reference{}, "device": enginetest.Open(t, 2)} {
			for _, full := range []bool{false, true} {
				if err := g.check(e, full); err != nil {
					t.Errorf("%s, full sums %v: %v", name, full, err)
				}
			}
		}
	})
}

func (g *goldenTraining) batch() (*graph.Batch, error) {
	var graphs []graph.Graph
	for _, in := range g.Graphs {
		one := graph.Graph{NumVertices: in.N, Labels: in.Labels}
		for _, e := range in.Edges {
			one.AddArc(e[0], e[1])
		}
		one.Arcs.Labels = in.EdgeLabels
		graphs = append(graphs, one)
	}
	return graph.NewBatch(graphs)
}

func (g *goldenTraining) check(e engine.Engine, full bool) error {
	b, err := g.batch()
	if err != nil {
		return err
	}
	in := Input{Labels: g.K}
	if !g.SingleArc {
		in.ArcLabels = g.A
	}
	s, err := newStates(&in, standard{}, b)
	if err != nil {
		return err
	}
	for l, golden := range []*goldenLayer{g.Layer1, g.Layer2, g.Layer3} {
		if golden == nil {
			break
		}
		if l == 1 && golden.Previous == nil {
			golden.Previous = []int{1}
		}
		if err := g.checkLayer(e, s, &in, golden, full); err != nil {
			return fmt.Errorf("layer %d: %w", l+1, err)
		}
		if l == 0 && g.NeighbourCounts != nil {
			if err := g.checkCounts(s); err != nil {
				return fmt.Errorf("neighbour counts: %w", err)
			}
		}
	}
	return g.checkFingerprints(s)
}

// checkLayer goes through the steps of a layer and adds it to the states.
func (g *goldenTraining) checkLayer(e engine.Engine, s *States, in *Input, golden *goldenLayer, full bool) error {
	var previous, below []int
	for _, l := range golden.Previous {
		previous, below = append(previous, l-1), append(below, g.C[l-1])
	}
	y := newLayer(in, g.C[len(s.layers)], previous, below)
	y.allocate()
	y.set(&golden.Steps[0])
	c, err := s.contexts(previous, y.arcs, g.Context == "soft")
	if err != nil {
		return err
	}
	est := newEM(e, s.shown, c, y.states)
	defer est.release()
	if full {
		est.merged = nil
	}
	for i := range golden.Steps {
		step := &golden.Steps[i]
		if err := y.compare(step); err != nil {
			return fmt.Errorf("step %d: %w", i, err)
		}
		value, err := est.expect(y)
		if err != nil {
			return err
		}
		if d := math.Abs(value - step.LogLikelihood); !(d <= goldenTolerance*math.Abs(step.LogLikelihood)) {
			return fmt.Errorf("step %d: log-likelihood %.17g, want %.17g", i, value, step.LogLikelihood)
		}
		if i+1 < len(golden.Steps) {
			est.maximise(y, g.Smoothing)
		}
	}
	est.setMarginal(y)
	a, err := y.assign(e, s.shown, c)
	if err != nil {
		return err
	}
	s.layers = append(s.layers, a)
	states := s.Of(len(s.layers) - 1)
	for v, want := range golden.States {
		if want < 0 {
			if !slices.Contains(g.Isolated, v) || !c.alone(int(c.of[v])) {
				return fmt.Errorf("vertex %d has no state, but neighbours", v)
			}
			continue
		}
		if states[v] != want {
			return fmt.Errorf("vertex %d is in state %d, want %d", v, states[v], want)
		}
		if err := closeTo(s.Posterior(len(s.layers)-1, int32(v)), golden.Posterior[v]); err != nil {
			return fmt.Errorf("posterior of vertex %d: %w", v, err)
		}
	}
	return nil
}

// set takes the parameters of a golden step.
func (y *layer) set(step *goldenStep) {
	for i := range y.states {
		for k, p := range step.Emission[i] {
			y.emission.discrete[k*y.states+i] = p
		}
	}
	if step.Prior != nil {
		y.layerWeight[0], y.arcWeight[0] = 1, 1
		copy(y.transition, step.Prior)
		return
	}
	copy(y.layerWeight, step.LayerWeight)
	for l := range y.below {
		copy(y.arcWeight[l*y.arcs:], step.ArcWeight[l])
		for a := range y.arcs {
			for i, row := range step.Transition[l][a] {
				for j, p := range row {
					y.transition[(y.column(l, a)+j)*y.states+i] = p
				}
			}
		}
	}
}

// compare holds the parameters against those of a golden step.
func (y *layer) compare(step *goldenStep) error {
	want := newLayer(&Input{Labels: y.emission.symbols, ArcLabels: y.arcs}, y.states, y.previous, y.below)
	want.allocate()
	want.set(step)
	for i, p := range want.parameters(0) {
		if p.name == "cgmm-1-marginal" {
			continue
		}
		if err := closeTo(*y.parameters(0)[i].values, *p.values); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}

// checkCounts recovers n_uaj of the first layer from the arcs and states.
func (g *goldenTraining) checkCounts(s *States) error {
	n, a := s.neighbours, s.layers[0]
	for u := range int32(s.batch.NumVertices()) {
		counts := make([]float64, g.A*a.states)
		for at := n.ptr[u]; at < n.ptr[u+1]; at++ {
			label := 0
			if n.label != nil {
				label = int(n.label[at])
			}
			if g.Context == "soft" {
				for j, p := range s.Posterior(0, n.tail[at]) {
					counts[label*a.states+j] += p
				}
			} else {
				counts[label*a.states+int(a.stateOf(n.tail[at]))]++
			}
		}
		if err := closeTo(counts, slices.Concat(g.NeighbourCounts[u]...)); err != nil {
			return fmt.Errorf("vertex %d: %w", u, err)
		}
	}
	return nil
}

func (g *goldenTraining) checkFingerprints(s *States) error {
	if g.Fingerprint == nil {
		return nil
	}
	for _, test := range []struct {
		name string
		f    Fingerprint
		want [][]float64
	}{
		{"first layer", Fingerprint{Depth: 1}, g.Fingerprint.Layer1},
		{"last layer", Fingerprint{Last: true}, g.Fingerprint.Last},
		{"all layers", Fingerprint{}, g.Fingerprint.Concat},
	} {
		x, err := s.Fingerprints(test.f)
		if err != nil {
			return err
		}
		if err := closeTo(x.Float64s(), slices.Concat(test.want...)); err != nil {
			return fmt.Errorf("fingerprint of the %s: %w", test.name, err)
		}
	}
	return nil
}

// closeTo wants every difference to be within the tolerance, absolutely or of the number wanted.
func closeTo(got, want []float64) error {
	if len(got) != len(want) {
		return fmt.Errorf("%d numbers, want %d", len(got), len(want))
	}
	for i, w := range want {
		if d := math.Abs(got[i] - w); !(d <= goldenTolerance*max(1, math.Abs(w))) {
			return fmt.Errorf("number %d is %.17g, want %.17g", i, got[i], w)
		}
	}
	return nil
}
