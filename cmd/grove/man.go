package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

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
				fmt.Fprintf(w, "wrote %s to %s\n", count(len(pages), "page"), args[0])
			})
		},
	}
	addFlags(c.Flags(), groupOutput, a.addOutputFlags)
	return c
}

// writeManual writes a page for every command that help shows and returns the names of all pages in
// the folder.
func writeManual(dir string, root *cobra.Command) ([]string, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	root.DisableAutoGenTag = true
	header := &doc.GenManHeader{Section: "1", Source: "grove " + root.Version, Manual: "Grove"}
	if err := doc.GenManTree(root, header, dir); err != nil {
		return nil, err
	}
	pages, err := filepath.Glob(filepath.Join(dir, "grove*.1"))
	for i := range pages {
		pages[i] = filepath.Base(pages[i])
	}
	return pages, err
}
