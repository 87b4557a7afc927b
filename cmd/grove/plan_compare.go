package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/grove-graph/grove/eval"
	"github.com/grove-graph/grove/internal/digest"
	"github.com/grove-graph/grove/parts"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// planCompareFlags are the flags of grove plan compare.
type planCompareFlags struct {
	compareFlags
	cut
}

// newPlanCompare returns grove plan compare with its flags.
func newPlanCompare(a *app) (*cobra.Command, *planCompareFlags) {
	f := &planCompareFlags{compareFlags: compareFlags{evalFlags: newEvalFlags()}}
	c := &cobra.Command{
		Use:   compareJob + " [MODEL...] --data DIR --out comparison.json -o plan.json",
		Short: "Plan to compare models, a part for each fold of a model",
		Long: `Plan what grove compare does, or for a single model grove eval: every model on every fold, each of which is
a part of its own. grove merge writes the comparison, which says nothing of seconds and memory, for its bytes
are the same wherever the parts ran. grove compare with the same models and flags and -o comparison.json
prints its table and writes its page, and computes nothing but what a training costs.

A part is refused by another version of grove, on another kind of device or with other instructions of the
processor (GROVE_SIMD, see grove devices), and where the data or the folds are not those of the plan any more.`,
		Example: `  grove plan compare --data molecules --out comparison.json -o plan.json
  grove plan compare wl 'gckn-path --path-size 2,3,4' --data MUTAG --folds folds/MUTAG --choose \
    --out comparison.json -o plan.json`,
		RunE: func(c *cobra.Command, args []string) error { return a.planComparison(c, f, args) },
	}
	addFlags(c.Flags(), groupData, f.addDataFlags)
	addFlags(c.Flags(), groupProtocol, f.addProtocolFlags)
	addFlags(c.Flags(), groupComputing, func(fs *pflag.FlagSet) {
		f.addComputing(fs, &f.device, "part-folds", 1, "`N` folds of a part; those of a model share what is learned once")
		fs.Uint64Var(&f.seed, "seed", 0, "`S` number that folds and everything drawn at random follow from")
	})
	addFlags(c.Flags(), groupOutput, func(fs *pflag.FlagSet) {
		f.addOutput(fs, &f.out, "comparison to write, as JSON")
		a.addOutputFlags(fs)
	})
	return c, f
}

// planComparison writes the plan of a comparison.
func (a *app) planComparison(c *cobra.Command, f *planCompareFlags, args []string) error {
	if err := requireFlags(c, "data", "out", "plan"); err != nil {
		return err
	}
	out := parts.Output{Flag: "out", Path: f.out}
	if err := f.check(f.data, out); err != nil {
		return err
	}
	if _, err := os.Stat(f.out); err == nil {
		return usagef("--out %s: it is there already: remove it, or go on with it by grove compare", f.out)
	}
	l, err := f.read(c, args, nil)
	if err != nil {
		return err
	}
	x, err := a.entrants(c, f, l)
	if err != nil {
		return err
	}
	p := &parts.Plan{Job: compareJob, Unit: "folds", Items: len(x.Entrants) * len(x.Folds),
		Outputs: []parts.Output{out}}
	p.Arguments, p.Inputs = x.line(c)
	return a.writePlan(p, &f.cut, x.Work.Engine, x.kept.LeftOut)
}

// entrants reads the data and makes the entrants of a comparison, without what could be known of it.
func (a *app) entrants(c *cobra.Command, f *planCompareFlags, l *lineup) (*field, error) {
	general := f.general()
	if err := general.check(c); err != nil {
		return nil, err
	}
	return a.enter(c, &f.compareFlags, l)
}

// line is what a command line of the comparison is made of, see [plannedLine]: flags, and the models behind them.
func (x *field) line(c *cobra.Command) (arguments []string, inputs []parts.Input) {
	settings := []any{x.kept.FoldsDigest}
	for _, m := range x.kept.Models {
		settings = append(settings, m.Settings)
	}
	arguments, inputs = plannedLine(c, digest.Of(settings...), map[string]string{"data": x.kept.Digest},
		"part-folds", "models", "all")
	arguments = append(arguments, "--")
	for _, e := range x.Entrants {
		arguments = append(arguments, e.Name)
	}
	return arguments, inputs
}

