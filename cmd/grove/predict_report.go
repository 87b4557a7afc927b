package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/grove-graph/grove/eval"
	"github.com/grove-graph/grove/model"
)

// predictReport is what grove predict reports.
type predictReport struct {
	Model         string       `json:"model"`
	Dataset       string       `json:"dataset"`
	Graphs        int          `json:"n_graphs"`
	Device        string       `json:"device"`
	Task          model.Task   `json:"task"`
	Classes       []string     `json:"classes,omitempty"`
	Counts        []int        `json:"predicted_counts,omitempty"` // of each class
	Accuracy      *float64     `json:"accuracy,omitempty"`         // percent, where the data have classes
	Confusion     [][]int      `json:"confusion,omitempty"`        // own class x predicted class
	Errors        []deviation  `json:"errors,omitempty"`           // of a regression, where the data have targets
	UnknownClass  int          `json:"n_unknown_class"`            // examples of a class that the model does not know
	UnknownLabels []string     `json:"unknown_labels,omitempty"`
	Notes         []string     `json:"notes,omitempty"`
	File          string       `json:"file,omitempty"`
	Predictions   []prediction `json:"predictions,omitempty"` // where they are not written to a file
	Seconds       eval.Seconds `json:"seconds"`
	Peak          int64        `json:"peak_memory_bytes,omitempty"`

	right, known int
	sums         []deviations // of each target
}

// deviations adds up errors.
type deviations struct{ squares, absolute, known float64 }

// deviation says how far predictions of a target are from its values, in the units of the target.
type deviation struct {
	Target   string  `json:"target"`
	RMSE     float64 `json:"rmse"`
	Absolute float64 `json:"mean_absolute_error"`
}

// note adds labels that the model does not know.
func (r *predictReport) note(unknown []string) {
	for _, code := range unknown {
		if !slices.Contains(r.UnknownLabels, code) {
			r.UnknownLabels = append(r.UnknownLabels, code)
		}
	}
}

// compare counts how further predictions agree with what is known.
func (r *predictReport) compare(t *predictionTable) {
	if t.said.Classes == nil {
		r.compareTargets(t)
		return
	}
	if r.Counts == nil {
		r.Counts = make([]int, len(r.Classes))
	}
	for _, c := range t.said.Classes {
		r.Counts[c]++
	}
	if t.classes == nil {
		return
	}
	var predicted, truth []int
	for i, c := range t.classes {
		switch c {
		case model.NoClass:
			continue
		case model.UnknownClass:
			r.UnknownClass++
		default:
			predicted, truth = append(predicted, t.said.Classes[i]), append(truth, c)
		}
		r.known++
		if c == t.said.Classes[i] {
			r.right++
		}
	}
	for c, row := range eval.Confusion(predicted, truth, len(r.Classes)) {
		if len(r.Confusion) == c {
			r.Confusion = append(r.Confusion, make([]int, len(row)))
		}
		for k, n := range row {
			r.Confusion[c][k] += n
		}
	}
	if r.known > 0 {
		accuracy := rounded(100 * float64(r.right) / float64(r.known))
		r.Accuracy = &accuracy
	}
}

// compareTargets adds up the errors of a regression over the examples whose targets are known.
func (r *predictReport) compareTargets(t *predictionTable) {
	width := len(t.head.Targets)
	if r.sums == nil {
		r.sums = make([]deviations, width)
	}
	r.Errors = nil
	for k, name := range t.head.Targets {
		sum := &r.sums[k]
		for i := 0; i < len(t.targets); i += width {
			if want := t.targets[i+k]; !math.IsNaN(want) {
				e := t.said.Values.Float64s()[i+k] - want
				sum.squares, sum.absolute, sum.known = sum.squares+e*e, sum.absolute+math.Abs(e), sum.known+1
			}
		}
		if sum.known > 0 {
			r.Errors = append(r.Errors, deviation{name, math.Sqrt(sum.squares / sum.known), sum.absolute / sum.known})
		}
	}
}

func (r *predictReport) print(w io.Writer) {
	noun := r.Task.Noun()
	fmt.Fprintf(w, "%s on %s: %s\n", r.Model, r.Dataset, model.Count(r.Graphs, "graph"))
	switch {
	case r.Accuracy != nil:
		fact(w, "accuracy", "%.1f %%", *r.Accuracy)
		if len(r.Classes) <= 12 {
			r.printConfusion(w)
		}
	case r.Counts != nil:
		fact(w, "accuracy", "unknown: the data have no classes to compare with")
		for c, name := range r.Classes {
			fact(w, "predicted "+name, "%s", model.Count(r.Counts[c], noun))
		}
	case r.Errors == nil:
		fact(w, "error", "unknown: the data have no targets to compare with")
	}
	for _, e := range r.Errors {
		fact(w, "error", "%s: %.4g (root of the mean square), %.4g (mean absolute)", e.Target, e.RMSE, e.Absolute)
	}
	if r.UnknownClass > 0 {
		fact(w, "note", "%s of a class that the model does not know, counted as wrong; it knows %s",
			model.Count(r.UnknownClass, noun), strings.Join(r.Classes, ", "))
	}
	if n := len(r.UnknownLabels); n > 0 {
		fact(w, "note", "the model never saw %s of this data set and treats them as one unlike all others: %s",
			model.Count(n, "label"), strings.Join(r.UnknownLabels[:min(n, 10)], ", "))
	}
	writeNotes(w, r.Notes)
	if r.File != "" {
		fact(w, "written to", "%s", r.File)
	} else {
		fact(w, "hint", "-o FILE keeps the prediction of every %s", noun)
	}
}

// printConfusion writes how many graphs of each class were taken for each class.
func (r *predictReport) printConfusion(w io.Writer) {
	width := 5
	for _, name := range r.Classes {
		width = max(width, len([]rune(name))+1)
	}
	fmt.Fprintf(w, "%-12s", "taken for")
	for _, name := range r.Classes {
		fmt.Fprintf(w, " %*s", width, name)
	}
	fmt.Fprintln(w)
	for c, row := range r.Confusion {
		fmt.Fprintf(w, "%-12s", "class "+r.Classes[c])
		for _, n := range row {
			fmt.Fprintf(w, " %*d", width, n)
		}
		fmt.Fprintln(w)
	}
}
