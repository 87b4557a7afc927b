package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/model/param"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func newData(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "data",
		Short: "List, inspect, generate, download and convert data sets",
		Long: `List, inspect, generate, download and convert data sets. Every format that is read or written is described
in docs/formats.md, with a complete example.`,
		Example: `  grove data list
  grove data synth molecules --out molecules
  grove data fetch MUTAG && grove data info MUTAG`,
		Args: knownCommand,
		RunE: showHelp,
	}
	c.AddCommand(newDataList(a), newDataInfo(a), newDataSynth(a), newDataFetch(a), newDataConvert(a), newDataSplit(a))
	return c
}

func newDataInfo(a *app) *cobra.Command {
	long := `Say what is in a data set: graphs, vertices, labels, classes, and what its reader did beyond
reading. The format is found out by the files in DIR; docs/formats.md describes each with an example:
`
	for _, f := range dataset.Formats() {
		long += fmt.Sprintf("\n  %-12s %s", f.File, f.Title)
	}
	var from source
	c := &cobra.Command{
		Use:   "info DIR",
		Short: "Say what is in a data set",
		Long:  long,
		Example: `  grove data info molecules
  grove data info MUTAG --json`,
		Args: oneArgument("DIR"),
		RunE: func(_ *cobra.Command, args []string) error {
			start := time.Now()
			from.data = args[0]
			s, err := summaryOf(&from)
			if err != nil {
				return err
			}
			return a.emitSummary(s, "", seconds(start))
		},
	}
	addFlags(c.Flags(), groupData, from.addReadingFlags)
	addFlags(c.Flags(), groupOutput, a.addOutputFlags)
	return c
}

// summaryOf counts what a data set holds, a piece of a store in memory at a time.
func summaryOf(from *source) (sum dataset.Summary, err error) {
	if dataset.FormatOf(from.data) == dataset.StoreFormat {
		if err := from.check(); err != nil {
			return sum, err
		}
		s, err := dataset.OpenShards(from.data)
		if err != nil {
			return sum, err
		}
		defer func() { err = errors.Join(err, s.Close()) }()
		return dataset.SummaryOf(s)
	}
	d, err := from.open()
	if err != nil {
		return sum, err
	}
	return d.Summary(), nil
}

// emitSummary reports a data set that was read from or written to a folder.
func (a *app) emitSummary(s dataset.Summary, folder string, took float64) error {
	value := struct {
		dataset.Summary
		Folder  string  `json:"folder,omitempty"`
		Seconds float64 `json:"seconds"`
	}{s, folder, took}
	return a.emit(value, func(w io.Writer) {
		fmt.Fprint(w, s.String())
		if folder != "" {
			fmt.Fprintf(w, "%-18s %s\n", "written to", folder)
		}
	})
}

