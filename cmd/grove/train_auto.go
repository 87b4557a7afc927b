package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/grove-graph/grove/eval"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/report"
	"github.com/grove-graph/grove/vote"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// autoFlags are the flags of grove train auto.
type autoFlags struct {
	*trainFlags
	lineupFlags
	metric eval.Metric
	vote   bool
}

// newAuto returns grove train auto, which chooses the model too.
func newAuto(a *app, of *trainFlags) *cobra.Command {
	f := &autoFlags{trainFlags: of}
	c := &cobra.Command{
		Use:   "auto [MODEL...] --data DIR -o model.grove",
		Short: "Train the model that does best",
		Long: `Choose among models, and among what their flags leave open, by cross-validation within the given data;
train the best one on all of it and store it. Without names all models that fit the data take part, on more
than 1000 graphs gcn and gin with fewer epochs than their own; with --all the slow ones too, and all as they
are. A name may bring flags of its model along, in quotes; --models FILE holds such lines.

With --vote all models are trained that are within one standard error of the best, and decide together: the
class that most of them name. Where --metric judges scores, such as roc-auc, it is within two, and the mean of
probabilities counts that cross-validation makes of what they say. What it cannot tell apart often decides
better together.

The score at the choice is optimistic, for it is the best of several. grove compare --choose, with the same
names, measures the choice itself, and the vote, on data that it has not seen.`,
		Example: `  grove train auto --data molecules -o model.grove
  grove train auto wl gckn-subtree 'treeg --estimators 20,50' --data MUTAG --metric roc-auc -o model.grove
  grove train auto --vote --data molecules -o model.grove`,
		RunE: func(c *cobra.Command, args []string) error { return a.trainAuto(c, f, args) },
	}
	addFlags(c.Flags(), groupData, f.lineupFlags.addFlags)
	addFlags(c.Flags(), groupProtocol, func(fs *pflag.FlagSet) {
		choiceVar(fs, &f.metric, "metric", slices.Concat(eval.Metrics(false), eval.Metrics(true)),
			"what is chosen by (default accuracy of classes, rmse of numbers)")
		fs.BoolVar(&f.vote, "vote", false, "train all models that do as well as the best, to vote")
	})
	return c
}

// triedModel is a model among which grove train auto chose.
type triedModel struct {
	Model   string   `json:"model"`
	Mean    *float64 `json:"mean"` // at its best setting, nothing where it failed
	Std     *float64 `json:"std"`
	Seconds float64  `json:"seconds"`
	Error   string   `json:"error,omitempty"`
}

func (a *app) trainAuto(c *cobra.Command, f *autoFlags, args []string) error {
	start := time.Now()
	l, err := f.read(c, args, nil)
	if err != nil {
		return err
	}
	if err := wantsOut(c, f.out); err != nil {
		return err
	}
	if err := writableHTML(f.html); err != nil {
		return err
	}
	w, err := a.openAll(asked{f.source, f.task, f.target, f.seed}, &f.computing)
	if err != nil {
		return err
	}
	metrics := &evalFlags{metric: f.metric}
	if err := metrics.fits(model.TargetsOf(w.Data), w.Data.Name); err != nil {
		return err
	}
	if f.vote && model.TargetsOf(w.Data).Regression() {
		return usagef("--vote: a vote decides for a class, and data set %s has numbers to predict: leave it out", w.Data.Name)
	}
	fit, left, err := l.fitting(w, f.seed)
	if err != nil {
		return err
	}
	load := seconds(start)
	r := &trainReport{Dataset: w.Data.Name, Graphs: w.Data.NumGraphs(), Device: w.Engine.Describe(), File: f.out,
		Notes: append(notesOn(w.Data), skippedNotes(w.Data)...), LeftOut: left}
	able, err := a.tryModels(c.Context(), f, w, fit, r)
	if err != nil {
		return err
	}
	w.Progress = a.progress.report
	best, trained, err := r.fitChosen(c.Context(), f.vote, w, able)
	if err != nil {
		return asUsage(err)
	}
	if err := r.score(c.Context(), trained, w); err != nil {
		return err
	}
	if err := r.store(trained, f.seed); err != nil {
		return err
	}
	r.Seconds = spent(w.Spent, load, best.Select, start)
	if f.html != "" {
		if err := f.writePage(best.named, &job{Work: w}, r, best.Chosen, trained); err != nil {
			return err
		}
		r.Page = f.html
	}
	return a.emit(r, r.print)
}

// tried is a model with its best setting and the score of that.
type tried struct {
	*candidate
	*eval.Chosen
}

