// Command papers repeats the tables and figures of the five papers behind Grove and writes a page about each.
//
//	make build
//	go run ./docs/papers run                  # every cell that is not kept yet
//	go run ./docs/papers run mpgk mutag-rr    # a cell; --again measures it although it is kept
//	go run ./docs/papers write                # docs/papers/*.md and their pictures, of what is kept
//	go run ./docs/papers list gckn            # cells and commands
//
// What was measured is kept in docs/papers/results/PAPER/CELL.json. Pages say nothing that is not there or in the
// tables of this program.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"
)

// papers are those whose tables are repeated, a page each.
func papers() []*paper {
	return []*paper{gcknPaper(), treegPaper(), mpgkPaper(), dwlPaper(), cgmmPaper()}
}

// place is where everything lies.
type place struct {
	grove, data string // the command line of Grove; the folder of data sets
	pages       string // the folder of the pages; results and pictures lie under it
	terminal    bool   // standard error is one
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if command().ExecuteContext(ctx) != nil {
		os.Exit(1)
	}
}

func command() *cobra.Command {
	info, err := os.Stderr.Stat()
	p := &place{terminal: err == nil && info.Mode()&os.ModeCharDevice != 0}
	root := &cobra.Command{
		Use: "papers", Short: "Repeat the tables and figures of the papers (docs/papers)", SilenceUsage: true,
	}
	root.CompletionOptions.DisableDefaultCmd = true
	fs := root.PersistentFlags()
	fs.StringVar(&p.grove, "grove", "build/grove", "the command line of Grove")
	fs.StringVar(&p.data, "data", os.Getenv("GROVE_DATA"), "`DIR` with tu, text and folds (default $GROVE_DATA)")
	fs.StringVar(&p.pages, "pages", "docs/papers", "`DIR` of pages, results and pictures")
	var again bool
	var limit time.Duration
	run := &cobra.Command{
		Use: "run [PAPER [CELL...]]", Short: "Measure cells; * in the name of a cell stands for anything",
		RunE: func(c *cobra.Command, names []string) error {
			chosen, err := choose(papers(), names)
			if err != nil {
				return err
			}
			return p.run(c.Context(), c.OutOrStdout(), chosen, again, limit)
		},
	}
	run.Flags().BoolVar(&again, "again", false, "measure what is kept, too, and say whether the figures are the same")
	run.Flags().DurationVar(&limit, "limit", 0, "`TIME` after which a command is ended, 0: none")
	root.AddCommand(run, &cobra.Command{
		Use: "write", Short: "Write the pages and their pictures of what is kept", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return p.write(papers()) },
	}, &cobra.Command{
		Use: "list [PAPER [CELL...]]", Short: "Write cells and their commands",
		RunE: func(c *cobra.Command, names []string) error {
			chosen, err := choose(papers(), names)
			if err != nil {
				return err
			}
			return p.list(c.OutOrStdout(), chosen)
		},
	}, &cobra.Command{
		Use: "draw [PAPER [FIGURE...]]", Short: "Draw the figures that are made by commands of Grove",
		RunE: func(c *cobra.Command, names []string) error {
			return p.draw(c.Context(), c.OutOrStdout(), papers(), names)
		},
	})
	return root
}
