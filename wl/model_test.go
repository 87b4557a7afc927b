package wl

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/enginetest"
	"github.com/grove-graph/grove/graph"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

func fit(t *testing.T, e engine.Engine, b *graph.Batch, opt Options) *Model {
	t.Helper()
	m, err := Fit(context.Background(), e, b, opt, nil)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func gram(t *testing.T, m *Model) []float64 {
	t.Helper()
	k, err := m.Gram(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return k.Float64s()
}

func cross(t *testing.T, m *Model, b *graph.Batch) []float64 {
	t.Helper()
	k, err := m.Cross(context.Background(), b, nil)
	if err != nil {
		t.Fatal(err)
	}
	return k.Float64s()
}

// everyOption calls run with every combination of the options, on undirected and on directed graphs.
func everyOption(t *testing.T, run func(t *testing.T, opt Options, directed bool)) {
	for _, kernel := range []Kernel{Subtree, Assignment} {
		for _, uniform := range []bool{false, true} {
			for _, arcLabels := range []bool{false, true} {
				for _, follow := range []Follow{FollowOut, FollowIn, FollowBoth} {
					for _, directed := range []bool{false, true} {
						opt := Options{Kernel: kernel, Iterations: 3, Uniform: uniform, ArcLabels: arcLabels, Follow: follow}
						t.Run(fmt.Sprintf("%+v, directed %v", opt, directed), func(t *testing.T) { run(t, opt, directed) })
					}
				}
			}
		}
	}
}

func TestKernelsAreThoseOfTheDefinition(t *testing.T) {
	everyOption(t, func(t *testing.T, opt Options, directed bool) {
		b := batch(t, randomGraphs(rand.New(rand.NewPCG(1, 1)), 25, directed))
		rounds := plainColours(b, opt)
		m := fit(t, enginetest.Open(t, 2), b, opt)
		want := plainKernel(rounds, b, opt.Kernel)
		if got := gram(t, m); !slices.Equal(got, want) {
			t.Errorf("matrix %v, want %v", got, want)
		}
		for round, names := range rounds {
			different := slices.Compact(slices.Sorted(slices.Values(names)))
			if got := m.NumColours()[round]; got != len(different) {
				t.Errorf("round %d: %d colours, want %d", round, got, len(different))
			}
		}
		if opt.Kernel == Subtree {
			return
		}
		n := b.NumGraphs()
		for i := range n {
			for j := range 5 {
				if best := bestAssignment(rounds, vertices(b, i), vertices(b, j)); best != want[i*n+j] {
					t.Errorf("graphs %d and %d: the best assignment is worth %g, the kernel %g", i, j, best, want[i*n+j])
				}
			}
		}
	})
}

func vertices(b *graph.Batch, g int) []int32 {
	var all []int32
	from, to := b.Vertices(g)
	for v := from; v < to; v++ {
		all = append(all, v)
	}
	return all
}

// The laws of a kernel: symmetric, positive semi-definite, diagonal 1 where it is normalised, the fitted graphs
// compare the same as new ones, and no two graphs share more than either has.
func TestKernelLaws(t *testing.T) {
	everyOption(t, func(t *testing.T, opt Options, directed bool) {
		b := batch(t, randomGraphs(rand.New(rand.NewPCG(2, 1)), 40, directed))
		n := b.NumGraphs()
		for _, normalise := range []bool{false, true} {
			opt.Normalise = normalise
			m := fit(t, enginetest.Open(t, 2), b, opt)
			k := gram(t, m)
			checkKernelMatrix(t, k, n)
			if got := cross(t, m, b); !slices.Equal(got, k) {
				t.Errorf("normalise %v: as new graphs %v, want %v", normalise, got, k)
			}
			for i := range n {
				if from, to := b.Vertices(i); normalise && from < to && k[i*n+i] != 1 {
					t.Errorf("graph %d: normalised diagonal %g", i, k[i*n+i])
				}
				for j := range n {
					if opt.Kernel == Assignment && k[i*n+j] > min(k[i*n+i], k[j*n+j])+1e-12 {
						t.Errorf("graphs %d and %d share %g of %g and %g", i, j, k[i*n+j], k[i*n+i], k[j*n+j])
					}
				}
			}
		}
	})
}

func checkKernelMatrix(t *testing.T, k []float64, n int) {
	t.Helper()
	s := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range n {
			if k[i*n+j] != k[j*n+i] {
				t.Fatalf("row %d, column %d is %v, the other way round %v", i, j, k[i*n+j], k[j*n+i])
			}
			s.SetSym(i, j, k[i*n+j])
		}
	}
	var e mat.EigenSym
	if !e.Factorize(s, false) {
		t.Fatal("no eigenvalues")
	}
	if values := e.Values(nil); values[0] < -1e-9*values[n-1] {
		t.Errorf("smallest eigenvalue %g, largest %g", values[0], values[n-1])
	}
}

// permuted returns the graphs with their vertices in another order.
func permuted(rng *rand.Rand, graphs []graph.Graph) []graph.Graph {
	out := make([]graph.Graph, len(graphs))
	for i, g := range graphs {
		to := rng.Perm(g.NumVertices)
		out[i] = graph.Graph{NumVertices: g.NumVertices, Directed: g.Directed, Labels: make([]int32, g.NumVertices)}
		for v, l := range g.Labels {
			out[i].Labels[to[v]] = l
		}
		for _, e := range rng.Perm(len(g.Arcs.From)) {
			out[i].AddArc(int32(to[g.Arcs.From[e]]), int32(to[g.Arcs.To[e]]))
			out[i].Arcs.Labels = append(out[i].Arcs.Labels, g.Arcs.Labels[e])
		}
	}
	return out
}

// union returns the graphs side by side as one.
func union(graphs ...graph.Graph) graph.Graph {
	out := graph.Graph{Directed: graphs[0].Directed}
	for _, g := range graphs {
		shift := int32(out.NumVertices)
		for e := range g.Arcs.From {
			out.AddArc(g.Arcs.From[e]+shift, g.Arcs.To[e]+shift)
		}
		out.Arcs.Labels = append(out.Arcs.Labels, g.Arcs.Labels...)
		out.Labels = append(out.Labels, g.Labels...)
		out.NumVertices += g.NumVertices
	}
	return out
}

func TestKernelsFollowTheGraphs(t *testing.T) {
	everyOption(t, func(t *testing.T, opt Options, directed bool) {
		rng := rand.New(rand.NewPCG(3, 1))
		graphs := randomGraphs(rng, 20, directed)
		n := len(graphs)
		for _, normalise := range []bool{false, true} {
			opt.Normalise = normalise
			e := enginetest.Open(t, 1)
			k := gram(t, fit(t, e, batch(t, graphs), opt))
			if got := gram(t, fit(t, e, batch(t, permuted(rng, graphs)), opt)); !slices.Equal(got, k) {
				t.Errorf("normalise %v: another order of the vertices changes the kernel", normalise)
			}
			renamed := slices.Clone(graphs)
			for i := range renamed {
				renamed[i].Labels = slices.Clone(renamed[i].Labels)
				for v, l := range renamed[i].Labels {
					renamed[i].Labels[v] = []int32{4, 0, 1}[l]
				}
			}
			if got := gram(t, fit(t, e, batch(t, renamed), opt)); !slices.Equal(got, k) {
				t.Errorf("normalise %v: other numbers for the labels change the kernel", normalise)
			}
			order := rng.Perm(n)
			shuffled := make([]graph.Graph, 0, n)
			for _, g := range order {
				shuffled = append(shuffled, graphs[g])
			}
			got := gram(t, fit(t, e, batch(t, shuffled), opt))
			twice := gram(t, fit(t, e, batch(t, append(slices.Clone(graphs), graphs...)), opt))
			for i, g := range order {
				for j, h := range order {
					if got[i*n+j] != k[g*n+h] {
						t.Fatalf("normalise %v: the order of the graphs changes the kernel", normalise)
					}
					if twice[g*2*n+h] != k[g*n+h] || twice[g*2*n+n+h] != k[g*n+h] {
						t.Fatalf("normalise %v: copies of the graphs change the kernel", normalise)
					}
				}
			}
		}
		opt.Normalise = false
		pair := union(graphs[4], graphs[7])
		k := gram(t, fit(t, enginetest.Open(t, 1), batch(t, append(slices.Clone(graphs), pair)), opt))
		for i := range n {
			row := k[i*(n+1):]
			sum := row[4] + row[7]
			if opt.Kernel == Subtree && row[n] != sum || opt.Kernel == Assignment && row[n] > sum {
				t.Errorf("graph %d shares %g with two graphs side by side, %g and %g with each", i, row[n], row[4], row[7])
			}
		}
	})
}

// A kernel between two graphs is that of a fit on both, whichever of them were fitted.
func TestNewGraphsCompareAsIfFitted(t *testing.T) {
	everyOption(t, func(t *testing.T, opt Options, directed bool) {
		rng := rand.New(rand.NewPCG(4, 1))
		old, fresh := randomGraphs(rng, 12, directed), randomGraphs(rng, 15, directed)
		fresh[3].Labels[0] = 7 // a label that was never seen
		for _, normalise := range []bool{false, true} {
			opt.Normalise = normalise
			m := fit(t, enginetest.Open(t, 2), batch(t, old), opt)
			got := cross(t, m, batch(t, fresh))
			both := gram(t, fit(t, enginetest.Open(t, 1), batch(t, append(slices.Clone(fresh), old...)), opt))
			total := len(old) + len(fresh)
			for i := range fresh {
				for j := range old {
					if want := both[i*total+len(fresh)+j]; got[i*len(old)+j] != want {
						t.Fatalf("normalise %v: new graph %d with %d: %v, want %v", normalise, i, j, got[i*len(old)+j], want)
					}
				}
				alone := cross(t, m, batch(t, fresh[i:i+1]))
				if !slices.Equal(alone, got[i*len(old):(i+1)*len(old)]) {
					t.Errorf("normalise %v: the row of new graph %d depends on the others", normalise, i)
				}
			}
		}
	})
}

func TestSameBitsForAnyNumberOfWorkers(t *testing.T) {
	everyOption(t, func(t *testing.T, opt Options, directed bool) {
		b := batch(t, randomGraphs(rand.New(rand.NewPCG(5, 1)), 150, directed))
		opt.Normalise = true
		var first []float64
		for _, workers := range []int{1, 2, 8} {
			k := gram(t, fit(t, enginetest.Open(t, workers), b, opt))
			if first == nil {
				first = k
			}
			if !slices.Equal(k, first) {
				t.Errorf("%d workers: other bits", workers)
			}
		}
	})
}

func TestKeptGraphsCompareAsBefore(t *testing.T) {
	b := batch(t, randomGraphs(rand.New(rand.NewPCG(7, 1)), 20, false))
	for _, kernel := range []Kernel{Subtree, Assignment} {
		m := fit(t, enginetest.Open(t, 1), b, DefaultOptions(kernel))
		before, colours := cross(t, m, b), m.NumColours()
		kept := []int{7, 3, 19}
		if err := m.Keep(kept); err != nil {
			t.Fatal(err)
		}
		if left := m.NumColours(); left[2] >= colours[2] {
			t.Errorf("%s: %d of %d colours after two rounds are left", kernel, left[2], colours[2])
		}
		after := cross(t, m, b)
		for i := range b.NumGraphs() {
			for j, g := range kept {
				if after[i*3+j] != before[i*20+g] {
					t.Fatalf("%s: graph %d with kept graph %d: %v, before %v", kernel, i, g, after[i*3+j], before[i*20+g])
				}
			}
		}
		if err := m.Keep([]int{3}); err == nil {
			t.Error("a graph that is not there was kept")
		}
	}
}

func TestNothingToCompare(t *testing.T) {
	ctx := context.Background()
	single := graph.Graph{NumVertices: 1}
	for name, graphs := range map[string][]graph.Graph{
		"no graphs": {}, "one empty graph": {{}}, "empty graphs": {{}, {}}, "one vertex": {single},
		"no arcs": {{NumVertices: 3}, {NumVertices: 2}}, "empty among others": {{}, single, {}},
	} {
		b := batch(t, graphs)
		for _, kernel := range []Kernel{Subtree, Assignment} {
			for _, normalise := range []bool{false, true} {
				opt := DefaultOptions(kernel)
				opt.Normalise = normalise
				m := fit(t, enginetest.Open(t, 2), b, opt)
				k := gram(t, m)
				if len(k) != len(graphs)*len(graphs) || slices.ContainsFunc(k, math.IsNaN) {
					t.Errorf("%s: matrix %v", name, k)
				}
				if got := cross(t, m, b); !slices.Equal(got, k) {
					t.Errorf("%s: as new graphs %v, want %v", name, got, k)
				}
				seen := 0
				err := m.EachGram(ctx, nil, func(h int, k *tensor.Dense) error { seen++; return nil })
				if err != nil || seen != 6 {
					t.Errorf("%s: %d matrices, error %v", name, seen, err)
				}
				if other := cross(t, m, batch(t, []graph.Graph{single, {}})); len(other) != 2*len(graphs) {
					t.Errorf("%s: %d kernel values with two new graphs", name, len(other))
				}
			}
		}
	}
}
