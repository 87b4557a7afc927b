package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// cells are those of the rows of the first table of a page, by the name of the row.
func cells(t *testing.T, page string) map[string][]string {
	t.Helper()
	rows := map[string][]string{}
	_, table, found := strings.Cut(page, "| | DD |")
	if !found {
		t.Fatal("there is no table")
	}
	table, _, _ = strings.Cut(table, "\n\n")
	for line := range strings.Lines(table) {
		parts := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for i := range parts {
			parts[i] = strings.TrimSpace(parts[i])
		}
		rows[parts[0]] = parts[1:]
	}
	return rows
}

// What fair.md says of a model on a data set is what its kept predictions give; and what it says of the choice, where
// those of all models of the column are kept.
func TestTableIsThatOfTheKeptFiles(t *testing.T) {
	raw, err := os.ReadFile("../fair.md")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := (&protocol{kept: "kept"}).table(&out); err != nil {
		t.Fatal(err)
	}
	said, kept := cells(t, string(raw)), cells(t, out.String())
	for name := range said {
		if kept[name] == nil {
			t.Errorf("the table has a row %s that the program does not write", name)
		}
	}
	for column, s := range sets {
		whole := true
		for name, row := range kept {
			switch {
			case strings.Contains(name, "chosen") || !strings.HasPrefix(name, "`"):
			case row[column] == "":
				whole = whole && said[name][column] == ""
			case said[name] == nil || row[column] != said[name][column]:
				t.Errorf("%s on %s: the page says %q, the kept predictions %q", name, s.name, said[name], row[column])
			}
		}
		for name, row := range kept {
			if whole && strings.Contains(name, "chosen") && row[column] != said[name][column] {
				t.Errorf("%s on %s: the page says %q, the kept predictions %q", name, s.name, said[name][column], row[column])
			}
		}
		c, err := read("kept", s.name)
		if err != nil || c == nil || len(c.Models) < 2 {
			t.Errorf("little is kept of %s: %v", s.name, err)
			continue
		}
		for _, m := range c.Models {
			for f, fold := range m.Folds {
				if len(fold.Said) != len(c.Truth[f]) || len(m.Folds) != len(c.Truth) || len(c.Validated) != len(c.Truth) {
					t.Errorf("%s, %s, fold %d of %d: %d answers of %d", s.name, m.Model, f+1, len(m.Folds), len(fold.Said),
						len(c.Truth[f]))
				}
			}
		}
	}
}
