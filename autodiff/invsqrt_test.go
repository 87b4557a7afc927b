package autodiff

import (
	"encoding/json"
	"testing"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/enginetest"
	"github.com/grove-graph/grove/internal/testfiles"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

func TestInvSqrtGradients(t *testing.T) {
	for _, rule := range []engine.InvSqrtRule{engine.AfterRoot, engine.InsideRoot} {
		for _, gradient := range []InvSqrtGradient{Exact, Published} {
			if rule == engine.AfterRoot && gradient == Published {
				continue // no derivative: see TestGoldenInverseSqrt
			}
			differentiate(t, []tensor.Shape{{2, 4, 6}}, nil, func(g *Graph, p []*G.Node) *G.Node {
				k := g.Gram(g.UnitRows(p[0], 1e-4), engine.Kernel{Alpha: 1.5}, true)
				return g.InvSqrt(k, 0.01, rule, gradient)
			})
		}
	}
}

// The published backward pass and the true derivative, on matrices that a network never sees. Only the symmetric
// part of a gradient reaches the anchors.
func TestGoldenInverseSqrt(t *testing.T) {
	testfiles.Golden(t, "", testfiles.OfKind("inverse_sqrt"), func(t *testing.T, raw []byte) {
		var file struct {
			Cases []struct {
				Name      string
				Matrix    [][]float64
				Eps       float64
				Grad      [][]float64 `json:"grad_output"`
				Published [][]float64 `json:"grad_input_reference"`
				Exact     [][]float64 `json:"grad_input_exact"`
			}
		}
		if err := json.Unmarshal(raw, &file); err != nil {
			t.Fatal(err)
		}
		for _, c := range file.Cases {
			tolerance := 1e-8
			if c.Name == "near_singular" || c.Name == "singular" {
				tolerance = 3e-5 // eigenvalues near zero amplify rounding
			}
			for gradient, want := range map[InvSqrtGradient][][]float64{Published: c.Published, Exact: c.Exact} {
				if want == nil {
					continue
				}
				e, q := enginetest.Open(t, 1), len(c.Matrix)
				g := NewGraph(e, tensor.Float64)
				k := g.Parameter("k", upload(t, e, tensor.Float64, flatten(c.Matrix), 1, q, q))
				root := g.InvSqrt(k, c.Eps, engine.AfterRoot, gradient)
				up := g.Parameter("gradient", upload(t, e, tensor.Float64, flatten(c.Grad), 1, q, q))
				back := root.Op().(*operation).gradient(G.Nodes{k}, root, up)
				if g.Err() != nil {
					t.Fatal(g.Err())
				}
				m := ran(t, g)
				symmetric := make([]float64, 0, q*q)
				for i := range q {
					for j := range q {
						symmetric = append(symmetric, (want[i][j]+want[j][i])/2)
					}
				}
				if err := closeTo(download(t, dense(m.Value(back[0]))), symmetric, tolerance); err != nil {
					t.Errorf("%s, gradient %d: %v", c.Name, gradient, err)
				}
				g.Release()
			}
		}
	})
}
