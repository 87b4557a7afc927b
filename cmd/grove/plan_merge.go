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
	keep := false
	c := &cobra.Command{
		Use:   "merge plan.json",
		Short: "Put the parts of a plan together",
		Long: `Write what the planned command would have written on one machine, from the results of all parts, whose
bytes are checked against their receipts; and remove these. Where parts are missing nothing is written, and
the line that says so names them as grove run-part --index and job schedulers take them.

Of a training it puts a round together and writes the plan of the next one, with exit status ` +
			fmt.Sprint(exitAgain) + `:
run the parts again, and merge again.`,
		Example: `  grove merge plan.json
  grove merge plan.json --keep      # leave the results of the parts where they are`,
		Args:        onePlan,
		Annotations: map[string]string{readsArguments: "plan.json"},
		RunE:        func(c *cobra.Command, args []string) error { return a.merge(c.Context(), args[0], keep) },
	}
	addFlags(c.Flags(), groupOutput, func(fs *pflag.FlagSet) {
		fs.BoolVar(&keep, "keep", false, "leave the results of the parts")
		a.addOutputFlags(fs)
	})
	return c
}

// mergeReport is what grove merge reports.
type mergeReport struct {
	Plan    string         `json:"plan"`
	Parts   int            `json:"parts"`
	Items   int            `json:"items"`
	Outputs []parts.Merged `json:"outputs"`
}

func (a *app) merge(ctx context.Context, path string, keep bool) error {
	p, err := parts.Open(path)
	if err != nil {
		return err
	}
	if p.Job == trainJob {
		return a.mergeTraining(ctx, p, path, keep)
	}
	var outputs []parts.Merged
	if p.Job == compareJob {
		outputs, err = a.mergeComparison(ctx, p, path)
	} else {
		outputs, err = p.Merge(ctx, func(done, of int) { a.progress.report("merge", done, of) })
	}
	var missing *parts.MissingError
	if errors.As(err, &missing) {
		return wantsParts(path, missing)
	}
	if err != nil {
		return err
	}
	if !keep {
		if err := p.Discard(); err != nil {
			return err
		}
	}
	return a.emitMerged(p, path, outputs)
}

// wantsParts says how to compute the parts that are missing.
func wantsParts(path string, missing *parts.MissingError) error {
	return fmt.Errorf("%s: %w (grove run-part %s --index %s)", path, missing, path, missing.Ranges())
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
