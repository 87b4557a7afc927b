// Command fair repeats the figures of docs/results/fair.md: models on eight data sets by the protocol of "A Fair
// Comparison of Graph Neural Networks for Graph Classification" (Errica et al., ICLR 2020), with its published folds.
//
//	make build
//	go run ./docs/results/fair run wl-oa                # a row, on all data sets
//	go run ./docs/results/fair run --sets NCI1,DD       # columns: all rows
//	go run ./docs/results/fair table                    # of all that is kept, as Markdown
//
// What the table needs of a run stays in docs/results/fair/kept.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// sets are the data sets of the protocol, by their place in the folder of data.
var sets = []struct{ name, data string }{
	{"DD", "tu/DD"}, {"NCI1", "tu/NCI1"}, {"PROTEINS", "tu/PROTEINS"}, {"ENZYMES", "tu/ENZYMES"},
	{"IMDB-BINARY", "tu/IMDB-BINARY"}, {"IMDB-MULTI", "tu/IMDB-MULTI"}, {"REDDIT-BINARY", "tu/REDDIT-BINARY"},
	{"COLLAB", "text/COLLAB"},
}

// entrant is a row: a model, and the flags that it has on all data sets and on some.
type entrant struct {
	model, flags string
	on           map[string]string
}

// line is the entrant on a data set, as grove compare takes it.
func (e *entrant) line(set string) string {
	return strings.Join(strings.Fields(e.model+" "+e.flags+" "+e.on[set]), " ")
}

// protocol is what does not change from run to run.
type protocol struct {
	grove, data, work, kept string
	workers                 int
	sets                    []string
}

func main() {
	if command().Execute() != nil {
		os.Exit(1)
	}
}

func command() *cobra.Command {
	p := &protocol{}
	root := &cobra.Command{
		Use: "fair", Short: "Measure models by the protocol of a fair comparison (docs/results/fair.md)", SilenceUsage: true,
	}
	root.CompletionOptions.DisableDefaultCmd = true
	var all []string
	for _, s := range sets {
		all = append(all, s.name)
	}
	fs := root.PersistentFlags()
	fs.StringVar(&p.grove, "grove", "build/grove", "the command line of Grove")
	fs.StringVar(&p.data, "data", os.Getenv("GROVE_DATA"), "`DIR` with tu, text and folds-fair (default $GROVE_DATA)")
	fs.StringVar(&p.work, "work", "build/fair", "`DIR` of comparisons, which go on where they were stopped")
	fs.StringVar(&p.kept, "kept", "docs/results/fair/kept", "`DIR` of what the table is made of")
	fs.IntVar(&p.workers, "workers", 1, "goroutines that compute")
	fs.StringSliceVar(&p.sets, "sets", all, "`NAME,...` data sets")
	root.AddCommand(&cobra.Command{
		Use: "run [MODEL...]", Short: "Measure models; without names all",
		RunE: func(_ *cobra.Command, models []string) error { return p.run(models) },
	}, &cobra.Command{
		Use: "table", Short: "Write all that is kept as a table", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return p.table(c.OutOrStdout()) },
	})
	return root
}

// run measures the models on the data sets, one after another. What is in the files is not measured again.
func (p *protocol) run(models []string) error {
	for _, dir := range []string{p.work, p.kept} {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return err
		}
	}
	for _, name := range models {
		if !slices.ContainsFunc(entrants, func(e entrant) bool { return e.model == name }) {
			return fmt.Errorf("the table has no model %s", name)
		}
	}
	for i := range entrants {
		e := &entrants[i]
		if len(models) > 0 && !slices.Contains(models, e.model) {
			continue
		}
		for _, s := range sets {
			if !slices.Contains(p.sets, s.name) {
				continue
			}
			folds := p.folds(s.name)
			c := exec.Command(p.grove, "compare", e.line(s.name), "--data", filepath.Join(p.data, s.data),
				"--folds", folds, "--inner", folds,
				"--seed", "1", "--workers", fmt.Sprint(p.workers),
				"--choose", "-o", p.file(s.name))
			c.Stdout, c.Stderr = os.Stdout, os.Stderr
			if err := c.Run(); err != nil {
				return fmt.Errorf("%s on %s: %w", e.line(s.name), s.name, err)
			}
			if err := p.keep(s.name, s.data); err != nil {
				return err
			}
		}
	}
	return nil
}

// file is that of the comparison on a data set.
func (p *protocol) file(set string) string { return filepath.Join(p.work, set+".json") }

// folds are those of a data set.
func (p *protocol) folds(set string) string { return filepath.Join(p.data, "folds-fair", set) }