func newDataSynth(a *app) *cobra.Command {
	var opt dataset.SynthOptions
	var out, as string
	var overwrite bool
	var kinds []string
	long := `Generate a data set. The same kind, sizes and seed give the same graphs. With --to shards they are
written to a store as they are generated, a few thousand in memory at a time. The kinds:
`
	for _, k := range dataset.SynthKinds() {
		kinds = append(kinds, k.Name)
		long += fmt.Sprintf("\n  %-14s %s", k.Name, k.Description)
	}
	c := &cobra.Command{
		Use:   "synth KIND --out DIR",
		Short: "Generate a data set",
		Long:  long,
		Example: `  grove data synth molecules --out molecules
  grove data synth molecules --graphs 1000000 --to shards --out million
  grove data synth power-law --graphs 500 --vertices 200 --seed 7 --out growing
  grove data synth block-model --vertices 2000 --communities 5 --out communities`,
		ValidArgs: kinds,
		Args:      exactlyOne("KIND", kinds),
		RunE: func(c *cobra.Command, args []string) error {
			if err := requireFlags(c, "out"); err != nil {
				return err
			}
			to, err := newOutput(out, overwrite)
			if err != nil {
				return err
			}
			defer to.Discard()
			start := time.Now()
			var from dataset.Stream
			format := dataset.StoreFormat
			if as == storeWord {
				from, err = dataset.SynthStream(args[0], opt)
			} else {
				var d *dataset.Dataset
				if d, err = dataset.Synth(args[0], opt); err == nil {
					from, format = d, dataset.DefaultFormat(d)
				}
			}
			if err != nil {
				return &usageError{err}
			}
			return a.writeData(c.Context(), to, out, format, from, start)
		},
	}
	addFlags(c.Flags(), groupData, func(fs *pflag.FlagSet) {
		fs.StringVar(&out, "out", "", "`DIR` folder to write to, made if need be")
		addOverwriteFlag(fs, &overwrite)
		as = "auto"
		choiceVar(fs, &as, "to", []string{"auto", storeWord},
			"format to write; auto: text, in TU format or as a vertex task")
		fs.IntVar(&opt.Graphs, "graphs", 0, "`N` number of graphs (default: the kind's own)")
		bound(fs, "graphs", 1, param.Many)
		fs.IntVar(&opt.Vertices, "vertices", 0, "`N` vertices of a graph, a mean where they vary (default: the kind's own)")
		bound(fs, "vertices", 1, param.Many)
		fs.Float64Var(&opt.Degree, "degree", 0, "`D` mean number of neighbours (default: the kind's own)")
		bound(fs, "degree", 0, param.Many)
		fs.IntVar(&opt.Communities, "communities", 0, "`N` communities of a block model (default: the kind's own)")
		bound(fs, "communities", 1, param.Many)
		fs.Uint64Var(&opt.Seed, "seed", 0, "`S` number that the graphs follow from")
	})
	addFlags(c.Flags(), groupOutput, a.addOutputFlags)
	return c
}

// storeWord names a store of shards among formats.
const storeWord = "shards"

// writeData writes a data set as the only one in a folder, and reports it.
func (a *app) writeData(
	ctx context.Context, to *dataset.Output, out string, format dataset.Format, from dataset.Stream, start time.Time,
) error {
	if err := replaceable(out, format); err != nil {
		return err
	}
	from = dataset.Named(from, nameAfter(out))
	var sum dataset.Summary
	if d, ok := from.(*dataset.Dataset); ok {
		if err := to.Write("", format, d); err != nil {
			return err
		}
		sum = d.Summary()
	} else {
		var err error
		if sum, err = to.WriteStream("", format, a.watched(ctx, from)); err != nil {
			return err
		}
	}
	if err := to.Commit(); err != nil {
		return err
	}
	return a.emitSummary(sum, out, seconds(start))
}

// watched returns a stream that stops when ctx is cancelled and tells how many graphs have passed.
func (a *app) watched(ctx context.Context, s dataset.Stream) dataset.Stream {
	return watched{s, ctx, a}
}

type watched struct {
	dataset.Stream
	ctx context.Context
	app *app
}

func (w watched) Each(visit func(*dataset.Dataset) error) error {
	graphs := 0
	return w.Stream.Each(func(d *dataset.Dataset) error {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		err := visit(d)
		graphs += d.NumGraphs()
		w.app.progress.report("write graphs", graphs, w.NumGraphs())
		return err
	})
}

