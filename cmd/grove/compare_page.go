package main

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/eval"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/render"
	"github.com/grove-graph/grove/render/page"
)

// curvePoints and reliabilityBins are how fine the curves of a page are.
const (
	curvePoints     = 101
	reliabilityBins = 10
	pageDrawings    = 6 // of graphs that were predicted most wrongly
)

// writePage writes a comparison as one page.
func (x *field) writePage(w io.Writer, entries []eval.Entry) error {
	k := &x.kept
	p := page.Page{Title: "Models on " + k.Dataset, Facts: x.facts()}
	p.Sections = append(p.Sections, page.Section{Heading: "Figures", Table: x.figures(), Text: "Headings sort. " +
		"Mean and standard deviation are over the folds, which stand as dots; p is against the best model, corrected for " +
		"the number of models (Holm): t is the corrected resampled t-test, ranks the signed-rank test."})
	var order []int
	for _, i := range x.order() {
		if entries[i].Outcome != nil {
			order = append(order, i)
		}
	}
	truth := make([]*model.Targets, len(x.Folds))
	for f := range truth {
		truth[f] = x.Targets.Of(x.Folds[f].Test)
	}
	curves, err := x.curves(entries, order, truth)
	if err != nil {
		return err
	}
	if curves != nil {
		p.Sections = append(p.Sections, *curves)
	}
	var models []page.Section
	for place, i := range order {
		one, err := x.model(&entries[i], i, truth, place == 0)
		if err != nil {
			return err
		}
		models = append(models, *one)
	}
	p.Sections = append(p.Sections, page.Section{Heading: "Models one by one", More: models})
	return p.Write(w)
}

// facts are the circumstances.
func (x *field) facts() []page.Fact {
	k := &x.kept
	facts := []page.Fact{
		{Name: "data", Text: fmt.Sprintf("%s: %s, %s to predict", k.Dataset, model.Count(k.Graphs, "graph"),
			model.Count(len(x.Targets.Known()), k.Task.Noun()))},
		{Name: "protocol", Text: k.Protocol}, {Name: "folds", Text: k.FoldsFrom}, {Name: "metric", Text: string(k.Metric)},
		{Name: "device", Text: k.Device}, {Name: "seed", Text: fmt.Sprint(k.Seed)},
		{Name: "made by", Text: "grove " + thisBuild().String()}, {Name: "command", Text: commandLine(os.Args[1:])},
	}
	if k.Calibration != eval.Uncalibrated {
		facts = append(facts, page.Fact{Name: "probabilities", Text: "calibrated (" + string(k.Calibration) +
			") on what the models of the inner folds say of the parts that they did not learn from"})
	}
	if k.Chosen != nil {
		facts = append(facts, page.Fact{Name: "chosen", Text: written(k.Metric, k.Chosen.Mean,
			k.Chosen.Std) + ", the model too chosen inside each training part: " + strings.Join(k.Chosen.Models, ", ")})
	}
	for _, m := range k.Models {
		if m.Error != "" {
			facts = append(facts, page.Fact{Name: "failed", Text: m.Model + ": " + oneLine(m.Error)})
		}
	}
	for _, l := range k.LeftOut {
		facts = append(facts, page.Fact{Name: "left out", Text: l.Model + ": " + l.Why})
	}
	for _, note := range k.Notes {
		facts = append(facts, page.Fact{Name: "note", Text: note})
	}
	return facts
}

