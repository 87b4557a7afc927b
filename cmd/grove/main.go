// Command grove learns from graphs: it reads or generates data sets, evaluates, trains and applies models,
// and draws what a model looks at. Run grove --help for the first five minutes.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// Exit statuses.
const (
	exitFailure     = 1
	exitUsage       = 2
	exitInterrupted = 130 // 128 + SIGINT, as shells report it
)

func main() {
	os.Exit(run(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
}

// run executes one command line and returns its exit status. An error is one line on stderr.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	a := &app{line: args, out: stdout, progress: newProgress(stderr)}
	defer a.obeySignals(cancel)()

	root := newRoot(a)
	err := root.ExecuteContext(ctx)
	err = errors.Join(err, a.close())
	a.progress.clear()
	if err == nil {
		return 0
	}
	if ctx.Err() != nil {
		fmt.Fprintln(stderr, "grove: interrupted")
		return exitInterrupted
	}
	fmt.Fprintln(stderr, "grove: "+oneLine(err.Error()))
	var usage *usageError
	if errors.As(err, &usage) {
		return exitUsage
	}
	return exitFailure
}

// oneLine joins the lines of a message.
func oneLine(text string) string {
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' })
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return strings.Join(lines, " ")
}
