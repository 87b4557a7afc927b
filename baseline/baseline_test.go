package baseline

import (
	"context"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/svm"
)

// random returns labelled graphs with two attributes, some missing, labelled arcs and self loops, of two classes in
// turn.
func random(t testing.TB, n int, seed uint64, directed bool) *dataset.Dataset {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 1))
	d := &dataset.Dataset{Name: "random", ClassNames: []string{"a", "b"}, LabelCodes: []string{"0", "1", "2"},
		ArcLabelNames: []string{"0", "1"}}
	d.LabelNames = d.LabelCodes
	var graphs []graph.Graph
	for i := range n {
		g := graph.Graph{NumVertices: 3 + rng.IntN(5), AttributeDim: 2, Directed: directed}
		for v := range g.NumVertices {
			g.Labels = append(g.Labels, int32(rng.IntN(2)+i%2))
			g.Attributes = append(g.Attributes, rng.NormFloat64(), float64(rng.IntN(3)+i%2))
			for u := range v + 1 {
				if u < v && rng.IntN(3) > 0 || rng.IntN(9) == 0 {
					g.AddArc(int32(u), int32(v))
					g.Arcs.Labels = append(g.Arcs.Labels, int32((u+v)%2))
				}
			}
		}
		graphs, d.Classes = append(graphs, g), append(d.Classes, i%2)
	}
	var err error
	if d.Batch, err = graph.NewBatch(graphs); err != nil {
		t.Fatal(err)
	}
	for at := 3; at < len(d.Batch.Attributes); at += 11 {
		d.Missing = append(d.Missing, at)
	}
	return d
}

func fit(t testing.TB, d *dataset.Dataset, e model.Estimator) model.Model {
	t.Helper()
	m, err := model.Fit(context.Background(), d, e, engine.NewCPU(2))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-6*max(1, math.Abs(want))) {
		t.Errorf("%s is %g, want %g", what, got, want)
	}
}

// Of equally frequent classes the first is predicted; numbers are predicted by their mean.
func TestMajority(t *testing.T) {
	d := random(t, 6, 1, false)
	said, err := fit(t, d, Majority{}).Predict(context.Background(), d, nil)
	if err != nil || !slices.Equal(said.Classes, make([]int, 6)) {
		t.Errorf("classes %v of a draw, %v", said.Classes, err)
	}
	d.Classes = []int{1, 1, 0, -1, 1, 0}
	said, err = fit(t, d, Majority{}).Predict(context.Background(), d, nil)
	if err != nil || said.Classes[3] != 1 {
		t.Errorf("classes %v, %v", said.Classes, err)
	}
	near(t, "share", said.Probabilities.Float64s()[1], 0.6)
	d.Task, d.Classes, d.ClassNames = dataset.GraphRegression, nil, nil
	d.Targets, d.TargetNames = []float64{1, 2, 3, 4, math.NaN(), 10}, []string{"y"}
	said, err = fit(t, d, Majority{}).Predict(context.Background(), d, nil)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "mean", said.Values.Float64s()[4], 4)
}

