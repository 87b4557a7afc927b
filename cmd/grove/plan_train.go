package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/internal/digest"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/parts"
	"github.com/grove-graph/grove/rounds"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// planTrainFlags are the flags of grove plan train beside those of the model.
type planTrainFlags struct {
	trainFlags
	cut
}

// newPlanTrain returns grove plan train; do is called with the command that runs and its model.
func newPlanTrain(a *app, f *planTrainFlags, do func(c *cobra.Command, m *named) error) *cobra.Command {
	c := &cobra.Command{
		Use:   trainJob + " MODEL --data STORE --out model.grove -o plan.json",
		Short: "Plan to train a model, in rounds of parts",
		Long: `Plan what grove train does on a store that no machine holds in memory. A training goes over the graphs several
times, each time with what came of the time before, so the plan has rounds: when all parts are done, grove merge
puts them together and writes the plan anew for the next round, and says so by exit status ` +
			fmt.Sprint(exitAgain) + `; the parts have the same
numbers in every round. After the last one it writes the model, to the bytes of grove train.

Planning chooses what is left open, as grove train does, on a sample of the graphs (--choose-on). What cannot be cut
is done when parts are put together.

A part is refused by another version of grove, on another kind of device or with other instructions of the
processor (GROVE_SIMD, see grove devices), and where the data are not those of the plan any more.`,
		Example: `  grove plan train gckn-path --data store --part-graphs 100000 --out model.grove -o plan.json
  status=` + fmt.Sprint(exitAgain) + `
  while [ $status = ` + fmt.Sprint(exitAgain) + ` ]; do
    grove run-part plan.json --index 0-9 && grove merge plan.json
    status=$?
  done`,
		Args: knownModel,
		RunE: wantsModel,
	}
	addModels(c, func(model string) string {
		return "  grove plan train " + model + " --data store --out model.grove -o plan.json"
	}, do)
	addFlags(c.PersistentFlags(), groupData, func(fs *pflag.FlagSet) {
		f.source.addFlags(fs)
		addTaskFlags(fs, &f.task, &f.target)
	})
	addFlags(c.PersistentFlags(), groupProtocol, f.addChoosing)
	addFlags(c.PersistentFlags(), groupComputing, func(fs *pflag.FlagSet) {
		f.addComputing(fs, &f.device, "part-graphs", 100000, "`N` graphs of a part")
		fs.Uint64Var(&f.seed, "seed", 0, "`S` number that everything drawn at random follows from")
	})
	addFlags(c.PersistentFlags(), groupOutput, func(fs *pflag.FlagSet) {
		f.addOutput(fs, &f.out, "model to write")
		a.addOutputFlags(fs)
	})
	return c
}

// planTraining writes the plan of a training.
func (a *app) planTraining(c *cobra.Command, f *planTrainFlags, m *named) error {
	if err := requireFlags(c, "data", "out", "plan"); err != nil {
		return err
	}
	out := parts.Output{Flag: "out", Path: f.out}
	if err := f.check(f.data, out); err != nil {
		return err
	}
	if dataset.FormatOf(f.data) != dataset.StoreFormat {
		return usagef("--data %s: only a store can be cut into parts; "+
			"make one with grove data convert %s --to shards --out STORE", f.data, f.data)
	}
	shards, err := dataset.OpenShards(f.data)
	if err != nil {
		return err
	}
	p := &parts.Plan{Job: trainJob, Unit: "graphs", Items: shards.NumGraphs(), Outputs: []parts.Output{out}}
	p.Arguments, p.Inputs = plannedLine(c, digest.Of(m.name), map[string]string{"data": shards.Digest()}, "part-graphs")
	p.Arguments = append([]string{m.name}, p.Arguments...)
	if err := shards.Close(); err != nil {
		return err
	}
	e, err := a.open(&f.computing, 0)
	if err != nil {
		return err
	}
	f.describe(p, e)
	if err := p.Place(f.plan); err != nil {
		return fmt.Errorf("--plan %s: %w", f.plan, plain(err))
	}
	known, err := p.Known()
	if err != nil {
		return err
	}
	_, before := os.Stat(known)
	if _, err = a.trainInRounds(c, f, m, rounds.Lead(known, "", nil)); err == nil {
		err = usagef("plan train %s: there is nothing to be cut into parts; use grove train", m.name)
	}
	var next *rounds.NextError
	if !errors.As(err, &next) {
		if before != nil { // what is known was not there before
			_ = p.DiscardRounds()
		}
		return err
	}
	if err := p.Next(next.Pass); err != nil {
		return fmt.Errorf("--plan %s: %w", f.plan, plain(err))
	}
	return a.emitPlanned(p, f.plan, nil)
}

