package main

import (
	"time"

	"github.com/grove-graph/grove/model"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func newPredict(a *app) *cobra.Command {
	var where computing
	var model, data, out string
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
report's classes), values and targets.`,
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
			return a.predict(c, &where, model, data, out)
		},
	}
	addFlags(c.Flags(), groupData, func(fs *pflag.FlagSet) {
		fs.StringVar(&model, "model", "", "`FILE` model that grove train wrote")
		fs.StringVar(&data, "data", "", "`DIR` data set to read")
	})
	addFlags(c.Flags(), groupComputing, where.addFlags)
	addFlags(c.Flags(), groupOutput, func(fs *pflag.FlagSet) {
		fs.StringVarP(&out, "out", "o", "", "`FILE` predictions to write, as comma-separated values; - for standard output")
		a.addOutputFlags(fs)
	})
	return c
}

func (a *app) predict(c *cobra.Command, where *computing, file, data, out string) error {
	start := time.Now()
	p, d, e, err := a.load(where, file, data)
	if err != nil {
		return err
	}
	h := p.About()
	if d, err = h.Asks(d); err != nil {
		return err
	}
	r := predictReport{Model: h.Model, Dataset: d.Name, Graphs: d.NumGraphs(), Device: e.Describe(), Task: h.Task,
		Classes: h.Classes}
	load := seconds(start)
	var spending model.Stopwatch
	transforming := time.Now()
	said, err := p.Predict(c.Context(), d, a.progress.report)
	if err != nil {
		return err
	}
	spending.Transforming(transforming)
	r.UnknownLabels = p.Encoding().Unknown(d)
	t := tableOf(h, d, said)
	r.compare(t)
	switch out {
	case "":
		r.Predictions = t.lines()
	case "-":
		a.progress.clear()
		return t.writeCSV(a.out)
	default:
		r.File = out
		if err := writeFile("--out", out, t.writeCSV); err != nil {
			return err
		}
	}
	r.Seconds = spent(&spending, load, 0, start)
	return a.emit(&r, r.print)
}
