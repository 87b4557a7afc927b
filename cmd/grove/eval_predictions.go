package main

import (
	"fmt"
	"io"

	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/split"
)

// heldOut is what is said of an example of a test part by the model that learned from the training part.
type heldOut struct {
	Fold int `json:"fold"` // counted from 1
	prediction
}

// tested holds what is said of the test part of a fold.
type tested struct {
	*predictionTable
	examples []int
}

// tested returns what is said of the test part of every fold.
func (r *evalReport) tested() []tested {
	head := model.HeadOf(r.Model, r.data)
	all := make([]tested, len(r.outcome.Predicted))
	for f, said := range r.outcome.Predicted {
		examples := r.problem.Folds[f].Test
		truth := r.targets.Of(examples)
		all[f] = tested{&predictionTable{
			of: r.data, rows: examples,
			head: &head, said: said, names: r.targets.Names, own: truth.Classes, targets: truth.Values,
			edges: split.Select(r.data.Edges, examples),
		}, examples}
	}
	return all
}

// heldOut lists what is said of all test parts, fold by fold.
func (r *evalReport) heldOut() []heldOut {
	var all []heldOut
	for f, t := range r.tested() {
		for i, line := range t.lines() {
			example := &t.examples[i]
			switch {
			case line.Edge != nil:
				line.Edge = example
			case line.Vertex != nil:
				line.Vertex = example
			default:
				line.Graph = example
			}
			all = append(all, heldOut{f + 1, line})
		}
	}
	return all
}

// writeHeldOut writes the same as comma-separated values, with the setting that the fold chose.
func (r *evalReport) writeHeldOut(to io.Writer) error {
	for f, t := range r.tested() {
		chosen := r.outcome.Chosen[min(f, len(r.outcome.Chosen)-1)]
		setting := chosen.Name
		if chosen.Grid != "" {
			setting += fmt.Sprintf(", %s %g", chosen.Grid, chosen.Value)
		}
		fold, by := cells{name: "fold"}, cells{name: "setting"}
		columns := t.columns()
		for i, example := range t.examples {
			fold.wholes, by.words = append(fold.wholes, int64(f+1)), append(by.words, setting)
			columns[0].wholes[i] = int64(example)
		}
		if err := writeCSV(to, append([]cells{fold, by}, columns...), f == 0); err != nil {
			return err
		}
	}
	return nil
}
