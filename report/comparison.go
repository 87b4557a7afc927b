package report

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/grove-graph/grove/eval"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/render/page"
)

// Ordered lists the models of a comparison that did not fail by their places, the best first.
func Ordered(k *eval.Kept) []int {
	var order []int
	for i, m := range k.Models {
		if len(m.Folds) > 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(k.Metric.Rank(k.Models[a].Mean), k.Metric.Rank(k.Models[b].Mean))
	})
	return order
}

// Choices says in how many folds each model was chosen.
func Choices(k *eval.Kept) string { return inFolds(k, k.Chosen.Models) }

// Votes says how models voted, and each in how many folds.
func Votes(k *eval.Kept) string {
	how := "a vote of the models within a standard error"
	if k.Metric.Averages() {
		how = "the mean of the probabilities of the models within two standard errors"
	}
	return how + " of the best inside each training part: " + inFolds(k, slices.Concat(k.Voted.Models...))
}

// inFolds counts how often each model is named.
func inFolds(k *eval.Kept, named []string) string {
	times := map[string]int{}
	for _, name := range named {
		times[name]++
	}
	var names []string
	for _, m := range k.Models {
		if n := times[m.Model]; n > 0 {
			names = append(names, fmt.Sprintf("%s %d", m.Model, n))
		}
	}
	return strings.Join(names, ", ")
}

// Comparison returns the page of a comparison: the table of all models, curves of the best ones, the diagram of ranks
// where there are any, and of every model what [Study.Evaluation] tells. Only models of the best one are trained again
// to show what they look at.
func (s *Study) Comparison(
	ctx context.Context, entrants []eval.Entrant, k *eval.Kept, entries []eval.Entry,
) (*page.Page, error) {
	p := &page.Page{Title: "Models on " + k.Dataset, Facts: s.comparisonFacts(k)}
	low, high := extent(measures(k)...)
	p.Sections = append(p.Sections, page.Section{Heading: "Figures", Table: s.table(k), Text: "Headings sort. " +
		"Mean and standard deviation are over the folds, which stand as dots from " +
		fmt.Sprintf(inUnits(k.Metric)+" to "+inUnits(k.Metric), low, high) + "; p is against the best model, corrected for " +
		"the number of models (Holm): t is the corrected resampled t-test, ranks the signed-rank test."})
	if k.Ranks != nil {
		section, err := ranks(k.Ranks)
		if err != nil {
			return nil, err
		}
		p.Sections = append(p.Sections, *section)
	}
	var all []*evaluated
	for _, i := range Ordered(k) {
		if entries[i].Outcome == nil {
			continue
		}
		e := &evaluated{Problem: s.Problem, name: entries[i].Name, id: fmt.Sprintf("model-%d", i)}
		e.outcome, e.Estimators = entries[i].Outcome, entrants[i].Estimators
		all = append(all, e)
	}
	if len(all) > 0 {
		section, err := curves(all)
		if err != nil {
			return nil, err
		}
		if section != nil {
			section.Text = strings.TrimSpace(fmt.Sprintf("Of the best %s. ", model.Count(min(len(all), mostCurves), "model")) +
				section.Text)
			p.Sections = append(p.Sections, *section)
		}
	}
	var models []page.Section
	for place, e := range all {
		one, err := s.one(ctx, e, place == 0)
		if err != nil {
			return nil, err
		}
		models = append(models, *one)
	}
	p.Sections = append(p.Sections, page.Section{Heading: "Models one by one", More: models})
	return p, nil
}

// one tells of one model of a comparison.
func (s *Study) one(ctx context.Context, e *evaluated, best bool) (*page.Section, error) {
	o := e.outcome
	m := eval.Measured{Metric: o.Metric, Mean: o.Metric.InUnits(o.Mean), Std: o.Metric.InUnits(o.Std)}
	section := &page.Section{Heading: e.name + ": " + score(m), Table: e.folds()}
	for _, make := range []func() (*page.Section, error){
		e.learned, func() (*page.Section, error) { return s.wrong(ctx, e, best) },
	} {
		more, err := make()
		if err != nil {
			return nil, err
		}
		if more != nil {
			section.More = append(section.More, *more)
		}
	}
	section.More = append(section.More, page.Section{Heading: "Settings", Text: "Of the first fold.",
		Facts: settings(e.Estimators[o.Chosen[0].Setting].Params())})
	return section, nil
}

