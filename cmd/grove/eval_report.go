package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/eval"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/render"
	"github.com/grove-graph/grove/render/page"
)

// evalReport is what grove eval reports.
type evalReport struct {
	eval.Result
	FoldsFrom string   `json:"folds_from"`
	Inner     string   `json:"inner_folds,omitempty"`
	Settings  int      `json:"n_settings"`
	Plot      string   `json:"plot,omitempty"`
	Page      string   `json:"page,omitempty"`
	File      string   `json:"file,omitempty"` // of the predictions
	Notes     []string `json:"notes,omitempty"`

	Predictions []heldOut `json:"predictions"` // of the test part of every fold

	data    *dataset.Dataset
	targets *model.Targets
	family  *model.Family
	outcome *eval.Outcome
	problem eval.Problem
}

// take puts an outcome into the report.
func (r *evalReport) take(o *eval.Outcome, p eval.Problem) {
	r.outcome, r.problem, r.Settings = o, p, len(p.Estimators)
	r.Add(o, func(s int) any { return p.Estimators[s].Params() })
	r.Calibration, r.Predictions = p.Calibration, r.heldOut()
	switch {
	case r.family.Learns == "":
	case r.targets.Task == model.NodeTask:
		r.Anchors = "learned from all vertices, without their classes"
	case p.FromTrain:
		r.Anchors = "learned from the training part of each fold"
	default:
		r.Anchors = "learned from all graphs, those of the test folds among them, without their classes"
		if r.data.Batch.AttributeDim > 0 {
			r.Anchors += "; so is the scale of the attributes, where the model looks at them"
		}
	}
}

func (r *evalReport) print(w io.Writer) {
	what := ""
	if !r.targets.Regression() {
		what = ", " + model.Count(r.data.NumClasses(), "class")
	}
	if r.targets.Task != model.GraphTask {
		what = ", " + model.Count(len(r.targets.Known()), r.targets.Task.Noun()) + what
	}
	fmt.Fprintf(w, "%s on %s: %s%s\n", r.Model, r.Dataset, model.Count(r.Graphs, "graph"), what)
	fact(w, "protocol", "%s", r.Protocol)
	if r.Anchors != "" {
		fact(w, r.family.Learns, "%s", r.Anchors)
	}
	fact(w, "folds", "%s", r.FoldsFrom)
	if r.Inner != "" {
		fact(w, "inner folds", "%s", r.Inner)
	}
	fact(w, "device", "%s", r.Device)
	fmt.Fprintln(w)
	r.printFolds(w)
	fmt.Fprintln(w)
	unit, values := r.accuracies()
	fact(w, string(r.Metric), "%s (mean and standard deviation over %s)", written(r.Metric, r.Mean, r.Std),
		model.Count(len(values), unit))
	r.printOthers(w)
	r.printChosen(w)
	writeNotes(w, r.Notes)
	writeSeconds(w, r.Seconds)
	if r.Plot != "" {
		fact(w, "plotted in", "%s", r.Plot)
	}
	if r.Page != "" {
		fact(w, "page", "%s", r.Page)
	}
	if r.File != "" {
		fact(w, "written to", "%s: what is said of the test parts", r.File)
	}
}

// facts are what the page says of the protocol beside the outcome.
func (r *evalReport) facts() []page.Fact {
	var facts []page.Fact
	add := func(name, text string) {
		if text != "" {
			facts = append(facts, page.Fact{Name: name, Text: text})
		}
	}
	add(r.family.Learns, r.Anchors)
	add("folds", r.FoldsFrom)
	add("inner folds", r.Inner)
	if r.Calibration != eval.Uncalibrated {
		add("calibrated", string(r.Calibration)+
			", on what the models of the inner folds say of the parts that they did not learn from")
	}
	return facts
}

