package main

import (
	"context"
	"io"

	"github.com/grove-graph/grove/parts"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// planEvalFlags are the flags of grove plan eval beside those of the model.
type planEvalFlags struct {
	evalFlags
	cut
	out string
}

func newPlanEvalFlags() *planEvalFlags { return &planEvalFlags{evalFlags: newEvalFlags()} }

// newPlanEval returns grove plan eval; do is called with the command that runs and its model.
func newPlanEval(a *app, f *planEvalFlags, do func(c *cobra.Command, m *named) error) *cobra.Command {
	c := &cobra.Command{
		Use:   evalJob + " MODEL --data DIR --out search.state -o plan.json",
		Short: "Plan to search a long list of settings, some of them a part",
		Long: `Plan what grove eval measures of a long list of settings (--grid, or flags with several values), some of
which are a part. grove merge writes a checkpoint. The same line as grove eval, with --checkpoint in place of
--out and the plan, chooses from it and says the figures, to the bits of one machine however the list was cut; it
trains nothing more than what follows from the choice: published --repeats after the first. When the figures are
said the checkpoint is removed, as always: ask for --html, --plot and --predictions at once, or keep a copy.

What settings next to each other have in common is computed once in a part: of GCKN 9 settings of the grids that
differ in poolings alone share the anchors of paths, and 3 of them that differ in the last pooling an encoding.

A part is refused by another version of grove, on another kind of device or with other instructions of the
processor (GROVE_SIMD, see grove devices), and where the data or the folds are not those of the plan any more.`,
		Example: `  grove plan eval gckn-path --data MUTAG --folds folds/MUTAG --grid paper --out search.state -o plan.json
  grove run-part plan.json --index 0-153     # and 154-307 on another machine
  grove merge plan.json
  grove eval gckn-path --data MUTAG --folds folds/MUTAG --grid paper --checkpoint search.state`,
		Args: knownModel,
		RunE: wantsModel,
	}
	addModels(c, func(model string) string {
		return "  grove plan eval " + model + " --data MUTAG --out search.state -o plan.json"
	}, do)
	addFlags(c.PersistentFlags(), groupData, f.addDataFlags)
	addFlags(c.PersistentFlags(), groupProtocol, f.addProtocolFlags)
	addFlags(c.PersistentFlags(), groupComputing, func(fs *pflag.FlagSet) {
		f.addComputing(fs, &f.device, "part-settings", 9, "`N` settings of a part")
		fs.Uint64Var(&f.seed, "seed", 0, "`S` number that folds and everything drawn at random follow from")
	})
	addFlags(c.PersistentFlags(), groupOutput, func(fs *pflag.FlagSet) {
		f.addOutput(fs, &f.out, "checkpoint to write, for grove eval")
		a.addOutputFlags(fs)
	})
	return c
}

// planSearch writes the plan of a search.
func (a *app) planSearch(c *cobra.Command, f *planEvalFlags, m *named) error {
	if err := requireFlags(c, "data", "out", "plan"); err != nil {
		return err
	}
	out := parts.Output{Flag: "out", Path: f.out}
	if err := f.cut.check(f.data, out); err != nil {
		return err
	}
	s, _, err := a.search(c, &f.evalFlags, m)
	if err != nil {
		return err
	}
	p := &parts.Plan{Job: evalJob, Unit: "settings", Items: len(s.Estimators), Outputs: []parts.Output{out}}
	if p.Arguments, p.Inputs, err = s.line(c); err != nil {
		return err
	}
	p.Arguments = append([]string{m.name}, p.Arguments...)
	return a.writePlan(p, &f.cut, s.Work.Engine, nil)
}

// line is what a command line of the search is made of, see [plannedLine].
func (s *search) line(c *cobra.Command) (arguments []string, inputs []parts.Input, err error) {
	of, err := s.Digest(s.published)
	if err != nil {
		return nil, nil, asUsage(err)
	}
	arguments, inputs = plannedLine(c, of, map[string]string{"data": s.Work.Data.Digest()}, "part-settings")
	return arguments, inputs, nil
}

// searchPart writes what comes of the settings from one to the one before another, as [eval.Problem.WritePart] does.
func (w *partWorker) searchPart(ctx context.Context, from, to int, out io.Writer) error {
	if w.search == nil {
		if err := w.plannedSearch(ctx); err != nil {
			return err
		}
	}
	return asUsage(w.search.WritePart(ctx, out, w.search.by(), w.search.published, from, to))
}

// plannedSearch makes the search of a plan again and refuses data or folds that are not those of the plan.
func (w *partWorker) plannedSearch(ctx context.Context) error {
	f := newPlanEvalFlags()
	return w.again(ctx, newPlanEval(w.app, f, func(c *cobra.Command, m *named) error {
		f.computing = w.where
		s, _, err := w.app.search(c, &f.evalFlags, m)
		if err != nil {
			return err
		}
		_, inputs, err := s.line(c)
		if err != nil {
			return err
		}
		if err := w.sameAs(inputs); err != nil {
			return err
		}
		if n := len(s.Estimators); n != w.plan.Items {
			return refuse("%s: %d settings, and the plan is for %d", w.path, n, w.plan.Items)
		}
		w.search = s
		return nil
	}))
}
