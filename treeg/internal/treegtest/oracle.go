// Package treegtest is what the tests of treeg compare with: Eq. 1 by dense matrices, a search by brute force, random
// problems, and the golden values.
package treegtest

import (
	"math"
	"slices"
	"testing"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/treeg/internal/walks"
)

// Dense is a graph for the reference: matrices straight from Eq. 1.
type Dense struct {
	N        int
	Matrices map[walks.Arcs][][]float64 // A_ij: weight of the arc from j to i
	Features [][]float64                // by vertex

	powers map[walks.Arcs][][][]float64 // that were needed so far
}

// Power returns A^d for one of the matrices.
func (g *Dense) Power(a walks.Arcs, d int) [][]float64 {
	if g.powers == nil {
		g.powers = map[walks.Arcs][][][]float64{}
	}
	for len(g.powers[a]) <= d {
		g.powers[a] = append(g.powers[a], Power(g.Matrices[a], len(g.powers[a])))
	}
	return g.powers[a][d]
}

// Power returns A^d.
func Power(a [][]float64, d int) [][]float64 {
	n := len(a)
	p := make([][]float64, n)
	for i := range p {
		p[i] = make([]float64, n)
		p[i][i] = 1
	}
	for range d {
		q := make([][]float64, n)
		for i := range q {
			q[i] = make([]float64, n)
			for k := range n {
				for j := range n {
					q[i][j] += a[i][k] * p[k][j]
				}
			}
		}
		p = q
	}
	return p
}

// vector is (A^d o M_r(S)) f_k.
func (g *Dense) vector(s *walks.Split, subset []int) []float64 {
	p := g.Power(s.Arcs, s.Length)
	v := make([]float64, g.N)
	for i := range p {
		for j := range p {
			in, out := slices.Contains(subset, i), slices.Contains(subset, j)
			keep := false
			switch s.Walk {
			case walks.Source:
				keep = out
			case walks.Cycle:
				keep = i == j && in
			case walks.Target:
				keep = in
			case walks.TargetSource:
				keep = in && out
			}
			if keep {
				v[i] += p[i][j] * g.Features[j][s.Feature]
			}
		}
	}
	return v
}

// value aggregates a vector.
func (g *Dense) value(s *walks.Split, v []float64, subset []int, empty walks.Empty) float64 {
	if len(subset) == 0 {
		return empty.Value(s.Walk)
	}
	var entries []float64
	for i, x := range v {
		if s.Walk == walks.Source || slices.Contains(subset, i) {
			entries = append(entries, x)
		}
	}
	sum := 0.0
	for _, x := range entries {
		sum += x
	}
	switch s.Aggregation {
	case walks.Sum:
		return sum
	case walks.Mean:
		return sum / float64(len(entries))
	case walks.Min:
		return slices.Min(entries)
	}
	return slices.Max(entries)
}

// cut splits a subset by Eq. 3.
func (g *Dense) cut(s *walks.Split, v []float64, subset []int) (up, down []int) {
	t := s.Threshold
	if s.Aggregation == walks.Sum {
		t /= float64(len(subset))
	}
	for _, j := range subset {
		if v[j] > t {
			up = append(up, j)
		} else {
			down = append(down, j)
		}
	}
	return up, down
}

// Scored is a split with its gain and the number of examples above its threshold.
type Scored struct {
	walks.Split
	Gain  float64
	above int
}

// Offer is a subset that a node may use, of every graph.
type Offer struct {
	Pointer int
	Up      bool
	subsets [][]int
}

// Everyone is the offer of all vertices.
func Everyone(graphs []Dense) Offer {
	o := Offer{}
	for _, g := range graphs {
		all := make([]int, g.N)
		for i := range all {
			all[i] = i
		}
		o.subsets = append(o.subsets, all)
	}
	return o
}

// place is an example: a graph, or one of its vertices.
type place struct{ graph, vertex int }

