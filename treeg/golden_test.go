package treeg

import (
	"context"
	"slices"
	"testing"

	"github.com/grove-graph/grove/internal/testfiles"
)

// eachGolden runs a subtest for every file of one of the given kinds, decoded.
func eachGolden[T any](t *testing.T, test func(t *testing.T, g *T), kinds ...string) {
	testfiles.Golden(t, "treeg", testfiles.OfKind(kinds...), func(t *testing.T, raw []byte) {
		test(t, testfiles.Decode[T](t, raw))
	})
}

// goldenDynamic is a file of kind dynamic_graph or dynamic_vertex.
type goldenDynamic struct {
	D            []int
	Walks        []Walk        `json:"walk_types"`
	Aggregations []Aggregation `json:"aggregations"`
	Cases        []struct {
		Name      string
		N         int
		Adjacency [][]float64
		Features  [][]float64
		Subset    []int
		Values    [][][][]*float64 // feature, d, walk, aggregation
		Vectors   [][][][]float64  // feature, d, walk, vertex
	}
}

// prepare returns a case's data with features as they are, and with features on the grids that fits use, which moves
// them in the last bits.
func (g *goldenDynamic) prepare(t *testing.T, i int) (asIs, onGrids *Data) {
	c := &g.Cases[i]
	opt := Defaults(Graphs, Single)
	opt.Constant, opt.MaxLength = false, slices.Max(g.D)
	one := dense{n: c.N, matrices: map[Arcs][][]float64{{Type: AllArcs}: c.Adjacency}, features: c.Features}
	weighted := false
	for _, row := range c.Adjacency {
		for _, w := range row {
			weighted = weighted || w != 0 && w != 1
		}
	}
	b := batchOf(t, []dense{one}, weighted)
	onGrids, err := Prepare(context.Background(), openCPU(t, 1), b, opt)
	if err != nil {
		t.Fatalf("%s: %v", c.Name, err)
	}
	in, err := inputOf(b, &opt)
	if err != nil {
		t.Fatalf("%s: %v", c.Name, err)
	}
	in.FeatureGrids = slices.Repeat([]grid{noGrid}, in.Features())
	asIs, err = prepare(context.Background(), openCPU(t, 1), b, in, demand{fit: true, length: opt.MaxLength, cycles: true})
	if err != nil {
		t.Fatalf("%s: %v", c.Name, err)
	}
	return asIs, onGrids
}

func TestGoldenDynamicGraph(t *testing.T) {
	eachGolden(t, func(t *testing.T, g *goldenDynamic) {
		for i, c := range g.Cases {
			asIs, onGrids := g.prepare(t, i)
			for k, byLength := range c.Values {
				for li, byWalk := range byLength {
					for wi, byAggregation := range byWalk {
						for ai, want := range byAggregation {
							if want == nil {
								continue
							}
							s := Split{Feature: k, Length: g.D[li], Arcs: Arcs{Type: AllArcs}, Walk: g.Walks[wi], Aggregation: g.Aggregations[ai]}
							got, err := asIs.Value(s, 0, c.Subset, EmptyFormula)
							if err != nil {
								t.Fatal(err)
							}
							rounded, err := onGrids.Value(s, 0, c.Subset, EmptyFormula)
							if err != nil {
								t.Fatal(err)
							}
							if !near(got, *want, 1e-12) || !near(rounded, *want, 1e-10) {
								t.Errorf("%s, S %v: %+v is %.17g, on the grid %.17g, want %.17g", c.Name, c.Subset, s, got, rounded, *want)
							}
						}
					}
				}
			}
		}
	}, "dynamic_graph")
}

func TestGoldenDynamicVertex(t *testing.T) {
	eachGolden(t, func(t *testing.T, g *goldenDynamic) {
		for i, c := range g.Cases {
			d, _ := g.prepare(t, i)
			for k, byLength := range c.Vectors {
				for li, byWalk := range byLength {
					for wi, want := range byWalk {
						s := Split{Feature: k, Length: g.D[li], Arcs: Arcs{Type: AllArcs}, Walk: g.Walks[wi]}
						got, err := d.Vector(s, 0, c.Subset)
						if err != nil {
							t.Fatal(err)
						}
						for v := range want {
							if len(got) != len(want) || !near(got[v], want[v], 1e-12) {
								t.Errorf("%s, S %v: %+v is %v, want %v", c.Name, c.Subset, s, got, want)
								break
							}
						}
					}
				}
			}
		}
	}, "dynamic_vertex")
}
