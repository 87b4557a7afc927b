package gckn

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/model/param"
	"github.com/grove-graph/grove/svm"
)

// communities is a graph of two rings, whose vertices have words of their ring among others.
func communities(t *testing.T) *dataset.Dataset {
	t.Helper()
	const n, words = 40, 12
	g := graph.Graph{NumVertices: n, AttributeDim: words, Attributes: make([]float64, n*words)}
	d := &dataset.Dataset{Name: "communities", Task: dataset.NodeClassification, ClassNames: []string{"a", "b"}}
	for v := range n {
		d.VertexClasses = append(d.VertexClasses, v%2)
		for k := range words {
			if k >= 4 && (v*7+k*5)%11 < 2 || k < 4 && k/2 == v%2 && (v/2+k)%2 == 0 {
				g.Attributes[v*words+k] = 1
			}
		}
		for _, step := range []int{2, 4, 6} {
			g.Arcs.From, g.Arcs.To = append(g.Arcs.From, int32(v)), append(g.Arcs.To, int32((v+step)%n))
		}
	}
	var err error
	if d.Batch, err = graph.NewBatch([]graph.Graph{g}); err != nil {
		t.Fatal(err)
	}
	return d
}

// estimatorsOf returns the estimators that parameters ask for.
func estimatorsOf(t *testing.T, d *dataset.Dataset, verb model.Verb, settings ...string) []model.Estimator {
	t.Helper()
	o, s := model.FamilyOf("gckn-path").New("gckn-path"), new(param.Set)
	o.Declare(s, verb)
	for _, one := range settings {
		name, value, _ := strings.Cut(one, "=")
		if err := s.Set(name, value); err != nil {
			t.Fatal(err)
		}
	}
	all, err := o.Estimators(model.NewWork(d, engine.NewCPU(1)), 1)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestDefaultsOnVertices(t *testing.T) {
	d := communities(t)
	one := estimatorsOf(t, d, model.Eval)[0].(Estimator)
	if one.Features != dataset.RawAttributes || one.Options.Layers[0].Pooling != Mean {
		t.Errorf("features %s, pooling %s: want raw and mean", one.Features, one.Options.Layers[0].Pooling)
	}
	given := estimatorsOf(t, d, model.Eval, "features=attributes", "pooling=sum")[0].(Estimator)
	if given.Features != dataset.AttributeFeatures || given.Options.Layers[0].Pooling != Sum {
		t.Errorf("features %s, pooling %s: want what was given", given.Features, given.Options.Layers[0].Pooling)
	}
	d.Task, d.Classes = dataset.GraphClassification, []int{0}
	of := estimatorsOf(t, d, model.Eval)[0].(Estimator)
	if of.Features != dataset.AutoFeatures || of.Options.Layers[0].Pooling != Sum {
		t.Errorf("of graphs: features %s, pooling %s", of.Features, of.Options.Layers[0].Pooling)
	}
}

func TestSeveralNetworks(t *testing.T) {
	all := estimatorsOf(t, communities(t), model.Eval, "layers=2:8:0.6/2:8:0.6,3:4:1", "own-features=false,true")
	var said []string
	for _, one := range all {
		said = append(said, one.String())
	}
	want := []string{
		"path size 2, filters 8, sigma 0.6, pooling mean/sum",
		"path size 2, filters 8, sigma 0.6, pooling mean/sum, own features",
		"path size 2+3, filters 8+4, sigma 0.6+1, pooling mean/sum",
		"path size 2+3, filters 8+4, sigma 0.6+1, pooling mean/sum, own features",
	}
	if !slices.Equal(said, want) {
		t.Errorf("%q, want %q", said, want)
	}
}

// The machine sees the vectors of vertices divided by their length, and their own attributes behind them.
func TestVerticesByTheirVectors(t *testing.T) {
	ctx, d, e := context.Background(), communities(t), engine.NewCPU(1)
	one := estimatorsOf(t, d, model.Train, "layers=2:16:0.6,2:16:0.6", "own-features=true", "c=10",
		"precision=float64")[0].(Estimator)
	hidden := *d
	hidden.VertexClasses = slices.Clone(d.VertexClasses)
	for v := range hidden.VertexClasses {
		if v%4 > 1 {
			hidden.VertexClasses[v] = -1
		}
	}
	m, err := model.Fit(ctx, &hidden, one, e)
	if err != nil {
		t.Fatal(err)
	}
	said, err := m.Predict(ctx, d, nil)
	if err != nil {
		t.Fatal(err)
	}
	x, err := model.Matrix(ctx, m.(model.Embedder), d, true)
	if err != nil {
		t.Fatal(err)
	}
	learned := linearOf(t, m)
	columns := x.Shape()[1]
	for v := range d.Batch.NumVertices() {
		row := append(unit(x.Float64s()[v*columns:(v+1)*columns]), unit(d.Batch.Attribute(int32(v)))...)
		decision := learned.Bias[0]
		for j, w := range learned.Weights[0] {
			decision += w * row[j]
		}
		if got := said.Decisions.Float64s()[v]; math.Abs(got-decision) > 1e-9 {
			t.Fatalf("vertex %d: decision %g, want %g", v, got, decision)
		}
	}
	right := 0
	for v, c := range said.Classes {
		if c == d.VertexClasses[v] {
			right++
		}
	}
	if right < 36 {
		t.Errorf("%d of 40 vertices are right", right)
	}
}

// linearOf returns the linear machine in the file of a model.
func linearOf(t *testing.T, m model.Model) *svm.Model {
	t.Helper()
	parts, _, err := m.Parts()
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(parts)
	if err != nil {
		t.Fatal(err)
	}
	var s struct {
		Machine struct{ Linear *svm.Model }
	}
	if err := json.Unmarshal(raw, &s); err != nil || s.Machine.Linear == nil {
		t.Fatal(err)
	}
	return s.Machine.Linear
}

func unit(x []float64) []float64 {
	square := 0.0
	for _, v := range x {
		square += v * v
	}
	out := make([]float64, len(x))
	for j, v := range x {
		if square > 0 {
			out[j] = v / math.Sqrt(square)
		}
	}
	return out
}
