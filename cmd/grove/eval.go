package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine/simd"
	"github.com/grove-graph/grove/eval"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/model/param"
	"github.com/grove-graph/grove/split"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// evalFlags are the flags of grove eval beside those of the model.
type evalFlags struct {
	computing
	source
	task, target, folds, inner string
	cv, repeats                int
	selection, anchors         string
	metric                     eval.Metric
	calibration                eval.Calibration
	halving                    bool
	seed                       uint64
	plot, predictions, html    string
	checkpoint                 string
}

// newEvalFlags returns the flags as they are where none is given.
func newEvalFlags() evalFlags { return evalFlags{selection: "nested", anchors: "train"} }

func newEval(a *app) *cobra.Command {
	flags := newEvalFlags()
	f := &flags
	c := &cobra.Command{
		Use:   "eval MODEL --data DIR",
		Short: "Measure the accuracy of a model by cross-validation",
		Long: `Measure how well a model predicts what it has not seen, by cross-validation. Every fold holds some
graphs back for the test and learns from the others. Where a data set asks about vertices, those are
held back, and their classes alone: all vertices belong to every part. Its published splits are used
unless --cv asks for others, and their validation parts choose the settings. --task edge (treeg and the
baselines majority, linear and static) predicts the labels of edges, which the model sees nowhere: folds
hold back whole graphs, or single edges where there are fewer graphs than folds.

Nested selection, the default, is the honest protocol: what is to be chosen (the constant C of a
classifier, a number of epochs, and the setting where the model's flags hold several values) is chosen
inside each training part by --metric, by a second cross-validation or on a part held out, and anchors
are learned from the training part alone. --selection published chooses what does best on the test folds
themselves, as the published experiments do (of several --repeats those of the first, and the others
measure it again), and --anchors all shows the model all graphs, without their classes; the figures are
optimistic. Every output says which protocol it comes from.

A long list of settings takes about half of the time with --halving: each is measured on the first inner
fold, the better half on the second too, of these the better half on the next two, and so on. What is
measured on all of them can be chosen.

What takes hours may be stopped, or go down: with --checkpoint FILE every setting in a fold is kept as soon as it
is measured, and the same command goes on from there, to the same figures. grove plan eval cuts a search into
parts for several machines.

Metrics of classes: accuracy; balanced-accuracy, the mean share of each class that is found; f1 and
weighted-f1, the mean over the classes, alike or by their size; roc-auc and average-precision, of the
second of two classes, or the mean of each against the rest; log-loss and brier, of probabilities, which
support vector machines have with --calibrate. Of numbers: rmse, mae and r2. A test part of one class has
no area under a curve; such folds are left out of its mean.`,
		Example: `  grove eval gckn-subtree --data molecules
  grove eval gckn-path --data MUTAG --folds folds/MUTAG --plot accuracy.svg
  grove eval gckn-path --data MUTAG --path-size 3,5 --sigma 0.4,0.6 --repeats 3
  grove eval gcn --data Cora --repeats 10
  grove eval gckn-path --data MUTAG --grid paper --path-size 3,5 --filters 32 --halving
  grove eval gckn-subtree --data MUTAG --grid paper --checkpoint search.state
  grove eval wl --data MUTAG --metric roc-auc --calibrate platt --predictions held-out.csv
  grove eval gckn-subtree --data MUTAG --folds folds/MUTAG --selection published --anchors all`,
		Args: knownModel,
		RunE: wantsModel,
	}
	addModels(c, func(model string) string {
		return "  grove eval " + model + " --data MUTAG\n" +
			"  grove eval " + model + " --data MUTAG --folds folds/MUTAG --json > result.json"
	}, func(c *cobra.Command, m *named) error { return a.eval(c, f, m) })
	addFlags(c.PersistentFlags(), groupData, f.addDataFlags)
	addFlags(c.PersistentFlags(), groupProtocol, func(fs *pflag.FlagSet) {
		f.addProtocolFlags(fs)
		fs.BoolVar(&f.halving, "halving", false,
			"drop the worse half of the settings after the first inner fold, and after the second, the fourth, ...")
	})
	addFlags(c.PersistentFlags(), groupComputing, func(fs *pflag.FlagSet) {
		f.computing.addFlags(fs)
		fs.Uint64Var(&f.seed, "seed", 0, "`S` number that folds and everything drawn at random follow from")
	})
	addFlags(c.PersistentFlags(), groupOutput, func(fs *pflag.FlagSet) {
		fs.StringVar(&f.plot, "plot", "", "`FILE` plot to write, .svg or .png")
		addHTMLFlag(fs, &f.html, "figures, curves, confusion, choices, and graphs that were predicted wrongly")
		fs.StringVar(&f.checkpoint, "checkpoint", "", "`FILE` what is measured, kept until all is; an evaluation that finds "+
			"it goes on from there, to the same bits")
		fs.StringVar(&f.predictions, "predictions", "",
			"`FILE` what is said of every example of a test part, as comma-separated values (--json has it too)")
		a.addOutputFlags(fs)
	})
	return c
}