func newDataConvert(a *app) *cobra.Command {
	var read source
	var as, out, task, target string
	var overwrite bool
	var without []string
	formats := map[string]dataset.Format{}
	var words []string
	list, abouts := "", ""
	for _, f := range dataset.Formats() {
		if f.Written {
			formats[f.Short], words = f.Format, append(words, f.Short)
			list += fmt.Sprintf("\n  %-12s %s", f.Short, f)
			abouts += "\n\n" + f.About
		}
	}
	c := &cobra.Command{
		Use:   "convert IN --to FORMAT --out DIR",
		Short: "Write a data set in another format",
		Long:  "Read a data set of any known format and write it in another:\n" + list + "\n\n" + aboutPieces + abouts,
		Example: `  grove data convert COLLAB.txt.gz --to tu --out COLLAB
  grove data convert downloaded/MUTAG --to tu --out clean/MUTAG
  grove data convert communities --to node --out copy
  grove data convert NCI1 --to shards --out NCI1-shards
  grove train gckn-path --data NCI1-shards -o model.grove`,
		Args:        oneArgument("IN"),
		Annotations: map[string]string{readsArguments: "IN"},
		RunE: func(c *cobra.Command, args []string) error {
			if err := requireFlags(c, "out"); err != nil {
				return err
			}
			format := formats[as]
			to, err := newOutput(out, overwrite)
			if err != nil {
				return err
			}
			defer to.Discard()
			if err := replaceable(out, format); err != nil {
				return err
			}
			start := time.Now()
			read.data = args[0]
			from, closing, err := convertible(&read, format, without)
			if err != nil {
				return err
			}
			defer func() { _ = closing() }()
			if d, whole := from.(*dataset.Dataset); whole && (task != "" || target != "") {
				if from, err = model.Ask(d, task, target); err != nil {
					return asUsage(err)
				}
			} else if task != "" || target != "" {
				return usagef("--target: %s is converted piece by piece, with all its targets", read.data)
			}
			return a.writeData(c.Context(), to, out, format, from, start)
		},
	}
	addFlags(c.Flags(), groupData, func(fs *pflag.FlagSet) {
		as = words[0]
		choiceVar(fs, &as, "to", words, "format to write")
		fs.StringVar(&out, "out", "", "`DIR` folder to write to, made if need be; never that of IN")
		read.addReadingFlags(fs)
		choiceVar(fs, &task, "task", []string{"graph", "graph-regression"},
			"keep the classes of graphs, or their numbers (default: what there is)")
		fs.StringVar(&target, "target", "", "`NAME` keep this one of several targets")
		fs.Var(param.List(&without, parseName), "without-labels",
			"`CODE,...` leave out vertices with these labels, hydrogen for instance")
		addOverwriteFlag(fs, &overwrite)
	})
	addFlags(c.Flags(), groupOutput, a.addOutputFlags)
	return c
}

const aboutPieces = `Between stores, Parquet, Arrow and folders in TU format a few thousand graphs are in memory at a
time, where the lines of NAME_A.txt stand graph by graph, as usual. Anything else is read as a whole,
and so are data with --without-labels, marks of a motif, splits or missing attributes.`

// convertible returns a data set without vertices of some labels: piece by piece where both its format and
// the other one can be read and written so, or else as a whole.
func convertible(read *source, to dataset.Format, without []string) (dataset.Stream, func() error, error) {
	path, from := read.data, dataset.FormatOf(read.data)
	if err := read.check(); err != nil {
		return nil, nil, err
	}
	marked := from == dataset.TUFormat && to != dataset.StoreFormat && marksMotif(path)
	if without == nil && !marked && streamed(to) && path != standardInput {
		if s, closing, err := dataset.OpenStream(path); s != nil || err != nil {
			return s, closing, err
		}
	}
	d, err := read.open()
	if err == nil && without != nil {
		if d, err = d.WithoutLabels(without...); err != nil {
			err = usagef("--without-labels: %w", err)
		}
	}
	return d, func() error { return nil }, err
}

// marksMotif reports whether a folder in TU format marks a motif, which stores leave out and a stream of it too.
func marksMotif(path string) bool {
	return slices.ContainsFunc(dataset.Files(path), func(file string) bool {
		return strings.HasSuffix(strings.TrimSuffix(file, ".gz"), "_gt.txt")
	})
}

// streamed reports whether a format is written a piece at a time.
func streamed(to dataset.Format) bool {
	return slices.ContainsFunc(dataset.Formats(), func(f dataset.FormatInfo) bool { return f.Format == to && f.Streamed })
}

func addOverwriteFlag(fs *pflag.FlagSet, overwrite *bool) {
	fs.BoolVar(overwrite, "overwrite", false, "replace a data set that is in the folder")
}

// replaceable refuses a folder with a data set that would stay beside one of the given format.
func replaceable(dir string, format dataset.Format) error {
	if held := dataset.FormatOf(dir); held != dataset.NoFormat && held != format {
		return usagef("--out %s: the data set in it has %s format, which one in %s format does not replace; "+
			"remove it first or name another folder", dir, held, format)
	}
	return nil
}

// nameAfter returns the name of a data set that is written to a folder: that of the folder, as readers expect it.
func nameAfter(dir string) string {
	if absolute, err := filepath.Abs(dir); err == nil && filepath.Base(absolute) != string(filepath.Separator) {
		return filepath.Base(absolute)
	}
	return ""
}
