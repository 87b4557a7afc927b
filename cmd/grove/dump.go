package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/model/param"
	"github.com/grove-graph/grove/render"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// dumpFlags are the flags of grove dump.
type dumpFlags struct {
	file, format, out, class string
	tree                     int
	names                    []string
}

func newDump(a *app) *cobra.Command {
	f := &dumpFlags{format: "text", tree: -1}
	c := &cobra.Command{
		Use:   "dump --model trees.grove",
		Short: "Write the decision trees of a model, to read or to draw",
		Long: `Write what a model of decision trees (treeg, static) has learned: as text to read, as JSON for
programs, or one tree as a drawing, SVG or PNG by the name of the file.

A split compares a number with a threshold: "sum of N along walks of 1 from S+ of the parent > 3.5" adds
up, over the vertices of the graph, the walks of one step that start in a vertex labelled N of a subset. The
subset is V, all vertices, or one of the two in which an ancestor in the tree has cut its own: S+ are
those above its threshold, S- the others. A drawing has a dashed arrow from a split to that ancestor.
Splits of static compare a feature with a threshold, "triangles > 2.5", and have no subsets.
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
		fs.StringVar(&f.file, "model", "", "`FILE` model that grove train treeg or static wrote")
		fs.IntVar(&f.tree, "tree", f.tree, "`N` tree to write, counted from 0; -1: all of them (SVG: tree 0)")
		bound(fs, "tree", -1, param.Many)
		fs.StringVar(&f.class, "class", "", "`NAME` class whose tree to draw, where each has its own")
	})
	addFlags(c.Flags(), groupOutput, func(fs *pflag.FlagSet) {
		choiceVar(fs, &f.format, "format", []string{"text", "json", "svg"}, "what to write")
		fs.StringVarP(&f.out, "out", "o", "", "`FILE` to write (default: standard output); .svg or .png for a drawing")
		fs.Var(param.List(&f.names, parseName), "label-names",
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
	trained, err := loadModel(f.file, e)
	if err != nil {
		return err
	}
	m, ok := trained.(model.Dumper)
	if !ok {
		return fmt.Errorf("--model %s: a %s model has no trees to write; grove dump takes those of treeg and static", f.file,
			trained.About().Model)
	}
	if n := m.Rounds(); f.tree >= n {
		return usagef("--tree %d: the model has %s, counted from 0", f.tree, model.Count(n, "tree"))
	}
	var write func(io.Writer) error
	switch f.format {
	case "text":
		write = func(w io.Writer) error { return m.WriteText(w, f.tree, f.names) }
	case "json":
		write = func(w io.Writer) error { return f.json(w, m) }
	default:
		tree, err := f.drawing(trained.About(), m)
		if err != nil {
			return asUsage(err)
		}
		if f.out != "" {
			return writeDrawing("--out", f.out, tree)
		}
		write = tree
	}
	if f.out != "" {
		return asUsage(writeFile("--out", f.out, write))
	}
	a.progress.clear()
	if err := write(a.out); err != nil {
		return asUsage(fmt.Errorf("writing the trees: %w", plain(err)))
	}
	return nil
}

func (f *dumpFlags) json(w io.Writer, m model.Dumper) error {
	d, err := m.Dump(f.tree, f.names)
	if err != nil {
		return err
	}
	return writeJSON(w, d)
}

// drawing returns what writes one tree as an SVG document.
func (f *dumpFlags) drawing(h *model.Head, m model.Dumper) (func(io.Writer) error, error) {
	round := max(f.tree, 0)
	d, err := m.Dump(round, f.names)
	if err != nil {
		return nil, err
	}
	output := 0
	switch trees := len(d.Trees); {
	case trees == 1 && f.class != "":
		return nil, usagef("--class %s: the model has one tree for all classes; leave it out", f.class)
	case trees > 1 && f.class == "":
		return nil, usagef("--class is missing: each class has a tree of its own: %s", model.Listed(h.Classes))
	case trees > 1:
		if output = slices.Index(h.Classes, f.class); output < 0 {
			return nil, usagef("--class %s: the model knows %s", f.class, model.Listed(h.Classes))
		}
	}
	title := fmt.Sprintf("%s, tree %d of %d", h.Training.Dataset, round, m.Rounds())
	if len(d.Trees) > 1 {
		title += ", class " + h.Classes[output]
	}
	return func(w io.Writer) error { return render.Tree(w, title, treeNodes(h, &d.Trees[output])) }, nil
}

// treeNodes says how to draw a tree.
func treeNodes(h *model.Head, t *model.DumpedTree) []render.TreeNode {
	nodes := make([]render.TreeNode, len(t.Nodes))
	for i := range t.Nodes {
		n, to := &t.Nodes[i], &nodes[i]
		if all := t.Nodes[0].Examples; all > 0 {
			to.Share = n.Examples / all
		}
		if n.Split != nil {
			to.Lines = []string{n.Test}
			to.No, to.Yes, to.PointsTo, to.Subset = n.No, n.Yes, n.PointsTo, n.Subset
			continue
		}
		to.Lines, to.Value = leaf(h, n.Value)
		to.Lines = append(to.Lines, fmt.Sprintf("%g %s", n.Examples, h.Task.Plural()))
	}
	return nodes
}

// leaf returns the text of a leaf and the number that colours it: the value, or the share of the last class above an
// even one.
func leaf(h *model.Head, value []float64) (lines []string, colour float64) {
	if len(value) == 1 {
		return []string{strconv.FormatFloat(value[0], 'g', 4, 64)}, value[0]
	}
	for c, share := range value {
		if share > 0 {
			lines = append(lines, fmt.Sprintf("class %s: %.3g", h.Classes[c], share))
		}
	}
	return lines, value[len(value)-1] - 1/float64(len(value))
}
