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

// others are the best published figures by the protocol, mean accuracy in percent, and whose they are.
var others = map[string]struct {
	mean float64
	by   string
}{
	"DD": {78.4, "no structure"}, "NCI1": {80.0, "GIN"}, "PROTEINS": {75.8, "no structure"},
	"ENZYMES": {65.2, "no structure"}, "IMDB-BINARY": {72.7, "CGMM"}, "IMDB-MULTI": {49.1, "no structure"},
	"REDDIT-BINARY": {91.6, "iCGMM"}, "COLLAB": {78.9, "iCGMM"},
}

// row writes a row of the table.
func row(w io.Writer, name string, cell func(set string) string) {
	fmt.Fprintf(w, "| %s |", name)
	for _, s := range sets {
		fmt.Fprintf(w, " %s |", cell(s.name))
	}
	fmt.Fprintln(w)
}

// table writes a row for each model, those of the models that the validation part chooses, and one of others; below it
// who was chosen, and which seconds the models took.
func (p *protocol) table(w io.Writer) error {
	kept := map[string]*column{}
	fmt.Fprint(w, "| |")
	for _, s := range sets {
		c, err := read(p.kept, s.name)
		if err != nil {
			return err
		}
		if c == nil {
			c = &column{}
		}
		kept[s.name] = c
		fmt.Fprintf(w, " %s |", s.name)
	}
	fmt.Fprintf(w, "\n|---|%s\n", strings.Repeat("---|", len(sets)))
	rows(w, kept)
	fmt.Fprintln(w)
	for _, s := range sets {
		c := kept[s.name]
		if len(c.Models) == 0 {
			continue
		}
		var chosen, voters []string
		for f := range c.Truth {
			names := c.voters(f)
			chosen, voters = append(chosen, names[0].Model), append(voters, modelsOf(names)...)
		}
		fmt.Fprintf(w, "On %s in folds: %s; voting: %s.\n", s.name, times(chosen), times(voters))
	}
	fmt.Fprintf(w, "\nSeconds of the ten folds:\n\n")
	for i := range entrants {
		e := &entrants[i]
		row(w, fmt.Sprintf("`%s`", e.model), func(s string) string {
			m := kept[s].of(e.line(s))
			if m == nil {
				return ""
			}
			sum := 0.0
			for _, t := range m.Folds {
				sum += t.Seconds
			}
			return fmt.Sprintf("%.0f", sum)
		})
	}
	return nil
}

// rows writes the rows of the table.
func rows(w io.Writer, kept map[string]*column) {
	for i := range entrants {
		e := &entrants[i]
		row(w, fmt.Sprintf("`%s`", strings.TrimSpace(e.model+" "+e.flags)), func(s string) string {
			m := kept[s].of(e.line(s))
			if m == nil {
				return ""
			}
			var said [][]int
			for _, t := range m.Folds {
				said = append(said, classes(t.Said))
			}
			text, _ := kept[s].accuracy(said)
			return text
		})
	}
	whole := func(name string, decide func(c *column, fold int) []int) {
		row(w, name, func(s string) string {
			c := kept[s]
			if len(c.Models) == 0 {
				return ""
			}
			var said [][]int
			for f := range c.Truth {
				said = append(said, decide(c, f))
			}
			text, mean := c.accuracy(said)
			if mean > others[s].mean {
				text = "**" + text + "**"
			}
			return text
		})
	}
	whole("chosen by validation, one", func(c *column, fold int) []int {
		return classes(c.voters(fold)[0].Folds[fold].Said)
	})
	whole("**chosen by validation**, a vote", func(c *column, fold int) []int {
		var said []*model.Predictions
		for _, m := range c.voters(fold) {
			said = append(said, &model.Predictions{Classes: classes(m.Folds[fold].Said)})
		}
		return model.Vote(said, 10).Classes
	})
	row(w, "best of others", func(s string) string { return fmt.Sprintf("%.1f, %s", others[s].mean, others[s].by) })
}

// of returns what is kept of a model, nil where nothing is.
func (c *column) of(line string) *measured {
	at := slices.IndexFunc(c.Models, func(m measured) bool { return m.Model == line })
	if at < 0 {
		return nil
	}
	return &c.Models[at]
}

// voters are the models that are within one standard error of the best on the validation part of a fold, the best
// first.
func (c *column) voters(fold int) (all []*measured) {
	var scores, errors []float64
	for _, m := range c.Models {
		s := m.Folds[fold].Validation
		scores, errors = append(scores, s), append(errors, math.Sqrt(s*(1-s)/float64(c.Validated[fold])))
	}
	for _, i := range eval.Voters(eval.MetricAccuracy, scores, errors) {
		all = append(all, &c.Models[i])
	}
	return all
}

func modelsOf(all []*measured) (lines []string) {
	for _, m := range all {
		lines = append(lines, m.Model)
	}
	return lines
}

// accuracy returns the mean accuracy over the folds in percent, and it with its deviation.
func (c *column) accuracy(said [][]int) (text string, mean float64) {
	var scores []float64
	for f, truth := range c.Truth {
		scores = append(scores, 100*eval.Accuracy(said[f], classes(truth)))
	}
	mean, deviation := eval.MeanStd(scores)
	return fmt.Sprintf("%.1f ± %.1f", mean, deviation), mean
}

// times counts how often each model is named.
func times(models []string) string {
	count := map[string]int{}
	var names []string
	for _, m := range models {
		name, _, _ := strings.Cut(m, " ")
		if count[name]++; count[name] == 1 {
			names = append(names, name)
		}
	}
	for i, name := range names {
		names[i] = fmt.Sprintf("`%s` %d", name, count[name])
	}
	return strings.Join(names, ", ")
}
