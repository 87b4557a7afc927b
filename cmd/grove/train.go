package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"time"

	"github.com/grove-graph/grove/atomicfile"
	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/eval"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/model/param"
	"github.com/grove-graph/grove/report"
	"github.com/grove-graph/grove/rounds"
	"github.com/grove-graph/grove/split"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// trainFlags are the flags of grove train beside those of the model.
type trainFlags struct {
	computing
	source
	target, task, out, html string
	cv, chooseOn            int
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
chosen by stratified cross-validation within the given data, of more than 20000 graphs within a sample
(--choose-on).`,
		Example: `  grove train gckn-subtree --data molecules -o model.grove
  grove train gckn-path --data MUTAG --path-size 3,5 --sigma 0.4,0.6 -o model.grove
  grove train gckn-path --data MUTAG --c 0.1 -o model.grove      # nothing left to choose
  grove train auto --data MUTAG -o model.grove                   # the model is chosen too`,
		Args: knownModel,
		RunE: wantsModel,
	}
	addModels(c, func(model string) string {
		return "  grove train " + model + " --data MUTAG -o model.grove\n" +
			"  grove train " + model + " --data MUTAG --cv 10 -o model.grove"
	}, func(c *cobra.Command, m *named) error { return a.train(c, f, m) })
	c.AddCommand(newAuto(a, f))
	addFlags(c.PersistentFlags(), groupData, func(fs *pflag.FlagSet) {
		f.source.addFlags(fs)
		addTaskFlags(fs, &f.task, &f.target)
	})
	addFlags(c.PersistentFlags(), groupProtocol, f.addChoosing)
	addFlags(c.PersistentFlags(), groupComputing, func(fs *pflag.FlagSet) {
		f.computing.addFlags(fs)
		fs.Uint64Var(&f.seed, "seed", 0, "`S` number that everything drawn at random follows from")
	})
	addFlags(c.PersistentFlags(), groupOutput, func(fs *pflag.FlagSet) {
		fs.StringVarP(&f.out, "out", "o", "", "`FILE` model to write")
		addHTMLFlag(fs, &f.html, "how the model was chosen, learning curves, cost and settings")
		a.addOutputFlags(fs)
	})
	return c
}

// addChoosing declares how what is left open is chosen.
func (f *trainFlags) addChoosing(fs *pflag.FlagSet) {
	fs.IntVar(&f.cv, "cv", 5, "`K` parts of the cross-validation that chooses what is left open")
	bound(fs, "cv", 2, param.Many)
	fs.IntVar(&f.chooseOn, "choose-on", eval.EnoughGraphs,
		"`N` graphs to choose on, a sample with the shares of all classes where there are more; 0: all")
	bound(fs, "choose-on", 0, param.Many)
}

// addTaskFlags declares what is to be predicted.
func addTaskFlags(fs *pflag.FlagSet, task, target *string) {
	choiceVar(fs, task, "task", []string{"graph", "node", "edge", "graph-regression"},
		"what to predict: a class or target of each graph, or of each vertex; edge: the label of each edge (treeg, "+
			"baselines); graph-regression takes the targets of graphs that have classes too (default: what the data set is "+
			"about)")
	fs.StringVar(target, "target", "", "`NAME` which target, where a data set has several")
}

// trainReport is what grove train reports. Accuracies are in percent, errors in the units of the target.
type trainReport struct {
	Model      string      `json:"model"`
	Dataset    string      `json:"dataset"`
	Graphs     int         `json:"n_graphs"`
	Device     string      `json:"device"`
	Classes    []string    `json:"classes,omitempty"`
	Setting    string      `json:"setting"`
	Params     any         `json:"params"`
	Grid       string      `json:"grid,omitempty"`  // name of what the setting leaves open: C for instance
	Value      *float64    `json:"value,omitempty"` // that was taken
	C          *float64    `json:"c,omitempty"`     // the same, where it is C
	ChosenBy   string      `json:"chosen_by,omitempty"`
	Accuracy   *float64    `json:"training_accuracy,omitempty"`
	RMSE       *float64    `json:"training_rmse,omitempty"`
	Metric     eval.Metric `json:"metric,omitempty"`
	Validation *float64    `json:"cross_validated,omitempty"`     // score at the choice; nothing without a choice
	Std        *float64    `json:"cross_validated_std,omitempty"` // over the parts
	File       string      `json:"file"`
	Page       string      `json:"page,omitempty"`

	Tried   []triedModel   `json:"tried,omitempty"` // by grove train auto
	LeftOut []eval.LeftOut `json:"left_out,omitempty"`

	Notes   []string     `json:"notes,omitempty"`
	Seconds eval.Seconds `json:"seconds"`
}

