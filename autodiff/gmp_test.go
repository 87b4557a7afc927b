package autodiff

import (
	"fmt"
	"math"
	"testing"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/enginetest"
	"github.com/grove-graph/grove/graph"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// plainEqualized solves (phi phi' + ridge I) alpha = 1 by elimination and returns phi' alpha, the definition.
func plainEqualized(phi [][]float64, ridge float64) []float64 {
	m := len(phi)
	a := make([][]float64, m)
	for i := range a {
		a[i] = make([]float64, m+1)
		for j := range m {
			for k, v := range phi[i] {
				a[i][j] += v * phi[j][k]
			}
		}
		a[i][i] += ridge
		a[i][m] = 1
	}
	for i := range m {
		for j := range m {
			if j == i {
				continue
			}
			f := a[j][i] / a[i][i]
			for k := i; k <= m; k++ {
				a[j][k] -= f * a[i][k]
			}
		}
	}
	x := make([]float64, len(phi[0]))
	for i := range m {
		for k, v := range phi[i] {
			x[k] += a[i][m] / a[i][i] * v
		}
	}
	return x
}

// Pooling is by the definition, and its gradient that of differences of it, with fewer rows than columns and with more.
func TestEqualizeByDefinition(t *testing.T) {
	const q, ridge, h = 4, 0.7, 1e-6
	for _, m := range []int{1, 3, 4, 9} {
		phi, y := normal(uint64(m), m*q), normal(50, q)
		rows := func() (rows [][]float64) {
			for i := range m {
				rows = append(rows, phi[i*q:(i+1)*q])
			}
			return rows
		}
		x, err := equalize(phi, m, q, ridge)
		if err != nil {
			t.Fatal(err)
		}
		if err := closeTo(x, plainEqualized(rows(), ridge), 1e-12); err != nil {
			t.Errorf("%d rows: %v", m, err)
		}
		got, err := equalizeGradient(phi, m, q, ridge, y)
		if err != nil {
			t.Fatal(err)
		}
		want := make([]float64, len(phi))
		for i, v := range phi {
			for _, side := range []float64{1, -1} {
				phi[i] = v + side*h
				for k, value := range plainEqualized(rows(), ridge) {
					want[i] += side * y[k] * value / (2 * h)
				}
			}
			phi[i] = v
		}
		if err := closeTo(got, want, 1e-7); err != nil {
			t.Errorf("%d rows: gradient: %v", m, err)
		}
	}
}

// The gradients of generalised max pooling, over paths and over vertices, are those of differences.
func TestGeneralizedMaxGradients(t *testing.T) {
	b := rings(t)
	for _, vertices := range [][]int32{nil, {7, 0, 3}} {
		for _, labelled := range []bool{false, true} {
			channels := []block{{rows: 10}, {first: 10, rows: 10}}
			if labelled { // vertices of several graphs share rows
				channels = []block{{rows: 3, index: b.Labels}, {first: 3, rows: 10}}
			}
			batch := &Batch{Graphs: b, stages: []stage{{readout: newReadout(b, channels, vertices)}}}
			differentiate(t, []tensor.Shape{{rowsOf(channels), 3}}, batch, func(g *Graph, p []*G.Node) *G.Node {
				return g.Readout(0, p[0], engine.Sum, 0.8)
			})
		}
	}
	for _, route := range []graph.Route{graph.Paths, graph.Walks} {
		for _, all := range []bool{false, true} {
			layer := Layer{Size: 3, AllLengths: all, Route: route, Kernel: engine.Kernel{Alpha: 0.8}, Ridge: 0.5}
			for _, labelled := range []bool{false, true} {
				n := &KernelNetwork{Network: &Network{engine: enginetest.Open(t, 1), dtype: tensor.Float64},
					opt: Options{Layers: []Layer{layer}}}
				in, rows := []block{{rows: b.NumVertices()}, {first: b.NumVertices(), rows: b.NumVertices()}}, 2*b.NumVertices()
				if labelled {
					in, rows = []block{{rows: 3, index: b.Labels}}, 3
				}
				batch := &Batch{Graphs: b, stages: []stage{n.stage(&layer, b, in, nil, nil)}}
				t.Run(fmt.Sprint(route, all, labelled), func(t *testing.T) {
					differentiate(t, []tensor.Shape{{rows, 4}, {3, 2, 4}, {layer.lengths(), 2, 2}}, batch,
						func(g *Graph, p []*G.Node) *G.Node {
							return g.EqualizePaths(0, layer, g.Scores(g.Normalize(p[0], 1e-4), p[1], false), p[2])
						})
				})
			}
		}
	}
}

// Repeated and large rows make the system of generalised max pooling singular in floating point; the
// solution is still the one that gives every row an inner product of nearly 1.
func TestGeneralizedMaxOfLargeRepeatedRows(t *testing.T) {
	const q = 4
	for _, m := range []int{3, 50} {
		phi := make([]float64, m*q)
		for i := range m {
			phi[i*q+i%2] = 1e9
		}
		x, err := equalize(phi, m, q, 1)
		if err != nil {
			t.Fatal(err)
		}
		for i := range m {
			if got := 1e9 * x[i%2]; math.Abs(got-1) > 1e-6 {
				t.Errorf("%d rows: row %d has inner product %v, want 1", m, i, got)
			}
		}
	}
}
