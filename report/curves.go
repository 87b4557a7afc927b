package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/grove-graph/grove/eval"
	"github.com/grove-graph/grove/render"
	"github.com/grove-graph/grove/render/page"
)

// How fine the curves of a page are, and how many are in a figure.
const (
	curvePoints     = 101
	reliabilityBins = 10
	mostCurves      = 5
)

// Size of a chart in points: that of a phone, where figures are not to shrink.
const (
	chartWidth  = 340
	chartHeight = 270
)

// plot adds a figure of some curves to a section, nothing of none.
func plot(s *page.Section, chart render.Chart, curves []render.Curve, alt string) error {
	if len(curves) == 0 {
		return nil
	}
	chart.Width, chart.Height = chartWidth, chartHeight
	figure, err := render.Lines(chart, curves)
	if err != nil {
		return err
	}
	drawn, err := page.Draw(alt, figure.WriteSVG)
	s.Figures = append(s.Figures, drawn)
	return err
}

// curves draws the receiver operating characteristics and the reliability of some models, nil where they have none.
func curves(all []*evaluated) (*page.Section, error) {
	var roc, reliable []render.Curve
	for _, e := range all[:min(len(all), mostCurves)] {
		truth := e.truth()
		if taken, found := eval.ROC(e.outcome.Predicted, truth, curvePoints); found != nil {
			roc = append(roc, render.Curve{Name: e.name, X: taken, Y: found})
		}
		promised, had := eval.Reliability(e.outcome.Predicted, truth, reliabilityBins)
		if promised, had = ascending(promised, had); len(promised) > 1 {
			reliable = append(reliable, render.Curve{Name: e.name, X: promised, Y: had})
		}
	}
	names := differences(roc, reliable)
	if len(all) == 1 {
		names = ""
		for _, curves := range [][]render.Curve{roc, reliable} {
			for k := range curves {
				curves[k].Name = ""
			}
		}
	}
	diagonal := render.Curve{X: []float64{0, 1}, Y: []float64{0, 1}, Guide: true}
	zero, one := 0.0, 1.0
	axis := func(label string) render.Axis { return render.Axis{Label: label, Min: &zero, Max: &one} }
	s := &page.Section{Heading: "Curves", Text: names}
	if roc != nil {
		classes := all[0].Targets.Names
		if err := plot(s, render.Chart{Title: "Receiver operating characteristic",
			X: axis("share of " + classes[0] + " taken for " + classes[1]), Y: axis("share of " + classes[1] + " found")},
			append(roc, diagonal), "receiver operating characteristics, means over the folds"); err != nil {
			return nil, err
		}
	}
	if reliable != nil {
		if err := plot(s, render.Chart{Title: "Do probabilities hold?", X: axis("mean probability"),
			Y: axis("share that has the class")}, append(reliable, diagonal), "reliability of the probabilities"); err != nil {
			return nil, err
		}
	}
	if s.Figures == nil {
		return nil, nil
	}
	return s, nil
}

// ascending leaves out points that do not lie to the right of the one before.
func ascending(x, y []float64) (ax, ay []float64) {
	for i := range x {
		if len(ax) == 0 || x[i] > ax[len(ax)-1] {
			ax, ay = append(ax, x[i]), append(ay, y[i])
		}
	}
	return ax, ay
}

// learned draws how the mean score over the inner folds goes with the value that was chosen by it: C, the number of
// trees, or that of epochs, whose curve is the learning curve. There is a curve for each setting that some fold chose,
// a mean over these folds; none where nothing was left to choose.
func (e *evaluated) learned() (*page.Section, error) {
	type group struct {
		setting int
		folds   [][]float64
	}
	var groups []group
	for _, c := range e.outcome.Chosen {
		if c.Validation == nil {
			continue
		}
		at := slices.IndexFunc(groups, func(g group) bool { return g.setting == c.Setting })
		if at < 0 {
			at, groups = len(groups), append(groups, group{setting: c.Setting})
		}
		groups[at].folds = append(groups[at].folds, c.Validation)
	}
	slices.SortStableFunc(groups, func(a, b group) int { return cmp.Compare(len(b.folds), len(a.folds)) })
	var curves []eval.Curve
	for _, g := range groups[:min(len(groups), mostCurves)] {
		curve := eval.Curve{Name: e.Estimators[g.setting].String(), Grid: e.Estimators[g.setting].Grid()}
		for k := range curve.Grid.Values {
			var at []float64
			for _, scores := range g.folds {
				at = append(at, scores[k])
			}
			mean, std := eval.MeanStd(at)
			curve.Mean, curve.Std = append(curve.Mean, mean), append(curve.Std, std)
		}
		curves = append(curves, curve)
	}
	return choice(curves, e.outcome.Metric, "inner")
}

// choice draws the scores that values of grids were chosen by, nil where there was nothing to choose.
func choice(from []eval.Curve, metric eval.Metric, folds string) (*page.Section, error) {
	var curves []render.Curve
	for _, c := range from[:min(len(from), mostCurves)] {
		if len(c.Grid.Values) < 2 || c.Grid.Name != from[0].Grid.Name {
			continue
		}
		one := render.Curve{Name: c.Name}
		for k, x := range c.Grid.Values {
			if mean := metric.InUnits(c.Mean[k]); mean == mean {
				one.X, one.Y = append(one.X, x), append(one.Y, mean)
				if len(from) == 1 {
					one.Deviation = append(one.Deviation, metric.InUnits(c.Std[k]))
				}
			}
		}
		if len(one.X) > 1 {
			curves = append(curves, one)
		}
	}
	if curves == nil {
		return nil, nil
	}
	grid := from[0].Grid
	s := &page.Section{Heading: "Scores by " + grid.Name, Text: "Mean " + string(metric) + " over the " + folds +
		" folds at every value, which the choice was made by."}
	if len(from) == 1 {
		curves[0].Name = ""
		s.Text += " The band is one standard deviation."
	}
	if names := differences(curves); names != "" {
		s.Text += " " + names
	}
	label := string(metric)
	if metric.Share() {
		label += " (%)"
	}
	x := render.Axis{Label: grid.Name, Log: slices.Min(grid.Values) > 0 && grid.Name == "C"}
	if grid.Name == "epochs" {
		s.Heading = "Learning curve"
	}
	return s, plot(s, render.Chart{X: x, Y: render.Axis{Label: label}}, curves, s.Heading)
}

// letter stands for the name at a place, A for the first, AA after Z.
func letter(i int) string {
	if i < 26 {
		return string(rune('A' + i))
	}
	return letter(i/26-1) + letter(i%26)
}

// longestName is that of a curve in a figure.
const longestName = 14

// differences makes the names of curves short: letters where one of them is long, which the line it returns explains.
func differences(groups ...[]render.Curve) string {
	var names []string
	long := false
	for _, curves := range groups {
		for _, c := range curves {
			if !slices.Contains(names, c.Name) {
				names, long = append(names, c.Name), long || len(c.Name) > longestName
			}
		}
	}
	if !long {
		return ""
	}
	for _, curves := range groups {
		for k := range curves {
			curves[k].Name = letter(slices.Index(names, curves[k].Name))
		}
	}
	for i, name := range names {
		names[i] = letter(i) + ": " + name
	}
	return strings.Join(names, "; ") + "."
}