// tryModels cross-validates the models one after another, and notes the scores of all. A model that fails, for want of
// memory for instance, is passed over.
func (a *app) tryModels(
	ctx context.Context, f *autoFlags, w *model.Work, fit []candidate, r *trainReport,
) (able []tried, err error) {
	var failed error
	a.progress.repeats = true
	for i := range fit {
		since := time.Now()
		chosen, err := eval.Choose(ctx, w, fit[i].estimators, eval.Choosing{
			Folds: f.cv, On: f.enough(), Seed: f.seed, Workers: f.goroutines(), Metric: f.metric, Validated: true,
			Progress: func(done, total int, _ string) { a.progress.report("try "+fit[i].line, done, total) },
		})
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		one := triedModel{Model: fit[i].line, Seconds: seconds(since)}
		if err != nil {
			one.Error = oneLine(err.Error())
			if failed == nil {
				failed = fmt.Errorf("%s: %w", fit[i].line, err)
			}
			r.Tried = append(r.Tried, one)
			continue
		}
		mean, std := chosen.Metric.InUnits(chosen.Score), chosen.Metric.InUnits(chosen.Std)
		if !math.IsNaN(mean) {
			one.Mean, one.Std = &mean, &std
		}
		r.Tried = append(r.Tried, one)
		able = append(able, tried{&fit[i], chosen})
	}
	if able == nil {
		return nil, asUsage(failed)
	}
	return able, nil
}

// fitChosen trains the best of the models that were tried, of equal ones the first; together, all that are within a
// standard error of it. It returns the best one, too, with what is to be said of the choice.
func (r *trainReport) fitChosen(
	ctx context.Context, together bool, w *model.Work, able []tried,
) (best *tried, trained model.Model, err error) {
	scores, errors := make([]float64, len(able)), make([]float64, len(able))
	for i, t := range able {
		if scores[i] = t.Score; t.Voice != nil {
			errors[i] = t.Voice.Error
		}
	}
	metric := able[0].Metric
	voters := eval.Voters(metric, scores, errors)
	if len(voters) == 0 { // no score is a number
		voters = []int{0}
	}
	best = &able[voters[0]]
	among := best.By
	if n := len(r.Tried); n > 1 {
		best.By = fmt.Sprintf("the best of %d models; %s", n, among)
	}
	if !together {
		voters = voters[:1]
	}
	var members []model.Model
	var sigmoids []model.Sigmoids
	var lines []string
	for _, i := range voters {
		est := able[i].estimators[able[i].Setting]
		seen, err := est.Sees(w)
		if err != nil {
			return nil, nil, err
		}
		m, err := model.FitWork(ctx, w, est, able[i].Values())
		if err != nil {
			return nil, nil, err
		}
		m.About().Training.ChosenBy = able[i].By
		members, lines = append(members, m), append(lines, able[i].line)
		if metric.Averages() && len(voters) > 1 {
			sigmoids = append(sigmoids, able[i].Voice.Sigmoids)
		}
		r.Notes = append(r.Notes, able[i].leftOut(w.Data, seen)...)
	}
	if len(members) == 1 {
		r.Model = best.name
		r.take(best.estimators[best.Setting], best.Chosen)
		return best, members[0], nil
	}
	all, err := vote.New(members...)
	if metric.Averages() {
		all, err = vote.NewAverage(members, sigmoids)
	}
	if err != nil {
		return nil, nil, err
	}
	voted := tried{best.candidate, &eval.Chosen{Metric: metric, Choice: eval.Choice{Score: math.NaN()}, Std: math.NaN(),
		By: fmt.Sprintf("%d of %d models, all within %s of the best; that %s", len(members), len(r.Tried),
			[]string{"a standard error", "two standard errors"}[metric.Within()-1], among), Select: best.Select}}
	r.Model, r.Setting, r.ChosenBy, r.Metric = all.Model, strings.Join(lines, ", "), voted.By, metric
	all.Training.Setting = r.Setting
	return &voted, all, nil
}

// printTried writes the scores of the models among which one was chosen, the best first.
func (r *trainReport) printTried(w io.Writer) {
	rank := func(m triedModel) float64 {
		if m.Mean == nil {
			return math.Inf(1)
		}
		return r.Metric.Rank(*m.Mean)
	}
	order := slices.Clone(r.Tried)
	slices.SortStableFunc(order, func(a, b triedModel) int { return cmp.Compare(rank(a), rank(b)) })
	for i, m := range order {
		name := ""
		if i == 0 {
			name = "tried"
		}
		text := m.Error
		if m.Mean != nil {
			text = written(r.Metric, *m.Mean, *m.Std)
		}
		fact(w, name, "%s: %s, %s", m.Model, text, report.Lasting(m.Seconds))
	}
	for _, l := range r.LeftOut {
		fact(w, "left out", "%s: %s", l.Model, l.Why)
	}
}
