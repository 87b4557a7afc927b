package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/eval"
	"github.com/grove-graph/grove/svm"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// trainFlags are the flags of grove train beside those of the model.
type trainFlags struct {
	computing
	data, out string
	c         float64
	cv        int
	grid      []float64
	seed      uint64
}

func newTrain(a *app) *cobra.Command {
	f := &trainFlags{}
	c := &cobra.Command{
		Use:   "train MODEL --data DIR -o model.grove",
		Short: "Train a model and store it",
		Long: `Train a model on all graphs of a data set and store it in one file, with everything that grove
predict, embed and explain need. The constant C of the classifier, and the setting where the model's
flags hold several values, are chosen by stratified cross-validation within the given graphs.`,
		Example: `  grove train gckn-subtree --data molecules -o model.grove
  grove train gckn-path --data MUTAG --path-size 3,5 --sigma 0.4,0.6 -o model.grove
  grove train gckn-path --data MUTAG --c 0.1 -o model.grove      # nothing left to choose`,
		Args: cobra.ArbitraryArgs,
		RunE: wantsModel,
	}
	addModels(c, true, func(model string) string {
		return "  grove train " + model + " --data MUTAG -o model.grove\n" +
			"  grove train " + model + " --data MUTAG --sigma 0.4,0.6 --cv 10 -o model.grove\n" +
			"  grove train " + model + " --data MUTAG --filters 64 --c 0.1 -o model.grove"
	}, func(c *cobra.Command, model string, flags modelFlags) error { return a.train(c, f, model, flags) })
	addFlags(c.PersistentFlags(), groupData, func(fs *pflag.FlagSet) {
		fs.StringVar(&f.data, "data", "", "`DIR` data set to read")
	})
	addFlags(c.PersistentFlags(), groupProtocol, func(fs *pflag.FlagSet) {
		fs.IntVar(&f.cv, "cv", 5, "`K` parts of the cross-validation that chooses setting and C")
		fs.Var(newSingle(&f.c, parseConstant), "c", "`C` constant of the classifier, in place of choosing it")
		addGridFlag(fs, &f.grid)
	})
	addFlags(c.PersistentFlags(), groupComputing, func(fs *pflag.FlagSet) {
		f.computing.addFlags(fs)
		fs.Uint64Var(&f.seed, "seed", 0, "`S` number that parts, sampled paths and anchors follow from")
	})
	addFlags(c.PersistentFlags(), groupOutput, func(fs *pflag.FlagSet) {
		fs.StringVarP(&f.out, "out", "o", "", "`FILE` model to write")
		a.addOutputFlags(fs)
	})
	return c
}

// trainReport is what grove train reports. Accuracies are in percent.
type trainReport struct {
	Model      string       `json:"model"`
	Dataset    string       `json:"dataset"`
	Graphs     int          `json:"n_graphs"`
	Device     string       `json:"device"`
	Setting    string       `json:"setting"`
	Params     any          `json:"params"`
	C          float64      `json:"c"`
	ChosenBy   string       `json:"chosen_by"`
	Training   float64      `json:"training_accuracy"`
	Validation *float64     `json:"cross_validated_accuracy,omitempty"` // at the choice; nothing without a choice
	Std        *float64     `json:"cross_validated_std,omitempty"`      // over the parts
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
	if f.c > 0 {
		if c.Flags().Changed("c-grid") {
			return usagef("--c and --c-grid: give one of the two")
		}
		f.grid = []float64{f.c}
	}
	d, err := dataset.Open(f.data)
	if err != nil {
		return err
	}
	if err := wantsClasses(model, f.data, d); err != nil {
		return err
	}
	if _, err := flags.fits(d); err != nil {
		return err
	}
	load := seconds(start)
	var spent stopwatch
	r := &trainReport{Model: model, Dataset: d.Name, Graphs: d.NumGraphs(), Device: describe(e), File: f.out, Notes: notesOn(d)}
	chosen, selecting, err := a.choose(c.Context(), f, d, flags, e, &spent, r)
	if err != nil {
		return err
	}
	s := flags.settings(d, e, &spent, a.progress.report)[chosen]
	r.Setting, r.Params = s.String(), s.params()

	p := &pipeline{head: head{Model: model, Task: graphTask, Classes: d.ClassNames}}
	if r.Training, err = p.fit(c.Context(), s, d, e, r.C, &spent, a.progress.report); err != nil {
		return err
	}
	p.Training = training{
		Dataset: d.Name, Graphs: r.Graphs, Setting: r.Setting, Seed: f.seed, C: r.C, ChosenBy: r.ChosenBy,
		Accuracy: r.Training, Validation: r.Validation,
	}
	if err := save(f.out, p); err != nil {
		return fmt.Errorf("--out %s: %w", f.out, plain(err))
	}
	r.Seconds = spent.spent(load, selecting, start)
	return a.emit(r, r.print)
}

