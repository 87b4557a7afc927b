package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// here is the folder of the pages as the tests see it.
var here = &place{pages: "."}

func TestPagesAreWhatIsKept(t *testing.T) {
	files, err := here.made(papers())
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(want) {
			t.Errorf("%s is not what is kept: go run ./docs/papers write writes it", name)
		}
	}
}

func TestKeptResultsAreOfCells(t *testing.T) {
	known := map[string]bool{}
	for _, p := range papers() {
		for _, c := range p.all() {
			name := here.file(p, c)
			if known[name] {
				t.Errorf("two cells of %s are called %s", p.name, c.name)
			}
			known[name] = true
			k, err := here.read(p, c)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range k {
				if !slices.ContainsFunc(c.jobs, func(j job) bool { return j.run == r.Run && j.command == r.Command }) {
					t.Errorf("%s: no run of the cell has the command %q", name, r.Command)
				}
			}
		}
	}
	kept, err := filepath.Glob("results/*/*.json")
	if err != nil || len(kept) == 0 {
		t.Fatalf("no results are kept: %v", err)
	}
	for _, name := range kept {
		if !known[name] {
			t.Errorf("%s is of no cell", name)
		}
	}
}

// A command that two curves share is found under its run in either, and another one nowhere.
func TestFindsACommandInAnyCell(t *testing.T) {
	gckn := gcknPaper()
	jobs := map[string]*job{} // by cell and run
	for _, c := range gckn.all() {
		for i := range c.jobs {
			jobs[c.name+" "+c.jobs[i].run] = &c.jobs[i]
		}
	}
	size, sigma := jobs["study-size-proteins-sup 3"], jobs["study-sigma-proteins-sup 0.6"]
	if size == nil || sigma == nil || size.command != sigma.command {
		t.Fatalf("the curves do not meet: %+v, %+v", size, sigma)
	}
	for _, j := range []*job{size, sigma} {
		if r, err := here.find(gckn, j); err != nil || r == nil || r.Run != j.run || r.Command != j.command {
			t.Errorf("of %s: %+v, %v", j.command, r, err)
		}
	}
	if r, err := here.find(gckn, &job{run: "3", command: size.command + " --repeats 2"}); r != nil || err != nil {
		t.Errorf("of a command that was never run: %+v, %v", r, err)
	}
}

func TestPicturesOfPagesExist(t *testing.T) {
	for _, p := range papers() {
		for f := range p.figures {
			fig := &p.figures[f]
			name := fig.image
			if name == "" && len(fig.commands) > 0 {
				name = here.image(fig)
			}
			if _, err := os.Stat(name); name != "" && err != nil {
				t.Error(err)
			}
		}
	}
}

func TestEveryCellSaysWhatItIs(t *testing.T) {
	for _, p := range papers() {
		for i := range p.tables {
			table := &p.tables[i]
			if got, want := len(table.ordered()), len(table.cells); got != want {
				t.Errorf("%s, %s: %d of %d cells are in a row and a column", p.name, table.title, got, want)
			}
			for _, c := range table.cells {
				if (c.missing == "") == (len(c.jobs) == 0) {
					t.Errorf("%s %s has both commands and missing data, or neither", p.name, c.name)
				}
			}
		}
		for _, c := range p.all() {
			for _, j := range c.jobs {
				if !strings.HasPrefix(j.command, "grove eval ") || !strings.Contains(j.command, " --seed ") {
					t.Errorf("%s %s: %q is no evaluation with a seed", p.name, c.name, j.command)
				}
			}
		}
	}
}

func TestChoosesCellsByName(t *testing.T) {
	for _, c := range []struct {
		names []string
		cells int
	}{
		{[]string{"mpgk", "mutag-rr"}, 1},
		{[]string{"mpgk", "mutag-*"}, 4},
		{[]string{"mpgk", "mutag-rr", "enzymes-rr"}, 2},
		{[]string{"mpgk"}, 67},
	} {
		chosen, err := choose(papers(), c.names)
		if err != nil || len(chosen) != 1 || len(chosen[0].cells) != c.cells {
			t.Errorf("%v: %v, %v, want %d cells", c.names, chosen, err, c.cells)
		}
	}
	for _, names := range [][]string{{"gin"}, {"mpgk", "mutag-rs"}} {
		if _, err := choose(papers(), names); err == nil {
			t.Errorf("%v names something", names)
		}
	}
}

func TestBehindIsMoreThanADeviation(t *testing.T) {
	r := &record{}
	r.Mean, r.Std = 80, 5
	for _, c := range []struct {
		cell cell
		want bool
	}{
		{cell{mean: 81, std: .5}, true},
		{cell{mean: 81, std: 2}, false},
		{cell{mean: 84}, false},
		{cell{mean: 86}, true},
		{cell{mean: 79, std: .5, errors: true}, true},
		{cell{mean: 81, std: .5, errors: true}, false},
		{cell{}, false},
	} {
		if got := c.cell.behind(r); got != c.want {
			t.Errorf("80 ± 5 against %v ± %v: behind is %v", c.cell.mean, c.cell.std, got)
		}
	}
}