// Search lists all splits of some examples with two children that are not empty.
func Search(
	graphs []Dense, level walks.Level, examples []place, y []float64, offers []Offer,
	lengths int, types []walks.Walk, empty walks.Empty,
) []Scored {
	var all []Scored
	arcs := make([]walks.Arcs, 0)
	for a := range graphs[0].Matrices {
		arcs = append(arcs, a)
	}
	for _, o := range offers {
		for k := range graphs[0].Features[0] {
			for d := range lengths + 1 {
				for ai, a := range arcs {
					if d == 0 && ai > 0 {
						continue
					}
					for _, w := range types {
						s := walks.Split{Feature: k, Length: d, Arcs: a, Walk: w, Pointer: o.Pointer, Above: o.Up}
						if level == walks.Vertices {
							all = append(all, thresholds(s, vertexValues(graphs, s, examples, o), y)...)
							continue
						}
						vectors := make([][]float64, len(graphs))
						for _, e := range examples {
							vectors[e.graph] = graphs[e.graph].vector(&s, o.subsets[e.graph])
						}
						for s.Aggregation = walks.Sum; s.Aggregation <= walks.Max; s.Aggregation++ {
							values := make([]float64, len(examples))
							for i, e := range examples {
								values[i] = graphs[e.graph].value(&s, vectors[e.graph], o.subsets[e.graph], empty)
							}
							all = append(all, thresholds(s, values, y)...)
						}
					}
				}
			}
		}
	}
	return all
}

func vertexValues(graphs []Dense, s walks.Split, examples []place, o Offer) []float64 {
	vectors := make([][]float64, len(graphs))
	values := make([]float64, len(examples))
	for i, e := range examples {
		if vectors[e.graph] == nil {
			vectors[e.graph] = graphs[e.graph].vector(&s, o.subsets[e.graph])
		}
		values[i] = vectors[e.graph][e.vertex]
	}
	return values
}

// Squares returns the sum of (y_i - mean of y)^2.
func Squares(y []float64) float64 {
	m, sum := 0.0, 0.0
	for _, v := range y {
		m += v / float64(len(y))
	}
	for _, v := range y {
		sum += (v - m) * (v - m)
	}
	return sum
}

func thresholds(s walks.Split, values, y []float64) []Scored {
	var out []Scored
	distinct := slices.Compact(slices.Sorted(slices.Values(values)))
	for i := 1; i < len(distinct); i++ {
		s.Threshold = (distinct[i-1] + distinct[i]) / 2
		var low, high []float64
		for j, v := range values {
			if v > s.Threshold {
				high = append(high, y[j])
			} else {
				low = append(low, y[j])
			}
		}
		out = append(out, Scored{s, Squares(y) - Squares(low) - Squares(high), len(high)})
	}
	return out
}

// Best returns the largest gain.
func Best(all []Scored) float64 {
	most := 0.0
	for _, s := range all {
		most = max(most, s.Gain)
	}
	return most
}

// BatchOf builds a batch from dense graphs. Arcs with a weight other than 0 are there.
func BatchOf(t testing.TB, graphs []Dense, weighted bool) *graph.Batch {
	t.Helper()
	var list []graph.Graph
	for _, g := range graphs {
		one := graph.Graph{NumVertices: g.N, Directed: true}
		a := g.Matrices[walks.Arcs{Type: walks.AllArcs}]
		for i := range a {
			for j, w := range a[i] {
				if w == 0 {
					continue
				}
				one.AddArc(int32(j), int32(i))
				if weighted {
					one.Arcs.Weights = append(one.Arcs.Weights, w)
				}
			}
		}
		if len(g.Features) > 0 {
			one.AttributeDim = len(g.Features[0])
		}
		for _, f := range g.Features {
			one.Attributes = append(one.Attributes, f...)
		}
		list = append(list, one)
	}
	if weighted && !slices.ContainsFunc(list, func(g graph.Graph) bool { return len(g.Arcs.From) > 0 }) {
		weighted = false
	}
	b, err := graph.NewBatch(list)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// OpenCPU returns the engine of the host with so many workers, or ends the test.
func OpenCPU(t testing.TB, workers int) engine.Engine {
	t.Helper()
	e, err := engine.Open("cpu", workers)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// Near compares with a tolerance relative to the larger of the wanted number and 1.
func Near(got, want, tolerance float64) bool {
	return math.Abs(got-want) <= tolerance*max(math.Abs(want), 1)
}

// NearAll compares all entries, to the precision of the grids.
func NearAll(got, want []float64) bool {
	for i := range want {
		if len(got) != len(want) || !Near(got[i], want[i], 1e-10) {
			return false
		}
	}
	return len(got) == len(want)
}
