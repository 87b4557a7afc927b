package enginetest

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Summary is how an engine fared on the cases of one operation, each dtype counted.
type Summary struct {
	Operation string  `json:"operation"`
	Cases     int     `json:"cases"`
	Failed    int     `json:"failed"`
	Worst     float64 `json:"worst"` // largest difference as a share of the admissible one
}

// Summarize sums up outcomes by operation, in the order in which operations come first.
func Summarize(outcomes []Outcome) []Summary {
	var all []Summary
	for _, o := range outcomes {
		at := slices.IndexFunc(all, func(s Summary) bool { return s.Operation == o.Operation })
		if at < 0 {
			at = len(all)
			all = append(all, Summary{Operation: o.Operation})
		}
		all[at].Cases++
		all[at].Worst = max(all[at].Worst, o.Worst)
		if o.Error != "" {
			all[at].Failed++
		}
	}
	return all
}

// Column is the result of one engine in the report.
type Column struct {
	Engine    string    `json:"engine"`
	Summaries []Summary `json:"summaries"`
}

// WriteReport writes the results as a table in Markdown, a row for each operation and a column for each
// engine.
func WriteReport(w io.Writer, columns []Column) error {
	if len(columns) == 0 {
		return errors.New("no engine")
	}
	var b strings.Builder
	b.WriteString("| operation | cases |")
	for _, c := range columns {
		fmt.Fprintf(&b, " %s |", c.Engine)
	}
	b.WriteString("\n|---|---:|" + strings.Repeat("---:|", len(columns)) + "\n")
	total, failed := 0, make([]int, len(columns))
	for i, first := range columns[0].Summaries {
		fmt.Fprintf(&b, "| %s | %d |", first.Operation, first.Cases)
		total += first.Cases
		for k, c := range columns {
			s := c.Summaries[i]
			failed[k] += s.Failed
			if s.Failed > 0 {
				fmt.Fprintf(&b, " **%d failed** |", s.Failed)
			} else {
				fmt.Fprintf(&b, " %.2f |", s.Worst)
			}
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "| all | %d |", total)
	for _, n := range failed {
		if n == 0 {
			b.WriteString(" passed |")
		} else {
			fmt.Fprintf(&b, " **%d failed** |", n)
		}
	}
	b.WriteString("\n")
	_, err := io.WriteString(w, b.String())
	return err
}
