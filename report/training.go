package report

import (
	"fmt"
	"math"
	"slices"

	"github.com/grove-graph/grove/eval"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/render"
	"github.com/grove-graph/grove/render/page"
)

// Training is how a model came to be.
type Training struct {
	About
	Model   model.Model
	Graphs  int
	Targets *model.Targets
	Params  any          // of the setting that was taken
	Chosen  *eval.Chosen // nil for a model without targets
	Score   *float64     // in units, on what it was trained on; nil for none
	Seconds eval.Seconds
	File    string
	Size    int64 // of the file
}

// Page returns the page of a training: what was learned from, the scores that its setting was chosen by, learning
// curves of what was trained end to end, what it costs, and its options.
func (t *Training) Page() (*page.Page, error) {
	h := t.Model.About()
	p := &page.Page{Title: fmt.Sprintf("%s trained on %s", h.Model, h.Training.Dataset)}
	p.Facts = append(p.Facts, page.Fact{Name: "data", Text: data(t.Graphs, t.Targets)},
		page.Fact{Name: "setting", Text: h.Training.Setting})
	fact := func(name, format string, values ...any) {
		p.Facts = append(p.Facts, page.Fact{Name: name, Text: fmt.Sprintf(format, values...)})
	}
	if c := t.Chosen; c != nil {
		if c.Grid != "" {
			fact(c.Grid, "%g, %s", c.Value, c.By)
		} else if c.By != "" {
			fact("setting", "%s", c.By)
		}
		if t.Score != nil {
			of := eval.MetricAccuracy
			if t.Targets.Regression() {
				of = eval.MetricRMSE
			}
			fact(string(of), inUnits(of)+" on the examples it was trained on", *t.Score)
		}
		if !math.IsNaN(c.Score) {
			fact("cross-validated", "%s at this choice; the honest figure is that of an evaluation",
				score(eval.Measured{Metric: c.Metric, Mean: c.Metric.InUnits(c.Score), Std: c.Metric.InUnits(c.Std)}))
		}
	}
	numbers, err := t.numbers()
	if err != nil {
		return nil, err
	}
	fact("model", "%d numbers, %s in %s", numbers, Bytes(float64(t.Size)), t.File)
	fact("seed", "%d", h.Training.Seed)
	fact("seconds", "%s", seconds(t.Seconds))
	p.Facts = append(p.Facts, t.facts()...)
	for _, make := range []func() (*page.Section, error){t.epochs, t.choice} {
		section, err := make()
		if err != nil {
			return nil, err
		}
		if section != nil {
			p.Sections = append(p.Sections, *section)
		}
	}
	p.Sections = append(p.Sections, page.Section{Heading: "Settings", Facts: settings(t.Params)})
	return p, nil
}

// numbers counts what the tensors of the model hold.
func (t *Training) numbers() (n int, err error) {
	_, tensors, err := t.Model.Parts()
	for _, x := range tensors {
		n += x.Shape().TotalSize()
	}
	return n, err
}

// epochs draws the learning curves, nil of a model that has none.
func (t *Training) epochs() (*page.Section, error) {
	m, ok := t.Model.(model.Trained)
	if !ok || len(m.Epochs()) == 0 {
		return nil, nil
	}
	loss, score := render.Curve{}, render.Curve{Name: "training"}
	validation := render.Curve{Name: "held out"}
	for i, e := range m.Epochs() {
		add := func(c *render.Curve, y float64) {
			if !math.IsNaN(y) && !math.IsInf(y, 0) {
				c.X, c.Y = append(c.X, float64(i+1)), append(c.Y, y)
			}
		}
		add(&loss, e.Loss)
		add(&score, 100*e.Score)
		if len(e.Validation) > 0 {
			add(&validation, 100*e.Validation[0])
		}
	}
	s := &page.Section{Heading: "Learning curves", Text: "After every epoch, of the batches while they were trained on; " +
		"what was held out is scored after the epoch."}
	epoch := render.Axis{Label: "epoch"}
	if len(loss.X) > 0 {
		if err := plot(s, render.Chart{Title: "Loss", X: epoch, Y: render.Axis{Label: "loss"}}, []render.Curve{loss},
			"loss by epoch"); err != nil {
			return nil, err
		}
	}
	var scores []render.Curve
	for _, c := range []render.Curve{score, validation} {
		if len(c.X) > 0 {
			scores = append(scores, c)
		}
	}
	label := "accuracy"
	if t.Targets.Regression() {
		label = "variance explained"
	}
	return s, plot(s, render.Chart{Title: "Score", X: epoch, Y: render.Axis{Label: label + " (%)"}}, scores,
		label+" by epoch")
}

// choice shows the scores of all settings by the values of their grids, nil where nothing was left to choose.
func (t *Training) choice() (*page.Section, error) {
	if t.Chosen == nil || t.Chosen.Curves == nil {
		return nil, nil
	}
	c := t.Chosen
	taken := []eval.Curve{c.Curves[c.Setting]}
	for s, other := range c.Curves {
		if s != c.Setting {
			taken = append(taken, other)
		}
	}
	section, err := choice(taken, c.Metric, "cross-validation")
	if err != nil {
		return nil, err
	}
	if section == nil {
		section = &page.Section{Heading: "Scores of the settings"}
	}
	table := &page.Table{Caption: "Settings, each at its best value", Columns: []page.Column{{Name: "setting"},
		{Name: "value", Help: "of " + c.Grid, Number: true},
		{Name: string(c.Metric), Help: "mean over the folds", Number: true},
		{Name: "deviation", Help: "over the folds", Number: true}}}
	for s, curve := range c.Curves {
		best := 0
		for k, mean := range curve.Mean {
			if c.Metric.Rank(mean) < c.Metric.Rank(curve.Mean[best]) || math.IsNaN(curve.Mean[best]) {
				best = k
			}
		}
		if s == c.Setting {
			best = max(0, slices.Index(curve.Grid.Values, c.Value))
		}
		value := page.Cell{Value: math.NaN()}
		if len(curve.Grid.Values) > 0 {
			value = page.Number(curve.Grid.Values[best], "%.4g")
		}
		table.Rows = append(table.Rows, page.Row{Best: s == c.Setting, Cells: []page.Cell{{Text: curve.Name}, value,
			page.Number(c.Metric.InUnits(curve.Mean[best]), inUnits(c.Metric)),
			page.Number(c.Metric.InUnits(curve.Std[best]), digits(c.Metric))}})
	}
	section.Table = table
	return section, nil
}