// addDataFlags declares what is evaluated on what.
func (f *evalFlags) addDataFlags(fs *pflag.FlagSet) {
	f.source.addFlags(fs)
	addTaskFlags(fs, &f.task, &f.target)
	fs.StringVar(&f.folds, "folds", "", "`DIR` folds train_idx-1.txt, test_idx-1.txt, ... to use")
}

// addProtocolFlags declares how it is evaluated.
func (f *evalFlags) addProtocolFlags(fs *pflag.FlagSet) {
	f.addFoldFlags(fs)
	choiceVar(fs, &f.selection, "selection", []string{"nested", "published"},
		"how everything is chosen: inside each training part, or by the test folds")
	choiceVar(fs, &f.anchors, "anchors", []string{"train", "all"},
		"graphs that anchors (hierarchies, states) are learned from: the training part of each fold, or all")
	f.addMetricFlags(fs)
}

// addFoldFlags declares how examples are divided.
func (f *evalFlags) addFoldFlags(fs *pflag.FlagSet) {
	fs.IntVar(&f.cv, "cv", 10, "`K` stratified folds, where none are given")
	bound(fs, "cv", 2, param.Many)
	fs.IntVar(&f.repeats, "repeats", 1, "`R` times the cross-validation, each with other folds; on folds or published "+
		"splits that are given, each with the next seed")
	bound(fs, "repeats", 1, 1e4)
	fs.StringVar(&f.inner, "inner", f.inner,
		"`K|1/K|auto|DIR` inner folds of nested selection: K stratified ones, one of K parts held out, those in DIR/inner, "+
			"or auto: 1/10 where that is 200 examples or more, otherwise 5 (default 5, 1/10 for gcn and gin, and auto for "+
			"models that end in -sup)")
	fs.StringVar(&f.inner, "nested", f.inner, "`K|1/K|auto|DIR` the same as --inner")
	_ = fs.MarkHidden("nested")
}

// addMetricFlags declares what is measured.
func (f *evalFlags) addMetricFlags(fs *pflag.FlagSet) {
	choiceVar(fs, &f.metric, "metric", slices.Concat(eval.Metrics(false), eval.Metrics(true)),
		"what is chosen by (default accuracy of classes, rmse of numbers); all that apply are reported")
	choiceVar(fs, &f.calibration, "calibrate", eval.Calibrations(),
		"make probabilities of decisions: a sigmoid or a non-decreasing function, learned from what the models of the "+
			"inner folds say of the parts that they did not learn from")
}

// fits refuses what does not go with the targets of a data set.
func (f *evalFlags) fits(t *model.Targets, dataset string) error {
	if f.metric != "" && !slices.Contains(eval.Metrics(t.Regression()), f.metric) {
		what := "classes"
		if t.Regression() {
			what = "numbers"
		}
		return usagef("--metric %s: data set %s has %s to predict", f.metric, dataset, what)
	}
	if f.calibration != eval.Uncalibrated && t.Regression() {
		return usagef("--calibrate %s: data set %s has numbers to predict, which have no probabilities", f.calibration,
			dataset)
	}
	return nil
}

