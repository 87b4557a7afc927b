package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/parallel"
	"github.com/grove-graph/grove/render"
	"github.com/grove-graph/grove/treeg"
	"github.com/spf13/cobra"
)

func walkCountCommand() *cobra.Command {
	f := walkCountFlags{opt: dataset.WalkCountOptions{}, seeds: 5, trees: 50}
	c := &cobra.Command{
		Use: "walk-counts DIR", Short: "Draw the error of TREE-G on walk counts by the walk types that its splits may use",
		Long: `Count walks in random directed graphs, four tasks of the TREE-G paper's appendix E, with boosted trees whose
splits may use one type of walks, and with the other three together. The error on every fifth pair of graphs, which
training has not seen, is drawn against the number of trees: the mean over generated data sets and its
deviation (figures 8 to 11). DIR gets a figure for each task.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd.Context(), cmd.OutOrStdout(), args[0]) },
	}
	p := c.Flags()
	p.IntVar(&f.seeds, "seeds", f.seeds, "data sets to generate, with the seeds 1, 2, ...")
	p.IntVar(&f.opt.Graphs, "graphs", 500, "graphs of each")
	p.IntVar(&f.trees, "trees", f.trees, "rounds of boosting")
	p.Float64Var(&f.opt.RedShare, "red", 0, "probability that a vertex is red, 0: another one for each graph")
	p.BoolVar(&f.opt.Shades, "shades", false,
		"vertices show a number, positive where they are red, and not whether they are")
	return c
}

type walkCountFlags struct {
	opt          dataset.WalkCountOptions
	seeds, trees int
}

// walkChoice is what splits may use.
type walkChoice struct {
	name  string
	walks []treeg.Walk
}

// walkChoices lists the choices for a task whose own type is given: each type alone, then all but the own one.
func walkChoices(own treeg.Walk) []walkChoice {
	all := []treeg.Walk{treeg.Source, treeg.Cycle, treeg.Target, treeg.TargetSource}
	var list []walkChoice
	for _, w := range all {
		list = append(list, walkChoice{strings.ReplaceAll(w.String(), "_", "-"), []treeg.Walk{w}})
	}
	others := slices.DeleteFunc(all, func(w treeg.Walk) bool { return w == own })
	return append(list, walkChoice{"the three others", others})
}

func (f *walkCountFlags) run(ctx context.Context, w io.Writer, dir string) error {
	if f.seeds < 1 || f.trees < 1 {
		return fmt.Errorf("--seeds %d --trees %d: want numbers from 1 on", f.seeds, f.trees)
	}
	sets := make([]*dataset.Dataset, f.seeds)
	for i := range sets {
		opt := f.opt
		opt.Seed = uint64(i + 1)
		var err error
		if sets[i], err = dataset.WalkCounts(opt); err != nil {
			return err
		}
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "task\tsource\tcycle\ttarget\ttarget-source\tthe three others\n")
	for own, task := range sets[0].TargetNames {
		curves, err := f.curves(ctx, sets, treeg.Walk(own))
		if err != nil {
			return err
		}
		fmt.Fprint(t, task)
		for _, c := range curves {
			last := len(c.Y) - 1
			fmt.Fprintf(t, "\t%.3g +- %.2g", c.Y[last], c.Deviation[last])
		}
		fmt.Fprintln(t)
		if err := f.draw(filepath.Join(dir, "treeg-walks-"+task+".svg"), task, treeg.Walk(own), curves); err != nil {
			return err
		}
	}
	return t.Flush()
}

// curves returns the error after every round for each choice of walk types.
func (f *walkCountFlags) curves(ctx context.Context, sets []*dataset.Dataset, task treeg.Walk) ([]render.Curve, error) {
	choices := walkChoices(task)
	mse := make([][][]float64, len(choices)) // choice, set, round
	errs := make([]error, len(choices)*len(sets))
	for i := range mse {
		mse[i] = make([][]float64, len(sets))
	}
	parallel.For(2, len(errs), func(i int) {
		choice, set := i/len(sets), i%len(sets)
		mse[choice][set], errs[i] = f.errors(ctx, sets[set], task, choices[choice].walks)
	})
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	curves := make([]render.Curve, len(choices))
	for i := range curves {
		c := &curves[i]
		c.Name = choices[i].name
		for round := range f.trees {
			sum, squares, n := 0.0, 0.0, float64(len(sets))
			for set := range sets {
				sum += mse[i][set][round]
				squares += mse[i][set][round] * mse[i][set][round]
			}
			c.X = append(c.X, float64(round+1))
			c.Y = append(c.Y, sum/n)
			c.Deviation = append(c.Deviation, math.Sqrt(max(squares/n-sum/n*sum/n, 0)))
		}
	}
	return curves, nil
}

// errors returns the mean squared error on the test part, graphs whose number ends in 8 or 9, after every round.
func (f *walkCountFlags) errors(
	ctx context.Context, set *dataset.Dataset, task treeg.Walk, walks []treeg.Walk,
) ([]float64, error) {
	opt := treeg.Defaults(treeg.Graphs, treeg.Boosting)
	opt.Walks, opt.Keep, opt.Estimators = walks, 1, f.trees
	y := make([]float64, set.NumGraphs())
	var train, test []int
	for g := range y {
		y[g] = set.Targets[g*len(set.TargetNames)+int(task)]
		if g%10 >= 8 {
			test = append(test, g)
		} else {
			train = append(train, g)
		}
	}
	e, err := engine.Open("cpu", 1)
	if err != nil {
		return nil, err
	}
	d, err := treeg.Prepare(ctx, e, set.Batch, opt)
	if err != nil {
		return nil, err
	}
	m, err := d.Fit(ctx, treeg.Targets{Values: y, Train: train}, opt, nil)
	if err != nil {
		return nil, err
	}
	out := make([]float64, f.trees)
	for round := range out {
		said, err := m.First(round+1).ScoresOf(ctx, d, test)
		if err != nil {
			return nil, err
		}
		for i, g := range test {
			out[round] += (said[i] - y[g]) * (said[i] - y[g]) / float64(len(test))
		}
	}
	return out, nil
}

// draw draws the curves of a task, the own type marked at its end.
func (f *walkCountFlags) draw(path, task string, own treeg.Walk, curves []render.Curve) error {
	curves = slices.Clone(curves)
	for i := range curves {
		if i == int(own) {
			curves[i].Name += " (its own)"
		}
	}
	what := map[string]string{
		"start": "start in red vertices", "same": "start and end in the same red vertex",
		"end": "end in red vertices", "between": "lead from red to red vertices",
	}[task]
	figure, err := render.Lines(render.Chart{
		Title: "Walks that " + what + ", by the walk types of splits",
		X:     render.Axis{Label: "trees"}, Y: render.Axis{Label: "mean squared test error", Log: true}, Width: 760,
	}, curves)
	if err != nil {
		return err
	}
	return figure.Save(path)
}
