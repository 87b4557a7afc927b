package report

import (
	"fmt"
	"math"

	"github.com/grove-graph/grove/eval"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/render/page"
)

// Study is what models were measured on, and in which circumstances.
type Study struct {
	eval.Problem
	About
	// Progress is told of models that are trained again to explain what they were wrong about.
	Progress model.Progress
}

// evaluated is a model with what an evaluation says of it.
type evaluated struct {
	eval.Problem // with its settings
	name         string
	id           string // of its sections, different for every model of a page
	outcome      *eval.Outcome
}

// truth returns the targets of the test part of every fold.
func (e *evaluated) truth() []*model.Targets {
	truth := make([]*model.Targets, len(e.Folds))
	for f := range truth {
		truth[f] = e.Targets.Of(e.Folds[f].Test)
	}
	return truth
}

// chosen is what was chosen for a fold: the same for all of them in the published protocol.
func (e *evaluated) chosen(fold int) eval.Choice {
	return e.outcome.Chosen[min(fold, len(e.outcome.Chosen)-1)]
}

// units of a metric, behind a number.
func units(m eval.Metric) string {
	if m.Share() {
		return " %"
	}
	return ""
}

// digits is the format of a score in units.
func digits(m eval.Metric) string {
	if m.Share() {
		return "%.1f"
	}
	return "%.4g"
}

// inUnits is the format of a score with its unit.
func inUnits(m eval.Metric) string {
	if m.Share() {
		return "%.1f %%"
	}
	return "%.4g"
}

// extent returns the least and the largest of the scores of folds.
func extent(all ...eval.Measured) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, m := range all {
		for _, v := range m.Folds {
			if !math.IsNaN(v) {
				low, high = min(low, v), max(high, v)
			}
		}
	}
	return low, high
}

// score is a mean with its deviation, for a heading.
func score(m eval.Measured) string {
	if m.Metric.Share() {
		return fmt.Sprintf("%.1f ± %.1f %%", m.Mean, m.Std)
	}
	return fmt.Sprintf("%.4g ± %.2g", m.Mean, m.Std)
}

// folds is the table of what was chosen for every fold, and how it did.
func (e *evaluated) folds() *page.Table {
	metric := e.outcome.Metric
	t := &page.Table{Caption: "Folds", Columns: []page.Column{{Name: "fold", Help: "counted from 1"},
		{Name: string(metric), Help: "of the test part", Number: true},
		{Name: "chosen for", Help: "mean score over the inner folds, or over the test folds where these chose", Number: true},
		{Name: "chosen", Help: "setting"}, {Name: "examples", Help: "of the test part", Number: true},
	}}
	for f, s := range e.outcome.Folds {
		c := e.chosen(f)
		text := c.Name
		if c.Grid != "" {
			text += fmt.Sprintf(", %s %g", c.Grid, c.Value)
		}
		n := len(e.Folds[f].Test)
		t.Rows = append(t.Rows, page.Row{Cells: []page.Cell{{Text: fmt.Sprint(f + 1)},
			page.Number(metric.InUnits(s), inUnits(metric)),
			page.Number(metric.InUnits(c.Score), inUnits(metric)),
			{Text: text}, {Text: fmt.Sprint(n), Value: float64(n)}}})
	}
	return t
}
