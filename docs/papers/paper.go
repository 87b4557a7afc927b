package main

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/grove-graph/grove/render"
)

// paper is what one of the papers reports, and how Grove repeats it.
type paper struct {
	name, title, authors string
	about                string // Markdown: the protocols and what is to be known of all cells
	tables               []table
	figures              []figure
}

// table is a table of a paper: the rows of its own models.
type table struct {
	title    string
	sets     []string // the columns
	rows     []string
	cells    []cell
	grid     int    // settings of the paper's grid, 0: cells say their share themselves
	note     string // Markdown, behind the table
	measured string // what the figures are: "accuracy in percent"
}

// cell is a figure of a paper, or a curve of a drawing.
type cell struct {
	name     string // in files and commands: "mutag-rr"
	row, set string

	mean, std float64 // the paper's, std 0: not given
	errors    bool    // smaller is better

	prepare string // a command that makes the data first, where $GROVE_DATA has them in another form
	jobs    []job  // none: not to be measured
	missing string // which data are missing
	share   string // of the paper's grid that was searched, where the number of settings does not say it
	reason  string // why Grove is behind, with the experiment that shows it
}

// job is one command of a cell.
type job struct {
	run     string  // paper, nested, or the name of a point of a curve
	x       float64 // of the point
	command string  // grove eval ...
}

// The columns of a page: the paper's protocol, and the honest one.
const (
	paperRun  = "paper"
	nestedRun = "nested"
)

// figure is a figure of a paper.
type figure struct {
	name, title string // name is that of the picture
	about       string // Markdown, below it
	chart       render.Chart
	curves      []cell                         // a curve of each, by its jobs
	computed    func() (*render.Figure, error) // in place of curves
	commands    []string                       // that write images/NAME.svg, in place of curves
	image       string                         // a picture that another page has, in place of curves
	missing     string                         // why there is none
}

// both are the jobs of the two columns of a page.
func both(asPaper, nested string) []job {
	jobs := []job{{run: paperRun, command: asPaper}}
	if nested != "" {
		jobs = append(jobs, job{run: nestedRun, command: nested})
	}
	return jobs
}

// all returns the cells of tables and figures.
func (p *paper) all() []*cell {
	var cells []*cell
	for t := range p.tables {
		for c := range p.tables[t].cells {
			cells = append(cells, &p.tables[t].cells[c])
		}
	}
	for f := range p.figures {
		for c := range p.figures[f].curves {
			cells = append(cells, &p.figures[f].curves[c])
		}
	}
	return cells
}

// selection is cells of a paper.
type selection struct {
	paper *paper
	cells []*cell
}

// choose returns the cells that names name: none, a paper, or a paper and patterns of its cells.
func choose(papers []*paper, names []string) ([]selection, error) {
	var chosen []selection
	if len(names) == 0 {
		for _, p := range papers {
			chosen = append(chosen, selection{p, p.all()})
		}
		return chosen, nil
	}
	at := slices.IndexFunc(papers, func(p *paper) bool { return p.name == names[0] })
	if at < 0 {
		var known []string
		for _, p := range papers {
			known = append(known, p.name)
		}
		return nil, fmt.Errorf("no paper is called %s: %s are", names[0], strings.Join(known, ", "))
	}
	s := selection{paper: papers[at]}
	if len(names) == 1 {
		s.cells = s.paper.all()
	}
	for _, pattern := range names[1:] {
		before := len(s.cells)
		for _, c := range s.paper.all() {
			if ok, err := path.Match(pattern, c.name); err != nil {
				return nil, fmt.Errorf("%s: %w", pattern, err)
			} else if ok {
				s.cells = append(s.cells, c)
			}
		}
		if len(s.cells) == before {
			return nil, fmt.Errorf("%s has no cell %s: go run ./docs/papers list %s writes them", s.paper.name, pattern,
				s.paper.name)
		}
	}
	return []selection{s}, nil
}
