package cgmm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/enginetest"
	"github.com/grove-graph/grove/graph"
	"gorgonia.org/tensor"
)

// smallOptions are those of a small model with everything switched on.
func smallOptions(seed uint64) Options {
	return Options{
		States: 4, Layers: 4, Previous: []int{1, 3}, Iterations: 12, Pool: 2, Seed: seed,
		Fingerprint: Fingerprint{Bigrams: true},
	}
}

// contents are all that a model consists of, to compare exactly.
func contents(t *testing.T, m *Model) string {
	t.Helper()
	description, err := m.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	var s strings.Builder
	s.Write(description)
	tensors := m.Tensors()
	for l, y := range m.layers {
		for _, p := range y.parameters(l) {
			fmt.Fprintf(&s, "\n%s %x", p.name, tensors[p.name].Float64s())
		}
	}
	return s.String()
}

func TestSameBitsForAnyNumberOfWorkers(t *testing.T) {
	b := randomBatch(t, 9, true)
	for name, in := range inputs() {
		for _, soft := range []bool{false, true} {
			opt := smallOptions(1)
			opt.Soft = soft
			want := ""
			for _, workers := range []int{1, 1, 2, 8} {
				m := trained(t, engine.NewCPU(workers), b, in, opt, Training{})
				x, err := m.Transform(context.Background(), b, nil)
				if err != nil {
					t.Fatal(err)
				}
				got := contents(t, m) + fmt.Sprintf("%x", x.Float64s())
				if want == "" {
					want = got
				}
				if got != want {
					t.Errorf("%s, soft %v: %d workers give other bits", name, soft, workers)
				}
			}
		}
	}
}

// score is a criterion that counts its calls and may fail in one.
type score struct {
	calls int
	stop  func(call int) error
	of    func(call int, x *tensor.Dense) float64
}

func (s *score) String() string { return "test" }

func (s *score) Score(_ context.Context, x *tensor.Dense) (float64, error) {
	s.calls++
	if s.stop != nil {
		if err := s.stop(s.calls); err != nil {
			return 0, err
		}
	}
	return s.of(s.calls, x), nil
}

// occupied returns the number of elements that are not zero.
func occupied(x *tensor.Dense) float64 {
	count := 0.0
	for _, v := range x.Float64s() {
		if v != 0 {
			count++
		}
	}
	return count
}

func byOccupied(_ int, x *tensor.Dense) float64 { return occupied(x) }

func TestPoolKeepsTheBestCandidate(t *testing.T) {
	b, in, opt := randomBatch(t, 5, false), Input{Labels: 4}, smallOptions(3)
	opt.Pool = 5
	m := trained(t, engine.NewCPU(1), b, in, opt, Training{Criterion: &score{of: byOccupied}})
	different := false
	for l, h := range m.history {
		if len(h.Scores) != 5 || h.Score != slices.Max(h.Scores) || h.Candidate != slices.Index(h.Scores, h.Score) {
			t.Errorf("layer %d: candidate %d with %g of %v", l+1, h.Candidate, h.Score, h.Scores)
		}
		different = different || slices.Min(h.Scores) != h.Score
		s, err := m.States(context.Background(), b, nil)
		if err != nil {
			t.Fatal(err)
		}
		x, err := s.Fingerprints(Fingerprint{Depth: l + 1, Bigrams: true})
		if err != nil {
			t.Fatal(err)
		}
		if got := occupied(x); got != h.Score {
			t.Errorf("layer %d: the model's fingerprints have %g elements, it was chosen for %g", l+1, got, h.Score)
		}
	}
	if !different {
		t.Error("all candidates have one score: the test says nothing")
	}
	// Without a criterion the likelihood decides.
	for l, h := range trained(t, engine.NewCPU(1), b, in, opt, Training{}).history {
		if h.Score != last(h.LogLikelihood) || h.Score != slices.Max(h.Scores) {
			t.Errorf("layer %d: score %g of %v, log-likelihood %g", l+1, h.Score, h.Scores, last(h.LogLikelihood))
		}
	}
}

func TestGrowthEndsWhereLayersDoNotHelp(t *testing.T) {
	b, in := randomBatch(t, 5, false), Input{Labels: 4}
	scores := []float64{1, 3, 2, 3, 5, 6}
	for _, test := range []struct{ patience, layers, trained int }{{0, 6, 6}, {1, 2, 3}, {2, 2, 4}, {3, 6, 6}} {
		opt := smallOptions(1)
		opt.Pool, opt.Layers, opt.Patience = 1, 6, test.patience
		s := &score{of: func(call int, _ *tensor.Dense) float64 { return scores[call-1] }}
		m := trained(t, engine.NewCPU(1), b, in, opt, Training{Criterion: s})
		if m.Layers() != test.layers || s.calls != test.trained {
			t.Errorf("patience %d: %d layers after %d, want %d after %d", test.patience, m.Layers(), s.calls, test.layers,
				test.trained)
		}
		if x, err := m.Transform(context.Background(), b, nil); err != nil || x.Shape()[1] != m.Dim() {
			t.Errorf("patience %d: %v, %v", test.patience, x.Shape(), err)
		}
	}
}

func TestFitStopsWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	stages := 0
	_, err := Fit(ctx, engine.NewCPU(1), randomBatch(t, 1, false), Input{Labels: 4}, smallOptions(1),
		Training{Progress: func(string, int, int) {
			if stages++; stages == 3 {
				cancel()
			}
		}})
	if !errors.Is(err, context.Canceled) || stages != 3 {
		t.Errorf("error %v after %d reports", err, stages)
	}
}