// commandLine writes a line that repeats a command in a shell.
func commandLine(args []string) string {
	words := []string{"grove"}
	for _, a := range args {
		if a == "" || strings.ContainsAny(a, " \t'\"\\$`*?[]{}()<>|&;#~!") {
			a = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
		words = append(words, a)
	}
	return strings.Join(words, " ")
}

// figures is the table of all models.
func (x *field) figures() *page.Table {
	k := &x.kept
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
	unit := ""
	if k.Metric.Share() {
		unit = " %"
	}
	low, high := math.Inf(1), math.Inf(-1)
	tests := map[string]eval.KeptTest{}
	for _, m := range k.Models {
		for _, v := range m.Folds {
			if !math.IsNaN(v) {
				low, high = min(low, v), max(high, v)
			}
		}
	}
	for _, test := range k.Tests {
		tests[test.Model] = test
	}
	others := eval.Metrics(x.Targets.Regression())
	for _, m := range others {
		if m != k.Metric {
			t.Columns = append(t.Columns, page.Column{Name: string(m), Help: "mean over the folds", Number: true})
		}
	}
	number := func(v float64, format string) page.Cell {
		if math.IsNaN(v) {
			return page.Cell{Value: v}
		}
		return page.Cell{Text: fmt.Sprintf(format, v), Value: v}
	}
	digits, mean := "%.4g", "%.4g"
	if k.Metric.Share() {
		digits, mean = "%.1f", "%.1f %%"
	}
	for place, i := range x.order() {
		m := &k.Models[i]
		row := page.Row{Best: place == 0, Cells: []page.Cell{
			{Text: m.Model}, number(m.Mean, mean), number(m.Std, digits),
			{Dots: &page.Dots{Values: m.Folds, Low: low, High: high, Unit: unit}},
		}}
		p, ranks := page.Cell{Text: "best", Value: math.Inf(1)}, page.Cell{Value: math.NaN()}
		if test, ok := tests[m.Model]; ok {
			p = page.Cell{Text: probability(test.THolm), Value: float64(test.THolm)}
			ranks = page.Cell{Text: probability(test.WilcoxonHolm), Value: float64(test.WilcoxonHolm)}
		}
		row.Cells = append(row.Cells, p, ranks, page.Cell{Text: lasting(m.Seconds), Value: m.Seconds})
		if f := m.Footprint; f != nil {
			row.Cells = append(row.Cells, page.Cell{Text: lasting(f.Train), Value: f.Train},
				page.Cell{Text: lasting(f.Predict), Value: f.Predict},
				page.Cell{Text: bytesText(float64(f.Memory)), Value: float64(f.Memory)},
				page.Cell{Text: bytesText(float64(f.Size)), Value: float64(f.Size)})
		} else {
			row.Cells = append(row.Cells, slices.Repeat([]page.Cell{{Value: math.NaN()}}, 4)...)
		}
		for _, other := range others {
			if other == k.Metric {
				continue
			}
			at := slices.IndexFunc(m.Scores, func(s eval.Measured) bool { return s.Metric == other })
			switch {
			case at < 0:
				row.Cells = append(row.Cells, page.Cell{Value: math.NaN()})
			case other.Share():
				row.Cells = append(row.Cells, number(m.Scores[at].Mean, "%.1f %%"))
			default:
				row.Cells = append(row.Cells, number(m.Scores[at].Mean, "%.4g"))
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// mostPageCurves bounds the curves of a figure.
const mostPageCurves = 5

// curves draws the receiver operating characteristics and the reliability of the best models, where there are any.
func (x *field) curves(entries []eval.Entry, order []int, truth []*model.Targets) (*page.Section, error) {
	var roc, reliable []render.Curve
	for _, i := range order[:min(len(order), mostPageCurves)] {
		predicted := entries[i].Outcome.Predicted
		if taken, found := eval.ROC(predicted, truth, curvePoints); found != nil {
			roc = append(roc, render.Curve{Name: entries[i].Name, X: taken, Y: found})
		}
		if promised, had := eval.Reliability(predicted, truth, reliabilityBins); len(promised) > 1 {
			reliable = append(reliable, render.Curve{Name: entries[i].Name, X: promised, Y: had})
		}
	}
	zero, one := 0.0, 1.0
	axis := func(label string) render.Axis { return render.Axis{Label: label, Min: &zero, Max: &one} }
	s := &page.Section{Heading: "Curves"}
	add := func(chart render.Chart, curves []render.Curve, alt string) error {
		if curves == nil {
			return nil
		}
		figure, err := render.Lines(chart, curves)
		if err != nil {
			return err
		}
		drawn, err := page.Draw(alt, figure.WriteSVG)
		s.Figures = append(s.Figures, drawn)
		return err
	}
	if err := add(render.Chart{Title: "Receiver operating characteristic, mean over the folds", Width: 520, Height: 420,
		X: axis("share of " + x.className(0) + " taken for " + x.className(1)),
		Y: axis("share of " + x.className(1) + " found")},
		roc, "receiver operating characteristics of the best models"); err != nil {
		return nil, err
	}
	if err := add(render.Chart{Title: "Do probabilities hold?", Width: 520, Height: 420, X: axis("mean probability"),
		Y: axis("share that has the class")}, reliable, "reliability of the probabilities of the best models"); err != nil {
		return nil, err
	}
	if s.Figures == nil {
		return nil, nil
	}
	return s, nil
}

// className is that of a class of two.
func (x *field) className(class int) string {
	if class < len(x.Targets.Names) {
		return x.Targets.Names[class]
	}
	return ""
}

// model tells of one model: what was chosen, how classes were confused, and of the best one what it was most wrong
// about.
func (x *field) model(e *eval.Entry, at int, truth []*model.Targets, best bool) (*page.Section, error) {
	k := &x.kept
	s := &page.Section{Heading: e.Name + ": " + written(k.Metric, k.Models[at].Mean, k.Models[at].Std)}
	folds := &page.Table{Caption: "Folds", Columns: []page.Column{{Name: "fold", Help: "counted from 1"},
		{Name: string(k.Metric), Help: "of the test part", Number: true}, {Name: "chosen", Help: "inside the training part"}}}
	for f, c := range e.Outcome.Chosen {
		text := c.Name
		if c.Grid != "" {
			text += fmt.Sprintf(", %s %g", c.Grid, c.Value)
		}
		score := k.Models[at].Folds[f]
		folds.Rows = append(folds.Rows, page.Row{Cells: []page.Cell{{Text: fmt.Sprint(f + 1)},
			{Text: fmt.Sprintf("%.4g", score), Value: score}, {Text: text}}})
	}
	s.Table = folds
	if !x.Targets.Regression() {
		s.More = append(s.More, page.Section{Heading: "Which classes were taken for which", Table: x.confusion(e, truth)})
	}
	if !best || k.Task != model.GraphTask {
		return s, nil
	}
	wrong, err := x.mostWrong(e, truth)
	if err == nil && wrong != nil {
		s.More = append(s.More, *wrong)
	}
	return s, err
}

// confusion counts by class over all test parts.
func (x *field) confusion(e *eval.Entry, truth []*model.Targets) *page.Table {
	var said, own []int
	for f, p := range e.Outcome.Predicted {
		said, own = append(said, p.Classes...), append(own, truth[f].Classes...)
	}
	names := x.Targets.Names
	t := &page.Table{Caption: "A row for each class, a column for what it was taken for, over all test parts",
		Columns: []page.Column{{Name: "class", Help: "of the example"}}}
	for _, name := range names {
		t.Columns = append(t.Columns, page.Column{Name: name, Help: "predicted", Number: true})
	}
	for c, counts := range eval.Confusion(said, own, len(names)) {
		row := page.Row{Cells: []page.Cell{{Text: names[c]}}}
		for _, n := range counts {
			row.Cells = append(row.Cells, page.Cell{Text: fmt.Sprint(n), Value: float64(n)})
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// mostWrong draws the graphs that were predicted most wrongly, nil where none was.
func (x *field) mostWrong(e *eval.Entry, truth []*model.Targets) (*page.Section, error) {
	d := x.Work.Data
	var drawings []render.Drawing
	folds, places := eval.MostWrong(e.Outcome.Predicted, truth, pageDrawings)
	for n, f := range folds {
		g := x.Folds[f].Test[places[n]]
		drawing := render.Drawing{Batch: d.Batch, Graph: g, Title: fmt.Sprintf("graph %d", g)}
		if said := e.Outcome.Predicted[f]; said.Classes != nil {
			names := x.Targets.Names
			drawing.Caption = fmt.Sprintf("taken for %s, is %s", names[said.Classes[places[n]]],
				names[truth[f].Classes[places[n]]])
		}
		drawing.Names = vertexNames(d, g)
		drawings = append(drawings, drawing)
	}
	if drawings == nil {
		return nil, nil
	}
	figure, err := page.Draw("graphs that were predicted most wrongly", func(w io.Writer) error {
		return render.Grid(w, "", drawings, 3, render.Style{MaxWidth: 340, MaxHeight: 300})
	})
	return &page.Section{Heading: "What it was most wrong about", Figures: []page.Figure{figure},
		Text: "The graphs whose true class the decisions speak against the most."}, err
}

// vertexNames returns the names of the labels of the vertices of a graph, nil where they have none.
func vertexNames(d *dataset.Dataset, g int) []string {
	if d.Batch.Labels == nil {
		return nil
	}
	from, to := d.Batch.Vertices(g)
	names := make([]string, 0, to-from)
	for _, l := range d.Batch.Labels[from:to] {
		names = append(names, d.LabelNames[l])
	}
	return names
}

// pageOf is the page as bytes, made before anything is written.
func (x *field) pageOf(entries []eval.Entry) ([]byte, error) {
	var out bytes.Buffer
	err := x.writePage(&out, entries)
	return out.Bytes(), err
}
