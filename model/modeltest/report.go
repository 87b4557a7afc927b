package modeltest

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// WriteReport runs all checks on some models and writes two tables in Markdown: how each model fared, and what was
// asked with what each family promises. It returns the number of failures.
func WriteReport(w io.Writer, subjects []*Subject) (failed int, err error) {
	checks := Checks()
	var b strings.Builder
	results := make([][]Result, len(subjects))
	b.WriteString("| model | " + strings.Join([]string{string(Passed), string(Within), string(KnownFailure),
		string(Skipped), string(Failed)}, " | ") + " |\n|---|---:|---:|---:|---:|---:|\n")
	total := map[Outcome]int{}
	for i, s := range subjects {
		counts := map[Outcome]int{}
		for _, c := range checks {
			r := c.Check(s)
			results[i] = append(results[i], r)
			counts[r.Outcome]++
			total[r.Outcome]++
		}
		b.WriteString("| " + s.Name + counted(counts))
	}
	fmt.Fprintf(&b, "| %d models, %d checks%s", len(subjects), len(checks), counted(total))
	for i, reason := range writePromises(&b, subjects, checks, results) {
		fmt.Fprintf(&b, "%d. %s\n", i+1, reason)
	}
	_, err = io.WriteString(w, b.String())
	return total[Failed], err
}

// counted writes the cells of a row.
func counted(counts map[Outcome]int) string {
	cells := ""
	for _, o := range []Outcome{Passed, Within, KnownFailure, Skipped, Failed} {
		cells += fmt.Sprintf(" | %d", counts[o])
	}
	return cells + " |\n"
}

// writePromises writes the table of checks with a column for each group of models that fared alike, and returns the
// reasons that its numbers refer to.
func writePromises(b *strings.Builder, subjects []*Subject, checks []Check, results [][]Result) (reasons []string) {
	cells := make([][]string, len(subjects))
	for i := range subjects {
		for _, r := range results[i] {
			cells[i] = append(cells[i], cell(r, &reasons))
		}
	}
	var columns []int // the first model of each
	names := map[int][]string{}
	for i, s := range subjects {
		same := func(k int) bool {
			return subjects[k].Family == s.Family && slices.Equal(cells[k], cells[i])
		}
		if k := slices.IndexFunc(columns, same); k >= 0 {
			names[columns[k]] = append(names[columns[k]], s.Name)
			continue
		}
		columns, names[i] = append(columns, i), []string{s.Name}
	}
	b.WriteString("\n| check | what must hold |")
	for _, k := range columns {
		fmt.Fprintf(b, " %s |", strings.Join(names[k], ", "))
	}
	b.WriteString("\n|---|---|" + strings.Repeat("---|", len(columns)) + "\n")
	for c, check := range checks {
		fmt.Fprintf(b, "| %s | %s |", check.Name, check.What)
		for _, k := range columns {
			fmt.Fprintf(b, " %s |", cells[k][c])
		}
		b.WriteString("\n")
	}
	b.WriteString("\n")
	return reasons
}

// cell says in a few words how a check went, with the number of the reason.
func cell(r Result, reasons *[]string) string {
	word, reason := "", r.Promise.Reason
	switch r.Outcome {
	case Passed:
		return "yes"
	case Within:
		word = fmt.Sprintf("%g", r.Promise.Tolerance)
	case KnownFailure:
		word = "no"
	case Skipped:
		word, reason = "-", r.Err.Error()
	default:
		word, reason = "**failed**", r.Err.Error()
	}
	k := slices.Index(*reasons, reason)
	if k < 0 {
		*reasons = append(*reasons, reason)
		k = len(*reasons) - 1
	}
	return fmt.Sprintf("%s (%d)", word, k+1)
}
