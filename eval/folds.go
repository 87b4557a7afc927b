package eval

import (
	"fmt"
	"slices"

	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/split"
)

// Folds cuts the examples that have a target into k folds, stratified by class where there are classes, one repeat
// after another. The edges of each graph stay together where there are at least k graphs (see [Together]).
func Folds(t *model.Targets, k, repeats int, seed uint64) ([]split.Fold, error) {
	known := t.Known()
	if Together(t, k) {
		return foldsOfGraphs(t, known, k, repeats, seed)
	}
	var folds []split.Fold
	var err error
	if t.Regression() {
		folds, err = split.Shuffled(len(known), k, repeats, seed)
	} else {
		folds, err = split.Repeats(split.Select(t.Classes, known), k, repeats, seed)
	}
	for i := range folds {
		folds[i] = split.Fold{Train: split.Select(known, folds[i].Train), Test: split.Select(known, folds[i].Test)}
	}
	return folds, err
}

// Together reports whether k folds keep the edges of each graph together. Those of fewer graphs than folds, of one
// large graph for instance, are cut one by one.
func Together(t *model.Targets, k int) bool {
	return t.Graphs != nil && len(graphsOf(t, t.Known())) >= k
}

// graphsOf lists the graphs of some edges, which are in ascending order.
func graphsOf(t *model.Targets, edges []int) []int {
	return slices.Compact(split.Select(t.Graphs, edges))
}

// foldsOfGraphs cuts edges into folds, so that no graph has edges in two of them.
func foldsOfGraphs(t *model.Targets, edges []int, k, repeats int, seed uint64) ([]split.Fold, error) {
	graphs := graphsOf(t, edges)
	cuts, err := split.Shuffled(len(graphs), k, repeats, seed)
	if err != nil {
		return nil, fmt.Errorf("folds of whole graphs: %w", err)
	}
	folds := make([]split.Fold, len(cuts))
	for i, cut := range cuts {
		tested := map[int]bool{}
		for _, g := range cut.Test {
			tested[graphs[g]] = true
		}
		for _, e := range edges {
			if tested[t.Graphs[e]] {
				folds[i].Test = append(folds[i].Test, e)
			} else {
				folds[i].Train = append(folds[i].Train, e)
			}
		}
	}
	return folds, nil
}

// InnerOfGraphs cuts the training part of every fold again, by graphs where there are at least k in it. With holdOut
// the first of the inner folds is the only one. It returns nil where edges are cut one by one.
func InnerOfGraphs(t *model.Targets, folds []split.Fold, k int, holdOut bool, seed uint64) ([][]split.Fold, error) {
	var inner [][]split.Fold
	for f, fold := range folds {
		if t.Graphs == nil || len(graphsOf(t, fold.Train)) < k {
			return nil, nil
		}
		cuts, err := foldsOfGraphs(t, fold.Train, k, 1, seed+uint64(f)+1)
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

// heldOut is the number of examples of a tenth from which on it tells settings apart well enough: the standard error of
// an accuracy of 75 % on as many is 3 %.
const heldOut = 200

// Inner returns how the training parts of folds are cut again for models that are trained in epochs: in ten parts of
// which one is held out where it has 200 examples or more, otherwise in five that take turns.
func Inner(folds []split.Fold) (k int, holdOut bool) {
	for _, f := range folds {
		if len(f.Train) < 10*heldOut {
			return 5, false
		}
	}
	return 10, true
}
