package wl

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/grove-graph/grove/engine/enginetest"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/internal/matrices"
	"github.com/grove-graph/grove/mkl"
	"github.com/grove-graph/grove/split"
)

// marked returns random graphs with classes: those of class 1 contain a triangle of label 2 in most cases.
func marked(rng *rand.Rand, n, classes int) ([]graph.Graph, []int) {
	graphs := randomGraphs(rng, n, false)
	y := make([]int, n)
	for i := range graphs {
		y[i] = i % classes
		if rng.IntN(10) > 0 {
			for range y[i] {
				graphs[i] = union(graphs[i], triangle())
			}
		}
	}
	return graphs, y
}

func triangle() graph.Graph {
	g := graph.Graph{NumVertices: 3, Labels: []int32{2, 2, 2}}
	for v := range int32(3) {
		g.AddArc(v, (v+1)%3)
		g.Arcs.Labels = append(g.Arcs.Labels, 0)
	}
	return g
}

func learn(t *testing.T, m *Model, graphs, classes []int, opt DeepOptions) *Deep {
	t.Helper()
	d, err := m.Learn(context.Background(), graphs, classes, opt, nil)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// explicit returns the kernel matrix of every colour over the given graphs, times the factors of the graphs.
func explicit(m *Model, graphs []int, factors []float64) [][]float64 {
	n := len(graphs)
	var all [][]float64
	for _, x := range m.index() {
		for c := range int32(len(x.ptr) - 1) {
			counts := make([]float64, m.NumGraphs())
			for _, p := range x.of(c) {
				counts[p.graph] = float64(p.count)
			}
			k := make([]float64, n*n)
			for i, g := range graphs {
				for j, h := range graphs {
					k[i*n+j] = min(counts[g], counts[h])
					if factors != nil {
						k[i*n+j] *= factors[g] * factors[h]
					}
				}
			}
			all = append(all, k)
		}
	}
	return all
}

// The hierarchy is the family of the matrices of its nodes, which here are made.
func TestHierarchyIsTheFamilyOfItsMatrices(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	graphs, y := marked(rng, 30, 2)
	b := batch(t, graphs)
	chosen := rng.Perm(30)[:21]
	labels := make([]float64, len(chosen))
	for i, g := range chosen {
		labels[i] = float64(2*y[g] - 1)
	}
	z := make([]float64, len(chosen))
	for i := range z {
		z[i] = rng.NormFloat64()
	}
	for _, normalise := range []bool{false, true} {
		opt := Options{Kernel: Assignment, Iterations: 3, Normalise: normalise, Follow: FollowOut}
		m := fit(t, enginetest.Open(t, 1), b, opt)
		tree := newHierarchy(m.index(), chosen, 30, 2)
		factors := m.factors(m.self(m.train))
		for _, g := range chosen {
			if factors != nil {
				tree.root = append(tree.root, factors[g])
			}
		}
		plain := matrices.Family(explicit(m, chosen, factors))
		weights := make([]float64, len(plain))
		for k := range weights {
			weights[k] = rng.Float64()
		}
		got, want := make([]float64, len(z)), make([]float64, len(z))
		for _, w := range [][]float64{nil, weights} {
			tree.Sum(w)(got, z)
			plain.Sum(w)(want, z)
			near(t, "product", got, want, 1e-12)
		}
		got, want = make([]float64, len(plain)), make([]float64, len(plain))
		tree.QuadraticForms(got, z)
		plain.QuadraticForms(want, z)
		near(t, "quadratic forms", got, want, 1e-12)
		tree.MeanDiagonals(got)
		plain.MeanDiagonals(want)
		near(t, "mean diagonals", got, want, 1e-12)
		for _, scale := range []bool{false, true} {
			o := mkl.Options{Lambda: 0.3, Norm: mkl.SumOne, Scale: scale, Tolerance: 1e-12}
			a, err := mkl.Solve(context.Background(), tree, labels, o)
			if err != nil {
				t.Fatal(err)
			}
			b, err := mkl.Solve(context.Background(), plain, labels, o)
			if err != nil {
				t.Fatal(err)
			}
			near(t, "weights", a.Weights, b.Weights, 1e-9)
		}
	}
}

// deepCases calls run for kernels with and without normalisation, groups and a third class.
func deepCases(t *testing.T, run func(t *testing.T, m *Model, classes []int, opt DeepOptions)) {
	for _, classes := range []int{2, 3} {
		for _, normalise := range []bool{false, true} {
			for _, groups := range []int{0, 5} {
				t.Run(fmt.Sprintf("%d classes, normalise %v, %d groups", classes, normalise, groups), func(t *testing.T) {
					graphs, y := marked(rand.New(rand.NewPCG(2, 2)), 36, classes)
					opt := DefaultOptions(Assignment)
					opt.Iterations, opt.Normalise = 3, normalise
					run(t, fit(t, enginetest.Open(t, 2), batch(t, graphs), opt), y, DefaultDeepOptions(groups))
				})
			}
		}
	}
}

// The matrix follows from the weights by the definition.
func TestDeepKernelFollowsItsWeights(t *testing.T) {
	ctx := context.Background()
	deepCases(t, func(t *testing.T, m *Model, classes []int, opt DeepOptions) {
		n := m.NumGraphs()
		rng := rand.New(rand.NewPCG(3, 2))
		train := rng.Perm(n)[:26]
		known := make([]int, len(train))
		for i, g := range train {
			known[i] = classes[g]
		}
		d := learn(t, m, train, known, opt)
		nodes := explicit(m, split.All(n), nil)
		weights := slices.Concat(d.model.weights...)
		want, self := make([]float64, n*n), make([]float64, n)
		for k, node := range nodes {
			for at, v := range node {
				want[at] += weights[k] * v
			}
		}
		for i := range n {
			self[i] = want[i*n+i]
		}
		k, err := d.Gram(ctx, nil)
		if err != nil {
			t.Fatal(err)
		}
		if m.opt.Normalise {
			for at := range want {
				if want[at] != 0 {
					want[at] /= math.Sqrt(self[at/n] * self[at%n])
				}
			}
		}
		near(t, "matrix", k.Float64s(), want, 1e-12)
		checkKernelMatrix(t, k.Float64s(), n)
	})
}

func TestNewGraphsAreComparedAsFittedOnes(t *testing.T) {
	ctx := context.Background()
	for _, classes := range []int{2, 3} {
		graphs, y := marked(rand.New(rand.NewPCG(4, 2)), 40, classes)
		b := batch(t, graphs)
		for _, normalise := range []bool{false, true} {
			opt := DefaultOptions(Assignment)
			opt.Normalise = normalise
			d := learn(t, fit(t, enginetest.Open(t, 1), b, opt), nil, y, DefaultDeepOptions(0))
			k, err := d.Gram(ctx, nil)
			if err != nil {
				t.Fatal(err)
			}
			x, err := d.Cross(ctx, b, nil)
			if err != nil || !slices.Equal(k.Float64s(), x.Float64s()) {
				t.Errorf("kernel %v, as fitted graphs %v, error %v", x, k, err)
			}
		}
	}
}

// With several classes the weights are the mean of those of each class against the rest.
func TestWeightsAreTheMeanOverTheClasses(t *testing.T) {
	graphs, y := marked(rand.New(rand.NewPCG(11, 2)), 45, 3)
	m := fit(t, enginetest.Open(t, 1), batch(t, graphs), DefaultOptions(Assignment))
	all := learn(t, m, nil, y, DefaultDeepOptions(0))
	var want []float64
	for class := range 3 {
		binary := make([]int, len(y))
		for i, c := range y {
			if c == class {
				binary[i] = 1
			}
		}
		for i, w := range slices.Concat(learn(t, m, nil, binary, DefaultDeepOptions(0)).model.weights...) {
			if class == 0 {
				want = append(want, 0)
			}
			want[i] += w / 3
		}
	}
	near(t, "weights", slices.Concat(all.model.weights...), want, 1e-12)
}

func TestWeightsHaveTheSameBitsForAnyNumberOfWorkers(t *testing.T) {
	graphs, y := marked(rand.New(rand.NewPCG(6, 2)), 60, 3)
	b := batch(t, graphs)
	for _, groups := range []int{0, 6} {
		var first [][]float64
		for _, workers := range []int{1, 2, 8} {
			d := learn(t, fit(t, enginetest.Open(t, workers), b, DefaultOptions(Assignment)), nil, y, DefaultDeepOptions(groups))
			if first == nil {
				first = d.model.weights
			}
			if !slices.EqualFunc(first, d.model.weights, slices.Equal) {
				t.Errorf("%d groups, %d workers: other weights", groups, workers)
			}
		}
	}
}

func TestMistakesAreNamed(t *testing.T) {
	ctx := context.Background()
	graphs, y := marked(rand.New(rand.NewPCG(9, 2)), 10, 2)
	b := batch(t, graphs)
	e := enginetest.Open(t, 1)
	plain := DefaultOptions(Assignment)
	m := fit(t, e, b, plain)
	fitting := func(change func(*Options)) error {
		opt := plain
		change(&opt)
		_, err := Fit(ctx, e, b, opt, nil)
		return err
	}
	learning := func(m *Model, graphs, classes []int, change func(*DeepOptions)) error {
		opt := DefaultDeepOptions(0)
		if change != nil {
			change(&opt)
		}
		_, err := m.Learn(ctx, graphs, classes, opt, nil)
		return err
	}
	bare := batch(t, []graph.Graph{{NumVertices: 2}})
	_, unlabelled := m.Cross(ctx, bare, nil)
	withArcLabels := plain
	withArcLabels.Uniform, withArcLabels.ArcLabels = true, true
	joined := graph.Graph{NumVertices: 2}
	joined.AddArc(0, 1)
	_, noArcLabels := Fit(ctx, e, batch(t, []graph.Graph{joined}), withArcLabels, nil)
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	_, stoppedFit := Fit(cancelled, e, b, plain, nil)
	_, stoppedGram := m.Gram(cancelled, nil)
	_, stoppedLearn := m.Learn(cancelled, nil, y, DefaultDeepOptions(3), nil)
	_, coefficients := m.Contributions(ctx, b, []float64{1})
	empty := fit(t, e, batch(t, []graph.Graph{{}, {}}), DefaultOptions(Assignment))
	copies := fit(t, e, batch(t, []graph.Graph{triangle(), triangle()}), plain)
	for want, err := range map[string]error{
		`kernel "rbf"`:                fitting(func(o *Options) { o.Kernel = "rbf" }),
		"-1 rounds":                   fitting(func(o *Options) { o.Iterations = -1 }),
		`arcs to follow "back"`:       fitting(func(o *Options) { o.Follow = "back" }),
		"the vertices have no labels": unlabelled,
		"the arcs have no labels":     noArcLabels,
		"1 coefficients of 10":        coefficients,
		"of one class":                learning(m, []int{0, 2}, []int{4, 4}, nil),
		"2 classes for 10 graphs":     learning(m, nil, []int{0, 1}, nil),
		"graph 10: the model has 10":  learning(m, []int{0, 10}, []int{0, 1}, nil),
		"graph 3 is given twice":      learning(m, []int{3, 3}, []int{0, 1}, nil),
		"-2 groups":                   learning(m, nil, y, func(o *DeepOptions) { o.Groups = -2 }),
		"lambda 7":                    learning(m, nil, y, func(o *DeepOptions) { o.Lambda = 7 }),
		"for kernel wl-oa, not wl":    learning(fit(t, e, b, DefaultOptions(Subtree)), nil, y, nil),
		"no vertices whose colours":   learning(empty, nil, []int{0, 1}, func(o *DeepOptions) { o.Groups = 2 }),
	} {
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %v, want one line with %q", err, want)
		}
	}
	for what, err := range map[string]error{"fit": stoppedFit, "matrix": stoppedGram, "weights": stoppedLearn} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v after the context was done", what, err)
		}
	}
	for what, m := range map[string]*Model{"graphs without vertices": empty, "equal graphs of two classes": copies} {
		if err := learning(m, nil, []int{0, 1}, nil); !errors.Is(err, mkl.ErrInseparable) {
			t.Errorf("%s: error %v", what, err)
		}
	}
}
