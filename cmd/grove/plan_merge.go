package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/grove-graph/grove/parts"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func newMerge(a *app) *cobra.Command {
	var f mergeFlags
	c := &cobra.Command{
		Use:   "merge plan.json",
		Short: "Put the parts of a plan together",
		Long: `Write what the planned command would have written on one machine, from the results of all parts, whose
bytes are checked against their receipts; and remove these. Where parts are missing nothing is written, and
the line that says so names them as grove run-part --index and job schedulers take them. With --wait it waits
for them instead, and puts together what is there in the meantime, so that little is left to do after the last.

Of a training it puts a round together and writes the plan of the next one, with exit status ` +
			fmt.Sprint(exitAgain) + `:
run the parts again, and merge again.`,
		Example: `  grove merge plan.json
  grove merge plan.json --keep      # leave the results of the parts where they are
  grove merge plan.json --wait      # while the parts are computed`,
		Args:        onePlan,
		Annotations: map[string]string{readsArguments: "plan.json"},
		RunE:        func(c *cobra.Command, args []string) error { return a.merge(c.Context(), args[0], f) },
	}
	addFlags(c.Flags(), groupOutput, func(fs *pflag.FlagSet) {
		fs.BoolVar(&f.keep, "keep", false, "leave the results of the parts")
		fs.BoolVar(&f.wait, "wait", false, "wait for parts that are missing")
		a.addOutputFlags(fs)
	})
	return c
}

// mergeFlags are the flags of grove merge.
type mergeFlags struct{ keep, wait bool }

// mergeReport is what grove merge reports.
type mergeReport struct {
	Plan    string         `json:"plan"`
	Parts   int            `json:"parts"`
	Items   int            `json:"items"`
	Outputs []parts.Merged `json:"outputs"`
}

func (a *app) merge(ctx context.Context, path string, f mergeFlags) error {
	p, err := parts.Open(path)
	if err != nil {
		return err
	}
	switch p.Job {
	case trainJob:
		err = a.mergeTraining(ctx, p, path, f)
	case compareJob:
		err = a.mergeComparison(ctx, p, path, f)
	default:
		var outputs []parts.Merged
		outputs, err = p.Merge(ctx, f.wait, a.merging)
		if err == nil {
			err = a.merged(p, path, f, outputs)
		}
	}
	if missing := (*parts.MissingError)(nil); errors.As(err, &missing) {
		return fmt.Errorf("%s: %w (grove run-part %s --index %s)", path, err, path, missing.Ranges())
	}
	return err
}

// merging tells how far a merge has come.
func (a *app) merging(done, of int) { a.progress.report("merge", done, of) }

// wanted waits for the parts of a plan, or says which are missing.
func (a *app) wanted(ctx context.Context, p *parts.Plan, f mergeFlags) error {
	if f.wait {
		for part := range p.Parts() {
			a.merging(part, p.Parts())
			if err := p.Wait(ctx, part); err != nil {
				return err
			}
		}
	}
	if missing := p.Missing(); missing != nil {
		return &parts.MissingError{Parts: missing, Of: p.Parts()}
	}
	return nil
}

// merged removes the results of the parts, whose outputs are there, and says what was written.
func (a *app) merged(p *parts.Plan, path string, f mergeFlags, outputs []parts.Merged) error {
	if !f.keep {
		if err := p.Discard(); err != nil {
			return err
		}
	}
	return a.emitMerged(p, path, outputs)
}

// emitMerged says what was written.
func (a *app) emitMerged(p *parts.Plan, path string, outputs []parts.Merged) error {
	r := mergeReport{path, p.Parts(), p.Items, outputs}
	return a.emit(r, func(w io.Writer) {
		for _, o := range r.Outputs {
			fmt.Fprintf(w, "%s: %d bytes of %d parts, SHA-256 %s\n", o.Path, o.Bytes, r.Parts, o.SHA256)
		}
	})
}
