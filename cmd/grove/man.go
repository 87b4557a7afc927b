package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/grove-graph/grove/atomicfile"
	"github.com/grove-graph/grove/model"
	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

func newMan(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "man DIR",
		Short: "Write the manual pages",
		Long:  `Write the manual pages of all commands into a folder, which is made if need be.`,
		Example: `  grove man ~/.local/share/man/man1
  grove man pages && man ./pages/grove-eval.1`,
		Args: oneArgument("DIR"),
		RunE: func(c *cobra.Command, args []string) error {
			pages, err := writeManual(args[0], c.Root())
			if err != nil {
				return err
			}
			return a.emit(map[string]any{"folder": args[0], "pages": pages}, func(w io.Writer) {
				fmt.Fprintf(w, "wrote %s to %s\n", model.Count(len(pages), "page"), args[0])
			})
		},
	}
	addFlags(c.Flags(), groupOutput, a.addOutputFlags)
	return c
}

// writeManual writes a page for every command that help shows and returns the names of all pages.
func writeManual(dir string, root *cobra.Command) (pages []string, err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	root.DisableAutoGenTag = true
	err = visitCommands(root, func(c *cobra.Command) error {
		page := strings.ReplaceAll(c.CommandPath(), " ", "-") + ".1"
		pages = append(pages, page)
		header := &doc.GenManHeader{
			Title: strings.ToUpper(strings.TrimSuffix(page, ".1")), Section: "1", Source: "grove " + root.Version,
			Manual: "Grove",
		}
		return atomicfile.Write(filepath.Join(dir, page), func(w io.Writer) error { return doc.GenMan(c, header, w) })
	})
	return pages, err
}

// visitCommands visits a command and those below it that help shows.
func visitCommands(c *cobra.Command, visit func(*cobra.Command) error) error {
	if err := visit(c); err != nil {
		return err
	}
	for _, child := range c.Commands() {
		if !child.IsAvailableCommand() || child.IsAdditionalHelpTopicCommand() {
			continue
		}
		if err := visitCommands(child, visit); err != nil {
			return err
		}
	}
	return nil
}