// A graph has the sum and the mean of what its vertices show, and their shares in a decision add up to it.
func TestBagOfAGraph(t *testing.T) {
	d := random(t, 30, 2, false)
	f, err := newBag(model.NewWork(d, nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	x, err := f.rows(model.NewWork(d, nil))
	if err != nil {
		t.Fatal(err)
	}
	b, known := d.Batch, d.MissingAsNaN().Batch.Attributes
	columns, width := f.columns(), f.width()
	if width != 3+2+2+f.Degrees+2 || columns != 2*width {
		t.Fatalf("%d columns of width %d", columns, width)
	}
	for g := range b.NumGraphs() {
		from, to := b.Vertices(g)
		row, n := x.Float64s()[g*columns:(g+1)*columns], float64(to-from)
		labels, second, degrees, arcs := map[string]float64{}, 0.0, map[int]float64{}, 0.0
		for v := from; v < to; v++ {
			labels[d.LabelCodes[b.Labels[v]]]++
			if k := known[2*v+1]; k == k {
				second += k
			} else {
				second += f.Fill[1]
			}
			degrees[b.Degree(v)]++
			arcs += float64(b.Degree(v))
		}
		for l, code := range f.Encoding.Labels {
			near(t, "number of a label", row[l], labels[code])
			near(t, "share of a label", row[width+l], labels[code]/n)
		}
		near(t, "sum of an attribute", row[4], second)
		near(t, "vertices", row[5], n)
		near(t, "arcs", row[6], arcs)
		for c := range f.Degrees {
			near(t, "vertices of a degree", row[7+c], degrees[c])
		}
		near(t, "labels of arcs", row[7+f.Degrees]+row[8+f.Degrees], arcs)
	}
	m := fit(t, d, Linear{C: []float64{0.1}})
	said, err := m.Predict(context.Background(), d, nil)
	if err != nil {
		t.Fatal(err)
	}
	explained, err := m.(model.Explainer).Explain(context.Background(), d, []int{4, 0, 29}, model.ExplainOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range explained {
		sum := 0.0
		for _, c := range e.Contributions {
			sum += c
		}
		near(t, "sum of the contributions", sum, said.Decisions.Float64s()[e.Graph])
		near(t, "decision", e.Decision, said.Decisions.Float64s()[e.Graph])
	}
}

// A vertex shows itself alone: its arcs make no difference.
func TestLinearVerticesIgnoreArcs(t *testing.T) {
	d := random(t, 20, 3, false)
	d.Task, d.Classes, d.Missing = dataset.NodeClassification, nil, nil
	for _, l := range d.Batch.Labels {
		d.VertexClasses = append(d.VertexClasses, int(l)%2)
	}
	m := fit(t, d, Linear{C: []float64{1}})
	want, err := m.Predict(context.Background(), d, nil)
	if err != nil {
		t.Fatal(err)
	}
	bare := *d.Batch
	bare.RowPtr, bare.Col, bare.ArcLabels = make([]int32, len(bare.RowPtr)), nil, nil
	got, err := m.Predict(context.Background(), d.WithBatch(&bare), nil)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.Decisions.Float64s(), want.Decisions.Float64s()) {
		t.Error("vertices without their arcs are decided otherwise")
	}
}

// Ridge regression solves its normal equations, with each scale.
func TestRidge(t *testing.T) {
	d := random(t, 40, 4, false)
	d.Task, d.Classes, d.ClassNames, d.TargetNames = dataset.GraphRegression, nil, nil, []string{"y", "z"}
	for g := range d.NumGraphs() {
		from, to := d.Batch.Vertices(g)
		d.Targets = append(d.Targets, 3*float64(to-from)+float64(d.Batch.Labels[from]), float64(g%7))
	}
	for _, scale := range []Scale{EachScale, OneScale} {
		c := 0.7
		e := Linear{Scale: scale, C: []float64{c}}
		learner, err := e.Learner(context.Background(), model.NewWork(d, engine.NewCPU(1)))
		if err != nil {
			t.Fatal(err)
		}
		l := learner.(*linearLearner)
		trial := model.TargetsOf(d).All([]float64{c}, 1)
		fitted, err := l.ridge(context.Background(), &trial)
		if err != nil {
			t.Fatal(err)
		}
		columns, n := l.bag.columns(), d.NumGraphs()
		z, y := slices.Clone(l.x.Float64s()), slices.Clone(d.Targets)
		_, scales := standardise(z, columns, scale == OneScale)
		_, units := standardise(y, 2, false)
		said, err := fitted[0].Outputs(l.x, nil)
		if err != nil {
			t.Fatal(err)
		}
		centre := 0.0
		for i := range n {
			centre += d.Targets[2*i] / float64(n)
		}
		for j := range columns { // the derivative by every weight, W/C + sum_i (f_i - y_i) z_ij, is 0
			gradient := fitted[0].Weight[0][j] * scales[j] / units[0] / c
			for i := range n {
				gradient += ((said.Float64s()[2*i]-centre)/units[0] - y[2*i]) * z[i*columns+j]
			}
			if math.Abs(gradient) > 1e-4 {
				t.Errorf("scale %s: the derivative by weight %d is %g", scale, j, gradient)
			}
		}
	}
}

// Statistics that data do not have, or that are not those of vertices, are refused in a line.
func TestStatisticsRefused(t *testing.T) {
	d := random(t, 6, 1, false)
	vertices := *d
	vertices.Task, vertices.VertexClasses = dataset.NodeClassification, make([]int, d.Batch.NumVertices())
	bare := *d.Batch
	bare.Labels, bare.NumLabels, bare.ArcLabels = nil, 0, nil
	for _, c := range []struct {
		d    *dataset.Dataset
		of   Statistic
		want string
	}{
		{&vertices, OfDegrees, "counted of graphs"}, {&vertices, OfSizes, "counted of graphs"},
		{d.WithBatch(&bare), OfLabels, "has none"}, {d.WithBatch(&bare), OfArcLabels, "has none"},
	} {
		_, err := newBag(model.NewWork(c.d, nil), []Statistic{c.of})
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want a line with %q", c.of, err, c.want)
		}
	}
}

// Models of edges of directed and undirected graphs, and of vertices, predict after a file what they did before.
func TestFilesOfAllTasks(t *testing.T) {
	for _, directed := range []bool{false, true} {
		d := random(t, 20, 5, directed)
		edges, err := d.ByEdge()
		if err != nil {
			t.Fatal(err)
		}
		vertices := *d
		vertices.Task, vertices.Classes, vertices.VertexClasses = dataset.NodeClassification, nil, nil
		for _, l := range d.Batch.Labels {
			vertices.VertexClasses = append(vertices.VertexClasses, int(l)%2)
		}
		options := newStaticFlags().base
		options.Rounds = 5
		for _, of := range []*dataset.Dataset{d, edges, &vertices} {
			all := []model.Estimator{Majority{}, Linear{C: []float64{1}}, Static{Options: options, Steps: 2}}
			if of == d {
				all = append(all, Static{Options: options, Steps: 2, Colours: 64})
			}
			for _, e := range all {
				m := fit(t, of, e)
				want, err := m.Predict(context.Background(), of, nil)
				if err != nil {
					t.Fatal(err)
				}
				path := filepath.Join(t.TempDir(), "m.grove")
				if err := model.Save(path, m); err != nil {
					t.Fatal(err)
				}
				if m, err = model.Load(path, nil); err != nil {
					t.Fatalf("%s of %s: %v", e.Name(), of.Task, err)
				}
				got, err := m.Predict(context.Background(), of, nil)
				if err != nil || !slices.Equal(got.Classes, want.Classes) {
					t.Errorf("%s of %s: %v, %v after the file, %v", e.Name(), of.Task, want.Classes, got.Classes, err)
				}
			}
		}
	}
}

// Models of files that do not fit together are refused.
func TestDamagedFiles(t *testing.T) {
	d := random(t, 20, 6, false)
	options := newStaticFlags().base
	options.Rounds = 2
	for want, change := range map[string]func() model.Model{
		"means of 2 attributes": func() model.Model {
			m := fit(t, d, Linear{C: []float64{1}}).(*linearModel)
			m.bag.Fill = nil
			return m
		},
		"features on": func() model.Model {
			m := fit(t, d, Linear{C: []float64{1}}).(*linearModel)
			m.bag.Degrees++
			return m
		},
		"either a classifier": func() model.Model {
			m := fit(t, d, Linear{C: []float64{1}}).(*linearModel)
			m.regressor = &svm.Linear{}
			return m
		},
		"features of": func() model.Model {
			m := fit(t, d, Static{Options: options, Steps: 1}).(*staticModel)
			m.counted.Steps++
			return m
		},
		"70000 classes of colours": func() model.Model {
			m := fit(t, d, Static{Options: options, Steps: 1, Colours: 8}).(*staticModel)
			m.counted.Colours = 70000
			return m
		},
		"steps": func() model.Model {
			m := fit(t, d, Static{Options: options, Steps: 1}).(*staticModel)
			m.counted.Steps = 1 << 40
			return m
		},
		"with 0 outputs": func() model.Model {
			m := fit(t, d, Static{Options: options, Steps: 1}).(*staticModel)
			m.trees.Start = nil
			return m
		},
		"of sum 1.1": func() model.Model {
			m := fit(t, d, Majority{}).(*majorityModel)
			m.means = []float64{0.5, 0.6}
			return m
		},
		"3 means": func() model.Model {
			m := fit(t, d, Majority{}).(*majorityModel)
			m.means = []float64{0, 0, 1}
			return m
		},
	} {
		path := filepath.Join(t.TempDir(), "m.grove")
		if err := model.Save(path, change()); err != nil {
			t.Fatal(err)
		}
		_, err := model.Load(path, nil)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v, want a line with %q", err, want)
		}
	}
}