// check reports flags that do not fit each other.
func (f *evalFlags) check(c *cobra.Command) error {
	if err := requireFlags(c, "data"); err != nil {
		return err
	}
	given := c.Flags().Changed
	inner := given("inner") || given("nested")
	switch {
	case f.folds != "" && given("cv"):
		return usagef("--folds and --cv: give one of the two")
	case f.selection == "published" && inner:
		return usagef("--inner belongs to --selection nested; with published the test folds choose")
	}
	if f.selection == "published" && f.halving {
		return usagef("--halving belongs to --selection nested: it drops settings by inner folds")
	}
	if k, _, err := f.parseInner(); err == nil && k < 2 {
		return usagef("--inner %s: want at least 2 folds or parts", f.inner)
	} else if err != nil && f.folds == "" && f.inner != autoInner {
		return usagef("--inner %s: inner folds in a folder divide given folds: give --folds too", f.inner)
	}
	if f.selection == "published" && f.calibration != eval.Uncalibrated {
		return usagef("--calibrate belongs to --selection nested: the published protocol holds nothing out to learn it from")
	}
	if f.predictions != "" {
		if err := writable("--predictions", f.predictions); err != nil {
			return err
		}
	}
	if f.checkpoint != "" {
		if err := writable("--checkpoint", f.checkpoint); err != nil {
			return err
		}
	}
	if err := writableHTML(f.html); err != nil {
		return err
	}
	return writableFigure("--plot", f.plot)
}

// autoInner stands for inner folds by the size of the data, see [eval.Inner].
const autoInner = "auto"

// parseInner reads --inner: K folds, or 1/K for a part that is held out. Anything else is a folder.
func (f *evalFlags) parseInner() (k int, holdOut bool, err error) {
	text, holdOut := strings.CutPrefix(f.inner, "1/")
	k, err = strconv.Atoi(text)
	return k, holdOut, err
}

func (a *app) eval(c *cobra.Command, f *evalFlags, m *named) error {
	start := time.Now()
	s, r, err := a.search(c, f, m)
	if err != nil {
		return err
	}
	p, load := &s.Problem, seconds(start)
	a.progress.repeats = true
	p.Forecast = func(left time.Duration) { a.progress.forecast(left, extent(p)) }
	o, err := f.measure(c.Context(), s)
	if err != nil {
		return err
	}
	r.take(o, *p)
	if f.plot != "" {
		if err := r.draw(f.plot); err != nil {
			return err
		}
		r.Plot = f.plot
	}
	if f.predictions != "" {
		if err := writeFile("--predictions", f.predictions, r.writeHeldOut); err != nil {
			return err
		}
		r.File = f.predictions
	}
	r.Seconds = spent(p.Work.Spent, load, o.Select, start)
	r.Seconds.Before = roundSeconds(p.Checkpoint.Before())
	if f.html != "" {
		if p.Work, err = p.Work.InMemory(); err != nil { // some graphs are drawn
			return err
		}
		page, err := a.study(*p, r.Device, r.Notes).Evaluation(c.Context(), &r.Result, o, r.facts())
		if err == nil {
			err = writePage(f.html, page)
		}
		if err != nil {
			return err
		}
		r.Page = f.html
	}
	if err := a.emit(r, r.print); err != nil {
		return err
	}
	return removeCheckpoint(c)
}

// search is what grove eval is asked for: a problem, and by what protocol it is solved.
type search struct {
	eval.Problem
	published bool
}

// search reads the data and makes the problem, and begins the report.
func (a *app) search(c *cobra.Command, f *evalFlags, m *named) (*search, *evalReport, error) {
	if f.inner == "" {
		f.inner = m.family.Inner
	}
	if err := f.check(c); err != nil {
		return nil, nil, err
	}
	if m.family.Learns == "" && c.Flags().Changed("anchors") {
		return nil, nil, usagef("--anchors %s: %s learns nothing from graphs without their targets", f.anchors, m.name)
	}
	j, err := a.job(c, m, asked{f.source, f.task, f.target, f.seed}, &f.computing, f.cv*f.repeats)
	if err != nil {
		return nil, nil, err
	}
	d, t := j.Data, model.TargetsOf(j.Data)
	r := &evalReport{Notes: j.notes, data: d, targets: t, family: m.family}
	r.Model, r.Dataset, r.Graphs, r.Seed, r.Device = m.name, d.Name, d.NumGraphs(), f.seed, j.Engine.Describe()
	s := &search{published: f.selection == "published"}
	s.Problem = eval.Problem{
		Work: j.Work, Targets: t, Estimators: j.estimators, Metric: f.metric, Calibration: f.calibration,
		Repeats: f.repeats, Halving: f.halving,
		FromTrain: f.anchors == "train", Seed: f.seed, Workers: f.goroutines(),
		Progress: func(done, total int, _ string) { a.progress.report("evaluate", done, total) },
	}
	if err := f.fits(t, d.Name); err != nil {
		return nil, nil, err
	}
	if err := f.divide(c, d, &s.Problem, r); err != nil {
		return nil, nil, err
	}
	if err := f.redraw(c, m, j, &s.Problem, r); err != nil {
		return nil, nil, err
	}
	one := s.HoldOut || slices.ContainsFunc(s.InnerFolds, func(inner []split.Fold) bool { return len(inner) < 2 })
	if f.halving && one {
		return nil, nil, usagef("--halving drops settings between inner folds, of which there is one: give --inner 5")
	}
	if !s.FromTrain {
		j.Progress = a.progress.report
	}
	return s, r, nil
}