// Every graph twice gives the same parameters: vertices count by their number.
func TestRepeatedGraphsChangeNothing(t *testing.T) {
	b := randomBatch(t, 11, false)
	var twice []int
	for g := range b.NumGraphs() {
		twice = append(twice, g)
	}
	twice = append(twice, twice...)
	in := Input{Labels: 4, ArcLabels: 3}
	opt := smallOptions(1)
	opt.Pool, opt.Tolerance = 1, 0
	one, two := trained(t, enginetest.Open(t, 1), b, in, opt, Training{}), trained(t, enginetest.Open(t, 1),
		b.Select(twice), in, opt, Training{})
	for l, y := range one.layers {
		for i, p := range y.parameters(l) {
			if err := closeTo(*two.layers[l].parameters(l)[i].values, *p.values); err != nil {
				t.Errorf("%s: %v", p.name, err)
			}
		}
		a, b := last(one.history[l].LogLikelihood), last(two.history[l].LogLikelihood)
		if math.Abs(2*a-b) > 1e-9*math.Abs(b) {
			t.Errorf("layer %d: log-likelihoods %g and %g", l+1, a, b)
		}
	}
}

// The order of graphs and of vertices makes no difference to fingerprints.
func TestFingerprintsDoNotDependOnOrder(t *testing.T) {
	b, in := randomBatch(t, 12, false), Input{Labels: 4, ArcLabels: 3}
	m := trained(t, engine.NewCPU(1), b, in, smallOptions(1), Training{})
	x, err := m.Transform(context.Background(), b, nil)
	if err != nil {
		t.Fatal(err)
	}
	reversed := reverse(t, b)
	y, err := m.Transform(context.Background(), reversed, nil)
	if err != nil {
		t.Fatal(err)
	}
	n, dim := b.NumGraphs(), m.Dim()
	for g := range n {
		if !slices.Equal(x.Float64s()[g*dim:(g+1)*dim], y.Float64s()[(n-1-g)*dim:(n-g)*dim]) {
			t.Errorf("graph %d has another fingerprint in another place", g)
		}
	}
}

// reverse numbers the graphs of a batch, and the vertices of each, from the last to the first.
func reverse(t *testing.T, b *graph.Batch) *graph.Batch {
	t.Helper()
	var graphs []graph.Graph
	for g := b.NumGraphs() - 1; g >= 0; g-- {
		from, to := b.Vertices(g)
		one := graph.Graph{NumVertices: int(to - from), Directed: b.Directed}
		for v := to - 1; v >= from; v-- {
			one.Labels = append(one.Labels, b.Labels[v])
			for a := b.RowPtr[v]; a < b.RowPtr[v+1]; a++ {
				one.AddArc(to-1-v, to-1-b.Col[a])
				one.Arcs.Labels = append(one.Arcs.Labels, b.ArcLabels[a])
			}
		}
		graphs = append(graphs, one)
	}
	r, err := graph.NewBatch(graphs)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestOptionsThatMakeNoSense(t *testing.T) {
	tests := map[string]func(o *Options){
		"0 hidden states":      func(o *Options) { o.States = 0 },
		"0 layers":             func(o *Options) { o.Layers = 0 },
		"0 iterations":         func(o *Options) { o.Iterations = 0 },
		"tolerance":            func(o *Options) { o.Tolerance = math.NaN() },
		"smoothing":            func(o *Options) { o.Smoothing = -1 },
		"a pool of 0":          func(o *Options) { o.Pool = 0 },
		"patience":             func(o *Options) { o.Patience = -1 },
		"no preceding layers":  func(o *Options) { o.Previous = nil },
		"preceding layers":     func(o *Options) { o.Previous = []int{1, 1} },
		"without distance 1":   func(o *Options) { o.Previous = []int{2} },
		"fingerprint of 9":     func(o *Options) { o.Fingerprint.Depth = 9 },
		"without a criterion ": func(o *Options) { o.Patience = 1 },
	}
	for want, change := range tests {
		opt := DefaultOptions()
		change(&opt)
		_, err := Fit(context.Background(), engine.NewCPU(1), randomBatch(t, 1, false), Input{Labels: 4}, opt, Training{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	opt := DefaultOptions()
	if err := opt.Check(); err != nil {
		t.Errorf("the defaults: %v", err)
	}
	raw, err := json.Marshal(opt)
	var back Options
	if err != nil || json.Unmarshal(raw, &back) != nil || fmt.Sprint(back) != fmt.Sprint(opt) {
		t.Errorf("%s is read back as %v", raw, back)
	}
}

func TestInputsThatDoNotFit(t *testing.T) {
	labelled := randomBatch(t, 1, false)
	bare := *labelled
	bare.Labels, bare.ArcLabels = nil, nil
	bad := *labelled
	bad.Attributes = slices.Clone(labelled.Attributes)
	bad.Attributes[1] = math.NaN()
	tests := []struct {
		want string
		b    *graph.Batch
		in   Input
	}{
		{"neither labels nor attributes", labelled, Input{}},
		{"want", labelled, Input{Labels: -1}},
		{"these have no labels", &bare, Input{Labels: 4}},
		{"these have 2", labelled, Input{Attributes: 3}},
		{"these arcs have none", &bare, Input{Attributes: 2, ArcLabels: 2}},
		{"attribute 1 is NaN, want a finite", &bad, Input{Attributes: 2}},
	}
	for _, test := range tests {
		if _, err := Fit(context.Background(), engine.NewCPU(1), test.b, test.in, smallOptions(1), Training{}); err == nil {
			t.Errorf("input %+v: no error", test.in)
		} else if test.want != "want" && !strings.Contains(err.Error(), test.want) {
			t.Errorf("input %+v: error %v, want %q", test.in, err, test.want)
		}
	}
}
