// Command grove-cluster runs the parts of a plan on many machines, by Temporal: each part as a process of grove, so
// that bits, refusals and receipts are those of the command. It is a module of its own, which keeps what a cluster
// needs out of the command line. Run grove-cluster --help for the first five minutes.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
)

// Exit statuses.
const (
	exitFailure     = 1
	exitUsage       = 2
	exitInterrupted = 130 // 128 + SIGINT, as shells report it
)

// usageError is a command line that cannot be meant.
type usageError struct{ error }

func usagef(format string, values ...any) error { return &usageError{fmt.Errorf(format, values...)} }

func main() { os.Exit(run(os.Args[1:])) }

// run executes one command line and returns its exit status. An error is one line on standard error.
func run(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	root := newRoot()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	fmt.Fprintln(os.Stderr, "grove-cluster: "+strings.Join(strings.Fields(err.Error()), " "))
	var usage *usageError
	switch {
	case ctx.Err() != nil:
		return exitInterrupted
	case errors.As(err, &usage):
		return exitUsage
	}
	return exitFailure
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "grove-cluster",
		Short: "Run the parts of a plan on many machines",
		Long: `Run the parts of a plan (grove plan --help) on many machines, by Temporal, which remembers what is done
whatever dies. What is written has the bytes of one machine.

On one machine there is nothing to set up:

  grove plan embed --model model.grove --data store --out rows.npy -o plan.json
  grove-cluster local --workers 2 plan.json

On several, which see the same files under the same names, one keeps the books, some work, and one asks:

  grove-cluster server --address 10.0.0.1:7233 --store books.db       # or a Temporal that you have
  grove-cluster worker --queue cpu --address 10.0.0.1:7233            # on each machine, as often as you like
  grove-cluster submit plan.json --address 10.0.0.1:7233

Where they see no files in common, a bucket of S3, or of what speaks like it, holds them: submit and local take
--bucket s3://BUCKET/PREFIX, and nothing else changes.

Workers come and go, and are killed, as they please: their parts run elsewhere. Who submits may leave and submit
again, which looks at the same work. A part that fails is tried again, and then named, while the others are done.`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &usageError{err} })
	root.AddCommand(newLocal(), newServer(), newWorker(), newSubmit(), newCancel())
	return root
}

// onePlan wants the name of a plan.
func onePlan(_ *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usagef("want one plan, the file that grove plan wrote")
	}
	return nil
}
