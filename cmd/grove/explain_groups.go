package main

import (
	"fmt"
	"io"
	"math/rand/v2"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/render/layout"
)

// groupReport counts the graphs that show a chemical group: that have all edges of one among the selected
// ones.
type groupReport struct {
	Graphs  int        `json:"n_graphs"`
	Has     groupCount `json:"has"`    // graphs that have a group at all
	Shows   groupCount `json:"shows"`  // graphs that show it
	Random  groupCount `json:"random"` // expected, if the same number of edges were drawn at random
	InMotif *float64   `json:"in_planted_motif,omitempty"`
}

// groupCount is a number of graphs, a mean where it is expected.
type groupCount struct {
	Nitro  float64 `json:"nitro"`
	Ring   float64 `json:"ring"`
	Either float64 `json:"either"`
}

func (c *groupCount) add(nitro, ring bool, weight float64) {
	for _, x := range []struct {
		in   bool
		into *float64
	}{{nitro, &c.Nitro}, {ring, &c.Ring}, {nitro || ring, &c.Either}} {
		if x.in {
			*x.into += weight
		}
	}
}

// randomDraws is the number of random selections for each graph.
const randomDraws = 200

// groups counts the groups in the graphs of d, whose vertices have the names of chemical elements.
func groups(d *dataset.Dataset, explained []explanation) *groupReport {
	r := &groupReport{Graphs: len(explained)}
	random := rand.New(rand.NewPCG(1, 0))
	inMotif, planted := 0.0, 0
	for g := range explained {
		x := explained[g].Masks
		nitros, rings := nitroGroups(d, g, explained[g].Labels), ringEdges(d, g)
		r.Has.add(len(nitros) > 0, len(rings) > 0, 1)
		shows := func(edges []model.MaskedEdge) (nitro, ring bool) {
			selected := map[[2]int32]bool{}
			for _, e := range edges {
				selected[[2]int32{min(e.From, e.To), max(e.From, e.To)}] = true
			}
			return anyWithin(nitros, selected), anyWithin(rings, selected)
		}
		nitro, ring := shows(x.Edges[:x.Top])
		r.Shows.add(nitro, ring, 1)
		shuffled := append([]model.MaskedEdge(nil), x.Edges...)
		for range randomDraws {
			random.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
			nitro, ring := shows(shuffled[:x.Top])
			r.Random.add(nitro, ring, 1.0/randomDraws)
		}
		if x.InMotif != nil {
			inMotif += *x.InMotif
			planted++
		}
	}
	if planted > 0 {
		inMotif /= float64(planted)
		r.InMotif = &inMotif
	}
	return r
}

// nitroGroups returns the bonds of every N to O atoms without another neighbour, where it has two or more.
func nitroGroups(d *dataset.Dataset, g int, labels []string) [][][2]int32 {
	var found [][][2]int32
	from, _ := d.Batch.Vertices(g)
	for u, name := range labels {
		if name != "N" {
			continue
		}
		var bonds [][2]int32
		for _, v := range d.Batch.Neighbors(from + int32(u)) {
			if labels[v-from] == "O" && len(d.Batch.Neighbors(v)) == 1 {
				bonds = append(bonds, [2]int32{min(int32(u), v-from), max(int32(u), v-from)})
			}
		}
		if len(bonds) > 1 {
			found = append(found, bonds)
		}
	}
	return found
}

// ringEdges returns the edges of every ring.
func ringEdges(d *dataset.Dataset, g int) [][][2]int32 {
	var found [][][2]int32
	for _, ring := range layout.Rings(d.Batch, g, nil) {
		var edges [][2]int32
		for i, u := range ring {
			v := ring[(i+1)%len(ring)]
			edges = append(edges, [2]int32{min(u, v), max(u, v)})
		}
		found = append(found, edges)
	}
	return found
}

// anyWithin reports whether all edges of one of the groups are selected.
func anyWithin(groups [][][2]int32, selected map[[2]int32]bool) bool {
	for _, edges := range groups {
		all := true
		for _, e := range edges {
			all = all && selected[e]
		}
		if all {
			return true
		}
	}
	return false
}

func (r *groupReport) print(w io.Writer) {
	fmt.Fprintf(w, "of %s: %12s %12s %12s\n", model.Count(r.Graphs, "graph"), "nitro group", "ring", "either")
	for _, line := range []struct {
		what string
		c    groupCount
	}{{"have", r.Has}, {"show it", r.Shows}, {"by chance", r.Random}} {
		fmt.Fprintf(w, "%-14s %12.4g %12.4g %12.4g\n", line.what, line.c.Nitro, line.c.Ring, line.c.Either)
	}
	if r.InMotif != nil {
		fmt.Fprintf(w, "%.1f %% of the edges with the highest scores lie in the planted motif\n", 100**r.InMotif)
	}
}
