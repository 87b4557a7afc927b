package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/grove-graph/grove/atomicfile"
)

// write writes all pages and pictures of what is kept.
func (p *place) write(papers []*paper) error {
	files, err := p.made(papers)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(p.pages, "images"), 0o777); err != nil {
		return err
	}
	for name, content := range files {
		err := atomicfile.Write(name, func(w io.Writer) error { _, err := w.Write(content); return err })
		if err != nil {
			return err
		}
	}
	return nil
}

// made returns what write writes, by the name of the file.
func (p *place) made(papers []*paper) (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, of := range papers {
		for f := range of.figures {
			fig := &of.figures[f]
			if len(fig.curves) == 0 && fig.computed == nil {
				continue
			}
			svg, err := p.picture(of, fig)
			if err != nil {
				return nil, err
			}
			if svg != nil {
				files[p.image(fig)] = svg
			}
		}
		page, err := p.page(of)
		if err != nil {
			return nil, err
		}
		files[filepath.Join(p.pages, of.name+".md")] = page
	}
	return files, nil
}

// page returns the page of a paper.
func (p *place) page(of *paper) ([]byte, error) {
	w := &strings.Builder{}
	fmt.Fprintf(w, "<!-- Written of what is kept in results/%s by: go run ./docs/papers write. -->\n\n", of.name)
	fmt.Fprintf(w, "# %s\n\n%s\n\n", of.title, of.authors)
	sum, tables := tally{}, &strings.Builder{}
	for t := range of.tables {
		if err := p.table(tables, of, &of.tables[t], &sum); err != nil {
			return nil, err
		}
	}
	fmt.Fprintf(w, "%s\n\n%s\n\n%s", sum.String(), of.about, tables)
	for f := range of.figures {
		if err := p.figure(w, of, &of.figures[f]); err != nil {
			return nil, err
		}
	}
	fmt.Fprintf(w, "## Again\n\n```\nmake papers PAPER=%s                # what is not kept\n"+
		"make papers PAPER=%[1]s CELL=%s  # a cell, kept or not\n```\n\n"+
		"A command that is stopped goes on from where it was when it is run again by the same build.\n\n",
		of.name, of.all()[0].name)
	fmt.Fprint(w, "Seconds are those of one worker on a core of a shared machine, reading and all choices included. "+
		"`results` holds every fold, what was chosen, the date and the revision.\n")
	return []byte(w.String()), nil
}

// figure writes a figure of the paper: its picture, or why there is none.
func (p *place) figure(w io.Writer, of *paper, f *figure) error {
	fmt.Fprintf(w, "## %s\n\n%s\n\n", f.title, f.about)
	image := f.image
	switch {
	case f.missing != "":
		fmt.Fprintf(w, "Not drawn: %s.\n\n", f.missing)
	case image == "":
		image = "images/" + f.name + ".svg"
	}
	if len(f.curves) > 0 {
		curves, err := p.curves(of, f)
		if err != nil {
			return err
		}
		if len(curves) == 0 {
			image = ""
			fmt.Fprint(w, "Not run.\n\n")
		}
	}
	if image != "" {
		fmt.Fprintf(w, "![%s](%s)\n\n", f.title, image)
	}
	commands := f.commands
	for i := range f.curves {
		c := &f.curves[i]
		if c.prepare != "" {
			commands = append(commands, c.prepare)
		}
		for _, j := range c.jobs {
			commands = append(commands, j.command)
		}
	}
	writeCommands(w, commands)
	return nil
}

// writeCommands writes commands, folded away, each once.
func writeCommands(w io.Writer, commands []string) {
	if len(commands) == 0 {
		return
	}
	fmt.Fprint(w, "<details><summary>Commands</summary>\n\n```\n")
	written := map[string]bool{}
	for _, line := range commands {
		if !written[line] {
			fmt.Fprintln(w, line)
		}
		written[line] = true
	}
	fmt.Fprint(w, "```\n\n</details>\n\n")
}
