package treeg

import (
	"math"
	"slices"
	"testing"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
)

// dense is a graph for the reference: matrices straight from Eq. 1.
type dense struct {
	n        int
	matrices map[Arcs][][]float64 // A_ij: weight of the arc from j to i
	features [][]float64          // by vertex

	powers map[Arcs][][][]float64 // that were needed so far
}

// power returns A^d for one of the matrices.
func (g *dense) power(a Arcs, d int) [][]float64 {
	if g.powers == nil {
		g.powers = map[Arcs][][][]float64{}
	}
	for len(g.powers[a]) <= d {
		g.powers[a] = append(g.powers[a], power(g.matrices[a], len(g.powers[a])))
	}
	return g.powers[a][d]
}

// power returns A^d.
func power(a [][]float64, d int) [][]float64 {
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
func (g *dense) vector(s *Split, subset []int) []float64 {
	p := g.power(s.Arcs, s.Length)
	v := make([]float64, g.n)
	for i := range p {
		for j := range p {
			in, out := slices.Contains(subset, i), slices.Contains(subset, j)
			keep := false
			switch s.Walk {
			case Source:
				keep = out
			case Cycle:
				keep = i == j && in
			case Target:
				keep = in
			case TargetSource:
				keep = in && out
			}
			if keep {
				v[i] += p[i][j] * g.features[j][s.Feature]
			}
		}
	}
	return v
}

// value aggregates a vector.
func (g *dense) value(s *Split, v []float64, subset []int, empty Empty) float64 {
	if len(subset) == 0 {
		return empty.value(s.Walk)
	}
	var entries []float64
	for i, x := range v {
		if s.Walk == Source || slices.Contains(subset, i) {
			entries = append(entries, x)
		}
	}
	sum := 0.0
	for _, x := range entries {
		sum += x
	}
	switch s.Aggregation {
	case Sum:
		return sum
	case Mean:
		return sum / float64(len(entries))
	case Min:
		return slices.Min(entries)
	}
	return slices.Max(entries)
}

// cut splits a subset by Eq. 3.
func (g *dense) cut(s *Split, v []float64, subset []int) (up, down []int) {
	t := s.Threshold
	if s.Aggregation == Sum {
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

// scored is a split with its gain and the number of examples above its threshold.
type scored struct {
	Split
	gain  float64
	above int
}

// offer is a subset that a node may use, of every graph.
type offer struct {
	pointer int
	up      bool
	subsets [][]int
}

// everyone is the offer of all vertices.
func everyone(graphs []dense) offer {
	o := offer{}
	for _, g := range graphs {
		all := make([]int, g.n)
		for i := range all {
			all[i] = i
		}
		o.subsets = append(o.subsets, all)
	}
	return o
}

// place is an example: a graph, or one of its vertices.
type place struct{ graph, vertex int }

// search lists all splits of some examples with two children that are not empty.
func search(graphs []dense, level Level, examples []place, y []float64, offers []offer, lengths int, walks []Walk, empty Empty) []scored {
	var all []scored
	arcs := make([]Arcs, 0)
	for a := range graphs[0].matrices {
		arcs = append(arcs, a)
	}
	for _, o := range offers {
		for k := range graphs[0].features[0] {
			for d := range lengths + 1 {
				for ai, a := range arcs {
					if d == 0 && ai > 0 {
						continue
					}
					for _, w := range walks {
						s := Split{Feature: k, Length: d, Arcs: a, Walk: w, Pointer: o.pointer, Above: o.up}
						if level == Vertices {
							all = append(all, thresholds(s, vertexValues(graphs, s, examples, o), y)...)
							continue
						}
						vectors := make([][]float64, len(graphs))
						for _, e := range examples {
							vectors[e.graph] = graphs[e.graph].vector(&s, o.subsets[e.graph])
						}
						for s.Aggregation = Sum; s.Aggregation <= Max; s.Aggregation++ {
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

func vertexValues(graphs []dense, s Split, examples []place, o offer) []float64 {
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

func squares(y []float64) float64 {
	m, sum := mean(y), 0.0
	for _, v := range y {
		sum += (v - m) * (v - m)
	}
	return sum
}

func thresholds(s Split, values, y []float64) []scored {
	var out []scored
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
		out = append(out, scored{s, squares(y) - squares(low) - squares(high), len(high)})
	}
	return out
}

// best returns the largest gain.
func best(all []scored) float64 {
	most := 0.0
	for _, s := range all {
		most = max(most, s.gain)
	}
	return most
}

// batchOf builds a batch from dense graphs. Arcs with a weight other than 0 are there.
func batchOf(t testing.TB, graphs []dense, weighted bool) *graph.Batch {
	t.Helper()
	var list []graph.Graph
	for _, g := range graphs {
		one := graph.Graph{NumVertices: g.n, Directed: true}
		a := g.matrices[Arcs{Type: AllArcs}]
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
		if len(g.features) > 0 {
			one.AttributeDim = len(g.features[0])
		}
		for _, f := range g.features {
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

func openCPU(t testing.TB, workers int) engine.Engine {
	t.Helper()
	e, err := engine.Open("cpu", workers)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// near compares with a tolerance relative to the larger of the wanted number and 1.
func near(got, want, tolerance float64) bool {
	return math.Abs(got-want) <= tolerance*max(math.Abs(want), 1)
}

// nearAll compares all entries, to the precision of the grids.
func nearAll(got, want []float64) bool {
	for i := range want {
		if len(got) != len(want) || !near(got[i], want[i], 1e-10) {
			return false
		}
	}
	return len(got) == len(want)
}