// planned makes the comparison of a plan again and refuses data or folds that are not those of the plan.
func (w *partWorker) planned() (*field, *planCompareFlags, error) {
	c, f := newPlanCompare(w.app)
	if err := c.ParseFlags(w.line(w.plan.Arguments)); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", w.path, err)
	}
	f.computing = w.where
	l, err := f.read(c, c.Flags().Args(), nil)
	if err != nil {
		return nil, nil, err
	}
	x, err := w.entrants(c, f, l)
	if err != nil {
		return nil, nil, err
	}
	_, inputs := x.line(c)
	if err := w.sameAs(inputs); err != nil {
		return nil, nil, err
	}
	if n := len(x.Entrants) * len(x.Folds); n != w.plan.Items {
		return nil, nil, refuse("%s: %d folds of %d models, and the plan is for %d", w.path, len(x.Folds),
			len(x.Entrants), w.plan.Items)
	}
	x.kept.Device = fmt.Sprintf("%s (%s)", w.plan.Device, w.plan.Instructions)
	return x, f, nil
}

// testedFold is what a part says of a model on a fold.
type testedFold struct {
	Entrant int           `json:"entrant"`
	Tested  eval.KeptFold `json:"tested"`
}

// comparePart writes a line for each of the folds from one to the one before another, counted over all models.
func (w *partWorker) comparePart(ctx context.Context, from, to int, out io.Writer) error {
	if w.comparison == nil {
		x, _, err := w.planned()
		if err != nil {
			return err
		}
		w.comparison = x
	}
	x := w.comparison
	n := len(x.Folds)
	for at := from; at < to; {
		entrant, folds := at/n, []int(nil)
		for ; at < to && at/n == entrant; at++ {
			folds = append(folds, at%n)
		}
		name := x.Entrants[entrant].Name
		w.progress.report(name, 0, len(folds))
		var tested []testedFold
		if err := x.Test(ctx, entrant, folds, func(fold int, t *eval.Tested) error {
			t.Seconds = 0
			tested = append(tested, testedFold{entrant, eval.KeepFold(fold, t)})
			w.progress.report(name, len(tested), len(folds))
			return nil
		}); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		slices.SortFunc(tested, func(a, b testedFold) int { return a.Tested.Fold - b.Tested.Fold })
		for _, c := range tested {
			if err := json.NewEncoder(out).Encode(c); err != nil {
				return err
			}
		}
	}
	return nil
}

// mergeComparison writes the comparison that the parts of a plan make.
func (a *app) mergeComparison(ctx context.Context, p *parts.Plan, path string, with mergeFlags) error {
	if err := a.wanted(ctx, p, with); err != nil { // before anything is read
		return err
	}
	w := &partWorker{app: a, plan: p, path: path}
	if err := w.check(); err != nil {
		return err
	}
	w.where.device = "cpu" // nothing is trained
	x, f, err := w.planned()
	if err != nil {
		return err
	}
	for part := range p.Parts() {
		var lines bytes.Buffer
		if err := p.Result(part, 0, &lines); err != nil {
			return err
		}
		for d := json.NewDecoder(&lines); d.More(); {
			var c testedFold
			if err := d.Decode(&c); err != nil || c.Entrant < 0 || c.Entrant >= len(x.Entrants) {
				return fmt.Errorf("%s: the result of part %d is none of a comparison", path, part)
			}
			x.kept.Models[c.Entrant].Tested = append(x.kept.Models[c.Entrant].Tested, c.Tested)
		}
	}
	x.Known = x.kept.Known
	entries, err := eval.Compare(ctx, x.Comparison)
	if err != nil {
		return err
	}
	if err := x.kept.Finish(&x.Comparison, entries, f.choose); err != nil {
		return err
	}
	outputs, err := p.MergeBy(func(to io.Writer, _ int) error { return json.NewEncoder(to).Encode(&x.kept) })
	if err != nil {
		return err
	}
	return a.merged(p, path, with, outputs)
}
