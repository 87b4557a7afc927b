package main

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/memory"
	"github.com/grove-graph/grove/model"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func newPredict(a *app) *cobra.Command {
	var where computing
	var data source
	var model, out string
	c := &cobra.Command{
		Use:   "predict --model model.grove --data DIR",
		Short: "Apply a trained model",
		Long: `Apply a trained model to every graph of a data set, or to every vertex where the model was trained
on a task per vertex. Where the data set has classes, the accuracy is shown and which classes were taken
for which; where it has targets, the error of a regression.

The predictions are written as a table with a line for each graph (vertex, edge): its number from 0, the
predicted class, its own class where it has one, and the numbers that the prediction follows from, by the
same names in every model:

  decision             decision value, of two classes: the second is predicted where it is positive
  decision NAME        decision value of each class, of more: the largest wins, of equal ones the first
  probability NAME     probability of each class, of sum 1: the largest wins, of equal ones the first
  predicted NAME       predicted target of a regression; target NAME is the known one

Support vector machines have decision values (of a kernel with more than two classes the number of votes,
and half a vote more for the winner of a tie), trees have probabilities, and networks that were trained
with the cross-entropy have both. --json has the same numbers as the lists decisions, probabilities (by the
report's classes), values and targets.

Of a store (grove data convert --to shards), and of a file of Parquet or Arrow, a few thousand graphs are
in memory at a time, and the table is written as it is predicted.`,
		Example: `  grove predict --model model.grove --data MUTAG
  grove predict --model model.grove --data new-molecules -o predictions.csv
  grove predict --model model.grove --data new-molecules -o - | head`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := requireFlags(c, "model", "data"); err != nil {
				return err
			}
			if out == "-" && a.json {
				return usagef("predict: --json and -o - both want standard output: leave out one")
			}
			if out != "" && out != "-" {
				if err := writable("--out", out); err != nil {
					return err
				}
			}
			return a.predict(c, &where, model, &data, out)
		},
	}
	addFlags(c.Flags(), groupData, func(fs *pflag.FlagSet) {
		fs.StringVar(&model, "model", "", "`FILE` model that grove train wrote")
		data.addFlags(fs)
	})
	addFlags(c.Flags(), groupComputing, where.addFlags)
	addFlags(c.Flags(), groupOutput, func(fs *pflag.FlagSet) {
		fs.StringVarP(&out, "out", "o", "", "`FILE` predictions to write, as comma-separated values, "+
			"or as .parquet, .arrow or .feather by the name; - for standard output")
		a.addOutputFlags(fs)
	})
	return c
}

func (a *app) predict(c *cobra.Command, where *computing, file string, data *source, out string) error {
	start := time.Now()
	p, w, err := a.load(where, file, data)
	if err != nil {
		return err
	}
	defer func() { _ = w.Close() }()
	h, d := p.About(), w.Data
	r := predictReport{Model: h.Model, Dataset: d.Name, Graphs: d.NumGraphs(), Device: w.Engine.Describe(), Task: h.Task,
		Classes: h.Classes, Notes: skippedNotes(d)}
	load := seconds(start)
	switch out {
	case "":
		err = a.predictAll(c.Context(), p, w, &r, place{}, func(t *predictionTable) error {
			if a.json {
				r.Predictions = append(r.Predictions, t.lines()...)
			}
			return nil
		})
	case "-":
		return a.predictAll(c.Context(), p, w, &r, place{}, func(t *predictionTable) error {
			a.progress.clear()
			return writeCSV(a.out, t.columns(), t.from == (place{}))
		})
	default:
		r.File = out
		var failed error // of anything but writing
		err = writeFile("--out", out, func(to io.Writer) error {
			var written error
			table := newTableWriter(to, out)
			failed = a.predictAll(c.Context(), p, w, &r, place{}, func(t *predictionTable) error {
				written = table.write(t.columns(), nil)
				return written
			})
			if failed == nil {
				written = table.close()
			}
			if failed != nil && written != nil {
				failed = nil
			}
			return errors.Join(failed, written)
		})
		if failed != nil {
			return failed
		}
	}
	if err != nil {
		return err
	}
	r.Seconds, r.Peak = spent(w.Spent, load, 0, start), memory.Peak()
	return a.emit(&r, r.print)
}

// predictAll calls visit with what a model says of some work, before which others come, a piece at a time where the
// graphs stay on disk, and reports how it agrees with what is known.
func (a *app) predictAll(
	ctx context.Context, p model.Model, w *model.Work, r *predictReport, before place,
	visit func(t *predictionTable) error,
) error {
	h, from := p.About(), before
	return w.Each(func(d *dataset.Dataset) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		d, err := h.Asks(d)
		if err != nil {
			return err
		}
		progress := a.progress.report
		if w.Store != nil {
			progress = nil
			a.progress.report("predict", from.graphs-before.graphs, w.Data.NumGraphs())
		}
		start := time.Now()
		said, err := p.Predict(ctx, d, progress)
		if err != nil {
			return err
		}
		w.Spent.Transforming(start)
		r.note(p.Encoding().Unknown(d))
		t := tableOf(h, d, said)
		t.from = from
		r.compare(t)
		from.graphs, from.examples = from.graphs+d.NumGraphs(), from.examples+said.Len()
		return visit(t)
	})
}