func (a *app) train(c *cobra.Command, f *trainFlags, m *named) error {
	start := time.Now()
	if err := wantsOut(c, f.out); err != nil {
		return err
	}
	if err := writableHTML(f.html); err != nil {
		return err
	}
	j, err := a.job(c, m, asked{f.source, f.task, f.target, f.seed}, &f.computing, 1)
	if err != nil {
		return err
	}
	d := j.Data
	load := seconds(start)
	r := &trainReport{Model: m.name, Dataset: d.Name, Graphs: d.NumGraphs(), Device: j.Engine.Describe(), File: f.out,
		Notes: j.notes}
	chosen, trained, err := a.fit(c.Context(), f, m, j, r)
	if err != nil {
		return err
	}
	if err := r.store(trained, f.seed); err != nil {
		return err
	}
	if err := removeCheckpoint(c); err != nil {
		return err
	}
	r.Seconds = spent(j.Spent, load, chosen.Select, start)
	if f.html != "" {
		if err := f.writePage(m, j, r, chosen, trained); err != nil {
			return err
		}
		r.Page = f.html
	}
	return a.emit(r, r.print)
}

// fit chooses what is left open, learns the model and measures it on what it was learned from; of a model without
// targets there is nothing to choose or measure by.
func (a *app) fit(
	ctx context.Context, f *trainFlags, m *named, j *job, r *trainReport,
) (chosen *eval.Chosen, trained model.Model, err error) {
	if m.bare() {
		est := j.estimators[0]
		r.take(est, &eval.Chosen{Choice: eval.Choice{Score: math.NaN()}})
		j.Progress = a.progress.report
		trained, err = model.FitUnsupervised(ctx, j.Work, est)
		return &eval.Chosen{}, trained, err
	}
	if chosen, err = rounds.Keep(j.Rounds, func() (*eval.Chosen, error) { return a.choose(ctx, f, j) }); err != nil {
		return nil, nil, err
	}
	est := j.estimators[chosen.Setting]
	r.take(est, chosen)
	j.Progress = a.progress.report
	if trained, err = model.FitWork(ctx, j.Work, est, chosen.Values()); err != nil {
		return nil, nil, asUsage(err)
	}
	return chosen, trained, r.score(ctx, trained, j.Work)
}

