package main

import (
	"io"
	"strings"

	"github.com/grove-graph/grove/engine"
	"github.com/spf13/cobra"
)

func init() { cobra.EnableCommandSorting = false } // commands stand in the order in which a newcomer needs them

// app is what all commands of one run share.
type app struct {
	line     []string // the command line
	out      io.Writer
	progress *progress
	json     bool
	engines  []engine.Engine // opened by the command
}

// newRoot returns the whole tree of commands.
func newRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:   "grove",
		Short: "Learning on graphs: evaluate, train, apply and explain models",
		Long: `Grove learns from graphs: molecules, proteins, social networks. It evaluates models by
cross-validation, trains them, applies them and draws what they look at.

The first five minutes:

  grove data synth molecules --out molecules     generate molecule-like graphs of two classes
  grove data info molecules                      look at what is in them
  grove eval gckn-subtree --data molecules       how well can the classes be told apart?
  grove train gckn-subtree --data molecules -o model.grove
  grove predict --model model.grove --data molecules -o predictions.csv
  grove explain --model model.grove --data molecules --index 0-5 -o explanation.svg

Your own graphs: write them in the TU format (see grove data convert --help).

The environment variable GROVE_SIMD=portable|avx2|avx512 names the instruction set of the processor, so
that other machines come to the same bits (see grove devices --help).`,
		Version:           thisBuild().String(),
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		Args:              knownCommand,
		RunE:              showHelp,
	}
	root.SetOut(a.out)
	root.SetErr(a.progress.out)
	root.SetVersionTemplate("grove {{.Version}}\n")
	root.SetUsageFunc(func(c *cobra.Command) error { return writeHelp(c.OutOrStderr(), c, false) })
	root.SetHelpFunc(func(c *cobra.Command, _ []string) { _ = writeHelp(c.OutOrStdout(), c, true) })
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return flagError(c, a.line, err) })
	root.SetArgs(a.line)
	root.AddCommand(newData(a), newEval(a), newCompare(a), newTrain(a), newPredict(a), newExplain(a), newDump(a),
		newEmbed(a), newGram(a), newPlan(a), newRunPart(a), newMerge(a), newDevices(a), newMan(a),
		newCompletion(a), newVersion(a))
	root.SetHelpCommand(newHelp())
	root.InitDefaultHelpCmd()
	finish(root)
	if len(a.line) > 0 && strings.HasPrefix(a.line[0], cobra.ShellCompRequestCmd) {
		completeWords(root)
	}
	return root
}

// finish does for every command what none may forget: flags keep the order in which they were declared, and no output
// is an input.
func finish(c *cobra.Command) {
	c.Flags().SortFlags = false
	if do := c.RunE; do != nil {
		c.RunE = func(c *cobra.Command, args []string) error {
			if err := keepApart(c, args); err != nil {
				return err
			}
			return do(c, args)
		}
	}
	for _, child := range c.Commands() {
		finish(child)
	}
}

// knownCommand refuses arguments of a command that only groups others: they name none of these.
func knownCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return unknownName("command", args[0], commandNames(c), c)
}

// showHelp is run where a command that only groups others is called.
func showHelp(c *cobra.Command, _ []string) error { return c.Help() }

// commandNames lists the commands below c that help shows.
func commandNames(c *cobra.Command) []string {
	var names []string
	for _, child := range c.Commands() {
		if child.IsAvailableCommand() {
			names = append(names, child.Name())
		}
	}
	return names
}
