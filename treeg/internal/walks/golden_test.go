package walks_test

import (
	"context"
	"slices"
	"testing"

	"github.com/grove-graph/grove/treeg/internal/treegtest"
	"github.com/grove-graph/grove/treeg/internal/walks"
)

// goldenDynamic is a file of kind dynamic_graph or dynamic_vertex.
type goldenDynamic struct {
	D            []int
	Walks        []walks.Walk        `json:"walk_types"`
	Aggregations []walks.Aggregation `json:"aggregations"`
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
func (g *goldenDynamic) prepare(t *testing.T, i int) (asIs, onGrids *walks.Data) {
	c := &g.Cases[i]
	one := treegtest.Dense{N: c.N, Matrices: map[walks.Arcs][][]float64{{Type: walks.AllArcs}: c.Adjacency},
		Features: c.Features}
	weighted := false
	for _, row := range c.Adjacency {
		for _, w := range row {
			weighted = weighted || w != 0 && w != 1
		}
	}
	b := treegtest.BatchOf(t, []treegtest.Dense{one}, weighted)
	in := walks.Input{Level: walks.Graphs, Attributes: b.AttributeDim, Arcs: []walks.Arcs{{Type: walks.AllArcs}}}
	for _, d := range []**walks.Data{&onGrids, &asIs} {
		var err error
		want := walks.Demand{Fit: true, Length: slices.Max(g.D), Cycles: true}
		if *d, err = walks.Prepare(context.Background(), treegtest.OpenCPU(t, 1), b, in, want); err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		in.FeatureGrids = slices.Repeat([]walks.Grid{walks.NoGrid}, in.Features())
	}
	return asIs, onGrids
}

func TestGoldenDynamicGraph(t *testing.T) {
	treegtest.EachGolden(t, func(t *testing.T, g *goldenDynamic) {
		for i, c := range g.Cases {
			asIs, onGrids := g.prepare(t, i)
			for k, byLength := range c.Values {
				for li, byWalk := range byLength {
					for wi, byAggregation := range byWalk {
						for ai, want := range byAggregation {
							if want == nil {
								continue
							}
							s := walks.Split{Feature: k, Length: g.D[li], Arcs: walks.Arcs{Type: walks.AllArcs}, Walk: g.Walks[wi],
								Aggregation: g.Aggregations[ai]}
							got := treegtest.ValueOf(asIs, s, 0, c.Subset, walks.EmptyFormula)
							rounded := treegtest.ValueOf(onGrids, s, 0, c.Subset, walks.EmptyFormula)
							if !treegtest.Near(got, *want, 1e-12) || !treegtest.Near(rounded, *want, 1e-10) {
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
	treegtest.EachGolden(t, func(t *testing.T, g *goldenDynamic) {
		for i, c := range g.Cases {
			d, _ := g.prepare(t, i)
			for k, byLength := range c.Vectors {
				for li, byWalk := range byLength {
					for wi, want := range byWalk {
						s := walks.Split{Feature: k, Length: g.D[li], Arcs: walks.Arcs{Type: walks.AllArcs}, Walk: g.Walks[wi]}
						got := treegtest.VectorOf(d, s, 0, c.Subset)
						for v := range want {
							if len(got) != len(want) || !treegtest.Near(got[v], want[v], 1e-12) {
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
