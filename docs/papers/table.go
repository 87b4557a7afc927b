package main

import (
	"fmt"
	"io"
	"math"
	"strings"
)

// tally counts the figures of a paper's tables.
type tally struct{ all, withData, measured, behind int }

func (t *tally) String() string {
	return fmt.Sprintf("The paper's tables have %d figures of its own models. For %d of them the data are here; %d of "+
		"these are measured, and %d of those lie more than one standard deviation below the paper's.",
		t.all, t.withData, t.measured, t.behind)
}

// table writes a table with its reasons and commands, and counts its cells.
func (p *place) table(w io.Writer, of *paper, t *table, sum *tally) error {
	fmt.Fprintf(w, "## %s\n\n%s%s.\n\n", t.title, strings.ToUpper(t.measured[:1]), t.measured[1:])
	second := t.hasNested()
	line := func(c *cell, columns ...string) {
		if !second {
			columns = append(columns[:3:3], columns[4:]...)
		}
		fmt.Fprintf(w, "| %s | %s | %s |\n", c.set, c.row, strings.Join(columns, " | "))
	}
	line(&cell{set: "data set", row: "row"},
		"paper", "Grove, paper's protocol", "gap", "Grove, nested", "of the grid", "seconds")
	line(&cell{set: "---", row: "---"}, "---", "---", "---", "---", "---", "---")
	var reasons, commands []string
	for _, c := range t.ordered() {
		k, err := p.read(of, c)
		if err != nil {
			return err
		}
		k = k.of(c)
		r := k.run(paperRun)
		sum.count(c, r)
		switch {
		case c.missing != "":
			line(c, c.paper(), "no data: "+c.missing, "", "", "", "")
		case r == nil:
			line(c, c.paper(), "not run", "", nestedText(c, k), "", "")
		default:
			gap := ""
			if c.mean > 0 {
				gap = fmt.Sprintf("%+.*f", c.digits(), r.Mean-c.mean)
				if strings.Trim(gap, "+-0.") == "" {
					gap = "0"
				}
			}
			if c.behind(r) {
				gap = "**" + gap + "**"
			}
			line(c, c.paper(), c.written(r.Mean, r.Std), gap, nestedText(c, k), t.share(c, r), seconds(k))
		}
		if r != nil && (c.behind(r) || c.reason != "") {
			reasons = append(reasons, fmt.Sprintf("* **%s, %s**: %s", c.set, c.row, c.why(r)))
		}
		if c.prepare != "" {
			commands = append(commands, c.prepare)
		}
		for _, j := range c.jobs {
			commands = append(commands, j.command)
		}
	}
	fmt.Fprintln(w)
	if t.note != "" {
		fmt.Fprintf(w, "%s\n\n", t.note)
	}
	if len(reasons) > 0 {
		fmt.Fprintf(w, "What stands behind the gaps:\n\n%s\n\n", strings.Join(reasons, "\n"))
	}
	writeCommands(w, commands)
	return nil
}

// ordered are the cells by data set and row.
func (t *table) ordered() []*cell {
	var cells []*cell
	for _, set := range t.sets {
		for _, row := range t.rows {
			for i := range t.cells {
				if c := &t.cells[i]; c.set == set && c.row == row {
					cells = append(cells, c)
				}
			}
		}
	}
	return cells
}

// hasNested says whether a cell has an honest run beside that by the paper's protocol.
func (t *table) hasNested() bool {
	for i := range t.cells {
		for _, j := range t.cells[i].jobs {
			if j.run == nestedRun {
				return true
			}
		}
	}
	return false
}

// share is the share of the paper's grid that was searched.
func (t *table) share(c *cell, r *record) string {
	if c.share != "" || t.grid == 0 {
		return c.share
	}
	return fmt.Sprintf("%d of %d", r.Settings, t.grid)
}

// count adds a cell. Rows that the paper does not have are not its figures.
func (t *tally) count(c *cell, r *record) {
	if c.mean == 0 {
		return
	}
	t.all++
	if c.missing != "" {
		return
	}
	t.withData++
	if r == nil {
		return
	}
	t.measured++
	if c.behind(r) {
		t.behind++
	}
}

// behind says whether a record is more than one standard deviation of the paper's behind it; of the record's own where
// the paper gives none.
func (c *cell) behind(r *record) bool {
	gap, std := r.Mean-c.mean, r.Std
	if c.std > 0 {
		std = c.std
	}
	if c.errors {
		gap = -gap
	}
	return c.mean > 0 && gap < -std
}

// why is the reason of a gap. Where none is known, the mean of a single cross-validation may be the luck of its folds.
func (c *cell) why(r *record) string {
	scatter := r.Std / math.Sqrt(float64(len(r.Folds)))
	switch {
	case c.reason != "":
		return c.reason
	case len(r.Folds) <= 10 && len(r.Folds) > 1 && math.Abs(r.Mean-c.mean) < 2*scatter:
		return fmt.Sprintf("within the luck of one division into folds: the standard error of the mean is %.*f.",
			c.digits(), scatter)
	}
	return "not explained."
}

// paper is the paper's figure.
func (c *cell) paper() string {
	if c.mean == 0 {
		return ""
	}
	return c.written(c.mean, c.std)
}

// written is a figure with its deviation, if it has one.
func (c *cell) written(mean, std float64) string {
	if std == 0 {
		return fmt.Sprintf("%.*f", c.digits(), mean)
	}
	return fmt.Sprintf("%.*f ± %.*f", c.digits(), mean, c.digits(), std)
}

func (c *cell) digits() int {
	if c.errors {
		return 2
	}
	return 1
}

func nestedText(c *cell, k kept) string {
	if r := k.run(nestedRun); r != nil {
		return c.written(r.Mean, r.Std)
	}
	for _, j := range c.jobs {
		if j.run == nestedRun {
			return "not run"
		}
	}
	return ""
}

// seconds are those of all runs of a cell.
func seconds(k kept) string {
	var all []string
	for i := range k {
		all = append(all, fmt.Sprintf("%.0f", k[i].Seconds))
	}
	return strings.Join(all, " + ")
}
