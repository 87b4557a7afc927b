package gckn

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"github.com/grove-graph/grove/autodiff"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/enginetest"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/internal/testfiles"
	"github.com/grove-graph/grove/train"
	"gorgonia.org/tensor"
)

// goldenModel is a file of kind "forward" or "supervised".
type goldenModel struct {
	Kind      string
	Tolerance float64 `json:"tolerance_rel"`
	Walk      bool
	Pooling   string `json:"global_pooling"`
	Aggregate bool   `json:"aggregation"`
	Graphs    []struct {
		NumNodes int         `json:"num_nodes"`
		Features [][]float64 `json:"features"`
		Edges    [][2]int32  `json:"edges"`
	}
	Layers []struct {
		PathSize int     `json:"path_size"`
		Sigma    float64 `json:"sigma"`
		Alpha    float64
		Pooling  string
		Weight   [][][]float64
		InvSqrt  [][][]float64 `json:"inv_sqrt_gram"`
	}
	NodeFeatures   [][][][][]float64 `json:"node_features"` // layer, graph, vertex, channel, filter
	Representation [][]float64       `json:"graph_representation"`
	TrueMax        [][]float64       `json:"graph_representation_true_max"`
}

// ill says whether an inverse square root amplifies rounding: where anchors (nearly) coincide its
// entries reach 1/eps.
func (m *goldenModel) ill() bool {
	for _, l := range m.Layers {
		for _, k := range l.InvSqrt {
			for _, row := range k {
				for _, v := range row {
					if math.Abs(v) > 10 {
						return true
					}
				}
			}
		}
	}
	return false
}

func TestGoldenForward(t *testing.T) {
	testfiles.Golden(t, "", testfiles.OfKind("forward", "supervised"), func(t *testing.T, raw []byte) {
		var g goldenModel
		if err := json.Unmarshal(raw, &g); err != nil {
			t.Fatal(err)
		}
		for _, double := range []bool{true, false} {
			for name, e := range map[string]engine.Engine{"reference": engine.Reference{}, "cpu": enginetest.Open(t, 2)} {
				tolerance := 1e-10
				if g.ill() {
					tolerance = 3e-5
				} else if !double {
					tolerance = 1e-5
				}
				if err := g.check(e, double, tolerance); err != nil {
					t.Errorf("%s, double %v: %v", name, double, err)
				}
			}
		}
	})
}

// A new model divides every position of every anchor by its norm.
func TestGoldenAnchorNormalisation(t *testing.T) {
	testfiles.Golden(t, "", testfiles.OfKind("normalisation"), func(t *testing.T, raw []byte) {
		var g struct{ Raw, Normalised [][][]float64 }
		if err := json.Unmarshal(raw, &g); err != nil {
			t.Fatal(err)
		}
		p, q, d := len(g.Raw), len(g.Raw[0]), len(g.Raw[0][0])
		opt := Options{
			Layers:        []LayerOptions{{PathSize: p, Filters: q, Sigma: 0.6, Pooling: Sum}},
			GlobalPooling: Sum, Epsilon: 0.01, MaxLambda: 1, Samples: 1,
		}
		for _, double := range []bool{true, false} {
			opt.Double = double
			tolerance := 1e-10
			if !double {
				tolerance = 1e-5
			}
			e := enginetest.Open(t, 1)
			z := tensor.New(tensor.WithShape(p, q, d), tensor.WithBacking(flatten(g.Raw)))
			m, err := New(e, train.Input{Attributes: d}, opt, []*tensor.Dense{z})
			if err != nil {
				t.Fatal(err)
			}
			if err := closeTo(float64s(e, m.Anchors(0)), flatten(g.Normalised), tolerance); err != nil {
				t.Errorf("double %v: %v", double, err)
			}
		}
	})
}

