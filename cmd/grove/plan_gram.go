package main

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/grove-graph/grove/internal/digest"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/parts"
	"github.com/grove-graph/grove/split"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"gorgonia.org/tensor"
)

// planGramFlags are the flags of grove plan gram beside those of the model.
type planGramFlags struct {
	gramFlags
	cut
}

// newPlanGram returns grove plan gram; do is called with the command that runs and its model.
func newPlanGram(a *app, f *planGramFlags, do func(c *cobra.Command, m *named) error) *cobra.Command {
	c := &cobra.Command{
		Use:   gramJob + " MODEL --data DIR --out K.npy -o plan.json",
		Short: "Plan to write the matrix of a kernel, some rows a part",
		Long: `Plan what grove gram does, for a matrix that is too much for one machine's time or memory: a part computes
some of its rows, with memory for these alone. With --nystrom the rows are features by so many landmarks, for
graphs whose matrix no disk holds. Kernels that know no rows by themselves are refused: that of dwl-oa, whose
weights depend on all of them.

A part is refused by another version of grove, on another kind of device or with other instructions of the
processor (GROVE_SIMD, see grove devices), and where the data are not those of the plan any more.`,
		Example: `  grove plan gram wl-oa --data molecules --part-rows 1000 --out K.npy -o plan.json
  grove run-part plan.json --index 0-9`,
		Args: knownModel,
		RunE: wantsModel,
	}
	addModels(c, func(model string) string {
		return "  grove plan gram " + model + " --data molecules --out K.npy -o plan.json"
	}, do)
	addFlags(c.PersistentFlags(), groupData, f.source.addFlags)
	addFlags(c.PersistentFlags(), groupComputing, func(fs *pflag.FlagSet) {
		f.addComputing(fs, &f.device, "part-rows", 500, "`N` rows of a part")
		fs.Uint64Var(&f.seed, "seed", 0, "`S` number that everything drawn at random follows from")
		f.addNystrom(fs)
	})
	addFlags(c.PersistentFlags(), groupOutput, func(fs *pflag.FlagSet) {
		f.addOutput(fs, &f.out, "matrix to write")
		a.addOutputFlags(fs)
	})
	return c
}

// planGram writes the plan of a kernel matrix.
func (a *app) planGram(c *cobra.Command, f *planGramFlags, m *named) error {
	if err := requireFlags(c, "data", "out", "plan"); err != nil {
		return err
	}
	out := parts.Output{Flag: "out", Path: f.out}
	if err := f.check(f.data, out); err != nil {
		return err
	}
	j, _, err := a.rowsOfKernel(c, f, m)
	if err == nil {
		err = f.fits(j)
	}
	if err != nil {
		return err
	}
	p := &parts.Plan{Job: gramJob, Unit: "rows", Items: j.Data.NumGraphs(), Outputs: []parts.Output{out}}
	p.Arguments, p.Inputs = plannedLine(c, digest.Of(m.name), map[string]string{"data": j.Data.Digest()}, "part-rows")
	p.Arguments = append([]string{m.name}, p.Arguments...)
	return a.writePlan(p, &f.cut, j.Engine, nil)
}

// rowsOfKernel reads the data for a kernel whose rows can be computed one without the other.
func (a *app) rowsOfKernel(c *cobra.Command, f *planGramFlags, m *named) (*job, model.RowGrammer, error) {
	j, err := a.job(c, m, asked{source: f.source, seed: f.seed}, &f.computing, 1)
	if err != nil {
		return nil, nil, err
	}
	if j.Data.Task.PerVertex() {
		return nil, nil, fmt.Errorf("%s compares graphs; data set %s has a task for every vertex", m.name, j.Data.Name)
	}
	rows, ok := j.estimators[0].(model.RowGrammer)
	if !ok {
		return nil, nil, usagef("plan gram: the rows of the kernel of %s depend on all graphs; use grove gram", m.name)
	}
	return j, rows, nil
}

// gramPart writes the rows from one to the one before another, with the head of the file in front of the first.
func (w *partWorker) gramPart(ctx context.Context, from, to int, out io.Writer) error {
	if w.rows == nil {
		if err := w.startGram(ctx); err != nil {
			return err
		}
	}
	k, err := w.rows(ctx, split.All(to)[from:])
	if err != nil {
		return err
	}
	rows := &npyWriter{w: out}
	if from == 0 {
		if rows, err = newNPY(out, tensor.Float64, w.plan.Items, k.Shape()[1]); err != nil {
			return err
		}
	}
	return rows.write(nil, k)
}

// startGram reads the data of the plan and prepares the kernel.
func (w *partWorker) startGram(ctx context.Context) error {
	f := &planGramFlags{}
	if len(w.plan.Arguments) == 0 {
		return fmt.Errorf("%s: a plan without a model", w.path)
	}
	c := newPlanGram(w.app, f, func(c *cobra.Command, m *named) error {
		f.computing = w.where
		j, rows, err := w.rowsOfKernel(c, f, m)
		if err != nil {
			return err
		}
		if err := w.same("data", j.Data.Digest()); err != nil {
			return err
		}
		if n := j.Data.NumGraphs(); n != w.plan.Items {
			return refuse("%s: %d graphs, and the plan is for %d", w.path, n, w.plan.Items)
		}
		j.Progress = w.progress.report
		w.rows, err = f.rows(ctx, rows, j)
		return err
	})
	c.SilenceErrors, c.SilenceUsage = true, true
	c.SetArgs(append(slices.Clone(w.plan.Arguments[:1]), w.line(w.plan.Arguments[1:])...))
	return c.ExecuteContext(ctx)
}
