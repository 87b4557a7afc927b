package main

import (
	"fmt"
	"slices"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/eval"
)

// asEdges returns d for the classification of its edges by their labels.
func asEdges(d *dataset.Dataset) (*dataset.Dataset, error) {
	if d.Batch.ArcLabels == nil {
		return nil, usagef("--task edge: the edges of data set %s have no labels to predict (in the TU format "+
			"%s_edge_labels.txt holds them)", d.Name, d.Name)
	}
	return d.ByEdge()
}

// asLearned returns d for the task that a model was trained for. Edges to predict need no labels.
func asLearned(d *dataset.Dataset, h *head) (*dataset.Dataset, error) {
	if h.Task == edgeTask {
		return d.ByEdge()
	}
	return d, nil
}

// together reports whether k folds keep the edges of each graph together. Those of fewer graphs than folds, of
// one large graph for instance, are cut one by one.
func (x *examples) together(k int) bool {
	if x.graphs == nil {
		return false
	}
	whole := slices.Compact(pick(x.graphs, x.known)) // graphs are in ascending order
	return len(whole) >= k
}

// foldsOfGraphs cuts edges into folds, so that no graph has edges in two of them.
func (x *examples) foldsOfGraphs(edges []int, k, repeats int, seed uint64) ([]eval.Split, error) {
	whole := slices.Compact(pick(x.graphs, edges))
	cuts, err := eval.Shuffled(len(whole), k, repeats, seed)
	if err != nil {
		return nil, fmt.Errorf("folds of whole graphs: %w", err)
	}
	splits := make([]eval.Split, len(cuts))
	for i, cut := range cuts {
		tested := map[int]bool{}
		for _, g := range cut.Test {
			tested[whole[g]] = true
		}
		for _, e := range edges {
			if tested[x.graphs[e]] {
				splits[i].Test = append(splits[i].Test, e)
			} else {
				splits[i].Train = append(splits[i].Train, e)
			}
		}
	}
	return splits, nil
}

// innerOfGraphs cuts the training part of every fold again, by graphs where there are at least k in it. With
// holdOut the first of the inner folds is the only one. It returns nil where edges are cut one by one.
func (x *examples) innerOfGraphs(folds []eval.Split, k int, holdOut bool, seed uint64) ([][]eval.Split, error) {
	var inner [][]eval.Split
	for f, fold := range folds {
		part := &examples{known: fold.Train, graphs: x.graphs}
		if !part.together(k) {
			return nil, nil
		}
		cuts, err := x.foldsOfGraphs(fold.Train, k, 1, seed+uint64(f)+1)
		if err != nil {
			return nil, err
		}
		if holdOut {
			cuts = cuts[:1]
		}
		inner = append(inner, cuts)
	}
	return inner, nil
}
