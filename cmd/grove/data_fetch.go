package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/grove-graph/grove/dataset"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// collected describes a data set of the TU collection, by the statistics that the collection publishes.
type collected struct {
	Name     string  `json:"name"`
	Graphs   int     `json:"graphs"`
	Classes  int     `json:"classes"`
	Vertices float64 `json:"mean_vertices"`
	Edges    float64 `json:"mean_edges"`
	Content  string  `json:"content"`
}

// tuCollection lists the data sets of the TU collection that papers on graph classification use most.
func tuCollection() []collected {
	return []collected{
		{"AIDS", 2000, 2, 15.69, 16.20, "molecules"},
		{"BZR", 405, 2, 35.75, 38.36, "molecules, coordinates"},
		{"COLLAB", 5000, 3, 74.49, 2457.78, "collaborations, no labels"},
		{"COX2", 467, 2, 41.22, 43.45, "molecules, coordinates"},
		{"DD", 1178, 2, 284.32, 715.66, "proteins"},
		{"ENZYMES", 600, 6, 32.63, 62.14, "proteins, attributes"},
		{"IMDB-BINARY", 1000, 2, 19.77, 96.53, "collaborations, no labels"},
		{"IMDB-MULTI", 1500, 3, 13.00, 65.94, "collaborations, no labels"},
		{"MUTAG", 188, 2, 17.93, 19.79, "molecules"},
		{"Mutagenicity", 4337, 2, 30.32, 30.77, "molecules"},
		{"NCI1", 4110, 2, 29.87, 32.30, "molecules"},
		{"PROTEINS", 1113, 2, 39.06, 72.82, "proteins, attributes"},
		{"PTC_FM", 349, 2, 14.11, 14.48, "molecules"},
		{"PTC_FR", 351, 2, 14.56, 15.00, "molecules"},
		{"PTC_MM", 336, 2, 13.97, 14.32, "molecules"},
		{"PTC_MR", 344, 2, 14.29, 14.69, "molecules"},
		{"REDDIT-BINARY", 2000, 2, 429.63, 497.75, "discussions, no labels"},
		{"SYNTHETICnew", 300, 2, 100.00, 196.25, "random graphs, attributes"},
	}
}

func newDataList(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "list",
		Short: "List the data sets that can be downloaded or generated",
		Example: `  grove data list
  grove data list --json`,
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			type generator struct {
				Name        string `json:"name"`
				Description string `json:"description"`
				Graphs      int    `json:"default_graphs"`
				Vertices    int    `json:"default_vertices"`
			}
			var generators []generator
			for _, k := range dataset.SynthKinds() {
				generators = append(generators, generator{k.Name, k.Description, k.Defaults.Graphs, k.Defaults.Vertices})
			}
			value := map[string]any{"download": tuCollection(), "generate": generators}
			return a.emit(value, func(w io.Writer) {
				fmt.Fprintf(w, "Download with grove data fetch NAME (or any other name of the TU collection):\n\n")
				fmt.Fprintf(w, "  %-14s %6s %8s %9s %9s  %s\n", "NAME", "graphs", "classes", "vertices", "edges", "")
				for _, d := range tuCollection() {
					fmt.Fprintf(w, "  %-14s %6d %8d %9.2f %9.2f  %s\n", d.Name, d.Graphs, d.Classes, d.Vertices, d.Edges, d.Content)
				}
				fmt.Fprintf(w, "\nGenerate with grove data synth KIND --out DIR:\n\n")
				for _, g := range generators {
					fmt.Fprintf(w, "  %-14s %s\n", g.Name, g.Description)
				}
			})
		},
	}
	addFlags(c.Flags(), groupOutput, a.addOutputFlags)
	return c
}

func newDataFetch(a *app) *cobra.Command {
	var opt dataset.FetchOptions
	names := make([]string, 0, 20)
	for _, d := range tuCollection() {
		names = append(names, d.Name)
	}
	c := &cobra.Command{
		Use:   "fetch NAME",
		Short: "Download a data set of the TU collection",
		Long: `Download NAME.zip of the TU collection, verify it and unpack it to DIR/NAME. An interrupted
download is continued; a data set that is there already is left alone.`,
		Example: `  grove data fetch MUTAG
  grove data fetch NCI1 --dir data
  grove data fetch MUTAG --url http://mirror.example.org/tu`,
		ValidArgs: names,
		Args:      oneArgument("NAME"),
		RunE: func(c *cobra.Command, args []string) error {
			start := time.Now()
			if opt.BaseURL != "" && !strings.HasPrefix(opt.BaseURL, "http://") && !strings.HasPrefix(opt.BaseURL, "https://") {
				return usagef("--url %s: want an address that begins with https:// or http://", opt.BaseURL)
			}
			opt.Progress = func(done, total int64) { a.progress.bytes("download "+args[0], done, total) }
			folder, err := dataset.Fetch(c.Context(), args[0], opt)
			if err != nil {
				return err
			}
			d, err := dataset.Open(folder)
			if err != nil {
				return err
			}
			return a.emitSummary(d, folder, seconds(start))
		},
	}
	addFlags(c.Flags(), groupData, func(fs *pflag.FlagSet) {
		fs.StringVar(&opt.Dir, "dir", ".", "`DIR` folder that gets the folder NAME")
		fs.StringVar(&opt.BaseURL, "url", dataset.TUCollection, "`BASE` beginning of the address BASE/NAME.zip")
		fs.StringVar(&opt.SHA256, "sha256", "", "`HEX` checksum that the archive must have")
	})
	addFlags(c.Flags(), groupOutput, a.addOutputFlags)
	return c
}
