package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/grove-graph/grove/atomicfile"
	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/simd"
	"github.com/grove-graph/grove/eval"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// trainFlags are the flags of grove train beside those of the model.
type trainFlags struct {
	computing
	data, target, task, out string
	cv                      int
	seed                    uint64
}

func newTrain(a *app) *cobra.Command {
	f := &trainFlags{}
	c := &cobra.Command{
		Use:   "train MODEL --data DIR -o model.grove",
		Short: "Train a model and store it",
		Long: `Train a model on all graphs of a data set (or all vertices, where the data set asks about them) and
store it in one file, with everything that grove predict, embed and explain need. What the model's
flags leave open (the constant C of a classifier, and the setting where they hold several values) is
chosen by stratified cross-validation within the given data.`,
		Example: `  grove train gckn-subtree --data molecules -o model.grove
  grove train gckn-path --data MUTAG --path-size 3,5 --sigma 0.4,0.6 -o model.grove
  grove train gckn-path --data MUTAG --c 0.1 -o model.grove      # nothing left to choose`,
		Args: knownModel,
		RunE: wantsModel,
	}
	addModels(c, func(model string) string {
		return "  grove train " + model + " --data MUTAG -o model.grove\n" +
			"  grove train " + model + " --data MUTAG --cv 10 -o model.grove"
	}, func(c *cobra.Command, _ family, model string, flags modelFlags) error {
		return a.train(c, f, model, flags)
	})
	addFlags(c.PersistentFlags(), groupData, func(fs *pflag.FlagSet) {
		fs.StringVar(&f.data, "data", "", "`DIR` data set to read")
		addTaskFlags(fs, &f.task, &f.target)
	})
	addFlags(c.PersistentFlags(), groupProtocol, func(fs *pflag.FlagSet) {
		fs.IntVar(&f.cv, "cv", 5, "`K` parts of the cross-validation that chooses what is left open")
		bound(fs, "cv", 2, many)
	})
	addFlags(c.PersistentFlags(), groupComputing, func(fs *pflag.FlagSet) {
		f.computing.addFlags(fs)
		fs.Uint64Var(&f.seed, "seed", 0, "`S` number that everything drawn at random follows from")
	})
	addFlags(c.PersistentFlags(), groupOutput, func(fs *pflag.FlagSet) {
		fs.StringVarP(&f.out, "out", "o", "", "`FILE` model to write")
		a.addOutputFlags(fs)
	})
	return c
}

// addTaskFlags declares what is to be predicted.
func addTaskFlags(fs *pflag.FlagSet, task, target *string) {
	choiceVar(fs, task, "task", []string{"graph", "node", "edge", "graph-regression"},
		"what to predict: a class or target of each graph, or of each vertex; edge: the label of each edge (treeg); "+
			"graph-regression takes the targets of graphs that have classes too (default: what the data set is about)")
	fs.StringVar(target, "target", "", "`NAME` which target, where a data set has several")
}

// trainReport is what grove train reports. Accuracies are in percent, errors in the units of the target.
type trainReport struct {
	Model      string       `json:"model"`
	Dataset    string       `json:"dataset"`
	Graphs     int          `json:"n_graphs"`
	Device     string       `json:"device"`
	Setting    string       `json:"setting"`
	Params     any          `json:"params"`
	Grid       string       `json:"grid,omitempty"`  // name of what the setting leaves open: C for instance
	Value      *float64     `json:"value,omitempty"` // that was taken
	C          *float64     `json:"c,omitempty"`     // the same, where it is C
	ChosenBy   string       `json:"chosen_by,omitempty"`
	Accuracy   *float64     `json:"training_accuracy,omitempty"`
	RMSE       *float64     `json:"training_rmse,omitempty"`
	Metric     eval.Metric  `json:"metric"`
	Validation *float64     `json:"cross_validated,omitempty"`     // score at the choice; nothing without a choice
	Std        *float64     `json:"cross_validated_std,omitempty"` // over the parts
	File       string       `json:"file"`
	Notes      []string     `json:"notes,omitempty"`
	Seconds    eval.Seconds `json:"seconds"`
}

func (a *app) train(c *cobra.Command, f *trainFlags, model string, flags modelFlags) error {
	start := time.Now()
	if err := requireFlags(c, "data", "out"); err != nil {
		return err
	}
	if err := writable("--out", f.out); err != nil {
		return err
	}
	if f.cv < 2 {
		return usagef("--cv %d: want at least 2 parts", f.cv)
	}
	e, err := a.open(&f.computing)
	if err != nil {
		return err
	}
	if err := flags.check(f.seed); err != nil {
		return err
	}
	d, notes, err := examplesIn(c, f.data, f.task, f.target, flags)
	if err != nil {
		return err
	}
	load := seconds(start)
	var spent stopwatch
	r := &trainReport{Model: model, Dataset: d.Name, Graphs: d.NumGraphs(), Device: describe(e), File: f.out,
		Notes: notes}
	chosen, value, selecting, err := a.choose(c.Context(), f, d, flags, e, &spent, r)
	if err != nil {
		return err
	}
	s := flags.settings(&work{d, e, &spent, a.progress.report})[chosen]
	r.take(s, value)
	p, err := s.train(c.Context(), value)
	if err != nil {
		return err
	}
	if err := r.score(c.Context(), p, d); err != nil {
		return err
	}
	p.about().Training = training{
		Dataset: d.Name, Graphs: r.Graphs, Setting: r.Setting, Seed: f.seed, Value: r.Value, ChosenBy: r.ChosenBy,
		Accuracy: r.Accuracy, RMSE: r.RMSE, Validation: r.Validation, Instructions: simd.Level(),
	}
	if err := save(f.out, p); err != nil {
		return fmt.Errorf("--out %s: %w", f.out, plain(err))
	}
	if err := removeCheckpoint(c); err != nil {
		return err
	}
	r.Seconds = spent.spent(load, selecting, start)
	return a.emit(r, r.print)
}