// printOthers writes what the other metrics say.
func (r *evalReport) printOthers(w io.Writer) {
	var others []string
	for _, s := range r.Scores {
		switch {
		case s.Metric == r.Metric:
		case s.Metric.Share():
			others = append(others, fmt.Sprintf("%s %.1f %%", s.Metric, s.Mean))
		default:
			others = append(others, fmt.Sprintf("%s %.4g", s.Metric, s.Mean))
		}
	}
	for i, line := range slices.Collect(slices.Chunk(others, 4)) {
		heading := "also"
		if i > 0 {
			heading = ""
		}
		fact(w, heading, "%s", strings.Join(line, ", "))
	}
	missing := 0
	for _, score := range r.Folds {
		if math.IsNaN(score) {
			missing++
		}
	}
	if missing > 0 {
		fact(w, "note", "%s with a test part of one class left out, which %s says nothing of",
			model.Count(missing, "fold"), r.Metric)
	}
	if r.Calibration != eval.Uncalibrated {
		fact(w, "calibrated", "%s, on what the models of the inner folds say of the parts that they did not learn from",
			r.Calibration)
	}
}

// extent says how much an evaluation is.
func extent(p *eval.Problem) string {
	text := model.Count(len(p.Folds), "fold")
	if n := len(p.Estimators); n > 1 {
		text += " x " + model.Count(n, "setting")
	}
	return text
}

// accuracies returns the accuracy of each fold, or of each repeat where there are several.
func (r *evalReport) accuracies() (what string, list []float64) {
	repeats := r.problem.Repeats
	if repeats <= 1 {
		return "fold", r.Folds
	}
	size := len(r.Folds) / repeats
	for i := range repeats {
		mean, _ := eval.MeanStd(r.Folds[i*size : (i+1)*size])
		list = append(list, mean)
	}
	return "repeat", list
}

// printFolds writes a bar for each fold or repeat.
func (r *evalReport) printFolds(w io.Writer) {
	what, values := r.accuracies()
	labels := make([]string, len(values))
	for i := range labels {
		labels[i] = fmt.Sprintf("%s %2d", what, i+1)
	}
	most := 100.0
	if !r.Metric.Share() {
		most = slices.Max(values)
	}
	_ = render.TextBars(w, labels, values, 0, most, 40) // emit keeps the writer's error
}

// printChosen writes which settings and values of C were chosen, with the number of folds where they
// differ.
func (r *evalReport) printChosen(w io.Writer) {
	times := map[string]int{}
	low, high := math.Inf(1), math.Inf(-1)
	for _, c := range r.outcome.Chosen {
		times[c.Name]++
		low, high = min(low, c.Value), max(high, c.Value)
	}
	names := slices.SortedFunc(maps.Keys(times), func(a, b string) int {
		return cmp.Or(cmp.Compare(times[b], times[a]), cmp.Compare(a, b))
	})
	heading := "setting"
	if r.Settings > 1 {
		heading = "chosen"
	}
	for i, name := range names[:min(len(names), 5)] {
		text := name
		if len(names) > 1 {
			text += ", in " + model.Count(times[name], "fold")
		} else if r.Settings > 1 {
			text += fmt.Sprintf(", of %d settings", r.Settings)
		}
		if i > 0 {
			heading = ""
		}
		fact(w, heading, "%s", text)
	}
	if more := len(names) - 5; more > 0 {
		fact(w, "", "and %s more, of %d", model.Count(more, "setting"), r.Settings)
	}
	grid := r.problem.Estimators[r.outcome.Chosen[0].Setting].Grid()
	if len(grid.Values) == 0 {
		return
	}
	text := constant(low)
	if low != high {
		text += " to " + constant(high)
	}
	fact(w, grid.Name, "%s, of %s", text, model.Count(len(grid.Values), "value"))
}

// mostCurves bounds the settings in a plot.
const mostCurves = 5

// draw plots the accuracy against the depth of settings that differ in it, or against C, where the protocol has it
// for every setting and C, otherwise the folds.
func (r *evalReport) draw(path string) error {
	protocol, _, _ := strings.Cut(r.Protocol, ":")
	score := strings.Replace(written(r.Metric, r.Mean, r.Std), "+-", "±", 1)
	title := fmt.Sprintf("%s on %s: %s (%s selection)", r.Model, r.Dataset, score, protocol)
	figure, err := r.figure(title)
	if err != nil {
		return fmt.Errorf("--plot %s: %w", path, err)
	}
	return writeFigure("--plot", path, figure)
}