// choose picks setting and C by cross-validation, if there is anything to pick, notes in r how, and
// returns the index of the setting and the time that classifiers took.
func (a *app) choose(ctx context.Context, f *trainFlags, d *dataset.Dataset, flags modelFlags, e engine.Engine, spent *stopwatch, r *trainReport) (int, time.Duration, error) {
	settings := flags.settings(d, narrow(e, 1), spent, nil) // the parts run beside each other
	if f.c > 0 && len(settings) == 1 {
		r.C, r.ChosenBy = f.c, "given"
		return 0, 0, nil
	}
	n := d.NumGraphs()
	parts := min(f.cv, n)
	if parts < 2 {
		return 0, 0, usagef("--c is missing: %s cannot be cross-validated to choose it", count(n, "graph"))
	}
	folds, err := eval.Stratified(d.Classes, parts, f.seed)
	if err != nil {
		return 0, 0, err
	}
	o, err := eval.Published(ctx, eval.Problem{
		Classes: d.Classes, Folds: folds, Settings: asEval(settings, f.grid), FromTrain: true, Workers: f.goroutines(),
		Progress: func(done, total int, _ string) { a.progress.report("choose setting and C", done, total) },
	})
	if err != nil {
		return 0, 0, err
	}
	best := o.Chosen[0]
	mean, std := rounded(100*o.Mean), rounded(100*o.Std)
	r.C, r.Validation, r.Std = best.Value, &mean, &std
	values := len(f.grid)
	if f.grid == nil {
		values = len(svm.CGrid())
	}
	r.ChosenBy = fmt.Sprintf("chosen among %s", count(values, "value"))
	if len(settings) > 1 {
		r.ChosenBy += " and " + count(len(settings), "setting")
	}
	r.ChosenBy += fmt.Sprintf(" by stratified %d-fold cross-validation", parts)
	return best.Setting, o.Select, nil
}

// fit fits a setting and its classifier on all graphs of d and returns the accuracy on them in percent.
func (p *pipeline) fit(ctx context.Context, s setting, d *dataset.Dataset, e engine.Engine, c float64, spent *stopwatch, report func(string, int, int)) (float64, error) {
	fitted, err := s.fit(ctx, nil)
	if err != nil {
		return 0, err
	}
	transforming := time.Now()
	x, err := fitted.graphs(ctx, d, report)
	if err != nil {
		return 0, err
	}
	spent.transforming(transforming)
	classifier, err := svm.FitClassifier(ctx, x, nil, d.Classes, []float64{c}, svm.Options{Workers: e.Workers()})
	if err != nil {
		return 0, err
	}
	p.network, p.classifier = fitted.(*network), classifier.Model(0)
	said, err := p.classifier.Predict(x, nil)
	return rounded(100 * eval.Accuracy(said, d.Classes)), err
}

func (r *trainReport) print(w io.Writer) {
	fmt.Fprintf(w, "%s trained on %s: %s\n", r.Model, r.Dataset, count(r.Graphs, "graph"))
	fact(w, "setting", "%s", r.Setting)
	fact(w, "C", "%s, %s", constant(r.C), r.ChosenBy)
	fact(w, "accuracy", "%.1f %% on the graphs it was trained on", r.Training)
	if r.Validation != nil {
		fact(w, "", "%.1f +- %.1f %% cross-validated at this choice (grove eval gives the honest figure)", *r.Validation, *r.Std)
	}
	for _, note := range r.Notes {
		fact(w, "note", "%s", note)
	}
	writeSeconds(w, r.Seconds)
	fact(w, "written to", "%s", r.File)
}
