package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/grove-graph/grove/eval"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/report"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// compareFlags are the flags of grove compare: those of an evaluation, for several models.
type compareFlags struct {
	evalFlags
	lineupFlags
	out, html string
	ranks     []string
	choose    bool
}

func newCompare(a *app) *cobra.Command {
	f := &compareFlags{evalFlags: newEvalFlags()}
	c := &cobra.Command{
		Use:   "compare [MODEL...] --data DIR",
		Short: "Compare models on the same folds: how good, how sure, how fast",
		Long: `Compare models by nested cross-validation on the same folds: which one for these graphs, and is the
difference real? Without names all models that fit the data take part, on more than 1000 graphs gcn and gin
with fewer epochs than their own; with --all the slow ones too, and all as they are. A name may bring flags
of its model along, in quotes: 'treeg --estimators 20,50'; --models FILE holds such lines.

The table says the mean and standard deviation over the folds, p against the best model, and what one
training on all examples costs. t is the corrected resampled t-test (Nadeau and Bengio 2003), which knows
that training parts overlap; ranks is Wilcoxon's signed-rank test, which does not. Both are corrected for
the number of models (Holm 1979).

--choose chooses the model too inside each training part, by inner folds that are the same for all (--inner
auto where none are asked for). Its figure is the honest one of all models together, which the best of the
table is not. So is that of a vote: of all models whose score inside the training part is within one standard
error of the best (grove train auto --vote trains them), which name a class each. Where --metric judges scores,
such as roc-auc, it is within two, and the mean of probabilities counts that the inner folds make of what they
say.

-o FILE keeps all of it, every prediction included, and is written after every fold: a comparison that
finds its file goes on from there, and computes only what is missing; further models are added to it. With
--ranks FILE,... such files of other data sets the models are ranked over all of them (Demšar 2006), and
--plot draws which do not differ.`,
		Example: `  grove compare --data molecules -o comparison.json
  grove compare wl wl-oa gckn-subtree 'treeg --estimators 50' --data MUTAG --folds folds/MUTAG
  grove compare linear gin wl --data MUTAG --metric roc-auc --choose`,
		RunE: func(c *cobra.Command, args []string) error { return a.compare(c, f, args) },
	}
	addFlags(c.Flags(), groupData, f.addDataFlags)
	addFlags(c.Flags(), groupProtocol, f.addProtocolFlags)
	addFlags(c.Flags(), groupComputing, func(fs *pflag.FlagSet) {
		f.computing.addFlags(fs)
		fs.Uint64Var(&f.seed, "seed", 0, "`S` number that folds and everything drawn at random follow from")
	})
	addFlags(c.Flags(), groupOutput, func(fs *pflag.FlagSet) {
		fs.StringVarP(&f.out, "out", "o", "", "`FILE` comparison to keep, as JSON; one that is there is gone on with")
		addHTMLFlag(fs, &f.html, "table, curves, ranks, confusion, and graphs that were predicted wrongly")
		fs.StringSliceVar(&f.ranks, "ranks", nil,
			"`FILE,...` comparisons of the same models on other data: mean ranks over all of them, and which differ")
		fs.StringVar(&f.plot, "plot", "", "`FILE` critical-difference diagram of the ranks to write, .svg or .png")
		a.addOutputFlags(fs)
	})
	return c
}

// addDataFlags declares what is compared on what.
func (f *compareFlags) addDataFlags(fs *pflag.FlagSet) {
	f.evalFlags.addDataFlags(fs)
	f.lineupFlags.addFlags(fs)
}

// addProtocolFlags declares how it is compared.
func (f *compareFlags) addProtocolFlags(fs *pflag.FlagSet) {
	f.addFoldFlags(fs)
	f.addMetricFlags(fs)
	fs.BoolVar(&f.choose, "choose", false, "choose the model too inside each training part")
}

// general are the flags without the inner folds of a model, which come with it.
func (f *compareFlags) general() evalFlags {
	general := f.evalFlags
	general.inner = cmp.Or(general.inner, "5")
	return general
}

// field is what takes part in a comparison.
type field struct {
	eval.Comparison
	kept eval.Kept
}

