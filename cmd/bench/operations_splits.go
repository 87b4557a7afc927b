package main

import (
	"fmt"

	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

// splitOperations are the three by which an engine searches the splits of TREE-G trees: walks from subsets, their
// aggregation to columns, and the best split of each column, between all values or between groups of them.
func splitOperations() []operation {
	return []operation{
		{"subset-walks", "a step of walks from 8 subsets, NCI1 adjacency with 38 features in float64", subsetWalks,
			everywhere},
		{"dynamic-features", "sums, means, minima and maxima of them over the subsets, a node of all NCI1 graphs",
			dynamicFeatures, everywhere},
		{"best-splits", "the best split among these columns, thresholds between all values", bestSplits, everywhere},
		{"best-splits-histogram", "the best split among 16 columns of 300 000 vertices, thresholds between 255 groups",
			bestSplitsOfHistograms, everywhere},
	}
}

// The sizes of a search: features of NCI1, and subsets as four nodes that may use two each have.
const (
	splitFeatures = 38
	splitSubsets  = 8
)

// splitSides puts every vertex into one of the two subsets of each cut.
func splitSides(vertices int) []uint8 {
	r := newRandom("subsets")
	sides := make([]uint8, splitSubsets/2*vertices)
	for i := range sides {
		sides[i] = 1 << r.IntN(2)
	}
	return sides
}

// subsetWalks counts for its rate the bytes of all accesses, every arc reading a row of one of the two subsets of a
// cut; the floor reads each row once.
func subsetWalks(t *table) (*task, error) {
	s, err := t.inputs.molecules()
	if err != nil {
		return nil, err
	}
	n, arcs := s.batch.NumVertices(), s.batch.NumArcs()
	x, err := newRandom("features").matrix(t.engine, tensor.Float64, 1, n, splitFeatures)
	if err != nil {
		return nil, err
	}
	y := t.engine.New(tensor.Float64, splitSubsets, n, splitFeatures)
	a, subsets := engine.Adjacency(s.batch), &engine.Subsets{Sides: splitSides(n)}
	row := 8.0 * splitFeatures
	fixed := 4*float64(n+1) + 4*float64(arcs) + splitSubsets/2*float64(n) + splitSubsets*row*float64(n)
	task := &task{
		shape: fmt.Sprintf("%s: %d vertices, %d arcs, %d features, %d subsets", s.from, n, arcs, splitFeatures, splitSubsets),
		run:   func(e engine.Engine) error { return e.SubsetWalks(y, x, a, subsets) },
		moved: fixed + splitSubsets/2*row*float64(arcs), unit: "B/s",
		floor: floor{flops64: splitSubsets / 2 * float64(arcs) * splitFeatures, bytes: fixed + row*float64(n)},
	}
	task.units = task.moved
	return task, nil
}

// wholeNode is a search of the root of a tree over all graphs, whose targets are multiples of 1/64.
func wholeNode(s source) *engine.SplitSearch {
	graphs := s.batch.NumGraphs()
	search := rootOf(graphs)
	search.Offsets, search.Sides = s.batch.Offsets, splitSides(s.batch.NumVertices())
	search.Aggregations = []engine.Aggregation{engine.SumOf, engine.MeanOf, engine.MinOf, engine.MaxOf}
	for v := range int32(splitSubsets) {
		search.Searches = append(search.Searches, engine.Search{Vector: v, Subset: v, Factor: -1})
	}
	return search
}

// rootOf is a node of so many examples.
func rootOf(examples int) *engine.SplitSearch {
	r := newRandom("targets")
	search := &engine.SplitSearch{
		Nodes: []int32{0, int32(examples)}, Examples: make([]int32, examples),
		Weights: make([]float64, examples), Targets: make([]float64, examples), Unit: 1.0 / 64, MinLeaf: 1,
	}
	for i := range examples {
		search.Examples[i], search.Weights[i] = int32(i), 1
		search.Targets[i] = float64(r.IntN(129)-64) / 64
	}
	return search
}

// dynamicFeatures reads every entry once and writes the columns; its rate counts the entries.
func dynamicFeatures(t *table) (*task, error) {
	s, err := t.inputs.molecules()
	if err != nil {
		return nil, err
	}
	n, search := s.batch.NumVertices(), wholeNode(s)
	x, err := newRandom("walks").matrix(t.engine, tensor.Float64, splitSubsets, n, splitFeatures)
	if err != nil {
		return nil, err
	}
	places := search.Places(splitFeatures)
	size := int(places[len(places)-1])
	columns := t.engine.New(tensor.Float64, size)
	entries := splitSubsets * splitFeatures * float64(n) / 2 // a vertex is in one of the two subsets of a cut
	return &task{
		shape: fmt.Sprintf("%s: %d graphs, %d vertices, %d features, %d subsets, 4 aggregations", s.from,
			s.batch.NumGraphs(), n, splitFeatures, splitSubsets),
		run:   func(e engine.Engine) error { return e.DynamicFeatures(columns, x, search) },
		units: entries, unit: "entries/s",
		floor: floor{bytes: 8*entries + splitSubsets/2*float64(n) + 8*float64(size)},
	}, nil
}

// bestSplits searches the columns of one node; its rate counts their values, the floor reads each once.
func bestSplits(t *table) (*task, error) {
	s, err := t.inputs.molecules()
	if err != nil {
		return nil, err
	}
	return splitTask(t, wholeNode(s), splitFeatures, s.from)
}

func bestSplitsOfHistograms(t *table) (*task, error) {
	search := rootOf(t.sizes.points)
	search.Bins = 255
	search.Searches = []engine.Search{{Subset: -1, Factor: -1}}
	return splitTask(t, search, 16, "uniform values")
}

func splitTask(t *table, search *engine.SplitSearch, features int, from string) (*task, error) {
	places := search.Places(features)
	values := int(places[len(places)-1])
	columns, err := newRandom("columns").matrix(t.engine, tensor.Float64, values)
	if err != nil {
		return nil, err
	}
	best := t.engine.New(tensor.Float64, 1, 4)
	examples := len(search.Examples)
	return &task{
		shape: fmt.Sprintf("%s: %d columns of %d examples", from, values/max(examples, 1), examples),
		run:   func(e engine.Engine) error { return e.BestSplits(best, columns, search, features) },
		units: float64(values), unit: "values/s",
		floor: floor{bytes: 8 * float64(values+2*examples)},
	}, nil
}