func (r *evalReport) figure(title string) (*render.Figure, error) {
	label := string(r.Metric)
	if r.Metric.Share() {
		label += " (%)"
		if curves := r.depthCurves(); curves != nil {
			chart := render.Chart{Title: title, X: render.Axis{Label: "layers"}, Y: render.Axis{Label: label}}
			return render.Lines(chart, curves)
		}
	}
	if r.Metric == eval.MetricAccuracy && len(r.outcome.Curves) > 0 && len(r.outcome.Curves[0].Grid.Values) > 1 {
		if grid := r.outcome.Curves[0].Grid; grid.Values[0] == 0 { // no logarithm
			return render.Lines(render.Chart{Title: title, X: render.Axis{Label: grid.Name},
				Y: render.Axis{Label: "accuracy (%)"}}, r.bestCurves())
		}
		return render.AccuracyCurves(title, r.bestCurves())
	}
	what, values := r.accuracies()
	chart := render.Chart{Title: title, X: render.Axis{Label: label + " of each " + what}}
	return render.Dots(chart, values, r.Mean, r.Std, r.majority())
}

// majority is the accuracy of guessing the most frequent class, nil of other metrics.
func (r *evalReport) majority() *render.Reference {
	if r.Metric != eval.MetricAccuracy {
		return nil
	}
	sizes, known := make([]int, len(r.targets.Names)), r.targets.Known()
	for _, i := range known {
		sizes[r.targets.Classes[i]]++
	}
	share := float64(slices.Max(sizes)) / float64(len(known))
	return &render.Reference{Name: "most frequent class", Value: 100 * share}
}

// bestCurves returns the curves of the best settings in percent, the chosen setting first, with the C
// that was chosen marked in its curve and the best point in the others.
func (r *evalReport) bestCurves() []render.Curve {
	type candidate struct {
		curve eval.Curve
		best  int
	}
	var all []candidate
	chosen := r.outcome.Chosen[0]
	for s, c := range r.outcome.Curves {
		if s == chosen.Setting {
			if k := slices.Index(c.Grid.Values, chosen.Value); k >= 0 {
				all = slices.Insert(all, 0, candidate{c, k})
				continue
			}
		}
		best := 0
		for k, a := range c.Mean {
			if a > c.Mean[best] {
				best = k
			}
		}
		all = append(all, candidate{c, best})
	}
	others := all[1:]
	sort.SliceStable(others, func(i, j int) bool {
		return others[i].curve.Mean[others[i].best] > others[j].curve.Mean[others[j].best]
	})
	all = all[:min(len(all), mostCurves)]
	names := make([]string, len(all))
	for i, c := range all {
		names[i] = c.curve.Name
	}
	names = differences(names)
	if len(names) == 1 {
		names[0] = "mean of " + model.Count(len(r.Folds), "fold")
	}
	curves := make([]render.Curve, len(all))
	for i, c := range all {
		curves[i] = render.Curve{Name: names[i], X: c.curve.Grid.Values, Y: percent(c.curve.Mean), Marked: []int{c.best}}
		if i == 0 {
			curves[i].Deviation = percent(c.curve.Std)
		}
	}
	return curves
}

// differences keeps of names what they do not share, phrase by phrase between commas.
func differences(names []string) []string {
	phrases := make([][]string, len(names))
	for i, name := range names {
		phrases[i] = strings.Split(name, ", ")
		if len(phrases[i]) != len(phrases[0]) {
			return names
		}
	}
	out := make([]string, len(names))
	for p, first := range phrases[0] {
		if slices.ContainsFunc(phrases, func(other []string) bool { return other[p] != first }) {
			for i := range phrases {
				out[i] = strings.TrimPrefix(out[i]+", "+phrases[i][p], ", ")
			}
		}
	}
	return out
}

func percent(shares []float64) []float64 {
	out := make([]float64, len(shares))
	for i, x := range shares {
		out[i] = 100 * x
	}
	return out
}