// removeCheckpoint removes the file that --checkpoint names: the model, which is more, is kept by now.
func removeCheckpoint(c *cobra.Command) error {
	f := c.Flags().Lookup("checkpoint")
	if f == nil || f.Value.String() == "" {
		return nil
	}
	path, err := atomicfile.Resolve(f.Value.String())
	if err == nil {
		err = os.Remove(path)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("--checkpoint %s: %w", f.Value.String(), plain(err))
	}
	return nil
}

// choose picks a setting and a value of its grid by cross-validation, if there is anything to pick, and
// notes in r how. It returns the index of the setting and the time that classifiers took.
func (a *app) choose(
	ctx context.Context, f *trainFlags, d *dataset.Dataset, flags modelFlags, e engine.Engine, spent *stopwatch,
	r *trainReport,
) (chosen int, value float64, selecting time.Duration, err error) {
	x := examplesOf(d)
	p := eval.Problem{
		Classes: x.classes, Values: x.values, Item: x.task.noun(), FromTrain: true, Workers: f.goroutines(),
		Progress: func(done, total int, _ string) { a.progress.report("choose a setting", done, total) },
	}
	settings := flags.settings(&work{d, narrow(e, 1), spent, nil}) // the parts run beside each other
	grid := settings[0].Grid()
	r.Metric = eval.MetricAccuracy
	if x.classes == nil {
		r.Metric = eval.MetricRMSE
	}
	if len(settings) == 1 && len(grid.Values) <= 1 {
		if len(grid.Values) == 1 {
			value, r.ChosenBy = grid.Values[0], "given"
		}
		return 0, value, 0, nil
	}
	parts := min(f.cv, len(x.known))
	if parts < 2 {
		return 0, 0, 0, usagef("%s cannot be cross-validated to choose among settings: "+
			"give every option, such as --c, one value", count(len(x.known), x.task.noun()))
	}
	if p.Folds, err = x.folds(parts, 1, f.seed); err != nil {
		return 0, 0, 0, err
	}
	p.Settings = asEval(settings)
	p.Forecast, a.progress.parts = func(left time.Duration) { a.progress.forecast(left, extent(&p)) }, true
	o, err := eval.Published(ctx, p)
	if err != nil {
		return 0, 0, 0, err
	}
	best := o.Chosen[0]
	mean, std := inUnits(o.Metric, o.Mean), inUnits(o.Metric, o.Std)
	r.Validation, r.Std = &mean, &std
	var choice []string
	if n := len(settings[best.Setting].Grid().Values); n > 1 {
		choice = append(choice, count(n, "value"))
	}
	if len(settings) > 1 {
		choice = append(choice, count(len(settings), "setting"))
	}
	r.ChosenBy = fmt.Sprintf("chosen among %s by %d-fold cross-validation", strings.Join(choice, " and "), parts)
	return best.Setting, best.Value, o.Select, nil
}

// take notes the choice.
func (r *trainReport) take(s setting, value float64) {
	r.Setting, r.Params, r.Grid = s.String(), s.params(), s.Grid().Name
	if len(s.Grid().Values) == 0 {
		return
	}
	r.Value = &value
	if r.Grid == "C" {
		r.C = &value
	}
}

// score measures the model on what it was trained on.
func (r *trainReport) score(ctx context.Context, p predictor, d *dataset.Dataset) error {
	said, err := p.predict(ctx, d, nil)
	if err != nil {
		return err
	}
	x := examplesOf(d)
	if x.classes != nil {
		accuracy := inUnits(eval.MetricAccuracy, eval.Accuracy(pick(said.classes, x.known), pick(x.classes, x.known)))
		r.Accuracy = &accuracy
		return nil
	}
	rmse := eval.RMSE(pick(said.values.Float64s(), x.known), pick(x.values, x.known))
	r.RMSE = &rmse
	return nil
}

// pick returns the values at the given places.
func pick[T any](values []T, places []int) []T {
	out := make([]T, len(places))
	for i, p := range places {
		out[i] = values[p]
	}
	return out
}

func (r *trainReport) print(w io.Writer) {
	fmt.Fprintf(w, "%s trained on %s: %s\n", r.Model, r.Dataset, count(r.Graphs, "graph"))
	fact(w, "setting", "%s", r.Setting)
	switch {
	case r.Value != nil:
		fact(w, r.Grid, "%s, %s", constant(*r.Value), r.ChosenBy)
	case r.ChosenBy != "":
		fact(w, "", "%s", r.ChosenBy)
	}
	if r.Accuracy != nil {
		fact(w, "accuracy", "%.1f %% on the examples it was trained on", *r.Accuracy)
	} else {
		fact(w, "error", "%.4g (root of the mean square) on the examples it was trained on", *r.RMSE)
	}
	if r.Validation != nil {
		fact(w, "", "%s cross-validated at this choice (grove eval gives the honest figure)",
			written(r.Metric, *r.Validation, *r.Std))
	}
	writeNotes(w, r.Notes)
	writeSeconds(w, r.Seconds)
	fact(w, "written to", "%s", r.File)
}
