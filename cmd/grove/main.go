// Command grove learns from graphs: it reads or generates data sets, evaluates, trains and applies models,
// and draws what a model looks at. Run grove --help for the first five minutes.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/grove-graph/grove/engine/simd"
	"github.com/grove-graph/grove/memory"
	"github.com/grove-graph/grove/model"
	"github.com/spf13/cobra"
)

// Exit statuses.
const (
	exitFailure     = 1
	exitUsage       = 2
	exitRefused     = 3   // a part of a plan whose bits could differ: to run it again helps nothing
	exitAgain       = 4   // a round of a plan is put together: there is another one
	exitInterrupted = 130 // 128 + SIGINT, as shells report it
)

// errAgain ends a command by [exitAgain], which has said everything.
var errAgain = errors.New("there is another round")

func main() {
	status, done := guard(os.Args[1:])
	if !done {
		memory.Spare()
		status = run(context.Background(), os.Args[1:], os.Stdout, standardError())
	}
	os.Exit(status)
}

// run executes one command line and returns its exit status. An error is one line on stderr.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	a := &app{line: args, out: stdout, progress: newProgress(stderr)}
	defer a.obeySignals(cancel)()

	err := a.execute(ctx)
	a.progress.clear()
	if err == nil {
		return 0
	}
	if ctx.Err() != nil {
		a.progress.finish(interrupted, true)
		return exitInterrupted
	}
	if errors.Is(err, errAgain) {
		return exitAgain
	}
	fmt.Fprintln(stderr, "grove: "+oneLine(err.Error()))
	var usage *usageError
	var refused *refusal
	switch {
	case errors.As(err, &usage):
		return exitUsage
	case errors.As(err, &refused):
		return exitRefused
	}
	return exitFailure
}

// execute runs the command and closes the devices that it has opened. A panic becomes an error, unless GOTRACEBACK asks
// for where it comes from.
func (a *app) execute(ctx context.Context) (err error) {
	defer func() {
		if os.Getenv("GOTRACEBACK") != "" {
			return
		}
		if cause := recover(); cause != nil {
			what, _, _ := strings.Cut(fmt.Sprint(cause), "\n") // its stack follows
			err = fmt.Errorf("a mistake in grove, please report it: %s (GOTRACEBACK=all tells where)", what)
		}
	}()
	if err := simd.Check(); err != nil {
		return &usageError{err}
	}
	root := newRoot(a)
	c, err := root.ExecuteContextC(ctx)
	return errors.Join(withRemedy(c, err), a.close())
}

// withRemedy says what to do where there is no room for a kernel matrix.
func withRemedy(c *cobra.Command, err error) error {
	var short *memory.Shortage
	if !errors.As(err, &short) {
		return err
	}
	switch f := model.FamilyOf(c.Name()); {
	case f == nil:
		return fmt.Errorf("%w: give it fewer graphs at a time", err)
	case slices.Contains(f.Verbs, model.Gram) && slices.Contains(f.Verbs, model.Embed):
		return fmt.Errorf("%w; gckn-path and treeg need no matrix, and grove embed %s compares graphs with few landmarks",
			err, c.Name())
	}
	return fmt.Errorf("%w; gckn-path and treeg need no matrix", err)
}

// oneLine joins the lines of a message.
func oneLine(text string) string {
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' })
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return strings.Join(lines, " ")
}
