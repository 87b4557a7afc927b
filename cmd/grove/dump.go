package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/render"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// dumpFlags are the flags of grove dump.
type dumpFlags struct {
	model, format, out, class string
	tree                      int
	names                     []string
}

func newDump(a *app) *cobra.Command {
	f := &dumpFlags{format: "text", tree: -1}
	c := &cobra.Command{
		Use:   "dump --model trees.grove",
		Short: "Write the decision trees of a model, to read or to draw",
		Long: `Write what a model of decision trees (treeg) has learned: as text to read, as JSON for programs, or one
tree as a drawing, SVG or PNG by the name of the file.

A split compares a number with a threshold: "sum of N along walks of 1 from S+ of the parent > 3.5" adds
up, over the vertices of the graph, the walks of one step that start in a vertex labelled N of a subset. The
subset is V, all vertices, or one of the two in which an ancestor in the tree has cut its own: S+ are
those above its threshold, S- the others. A drawing has a dashed arrow from a split to that ancestor.
Graphs above the threshold go on with yes, the others with no. Numbers in leaves are added up: with two
classes those above 0 speak for the second one.

Trees are counted from 0 in the order in which they were fitted. Where each class has trees of its own a
number stands for one of each.`,
		Example: `  grove dump --model trees.grove
  grove dump --model trees.grove --tree 0
  grove dump --model trees.grove --tree 0 -o tree.svg
  grove dump --model trees.grove --tree 3 --class 2 -o tree.png
  grove dump --model trees.grove --format json -o trees.json`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := f.check(c, a); err != nil {
				return err
			}
			return a.dump(f)
		},
	}
	addFlags(c.Flags(), groupModel, func(fs *pflag.FlagSet) {
		fs.StringVar(&f.model, "model", "", "`FILE` model that grove train treeg wrote")
		fs.IntVar(&f.tree, "tree", f.tree, "`N` tree to write, counted from 0; -1: all of them (SVG: tree 0)")
		bound(fs, "tree", -1, many)
		fs.StringVar(&f.class, "class", "", "`NAME` class whose tree to draw, where each has its own")
	})
	addFlags(c.Flags(), groupOutput, func(fs *pflag.FlagSet) {
		choiceVar(fs, &f.format, "format", []string{"text", "json", "svg"}, "what to write")
		fs.StringVarP(&f.out, "out", "o", "", "`FILE` to write (default: standard output); .svg or .png for a drawing")
		fs.Var(newList(&f.names, parseName), "label-names",
			"`NAME,...` names of the vertex labels, in ascending order of their codes")
		a.addOutputFlags(fs)
	})
	return c
}

// check refuses flags that do not go with each other. --json is the same as --format json.
func (f *dumpFlags) check(c *cobra.Command, a *app) error {
	if err := requireFlags(c, "model"); err != nil {
		return err
	}
	if a.json {
		if c.Flags().Changed("format") && f.format != "json" {
			return usagef("--json and --format %s: give one of the two", f.format)
		}
		f.format = "json"
	} else if isFigure(f.out) && !c.Flags().Changed("format") {
		f.format = "svg"
	}
	switch {
	case f.tree < -1:
		return usagef("--tree %d: trees are counted from 0", f.tree)
	case f.class != "" && f.format != "svg":
		return usagef("--class belongs to --format svg; %s holds the trees of all classes", f.format)
	case isPNG(f.out) && f.format != "svg":
		return usagef("--out %s: %s is no picture; give another name or --format svg", f.out, f.format)
	}
	if f.out != "" {
		return writable("--out", f.out)
	}
	return nil
}

func (a *app) dump(f *dumpFlags) error {
	e, err := engine.Open("cpu", 1)
	if err != nil {
		return err
	}
	trained, err := load(f.model, e)
	if err != nil {
		return err
	}
	m, ok := trained.(*treegModel)
	if !ok {
		return fmt.Errorf("--model %s: a %s model has no trees to write; grove dump takes those of treeg", f.model,
			trained.about().Model)
	}
	if n := m.model.Rounds(); f.tree >= n {
		return usagef("--tree %d: the model has %s, counted from 0", f.tree, count(n, "tree"))
	}
	names, err := m.names(f.names)
	if err != nil {
		return err
	}
	d := &treeDump{f: f, m: m, names: names}
	if f.format == "svg" {
		if d.output, err = d.drawn(); err != nil {
			return err
		}
	}
	write := map[string]func(io.Writer) error{"text": d.text, "json": d.json, "svg": d.draw}[f.format]
	if f.format == "svg" && f.out != "" {
		return writeDrawing("--out", f.out, write)
	}
	if f.out != "" {
		return writeFile("--out", f.out, write)
	}
	a.progress.clear()
	if err := write(a.out); err != nil {
		return fmt.Errorf("writing the trees: %w", plain(err))
	}
	return nil
}

// treeDump writes the trees of a model.
type treeDump struct {
	f      *dumpFlags
	m      *treegModel
	names  treegNames
	output int // of boosting whose tree is drawn
}

func (d *treeDump) text(w io.Writer) error {
	if d.f.tree < 0 {
		return d.m.model.Dump(w, d.names)
	}
	return d.m.model.DumpRound(w, d.f.tree, d.names)
}

func (d *treeDump) json(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(d.describe())
}

// drawn returns the output whose tree of a round is to be drawn.
func (d *treeDump) drawn() (output int, err error) {
	trees, classes, class := len(d.m.model.Trees(0)), d.m.Classes, d.f.class
	switch {
	case trees == 1 && class != "":
		return 0, usagef("--class %s: the model has one tree for all classes; leave it out", class)
	case trees > 1 && class == "":
		return 0, usagef("--class is missing: each class has a tree of its own: %s", listed(classes))
	case trees > 1:
		if output = slices.Index(classes, class); output < 0 {
			return 0, usagef("--class %s: the model knows %s", class, listed(classes))
		}
	}
	return output, nil
}

// draw writes one tree as an SVG document.
func (d *treeDump) draw(w io.Writer) error {
	round := max(d.f.tree, 0)
	row := d.m.model.Trees(round)
	title := fmt.Sprintf("%s, tree %d of %d", d.m.Training.Dataset, round, d.m.model.Rounds())
	if len(row) > 1 {
		title += ", class " + d.m.Classes[d.output]
	}
	return render.Tree(w, title, d.nodes(row[d.output]))
}