func (a *app) compare(c *cobra.Command, f *compareFlags, args []string) error {
	start := time.Now()
	general := f.general()
	if err := general.check(c); err != nil {
		return err
	}
	if f.out != "" {
		if err := writable("--out", f.out); err != nil {
			return err
		}
	}
	if err := writableHTML(f.html); err != nil {
		return err
	}
	if f.plot != "" && len(f.ranks) == 0 {
		return usagef("--plot %s: it draws mean ranks over several data sets: name their comparisons by --ranks", f.plot)
	}
	var kept []string
	if f.out != "" {
		var err error
		if kept, err = eval.KeptModels(f.out); err != nil {
			return usagef("--out %s: %v", f.out, plain(err))
		}
	}
	l, err := f.read(c, args, kept)
	if err != nil {
		return err
	}
	x, err := a.enter(c, f, l)
	if err != nil {
		return err
	}
	if f.out != "" {
		if err := x.kept.GoOn(f.out); err != nil {
			return usagef("--out %s: %v", f.out, err)
		}
	}
	x.Known = x.kept.Known
	x.Keep = func(entrant, fold int, t *eval.Tested) error {
		x.kept.Add(entrant, fold, t)
		return x.save(f.out)
	}
	a.progress.repeats = true
	x.Watch = func(entrant, done, total int) { a.progress.report(x.Entrants[entrant].Name, done, total) }
	entries, err := eval.Compare(c.Context(), x.Comparison)
	if err != nil {
		return err
	}
	if err := noneLeft(entries); err != nil {
		return asUsage(err)
	}
	if err := x.kept.Finish(&x.Comparison, entries, f.choose); err != nil {
		return err
	}
	if err := a.measure(c.Context(), x, entries); err != nil {
		return err
	}
	if len(f.ranks) > 0 {
		if err := x.kept.Rank(f.ranks); err != nil {
			return usagef("--ranks %v", err)
		}
	}
	x.kept.Total = seconds(start)
	if err := x.save(f.out); err != nil {
		return err
	}
	if f.plot != "" {
		figure, err := report.Ranks(x.kept.Ranks, report.RanksTitle(x.kept.Ranks), 0)
		if err == nil {
			err = writeFigure("--plot", f.plot, figure)
		}
		if err != nil {
			return err
		}
	}
	if f.html != "" {
		study := a.study(x.Problem, x.kept.Device, x.kept.Notes)
		p, err := study.Comparison(c.Context(), x.Entrants, &x.kept, entries)
		if err != nil {
			return err
		}
		if err := writePage(f.html, p); err != nil {
			return err
		}
	}
	return a.emit(&x.kept, func(w io.Writer) { x.print(w, f) })
}

// enter reads the data and makes the entrants of the models that fit them. Where all models take part the others are
// left out.
func (a *app) enter(c *cobra.Command, f *compareFlags, l *lineup) (*field, error) {
	w, err := a.openAll(asked{f.source, f.task, f.target, f.seed}, &f.computing)
	if err != nil {
		return nil, err
	}
	x := &field{Comparison: eval.Comparison{Problem: eval.Problem{
		Work: w, Targets: model.TargetsOf(w.Data), Metric: f.metric, Calibration: f.calibration,
		Repeats: f.repeats, FromTrain: true, Seed: f.seed, Workers: f.goroutines(),
	}, Choose: f.choose}}
	if err := f.fits(x.Targets, w.Data.Name); err != nil {
		return nil, err
	}
	r := &evalReport{}
	general := f.general()
	if f.repeats > 1 && general.given(c, w.Data) {
		return nil, usagef("--repeats of a comparison needs folds of its own: leave out --folds, and give --cv where the " +
			"data have published splits")
	}
	if err := general.divide(c, w.Data, &x.Problem, r); err != nil {
		return nil, err
	}
	x.kept.FoldsFrom, x.kept.Device = r.FoldsFrom, w.Engine.Describe()
	x.kept.Notes = append(notesOn(w.Data), skippedNotes(w.Data)...)
	fit, left, err := l.fitting(w, f.seed)
	if err != nil {
		return nil, err
	}
	x.kept.LeftOut = left
	for _, m := range fit {
		entrant, err := f.entrant(c, x, m)
		if err != nil {
			return nil, usagef("model %q: %v", m.line, err)
		}
		x.Entrants = append(x.Entrants, *entrant)
	}
	return x, asUsage(x.kept.Settle(&x.Comparison))
}

// entrant makes an entrant of a model, with the inner folds that its family has or --inner names.
func (f *compareFlags) entrant(c *cobra.Command, x *field, m candidate) (*eval.Entrant, error) {
	own := f.evalFlags
	if own.inner == "" && f.choose { // scores of other parts are not to be compared
		own.inner = autoInner
	}
	own.inner = cmp.Or(own.inner, m.family.Inner)
	p := x.Problem
	p.Folds, p.InnerFolds = nil, nil // divide appends
	if err := own.divide(c, x.Work.Data, &p, &evalReport{}); err != nil {
		return nil, err
	}
	return &eval.Entrant{
		Name: m.line, Estimators: m.estimators, Inner: p.Inner, HoldOut: p.HoldOut, InnerFolds: p.InnerFolds,
	}, nil
}

// noneLeft is the error of the first model where all failed.
func noneLeft(entries []eval.Entry) error {
	for _, e := range entries {
		if e.Err == nil {
			return nil
		}
	}
	return fmt.Errorf("%s: %w", entries[0].Name, entries[0].Err)
}

