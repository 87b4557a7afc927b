package treeg

import (
	"context"
	"fmt"
	"testing"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/graph"
)

// splitMix is the splitmix64 generator of the golden tasks.
type splitMix uint64

func (s *splitMix) next() uint64 {
	*s += 0x9E3779B97F4A7C15
	z := uint64(*s)
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

func (s *splitMix) uniform() float64 { return float64(s.next()>>11) * 0x1p-53 }

// walkCounts are the tasks of appendix E: random directed graphs of red and other vertices, with the number of walks
// that start in a red vertex, that start and end in the same red vertex, that end in a red vertex, and that start and
// end in red vertices: a target for each walk type.
type walkCounts struct {
	batch  *graph.Batch
	counts [numWalks][]float64
	edges  []int
	red    []int
}

// anyShare draws the share of red vertices for each graph.
const anyShare = -1

func newWalkCounts(t testing.TB, seed uint64, graphs, n int, edgeShare, redShare float64, length int) *walkCounts {
	t.Helper()
	random := splitMix(seed)
	w := &walkCounts{}
	var list []graph.Graph
	for range graphs {
		g := graph.Graph{NumVertices: n, Directed: true}
		reds := 0
		redShare := redShare
		if redShare == anyShare {
			redShare = random.uniform()
		}
		for range n {
			label := int32(0)
			if random.uniform() < redShare {
				label = 1
				reds++
			}
			g.Labels = append(g.Labels, label)
		}
		a := make([][]float64, n)
		for i := range a {
			a[i] = make([]float64, n)
		}
		for tail := range n {
			for head := range n {
				if head != tail && random.uniform() < edgeShare {
					g.AddArc(int32(tail), int32(head))
					a[head][tail] = 1
				}
			}
		}
		var y [numWalks]float64
		for i, row := range power(a, length) {
			for j, count := range row {
				start, end := g.Labels[j] == 1, g.Labels[i] == 1
				for walk, counts := range [numWalks]bool{start, start && i == j, end, start && end} {
					if counts {
						y[walk] += count
					}
				}
			}
		}
		for walk, v := range y {
			w.counts[walk] = append(w.counts[walk], v)
		}
		w.edges, w.red = append(w.edges, len(g.Arcs.From)), append(w.red, reds)
		list = append(list, g)
	}
	b, err := graph.NewBatch(list)
	if err != nil {
		t.Fatal(err)
	}
	b.NumLabels = 2
	w.batch = b
	return w
}

// mse returns the mean squared error on the test part, graphs whose number ends in 8 or 9, of a model that may use the
// given walk types.
func (w *walkCounts) mse(t testing.TB, task Walk, walks ...Walk) float64 {
	t.Helper()
	opt := Defaults(Graphs, Boosting)
	opt.Walks, opt.Keep, opt.Estimators, opt.LearningRate = walks, 1, 20, 0.2
	var train, test []int
	for g := range w.batch.NumGraphs() {
		if g%10 >= 8 {
			test = append(test, g)
		} else {
			train = append(train, g)
		}
	}
	y := w.counts[task]
	m, err := Fit(context.Background(), openCPU(t, 2), w.batch, Targets{Values: y, Train: train}, opt, nil)
	if err != nil {
		t.Fatal(err)
	}
	values, err := m.Values(context.Background(), w.batch)
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for _, g := range test {
		sum += (values[g] - y[g]) * (values[g] - y[g])
	}
	return sum / float64(len(test))
}

// Walks of each type are counted better with that type alone than with any other, and than with the other three
// together (figures 8 to 11). Walks that start in red vertices are no exception only because the red feature summed
// over target or target-source walks from all vertices is the same number.
func TestEachWalkTypeHasItsTask(t *testing.T) {
	w := newWalkCounts(t, 2, 400, 12, 0.2, anyShare, 2)
	for task := Source; task <= TargetSource; task++ {
		own := w.mse(t, task, task)
		var others []Walk
		for walk := Source; walk <= TargetSource; walk++ {
			if walk == task {
				continue
			}
			others = append(others, walk)
			other := w.mse(t, task, walk)
			if task == Source && walk != Cycle {
				if own > 1.2*other || other > 1.2*own {
					t.Errorf("%s walks: error %.3g, with %s walks, which count the same, %.3g", task, own, walk, other)
				}
			} else if own >= other {
				t.Errorf("%s walks: error %.3g, with %s walks %.3g", task, own, walk, other)
			}
		}
		if three := w.mse(t, task, others...); task != Source && own >= three {
			t.Errorf("%s walks: error %.3g, with the other three %.3g", task, own, three)
		}
	}
}

// goldenTasks is a file of kind synthetic_tasks.
type goldenTasks struct {
	First []string `json:"prng_seed0_first4"`
	Red   struct {
		Seed     uint64
		Graphs   int      `json:"n_graphs"`
		Vertices int      `json:"n_vertices"`
		Edge     float64  `json:"p_edge"`
		Share    float64  `json:"p_red"`
		Rows     [][6]int `json:"first_20"`
		Totals   map[string]int
	} `json:"red_isolated"`
	Walks struct {
		Seed      uint64
		Graphs    int          `json:"n_graphs"`
		Vertices  int          `json:"n_vertices"`
		Edge      float64      `json:"p_edge"`
		Share     float64      `json:"p_red"`
		Length    int          `json:"walk_length"`
		Rows      [][6]float64 `json:"first_20"`
		Means     [numWalks]float64
		Variances [numWalks]float64
	} `json:"walk_count"`
}

func TestGoldenSyntheticTasks(t *testing.T) {
	eachGolden(t, func(t *testing.T, g *goldenTasks) {
		random := splitMix(0)
		for i, want := range g.First {
			if got := fmt.Sprint(random.next()); got != want {
				t.Errorf("random number %d is %s, want %s", i, got, want)
			}
		}
		c := &g.Walks
		w := newWalkCounts(t, c.Seed, c.Graphs, c.Vertices, c.Edge, c.Share, c.Length)
		for i, want := range c.Rows {
			got := [6]float64{float64(w.edges[i]), float64(w.red[i])}
			for walk, y := range w.counts {
				got[2+walk] = y[i]
			}
			if got != want {
				t.Errorf("graph %d: %v, want %v", i, got, want)
			}
		}
		for walk, y := range w.counts {
			if m := mean(y); !near(m, c.Means[walk], 1e-9) || !near(squares(y)/float64(len(y)), c.Variances[walk], 1e-6) {
				t.Errorf("%s: mean %g and variance %g, want %g and %g", Walk(walk), m, squares(y)/float64(len(y)), c.Means[walk], c.Variances[walk])
			}
		}
		g.checkExactTree(t)
	}, "synthetic_tasks")
}

// checkExactTree sends the red isolated graphs through the tree that decides them (golden README): isolated vertices
// are those that get no walk of length 1; exactly one of them is red.
func (g *goldenTasks) checkExactTree(t *testing.T) {
	set, err := dataset.Synth("red-isolated", dataset.SynthOptions{
		Seed: g.Red.Seed, Graphs: g.Red.Graphs, Vertices: g.Red.Vertices, Degree: g.Red.Edge * float64(g.Red.Vertices-1),
	})
	if err != nil {
		t.Fatal(err)
	}
	b := dataset.OneHot(set.Batch) // blue, red
	any := Arcs{Type: AllArcs}
	red := Split{Feature: 1, Arcs: any, Walk: Target, Aggregation: Sum, Pointer: 1, Threshold: 0.5}
	again := red
	again.Pointer, again.Threshold = 2, 1.5
	root := Split{Feature: 2, Length: 1, Arcs: any, Aggregation: Min, Threshold: 0.5}
	one, zero := []float64{1}, []float64{0}
	tree := &Tree{Nodes: []Node{
		{Split: &root, LTE: 1, GT: 2}, {Split: &red, LTE: 3, GT: 4}, {Value: zero}, {Value: zero}, {Split: &again, LTE: 5, GT: 6}, {Value: one}, {Value: zero},
	}}
	m := modelOf(t, Graphs, b, tree)
	m.input.Constant = true
	values, err := m.Values(context.Background(), b)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range set.Classes {
		if values[i] != float64(c) {
			t.Errorf("graph %d of class %d: the exact tree says %g", i, c, values[i])
		}
	}
}