// trainInRounds trains a model as grove train does, in the role that a process has.
func (a *app) trainInRounds(c *cobra.Command, f *planTrainFlags, m *named, by *rounds.Rounds) (*trainReport, error) {
	m.rounds = by
	j, err := a.job(c, m, asked{f.source, f.task, f.target, f.seed}, &f.computing, 1)
	if err != nil {
		return nil, err
	}
	defer func() { _ = j.Close() }()
	est, ok := j.estimators[0].(model.InRounds)
	if !ok {
		return nil, usagef("plan train: %s cannot be learned in rounds of parts; use grove train", m.name)
	}
	if err := est.InRounds(); err != nil {
		return nil, usagef("plan train %s: %v; use grove train", m.name, err)
	}
	if flag := c.Flags().Lookup("checkpoint"); flag != nil && flag.Changed {
		return nil, usagef("--checkpoint: what the rounds of a plan gave is kept beside the plan")
	}
	r := &trainReport{Model: m.name, Dataset: j.Data.Name, Graphs: j.Data.NumGraphs(), File: f.out}
	_, trained, err := a.fit(c.Context(), &f.trainFlags, m, j, r)
	if err != nil {
		return nil, err
	}
	return r, r.store(trained, f.seed)
}

// trained makes the training of a plan again, in the role that a process has; the model goes to a file.
func (w *partWorker) trained(ctx context.Context, out string, by *rounds.Rounds) error {
	f := &planTrainFlags{}
	shards, err := dataset.OpenShards(w.plan.Input("data"))
	if err != nil {
		return err
	}
	if err := errors.Join(w.same("data", shards.Digest()), shards.Close()); err != nil {
		return err
	}
	open := len(w.engines)
	defer func() { // a process may compute many parts
		for _, e := range w.engines[open:] {
			_ = e.Close()
		}
		w.engines = w.engines[:open]
	}()
	return w.again(ctx, newPlanTrain(w.app, f, func(c *cobra.Command, m *named) error {
		f.computing, f.trainFlags.out = w.where, out
		_, err := w.trainInRounds(c, f, m, by)
		return err
	}))
}

// trainPart computes the part of a round that has the graphs from one to the one before another.
func (w *partWorker) trainPart(ctx context.Context, from, to int, out io.Writer) error {
	known, err := w.plan.Known()
	if err != nil {
		return err
	}
	err = w.trained(ctx, os.DevNull, rounds.Take(known, w.plan.Pass, from, to, out))
	if errors.Is(err, rounds.ErrDone) {
		return nil
	}
	return err // nil where a merge was killed when all was known: the next one wants nothing of the parts
}

// mergeTraining puts the parts of a round together: into the plan of the next one, or into the model.
func (a *app) mergeTraining(ctx context.Context, p *parts.Plan, path string, f mergeFlags) error {
	if err := a.wanted(ctx, p, f); err != nil { // before anything is read
		return err
	}
	w := &partWorker{app: a, plan: p, path: path}
	if err := w.check(); err != nil {
		return err
	}
	known, err := p.Known()
	if err != nil {
		return err
	}
	out := p.Path(p.Outputs[0].Path)
	err = w.trained(ctx, out, rounds.Lead(known, p.Pass, func(visit func(r io.Reader) error) error {
		for part := range p.Parts() {
			a.merging(part, p.Parts())
			if err := visitResult(p, part, visit); err != nil {
				return err
			}
		}
		return ctx.Err()
	}))
	var next *rounds.NextError
	switch {
	case errors.As(err, &next):
		ended := *p
		if err := p.Next(next.Pass); err != nil {
			return err
		}
		if !f.keep {
			if err := ended.Discard(); err != nil {
				return err
			}
		}
		if err := a.emitPlanned(p, path, nil); err != nil {
			return err
		}
		return errAgain
	case err != nil:
		return err
	}
	info, err := os.Stat(out)
	if err != nil {
		return err
	}
	sum, err := parts.FileDigest(out)
	if err != nil {
		return err
	}
	if !f.keep {
		if err := p.DiscardRounds(); err != nil {
			return err
		}
	}
	return a.emitMerged(p, path, []parts.Merged{{Path: out, Bytes: info.Size(), SHA256: sum}})
}

// visitResult calls visit with the result of a part.
func visitResult(p *parts.Plan, part int, visit func(r io.Reader) error) error {
	file, err := p.OpenResult(part, 0)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	return visit(file)
}