// save keeps the comparison, where it is to be kept.
func (x *field) save(path string) error {
	if path == "" {
		return nil
	}
	if err := x.kept.Save(path); err != nil {
		return fmt.Errorf("--out %s: %w", path, plain(err))
	}
	return nil
}

// measure says of every model what one training and prediction cost, at the setting of the first fold.
func (a *app) measure(ctx context.Context, x *field, entries []eval.Entry) error {
	for i, e := range entries {
		m := &x.kept.Models[i]
		if e.Outcome == nil || m.Footprint != nil {
			continue
		}
		a.progress.report("measure "+e.Name, i, len(entries))
		chosen := e.Outcome.Chosen[0]
		var value []float64
		if chosen.Grid != "" {
			value = []float64{chosen.Value}
		}
		w := model.NewWork(x.Work.Data, x.Work.Engine)
		cost, err := eval.MeasureFootprint(ctx, w, x.Entrants[i].Estimators[chosen.Setting], value)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil { // a model that cannot be kept has no cost to show
			m.Footprint = cost
		}
	}
	return nil
}

// print writes the table, the best model first.
func (x *field) print(w io.Writer, f *compareFlags) {
	k := &x.kept
	what := ""
	if k.Task != model.GraphTask {
		what = ", " + model.Count(len(x.Targets.Known()), k.Task.Noun())
	}
	fmt.Fprintf(w, "%s on %s: %s%s\n", model.Count(len(x.Entrants), "model"), k.Dataset, model.Count(k.Graphs, "graph"),
		what)
	fact(w, "protocol", "%s", k.Protocol)
	fact(w, "folds", "%s", k.FoldsFrom)
	fact(w, "device", "%s", k.Device)
	fmt.Fprintln(w)
	x.printTable(w)
	if k.Chosen != nil {
		fmt.Fprintln(w)
		fact(w, "chosen", "%s, the model too chosen inside each training part: %s",
			written(k.Metric, k.Chosen.Mean, k.Chosen.Std), report.Choices(k))
	}
	if k.Voted != nil {
		fact(w, "voted", "%s, %s", written(k.Metric, k.Voted.Mean, k.Voted.Std), report.Votes(k))
	}
	if r := k.Ranks; r != nil {
		fmt.Fprintln(w)
		fact(w, "mean ranks", "over %s", strings.Join(r.Datasets, ", "))
		for i, m := range r.Models {
			fact(w, "", "%5.2f %s", r.Means[i], m)
		}
		fact(w, "", "two models differ (Nemenyi, level %g) where their ranks do by more than %.2f", r.Level, r.Difference)
	}
	for _, m := range k.Models {
		if m.Error != "" {
			fact(w, "failed", "%s: %s", m.Model, oneLine(m.Error))
		}
	}
	for _, l := range k.LeftOut {
		fact(w, "left out", "%s: %s", l.Model, l.Why)
	}
	writeNotes(w, k.Notes)
	fact(w, "seconds", "%.2f in all", k.Total)
	if f.out != "" {
		fact(w, "kept in", "%s", f.out)
	}
	if f.html != "" {
		fact(w, "page", "%s", f.html)
	}
	if f.plot != "" {
		fact(w, "plotted in", "%s", f.plot)
	}
}

// printTable writes a line for each model.
func (x *field) printTable(w io.Writer) {
	k := &x.kept
	order, width := report.Ordered(k), len("model")
	for _, i := range order {
		width = max(width, len([]rune(k.Models[i].Model)))
	}
	p := map[string]eval.KeptTest{}
	for _, t := range k.Tests {
		p[t.Model] = t
	}
	fmt.Fprintf(w, "%-*s  %-16s %7s %7s %10s %9s %9s %9s %9s\n", width, "model", k.Metric, "p (t)", "p (rk)", "evaluated",
		"train", "predict", "memory", "file")
	for _, i := range order {
		m := &k.Models[i]
		t, ranks := "best", ""
		if test, ok := p[m.Model]; ok {
			t, ranks = report.Probability(test.THolm), report.Probability(test.WilcoxonHolm)
		}
		cost := []string{"", "", "", ""}
		if f := m.Footprint; f != nil {
			cost = []string{report.Lasting(f.Train), report.Lasting(f.Predict), report.Bytes(float64(f.Memory)),
				report.Bytes(float64(f.Size))}
		}
		score := fmt.Sprintf("%.1f +- %.1f %%", m.Mean, m.Std)
		if !k.Metric.Share() {
			score = fmt.Sprintf("%.4g +- %.2g", m.Mean, m.Std)
		}
		fmt.Fprintf(w, "%-*s  %-16s %7s %7s %10s %9s %9s %9s %9s\n", width, m.Model, score, t, ranks,
			report.Lasting(m.Seconds), cost[0], cost[1], cost[2], cost[3])
	}
}