// store writes the model to its file, with how it was learned.
func (r *trainReport) store(m model.Model, seed uint64) error {
	t := &m.About().Training
	t.Seed, t.ChosenBy, t.Accuracy, t.RMSE, t.Validation = seed, r.ChosenBy, r.Accuracy, r.RMSE, r.Validation
	r.Classes = m.About().Classes
	if err := model.Save(r.File, m); err != nil {
		return fmt.Errorf("--out %s: %w", r.File, plain(err))
	}
	return nil
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

// choose picks an estimator and a value of its grid by cross-validation, if there is anything to pick.
func (a *app) choose(ctx context.Context, f *trainFlags, j *job) (*eval.Chosen, error) {
	folds := f.cv
	extent := fmt.Sprintf("%s x %s", model.Count(folds, "fold"), model.Count(len(j.estimators), "setting"))
	a.progress.repeats = len(j.estimators) > 1 || j.estimators[0].Grid().Size() > 1
	on, release := j.Work, func() error { return nil }
	if j.Rounds != nil {
		on, release = j.Apart()
	}
	chosen, err := eval.Choose(ctx, on, j.estimators, eval.Choosing{
		Folds: folds, On: f.enough(), Seed: f.seed, Workers: f.goroutines(),
		Progress: func(done, total int, _ string) { a.progress.report("choose a setting", done, total) },
		Forecast: func(left time.Duration) { a.progress.forecast(left, extent) },
	})
	return chosen, errors.Join(asUsage(err), release())
}

// enough is the number of graphs to choose on, as [eval.Choosing] wants it.
func (f *trainFlags) enough() int {
	if f.chooseOn == 0 {
		return -1
	}
	return f.chooseOn
}

// take notes the choice.
func (r *trainReport) take(est model.Estimator, chosen *eval.Chosen) {
	r.Setting, r.Params, r.Grid, r.ChosenBy, r.Metric = est.String(), est.Params(), chosen.Grid, chosen.By, chosen.Metric
	if !math.IsNaN(chosen.Score) {
		mean, std := chosen.Metric.InUnits(chosen.Score), chosen.Metric.InUnits(chosen.Std)
		r.Validation, r.Std = &mean, &std
	}
	if r.Grid == "" {
		return
	}
	r.Value = &chosen.Value
	if r.Grid == "C" {
		r.C = r.Value
	}
}

// score measures the model on what it was trained on, piece by piece where that stays on disk.
func (r *trainReport) score(ctx context.Context, m model.Model, w *model.Work) error {
	t := model.TargetsOf(w.Data)
	told, err := predictEach(ctx, m, w)
	if err != nil {
		return err
	}
	said := &model.Predictions{Classes: told.Classes}
	if t.Regression() {
		said.Values = model.Column(told.Values)
	}
	known := t.Known()
	score := func(m eval.Metric) *float64 {
		s := m.InUnits(m.Score(said.Of(known), t.Of(known)))
		return &s
	}
	if t.Regression() {
		r.RMSE = score(eval.MetricRMSE)
	} else {
		r.Accuracy = score(eval.MetricAccuracy)
	}
	return nil
}

// told are the classes or values that a model predicts.
type told struct {
	Classes []int
	Values  []float64
}

// predictEach predicts all graphs of some work.
func predictEach(ctx context.Context, m model.Model, w *model.Work) (all told, err error) {
	predict := func(d *dataset.Dataset) (told, error) {
		said, err := m.Predict(ctx, d, nil)
		if err != nil {
			return told{}, err
		}
		some := told{Classes: said.Classes}
		if said.Values != nil {
			some.Values = said.Values.Float64s()
		}
		return some, nil
	}
	add := func(all *told, some told) error {
		all.Classes, all.Values = append(all.Classes, some.Classes...), append(all.Values, some.Values...)
		return nil
	}
	if w.Rounds == nil {
		return all, w.Each(func(d *dataset.Dataset) error {
			some, err := predict(d)
			if err != nil {
				return err
			}
			return add(&all, some)
		})
	}
	n := w.Store.NumGraphs()
	first := rounds.Even(n, model.BlockGraphs)
	return rounds.Collect(ctx, w.Rounds, rounds.Pass[told]{
		Name: "predictions of the training graphs", First: first,
		Compute: func(_ context.Context, block int) (told, error) {
			d, err := w.Store.Select(split.All(min(first[block]+model.BlockGraphs, n))[first[block]:])
			if err != nil {
				return told{}, err
			}
			return predict(d)
		},
	}, all, add)
}

func (r *trainReport) print(w io.Writer) {
	fmt.Fprintf(w, "%s trained on %s: %s\n", r.Model, r.Dataset, model.Count(r.Graphs, "graph"))
	fact(w, "setting", "%s", r.Setting)
	switch {
	case r.Value != nil:
		fact(w, r.Grid, "%s, %s", constant(*r.Value), r.ChosenBy)
	case r.ChosenBy != "":
		fact(w, "", "%s", r.ChosenBy)
	}
	switch {
	case r.Accuracy != nil:
		fact(w, "accuracy", "%.1f %% on the examples it was trained on", *r.Accuracy)
	case r.RMSE != nil:
		fact(w, "error", "%.4g (root of the mean square) on the examples it was trained on", *r.RMSE)
	}
	if r.Validation != nil {
		honest := "grove eval"
		if r.Tried != nil {
			honest = "grove compare --choose"
		}
		fact(w, "", "%s cross-validated at this choice (%s gives the honest figure)",
			written(r.Metric, *r.Validation, *r.Std), honest)
	}
	r.printTried(w)
	writeNotes(w, r.Notes)
	writeSeconds(w, r.Seconds)
	fact(w, "written to", "%s", r.File)
	if r.Page != "" {
		fact(w, "page", "%s", r.Page)
	}
}

// writePage writes the page of a training.
func (f *trainFlags) writePage(m *named, j *job, r *trainReport, chosen *eval.Chosen, trained model.Model) error {
	info, err := os.Stat(f.out)
	if err != nil {
		return fmt.Errorf("--out %s: %w", f.out, plain(err))
	}
	t := report.Training{About: about(r.Device, r.Notes), Model: trained, Graphs: r.Graphs,
		Targets: model.TargetsOf(j.Data), Params: r.Params, Chosen: chosen, Score: cmp.Or(r.Accuracy, r.RMSE),
		Seconds: r.Seconds, File: f.out, Size: info.Size()}
	if m.bare() {
		t.Chosen = nil
	}
	p, err := t.Page()
	if err != nil {
		return err
	}
	return writePage(f.html, p)
}