// by names the program and all else that decides about bits beside the problem.
func (s *search) by() string {
	return fmt.Sprintf("grove %s on %s with %s instructions", thisBuild(), kindOf(s.Work.Engine.String()), simd.Level())
}

// measure evaluates, with a checkpoint if there is to be one.
func (f *evalFlags) measure(ctx context.Context, s *search) (o *eval.Outcome, err error) {
	if f.checkpoint != "" {
		if s.Checkpoint, err = eval.OpenCheckpoint(f.checkpoint, s.by(), s.Problem, s.published); err != nil {
			return nil, usagef("--checkpoint %s: %v", f.checkpoint, plain(err))
		}
	}
	protocol := eval.Nested
	if s.published {
		protocol = eval.Published
	}
	o, err = protocol(ctx, s.Problem)
	if closed := s.Checkpoint.Close(); err == nil && closed != nil {
		err = fmt.Errorf("--checkpoint %s: %w", f.checkpoint, plain(closed))
	}
	return o, asUsage(err)
}

// redraw repeats folds that are given, each time with the next seed.
func (f *evalFlags) redraw(c *cobra.Command, m *named, j *job, p *eval.Problem, r *evalReport) (err error) {
	if f.repeats == 1 || !f.given(c, j.Data) {
		return nil
	}
	if f.selection == "published" {
		return usagef("--selection published with --repeats needs folds of its own: leave out --folds, and give --cv where " +
			"the data have published splits")
	}
	p.Redrawn = make([][]model.Estimator, f.repeats-1)
	for i := range p.Redrawn {
		if p.Redrawn[i], err = m.Estimators(j.Work, f.seed+uint64(i)+1); err != nil {
			return asUsage(err)
		}
	}
	p.Folds = slices.Repeat(p.Folds, f.repeats)
	if p.InnerFolds != nil {
		p.InnerFolds = slices.Repeat(p.InnerFolds, f.repeats)
	}
	r.FoldsFrom += fmt.Sprintf(", %d times", f.repeats)
	return nil
}

// given says whether folds are not drawn, but those of --folds or the published splits of the data.
func (f *evalFlags) given(c *cobra.Command, d *dataset.Dataset) bool {
	return f.folds != "" || len(d.Splits) > 0 && !c.Flags().Changed("cv")
}