// model returns the network of the file and its graphs.
func (g *goldenModel) model(e engine.Engine, double bool) (*Model, *graph.Batch, error) {
	var graphs []graph.Graph
	for _, in := range g.Graphs {
		one := graph.Graph{NumVertices: in.NumNodes, AttributeDim: len(in.Features[0])}
		for _, f := range in.Features {
			one.Attributes = append(one.Attributes, f...)
		}
		for _, edge := range in.Edges {
			one.AddArc(edge[0], edge[1])
		}
		graphs = append(graphs, one)
	}
	b, err := graph.NewBatch(graphs)
	if err != nil {
		return nil, nil, err
	}
	opt := Options{
		Walk: g.Walk, AllLengths: g.Aggregate, GlobalPooling: Pooling(g.Pooling),
		Epsilon: 0.01, MaxLambda: 1, Samples: 1, Double: double,
	}
	var anchors []*tensor.Dense
	for _, l := range g.Layers {
		q, d := len(l.Weight[0]), len(l.Weight[0][0])
		opt.Layers = append(opt.Layers, LayerOptions{PathSize: l.PathSize, Filters: q, Sigma: l.Sigma,
			Pooling: Pooling(l.Pooling)})
		var z []float64
		for _, position := range l.Weight {
			for _, filter := range position {
				z = append(z, filter...)
			}
		}
		anchors = append(anchors, tensor.New(tensor.WithShape(l.PathSize, q, d), tensor.WithBacking(z)))
	}
	m, err := New(e, train.Input{Attributes: b.AttributeDim}, opt, anchors)
	return m, b, err
}

func (g *goldenModel) check(e engine.Engine, double bool, tolerance float64) error {
	m, b, err := g.model(e, double)
	if err != nil {
		return err
	}
	for l, want := range g.Layers {
		if want.InvSqrt == nil {
			continue
		}
		if err := closeTo(float64s(e, m.layers[l].invSqrt), flatten(want.InvSqrt), tolerance); err != nil {
			return fmt.Errorf("layer %d: inverse square root: %w", l+1, err)
		}
	}
	if err := g.checkVertices(m, b, tolerance); err != nil {
		return err
	}
	got, err := m.Transform(context.Background(), b, nil)
	if err != nil {
		return err
	}
	want := g.Representation
	if g.TrueMax != nil {
		want = g.TrueMax
	}
	if err := closeTo(float64s(e, got), flatten(want), tolerance); err != nil {
		return fmt.Errorf("representation: %w", err)
	}
	return nil
}

// checkVertices compares the features of the vertices in every layer.
func (g *goldenModel) checkVertices(m *Model, b *graph.Batch, tolerance float64) error {
	n, err := m.network(tensor.Float64, true)
	if err != nil {
		return err
	}
	defer n.Release()
	return m.on(n, tensor.Float64, b, func(x *autodiff.Batch) error {
		if err := n.ForwardVertices(x); err != nil {
			return err
		}
		for l, channels := range n.Channels() {
			var got []float64
			rows := make([][]float64, len(channels))
			for c, ch := range channels {
				rows[c] = float64s(m.engine, ch.Rows)
			}
			q := m.opt.Layers[l].Filters
			for v := range b.NumVertices() {
				for c, ch := range channels {
					r := v
					if ch.Index != nil {
						r = int(ch.Index[v])
					}
					got = append(got, rows[c][r*q:(r+1)*q]...)
				}
			}
			if err := closeTo(got, flatten(g.NodeFeatures[l]), tolerance); err != nil {
				return fmt.Errorf("layer %d: vertex features: %w", l+1, err)
			}
		}
		return nil
	})
}

// flatten lists the numbers of nested slices.
func flatten(v any) []float64 {
	switch v := v.(type) {
	case float64:
		return []float64{v}
	case []float64:
		return v
	case [][]float64:
		return join(v)
	case [][][]float64:
		return join(v)
	case [][][][]float64:
		return join(v)
	}
	panic(fmt.Sprintf("flatten %T", v))
}

func join[T any](parts []T) []float64 {
	var all []float64
	for _, p := range parts {
		all = append(all, flatten(p)...)
	}
	return all
}

// closeTo wants the largest difference to be at most tolerance times the largest magnitude wanted.
func closeTo(got, want []float64, tolerance float64) error {
	if len(got) != len(want) {
		return fmt.Errorf("%d numbers, want %d", len(got), len(want))
	}
	largest := 0.0
	for _, w := range want {
		largest = max(largest, math.Abs(w))
	}
	for i, w := range want {
		if d := math.Abs(got[i] - w); !(d <= tolerance*largest) {
			return fmt.Errorf("number %d is %.17g, want %.17g (difference %.2g of the largest)", i, got[i], w, d/largest)
		}
	}
	return nil
}
