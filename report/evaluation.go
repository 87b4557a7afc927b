package report

import (
	"context"
	"fmt"

	"github.com/grove-graph/grove/eval"
	"github.com/grove-graph/grove/render/page"
)

// Evaluation returns the page of an evaluation of one model: the figures of all metrics, curves, which classes were
// taken for which with graphs that were predicted most wrongly, and what was chosen. To show what the model looks at in
// these it trains the models of at most [mostModels] folds once more. r is the outcome in units.
func (s *Study) Evaluation(ctx context.Context, r *eval.Result, o *eval.Outcome, more []page.Fact) (*page.Page, error) {
	e := &evaluated{Problem: s.Problem, name: r.Model, id: "cell", outcome: o}
	p := &page.Page{Title: fmt.Sprintf("%s on %s: %s %s", r.Model, r.Dataset, r.Metric, score(r.Measured))}
	p.Facts = append(p.Facts, page.Fact{Name: "data", Text: data(r.Graphs, s.Targets)},
		page.Fact{Name: "protocol", Text: r.Protocol})
	p.Facts = append(p.Facts, more...)
	p.Facts = append(p.Facts, page.Fact{Name: "seed", Text: fmt.Sprint(r.Seed)},
		page.Fact{Name: "seconds", Text: seconds(r.Seconds)})
	p.Facts = append(p.Facts, s.facts()...)
	p.Sections = append(p.Sections, page.Section{Heading: "Figures", Table: metrics(r.Scores, r.Metric),
		Text: "Mean and standard deviation are over the folds, which stand as dots. Settings were chosen by the first line."})
	for _, make := range []func() (*page.Section, error){
		func() (*page.Section, error) { return curves([]*evaluated{e}) },
		e.learned,
		func() (*page.Section, error) { return s.wrong(ctx, e, true) },
	} {
		section, err := make()
		if err != nil {
			return nil, err
		}
		if section != nil {
			p.Sections = append(p.Sections, *section)
		}
	}
	p.Sections = append(p.Sections, page.Section{Heading: "What was chosen", Table: e.folds()}, page.Section{
		Heading: "Settings", Text: "Of the first fold.", Facts: settings(s.Estimators[o.Chosen[0].Setting].Params()),
	})
	return p, nil
}

// wrong tells what a model was wrong about, nil of numbers that nothing can be drawn of.
func (s *Study) wrong(ctx context.Context, e *evaluated, best bool) (*page.Section, error) {
	switch {
	case !s.Targets.Regression():
		return s.confusion(ctx, e, best)
	case best:
		return s.errors(ctx, e)
	}
	return nil, nil
}

// metrics is the table of what all metrics say, the one that settings were chosen by first.
func metrics(scores []eval.Measured, chosen eval.Metric) *page.Table {
	t := &page.Table{Caption: "What all metrics say of the test parts", Columns: []page.Column{
		{Name: "metric"}, {Name: "mean", Help: "over the folds", Number: true},
		{Name: "deviation", Help: "standard deviation over the folds", Number: true},
		{Name: "folds", Help: "each fold a dot"}, {Name: "scale", Help: "of the dots, from left to right"},
	}}
	for _, m := range scores {
		low, high := extent(m)
		row := page.Row{Best: m.Metric == chosen, Cells: []page.Cell{
			{Text: string(m.Metric)}, page.Number(m.Mean, inUnits(m.Metric)), page.Number(m.Std, digits(m.Metric)),
			{Dots: &page.Dots{Values: m.Folds, Low: low, High: high, Unit: units(m.Metric)}},
			{Text: fmt.Sprintf(digits(m.Metric)+" to "+digits(m.Metric), low, high)},
		}}
		if row.Best {
			t.Rows = append([]page.Row{row}, t.Rows...)
		} else {
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}
