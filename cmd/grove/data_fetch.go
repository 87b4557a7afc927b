package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
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

// largest bounds the bytes of a set's files, and of its archive: for each vertex its numbers and up to 20 attributes,
// for each edge two arcs with their labels, and a description.
func (d *collected) largest() int64 {
	return int64(float64(d.Graphs)*(d.Vertices*300+d.Edges*60)) + 1<<20
}

// fetchReport is what grove data fetch reports.
type fetchReport struct {
	dataset.Summary
	Folder   string  `json:"folder"`
	Verified string  `json:"verified"`          // in words
	Known    int     `json:"known_files"`       // whose contents are those that Grove knows; 0: not pinned
	Changed  string  `json:"changed,omitempty"` // how they differ
	Seconds  float64 `json:"seconds"`
}

// verified says what is known of a data set's contents.
func verified(f *dataset.Fetched, archive bool) string {
	sums := "only the archive's own checksums were verified"
	switch {
	case f.Before:
		sums = "it was there already and is left alone"
	case archive:
		sums = "the archive has the SHA-256 asked for"
	}
	switch {
	case f.Known > 0:
		return fmt.Sprintf("the %d files have the contents that Grove knows", f.Known)
	case f.Change != nil:
		return fmt.Sprintf("%v; %s", f.Change, sums)
	}
	return "this set is not pinned: " + sums
}

func (r *fetchReport) print(w io.Writer) {
	fmt.Fprint(w, r.String())
	fmt.Fprintf(w, "%-18s %s\n", "written to", r.Folder)
	fmt.Fprintf(w, "%-18s %s\n", "verified", r.Verified)
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
download is continued; a data set that is there already is left alone.

What is verified: the archive's own checksums, its SHA-256 if --sha256 gives one, and for the sets whose
contents Grove knows (AIDS, BZR, COX2, ENZYMES, MUTAG, NCI1, PROTEINS, PTC_MR) that the files say what they
should, whatever their ends of lines and blanks. The report says which of these held. Other contents are
refused; --accept-changed takes them. A server that sends more than the set can be is cut off, for names
that grove data list does not have at 4 GiB.`,
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
			if i := slices.IndexFunc(tuCollection(), func(d collected) bool { return d.Name == args[0] }); i >= 0 {
				opt.MaxDownload = tuCollection()[i].largest()
				opt.MaxBytes = opt.MaxDownload
			}
			opt.Progress = func(done, total int64) { a.progress.bytes("download "+args[0], done, total) }
			fetched, err := dataset.Fetch(c.Context(), args[0], opt)
			if errors.Is(err, dataset.ErrChanged) {
				return fmt.Errorf("%w (--accept-changed takes it as it is)", err)
			}
			if err != nil {
				return err
			}
			d, err := dataset.Open(fetched.Folder)
			if err != nil {
				return err
			}
			r := fetchReport{Summary: d.Summary(), Folder: fetched.Folder, Known: fetched.Known,
				Verified: verified(fetched, opt.SHA256 != "")}
			if fetched.Change != nil {
				r.Changed = fetched.Change.Error()
			}
			r.Seconds = seconds(start)
			return a.emit(&r, r.print)
		},
	}
	addFlags(c.Flags(), groupData, func(fs *pflag.FlagSet) {
		fs.StringVar(&opt.Dir, "dir", ".", "`DIR` folder that gets the folder NAME")
		fs.StringVar(&opt.BaseURL, "url", dataset.TUCollection, "`BASE` beginning of the address BASE/NAME.zip")
		fs.StringVar(&opt.SHA256, "sha256", "", "`HEX` checksum that the archive must have")
		fs.BoolVar(&opt.AcceptChanged, "accept-changed", false, "take files that say something else than Grove knows")
	})
	addFlags(c.Flags(), groupOutput, a.addOutputFlags)
	return c
}