// divide makes or reads the folds and says in r where they come from.
func (f *evalFlags) divide(c *cobra.Command, d *dataset.Dataset, p *eval.Problem, r *evalReport) (err error) {
	t := p.Targets
	switch {
	case f.folds != "" && t.Task != model.GraphTask:
		return usagef("--folds %s: folds in a folder are of graphs, data set %s asks about %s", f.folds, d.Name,
			t.Task.Plural())
	case f.folds != "":
		folds, err := dataset.ReadFolds(f.folds, d.NumGraphs())
		if err != nil {
			return err
		}
		if len(d.Skipped) > 0 {
			return usagef("--folds %s: they number all molecules, of which --skip-invalid left out %d", f.folds, len(d.Skipped))
		}
		for _, fold := range folds {
			p.Folds = append(p.Folds, split.Fold{Train: withTarget(t, fold.Train), Test: withTarget(t, fold.Test)})
		}
		r.FoldsFrom = fmt.Sprintf("%d from %s", len(folds), f.folds)
		if missing := t.Len() - len(t.Known()); missing > 0 {
			r.Notes = append(r.Notes, fmt.Sprintf("%s without a target in no part", model.Count(missing, t.Task.Noun())))
		}
		if err := f.readInner(folds, d.NumGraphs(), p, r); err != nil {
			return err
		}
	case f.given(c, d):
		f.publicSplits(c, d, p, r)
	default:
		n := len(t.Known())
		if f.cv > n {
			return usagef("--cv %d: the data set has only %s", f.cv, model.Count(n, t.Task.Noun()))
		}
		if p.Folds, err = eval.Folds(t, f.cv, f.repeats, f.seed); err != nil {
			return err
		}
		r.FoldsFrom = fmt.Sprintf("%d, stratified", f.cv)
		if t.Regression() {
			r.FoldsFrom = fmt.Sprintf("%d, drawn at random", f.cv)
		}
		if eval.Together(t, f.cv) {
			r.FoldsFrom = fmt.Sprintf("%d, of whole graphs drawn at random", f.cv)
		}
		if f.repeats > 1 {
			r.FoldsFrom += fmt.Sprintf(", %d times", f.repeats)
		}
	}
	k, holdOut, err := f.parseInner()
	if f.inner == autoInner {
		k, holdOut = eval.Inner(p.Folds)
		err = nil
	}
	if err == nil && f.selection == "nested" && p.InnerFolds == nil {
		p.Inner, p.HoldOut = k, holdOut
		r.Inner = fmt.Sprintf("%d, stratified", k)
		if holdOut {
			r.Inner = fmt.Sprintf("one, 1/%d of the training part held out", k)
		}
		if p.InnerFolds, err = eval.InnerOfGraphs(t, p.Folds, k, holdOut, f.seed); err != nil {
			return err
		}
		if p.InnerFolds != nil {
			r.Inner = strings.Replace(r.Inner, "stratified", "of whole graphs", 1)
		}
	}
	return nil
}

// withTarget returns those of some examples that have a target.
func withTarget(t *model.Targets, examples []int) []int {
	return slices.DeleteFunc(slices.Clone(examples), func(i int) bool { return !t.Has(i) })
}

// publicSplits takes the published splits of a data set, with their validation parts as inner folds.
func (f *evalFlags) publicSplits(c *cobra.Command, d *dataset.Dataset, p *eval.Problem, r *evalReport) {
	validated := f.selection == "nested" && !c.Flags().Changed("inner") && !c.Flags().Changed("nested")
	for _, s := range d.Splits {
		p.Folds = append(p.Folds, split.Fold{Train: s.Train, Test: s.Test})
		validated = validated && len(s.Validation) > 0
	}
	r.FoldsFrom = model.Count(len(d.Splits), "published split")
	if !validated {
		return
	}
	for _, s := range d.Splits {
		p.InnerFolds = append(p.InnerFolds, []split.Fold{{Train: s.Train, Test: s.Validation}})
	}
	r.Inner = "1 for each split, its validation part"
}

// readInner reads the inner folds of given folds, if --inner names a folder.
func (f *evalFlags) readInner(folds []dataset.Fold, n int, p *eval.Problem, r *evalReport) error {
	if _, _, err := f.parseInner(); err == nil || f.inner == autoInner {
		return nil
	}
	dir := filepath.Clean(f.inner)
	if filepath.Base(dir) == "inner" {
		dir = filepath.Dir(dir)
	}
	if info, err := os.Stat(filepath.Join(dir, "inner")); err != nil || !info.IsDir() {
		return usagef("--inner %s: want a number of folds, 1/K for a part held out, or a folder that holds "+
			"inner/train_idx-1.txt", f.inner)
	}
	inner, err := dataset.ReadInnerFolds(dir, n, folds)
	if err != nil {
		return err
	}
	for _, fold := range inner {
		part := split.Fold{Train: withTarget(p.Targets, fold.Train), Test: withTarget(p.Targets, fold.Validation)}
		p.InnerFolds = append(p.InnerFolds, []split.Fold{part})
	}
	r.Inner = "1 for each fold, from " + filepath.Join(dir, "inner")
	return nil
}
