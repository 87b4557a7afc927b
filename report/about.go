package report

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/grove-graph/grove/eval"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/render/page"
)

// About are the circumstances of what a page tells of that its figures do not hold.
type About struct {
	Program string // with its version
	Command string // that makes the page again, see [CommandLine]
	Device  string
	Notes   []string
}

// facts are the circumstances, last on the list of a page.
func (a *About) facts() []page.Fact {
	facts := []page.Fact{{Name: "device", Text: a.Device}, {Name: "made by", Text: a.Program},
		{Name: "command", Text: a.Command}}
	for _, note := range a.Notes {
		facts = append(facts, page.Fact{Name: "note", Text: note})
	}
	return facts
}

// CommandLine writes the words of a command as a line that repeats it in a shell.
func CommandLine(words []string) string {
	line := make([]string, len(words))
	for i, word := range words {
		if word == "" || strings.ContainsAny(word, " \t\n'\"\\$`*?[]{}()<>|&;#~!") {
			word = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
		line[i] = word
	}
	return strings.Join(line, " ")
}

// Lasting writes seconds.
func Lasting(s float64) string {
	if s < 10 {
		return fmt.Sprintf("%.2f s", s)
	}
	return fmt.Sprintf("%.0f s", s)
}

// Bytes writes a number of bytes.
func Bytes(n float64) string {
	if n < 1e5 {
		return fmt.Sprintf("%.1f kB", n/1e3)
	}
	return fmt.Sprintf("%.1f MB", n/1e6)
}

// Probability writes the p of a test.
func Probability(p eval.Number) string {
	switch {
	case p != p:
		return "-"
	case p < 0.001:
		return "<0.001"
	}
	return fmt.Sprintf("%.3f", p)
}

// data says in a line what there is to predict.
func data(graphs int, t *model.Targets) string {
	text := model.Count(graphs, "graph")
	if t.Task != model.GraphTask {
		text += ", " + model.Count(len(t.Known()), t.Task.Noun()) + " to predict"
	}
	if !t.Regression() {
		text += ", " + model.Count(len(t.Names), "class")
	}
	return text
}

// settings lists the options of a setting by their names.
func settings(params any) []page.Fact {
	raw, err := json.Marshal(params)
	if err != nil {
		return nil
	}
	var options map[string]json.RawMessage
	if json.Unmarshal(raw, &options) != nil {
		return []page.Fact{{Name: "options", Text: string(raw)}}
	}
	var facts []page.Fact
	for name, value := range options {
		text := strings.Trim(string(value), `"`)
		if text != "null" && text != "" {
			facts = append(facts, page.Fact{Name: strings.ReplaceAll(name, "_", " "), Text: text})
		}
	}
	slices.SortFunc(facts, func(a, b page.Fact) int { return strings.Compare(a.Name, b.Name) })
	return facts
}

// seconds says where the time went.
func seconds(s eval.Seconds) string {
	return fmt.Sprintf("%.2f in all: load %.2f, fit %.2f, transform %.2f, select %.2f (added over what runs at the same "+
		"time)", s.Total, s.Load, s.Fit, s.Transform, s.Select)
}
