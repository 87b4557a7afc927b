package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/grove-graph/grove/eval"
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

// table writes a row for each model, one for the model that the validation part chooses, and one of others.
func (p *protocol) table(w io.Writer) error {
	kept := map[string]*eval.Kept{}
	for _, s := range p.sets {
		raw, err := os.ReadFile(p.file(s))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		kept[s] = new(eval.Kept)
		if err := json.Unmarshal(raw, kept[s]); err != nil {
			return fmt.Errorf("%s: %w", p.file(s), err)
		}
	}
	fmt.Fprintf(w, "| | %s |\n|---|%s\n", strings.Join(p.sets, " | "), strings.Repeat("---|", len(p.sets)))
	row := func(name string, cell func(set string) string) {
		fmt.Fprintf(w, "| %s |", name)
		for _, s := range p.sets {
			fmt.Fprintf(w, " %s |", cell(s))
		}
		fmt.Fprintln(w)
	}
	for i := range entrants {
		e := &entrants[i]
		row(fmt.Sprintf("`%s`", strings.TrimSpace(e.model+" "+e.flags)), func(s string) string {
			if e.leftOut[s] != "" {
				return e.leftOut[s]
			}
			k := kept[s]
			if k == nil {
				return ""
			}
			at := slices.IndexFunc(k.Models, func(m eval.KeptModel) bool { return m.Model == e.line(s) && len(m.Folds) > 0 })
			if at < 0 {
				return ""
			}
			text, _ := accuracy(k.Models[at].Scores)
			return text
		})
	}
	whole := func(name string, of func(k *eval.Kept) []eval.Measured) {
		row(name, func(s string) string {
			if kept[s] == nil || of(kept[s]) == nil {
				return ""
			}
			text, mean := accuracy(of(kept[s]))
			if mean > others[s].mean {
				text = "**" + text + "**"
			}
			return text
		})
	}
	whole("chosen by validation, one", func(k *eval.Kept) []eval.Measured {
		if k.Chosen == nil {
			return nil
		}
		return k.Chosen.Scores
	})
	whole("**chosen by validation**, a vote", func(k *eval.Kept) []eval.Measured {
		if k.Voted == nil {
			return nil
		}
		return k.Voted.Scores
	})
	row("best of others", func(s string) string { return fmt.Sprintf("%.1f, %s", others[s].mean, others[s].by) })
	for _, s := range p.sets {
		if k := kept[s]; k != nil && k.Voted != nil {
			fmt.Fprintf(w, "\nOn %s in folds: %s; voting: %s.", s, times(k.Chosen.Models),
				times(slices.Concat(k.Voted.Models...)))
		}
	}
	_, err := fmt.Fprintln(w)
	return err
}

// accuracy returns the mean accuracy, and it with its deviation.
func accuracy(scores []eval.Measured) (text string, mean float64) {
	at := slices.IndexFunc(scores, func(m eval.Measured) bool { return m.Metric == eval.MetricAccuracy })
	m := scores[at]
	return fmt.Sprintf("%.1f ± %.1f", m.Mean, m.Std), m.Mean
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
