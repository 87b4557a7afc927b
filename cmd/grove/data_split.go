package main

import (
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/model/param"
	"github.com/grove-graph/grove/split"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func newDataSplit(a *app) *cobra.Command {
	var from source
	var out, target string
	var parts int
	var seed uint64
	var overwrite bool
	c := &cobra.Command{
		Use:   "split IN --out DIR",
		Short: "Hold out a part of a data set",
		Long: `Write a data set as two: DIR/train, to learn from, and DIR/test, one of --parts stratified parts that
the seed draws, to hold out. Both are in TU format and have the same classes, labels and names.`,
		Example: `  grove data split molecules --out parts
  grove data split MUTAG --parts 5 --seed 3 --out parts
  grove train gckn-path --data parts/train -o model.grove
  grove predict --model model.grove --data parts/test`,
		Args:        oneArgument("IN"),
		Annotations: map[string]string{readsArguments: "IN"},
		RunE: func(c *cobra.Command, args []string) error {
			if err := requireFlags(c, "out"); err != nil {
				return err
			}
			names := []string{"train", "test"}
			to, err := newOutput(out, overwrite, names...)
			if err != nil {
				return err
			}
			defer to.Discard()
			for _, part := range names {
				if err := replaceable(filepath.Join(out, part), dataset.TUFormat); err != nil {
					return err
				}
			}
			start := time.Now()
			from.data = args[0]
			d, err := from.open()
			if err != nil {
				return err
			}
			if d, err = model.Ask(d, "", target); err != nil {
				return asUsage(err)
			}
			if d.Task != dataset.GraphClassification || d.Classes == nil {
				return fmt.Errorf("%s: only data sets with a class for each graph can be split", args[0])
			}
			splits, err := split.Stratified(d.Classes, parts, seed)
			if err != nil {
				return usagef("--parts %d: %v", parts, err)
			}
			report := splitReport{Dataset: d.Name, Train: len(splits[0].Train), Test: len(splits[0].Test), Folder: out}
			for i, graphs := range [][]int{splits[0].Train, splits[0].Test} {
				part := d.Select(graphs)
				part.Name = names[i]
				if err := to.Write(names[i], dataset.TUFormat, part); err != nil {
					return err
				}
			}
			if err := to.Commit(); err != nil {
				return err
			}
			report.Seconds = seconds(start)
			return a.emit(&report, func(w io.Writer) {
				fmt.Fprintf(w, "%s: %s in %s, %s in %s\n", d.Name,
					model.Count(report.Train, "graph"), filepath.Join(out, names[0]), model.Count(report.Test, "graph"),
					filepath.Join(out, names[1]))
			})
		},
	}
	addFlags(c.Flags(), groupData, func(fs *pflag.FlagSet) {
		fs.StringVar(&out, "out", "", "`DIR` folder to write train and test to, made if need be")
		from.addReadingFlags(fs)
		fs.StringVar(&target, "target", "", "`NAME` which target, where a data set has several")
		fs.IntVar(&parts, "parts", 10, "`K` hold out one of K parts")
		bound(fs, "parts", 2, param.Many)
		fs.Uint64Var(&seed, "seed", 0, "`S` number that the parts follow from")
		addOverwriteFlag(fs, &overwrite)
	})
	addFlags(c.Flags(), groupOutput, a.addOutputFlags)
	return c
}

// splitReport is what grove data split reports.
type splitReport struct {
	Dataset string  `json:"dataset"`
	Train   int     `json:"n_train"`
	Test    int     `json:"n_test"`
	Folder  string  `json:"folder"`
	Seconds float64 `json:"seconds"`
}
