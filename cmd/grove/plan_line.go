package main

import (
	"context"
	"fmt"
	"os"
	"slices"

	"github.com/grove-graph/grove/parts"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// plannedLine is what a command line that is planned is made of: its flags, but for some that are about the plan, and
// the files that these name, with digests of what is read from them, either known by the name of the flag or all the
// same.
func plannedLine(
	c *cobra.Command, of string, known map[string]string, about ...string,
) (arguments []string, inputs []parts.Input) {
	roles := fileFlags()
	c.Flags().Visit(func(flag *pflag.Flag) {
		value := valueOf(flag)
		_, err := os.Stat(value)
		folder := (flag.Name == "inner" || flag.Name == "nested") && err == nil
		switch {
		case flag.Name == "device", flag.Name == "json", slices.Contains(about, flag.Name), roles[flag.Name] == isWritten:
		case known[flag.Name] != "":
			inputs = append(inputs, parts.Input{Flag: flag.Name, Path: value, Digest: known[flag.Name]})
		case roles[flag.Name] == isRead || folder:
			inputs = append(inputs, parts.Input{Flag: flag.Name, Path: value, Digest: of})
		default:
			arguments = append(arguments, "--"+flag.Name+"="+value)
		}
	})
	return arguments, inputs
}

// again executes a command for a model by the line of the plan, whose first argument is the model.
func (w *partWorker) again(ctx context.Context, c *cobra.Command) error {
	if len(w.plan.Arguments) == 0 {
		return fmt.Errorf("%s: a plan without a model", w.path)
	}
	c.SilenceErrors, c.SilenceUsage = true, true
	c.SetArgs(append(slices.Clone(w.plan.Arguments[:1]), w.line(w.plan.Arguments[1:])...))
	return c.ExecuteContext(ctx)
}

// line is the command line of the plan on this machine: its arguments with the inputs where they are.
func (w *partWorker) line(arguments []string) []string {
	var line []string
	for _, i := range w.plan.Inputs {
		line = append(line, "--"+i.Flag+"="+w.plan.Path(i.Path))
	}
	return append(line, arguments...)
}