// comparisonFacts are the circumstances of a comparison.
func (s *Study) comparisonFacts(k *eval.Kept) []page.Fact {
	facts := []page.Fact{
		{Name: "data", Text: data(k.Graphs, s.Targets)},
		{Name: "protocol", Text: k.Protocol}, {Name: "folds", Text: k.FoldsFrom}, {Name: "metric", Text: string(k.Metric)},
		{Name: "seed", Text: fmt.Sprint(k.Seed)}, {Name: "seconds", Text: fmt.Sprintf("%.2f", k.Total)},
	}
	if k.Calibration != eval.Uncalibrated {
		facts = append(facts, page.Fact{Name: "probabilities", Text: "calibrated (" + string(k.Calibration) +
			") on what the models of the inner folds say of the parts that they did not learn from"})
	}
	if k.Chosen != nil {
		facts = append(facts, page.Fact{Name: "chosen", Text: score(k.Chosen.Measured) +
			", the model too chosen inside each training part: " + Choices(k)})
	}
	if k.Voted != nil {
		facts = append(facts, page.Fact{Name: "voted", Text: score(k.Voted.Measured) + ", " + Votes(k)})
	}
	for _, m := range k.Models {
		if m.Error != "" {
			facts = append(facts, page.Fact{Name: "failed", Text: m.Model + ": " + m.Error})
		}
	}
	for _, l := range k.LeftOut {
		facts = append(facts, page.Fact{Name: "left out", Text: l.Model + ": " + l.Why})
	}
	return append(facts, s.facts()...)
}

// table is that of all models of a comparison.
func (s *Study) table(k *eval.Kept) *page.Table {
	t := &page.Table{Caption: "All models on the same folds", Columns: []page.Column{
		{Name: "model", Help: "with its flags"}, {Name: string(k.Metric), Help: "mean over the folds", Number: true},
		{Name: "deviation", Help: "standard deviation over the folds", Number: true},
		{Name: "folds", Help: "each fold a dot"},
		{Name: "p (t)", Help: "corrected resampled t-test against the best", Number: true},
		{Name: "p (ranks)", Help: "signed-rank test against the best", Number: true},
		{Name: "evaluated", Help: "seconds for all folds", Number: true},
		{Name: "train", Help: "seconds of one training on all examples", Number: true},
		{Name: "predict", Help: "seconds to predict all examples", Number: true},
		{Name: "memory", Help: "bytes that one training adds", Number: true},
		{Name: "file", Help: "bytes of the model", Number: true},
	}}
	tests := map[string]eval.KeptTest{}
	for _, test := range k.Tests {
		tests[test.Model] = test
	}
	low, high := extent(measures(k)...)
	others := slices.DeleteFunc(eval.Metrics(s.Targets.Regression()), func(by eval.Metric) bool {
		measures := func(m eval.KeptModel) bool { return measuredBy(&m, by) != nil }
		return by == k.Metric || !slices.ContainsFunc(k.Models, measures)
	})
	for _, m := range others {
		t.Columns = append(t.Columns, page.Column{Name: string(m), Help: "mean over the folds", Number: true})
	}
	none := page.Cell{Value: math.NaN()}
	for place, i := range Ordered(k) {
		m := &k.Models[i]
		row := page.Row{Best: place == 0, Cells: []page.Cell{
			{Text: m.Model}, page.Number(m.Mean, inUnits(k.Metric)), page.Number(m.Std, digits(k.Metric)),
			{Dots: &page.Dots{Values: m.Folds, Low: low, High: high, Unit: units(k.Metric)}},
		}}
		p, ranks := page.Cell{Text: "best", Value: math.Inf(1)}, none
		if test, ok := tests[m.Model]; ok {
			p = page.Cell{Text: Probability(test.THolm), Value: float64(test.THolm)}
			ranks = page.Cell{Text: Probability(test.WilcoxonHolm), Value: float64(test.WilcoxonHolm)}
		}
		row.Cells = append(row.Cells, p, ranks, page.Cell{Text: Lasting(m.Seconds), Value: m.Seconds})
		if f := m.Footprint; f != nil {
			row.Cells = append(row.Cells, page.Cell{Text: Lasting(f.Train), Value: f.Train},
				page.Cell{Text: Lasting(f.Predict), Value: f.Predict},
				page.Cell{Text: Bytes(float64(f.Memory)), Value: float64(f.Memory)},
				page.Cell{Text: Bytes(float64(f.Size)), Value: float64(f.Size)})
		} else {
			row.Cells = append(row.Cells, none, none, none, none)
		}
		for _, other := range others {
			cell := none
			if by := measuredBy(m, other); by != nil {
				cell = page.Number(by.Mean, inUnits(other))
			}
			row.Cells = append(row.Cells, cell)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// measures lists what the metric of a comparison says of its models.
func measures(k *eval.Kept) (all []eval.Measured) {
	for _, m := range k.Models {
		all = append(all, m.Measured)
	}
	return all
}

// measuredBy returns what a metric says of a model, nil for nothing.
func measuredBy(m *eval.KeptModel, by eval.Metric) *eval.Measured {
	at := slices.IndexFunc(m.Scores, func(s eval.Measured) bool { return s.Metric == by })
	if at < 0 {
		return nil
	}
	return &m.Scores[at]
}
