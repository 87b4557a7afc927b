package main

import (
	"io"

	"github.com/spf13/cobra"
)

// newCompletion replaces cobra's own command, which accepts any argument.
func newCompletion(a *app) *cobra.Command {
	scripts := map[string]func(root *cobra.Command, w io.Writer) error{
		"bash":       func(root *cobra.Command, w io.Writer) error { return root.GenBashCompletionV2(w, true) },
		"zsh":        (*cobra.Command).GenZshCompletion,
		"fish":       func(root *cobra.Command, w io.Writer) error { return root.GenFishCompletion(w, true) },
		"powershell": (*cobra.Command).GenPowerShellCompletionWithDesc,
	}
	shells := []string{"bash", "zsh", "fish", "powershell"}
	return &cobra.Command{
		Use:   "completion SHELL",
		Short: "Write a script that makes a shell complete commands",
		Long: `Write a script by which bash, zsh, fish or powershell complete commands, models, flags and their
values.`,
		Example: `  source <(grove completion bash)                     # in this shell only
  grove completion bash > /etc/bash_completion.d/grove
  grove completion zsh > "${fpath[1]}/_grove"
  grove completion fish > ~/.config/fish/completions/grove.fish`,
		ValidArgs: shells,
		Args:      exactlyOne("SHELL", shells),
		RunE:      func(c *cobra.Command, args []string) error { return scripts[args[0]](c.Root(), a.out) },
	}
}

// newHelp replaces cobra's own command, which accepts any argument.
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:     "help COMMAND",
		Short:   "Explain a command",
		Example: "  grove help eval\n  grove help data synth\n  grove help train gckn-path",
		RunE: func(c *cobra.Command, args []string) error {
			about := c.Root()
			for _, name := range args {
				var next *cobra.Command
				for _, child := range about.Commands() {
					if child.Name() == name {
						next = child
					}
				}
				if next == nil {
					return unknownName("command", name, commandNames(about), about)
				}
				about = next
			}
			return about.Help()
		},
	}
}
