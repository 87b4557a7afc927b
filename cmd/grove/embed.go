package main

import (
	"cmp"
	"fmt"
	"io"
	"time"

	"github.com/grove-graph/grove/eval"
	"github.com/grove-graph/grove/memory"
	"github.com/grove-graph/grove/model"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// embedFlags are the flags of grove embed beside those of the model.
type embedFlags struct {
	computing
	source
	model, out, ids, task string
	seed                  uint64
}

func newEmbed(a *app) *cobra.Command {
	f := &embedFlags{}
	c := &cobra.Command{
		Use:   "embed MODEL --data DIR -o X.npy",
		Short: "Write graphs as vectors",
		Long: `Represent every graph by a vector and write the matrix in NumPy's format, one row for each graph
in the order of the data set; or one row for each vertex with --task node, and where the data set asks
about vertices. A file X.parquet, X.arrow or X.feather has the vectors as a column of lists, and what
each row is beside it, as --ids says it.

With the name of a model its anchors are learned from the data set itself, without looking at
classes. With --model a trained model is applied. Rows are written as they are ready, in batches
sized by the memory that is free. Of a store (grove data convert --to shards), and of a file of Parquet
or Arrow, a few thousand graphs are in memory at a time; with the name of a model this holds for those
that train on stores too.

--ids writes beside the matrix which graph (and vertex) each row is, and its class or targets.`,
		Example: `  grove embed gckn-path --data MUTAG -o X.npy
  grove embed gckn-path --data MUTAG --path-size 6 --filters 64 -o X.npy
  grove embed --model model.grove --data new-molecules -o X.npy
  grove embed --model model.grove --data million -o X.npy --ids X.ids.csv
  python3 -c "import numpy; print(numpy.load('X.npy').shape)"`,
		Args: knownModel,
		RunE: func(c *cobra.Command, args []string) error {
			if f.model == "" {
				return wantsModel(c, args)
			}
			return a.embed(c, f, nil)
		},
	}
	addModels(c, func(model string) string {
		return "  grove embed " + model + " --data MUTAG -o X.npy"
	}, func(c *cobra.Command, m *named) error {
		if f.model != "" {
			return usagef("embed: either name a model (%s) or give one that was trained (--model %s), not both", m.name, f.model)
		}
		return a.embed(c, f, m)
	})
	addFlags(c.PersistentFlags(), groupData, func(fs *pflag.FlagSet) {
		f.source.addFlags(fs)
		fs.StringVar(&f.model, "model", "", "`FILE` model that grove train wrote, in place of MODEL")
		choiceVar(fs, &f.task, "task", []string{"graph", "node"},
			"write a row for every graph or every vertex (default: what the data set is about)")
	})
	addFlags(c.PersistentFlags(), groupComputing, func(fs *pflag.FlagSet) {
		f.computing.addFlags(fs)
		fs.Uint64Var(&f.seed, "seed", 0, "`S` number that the sampled paths and the anchors follow from")
	})
	addFlags(c.PersistentFlags(), groupOutput, func(fs *pflag.FlagSet) {
		fs.StringVarP(&f.out, "out", "o", "", "`FILE` matrix to write: .npy, or .parquet, .arrow or .feather by the name")
		fs.StringVar(&f.ids, "ids", "", "`FILE` comma-separated values to write, what each row is")
		a.addOutputFlags(fs)
	})
	return c
}

// embedding is what grove embed reports.
type embedding struct {
	Model   string       `json:"model"`
	Dataset string       `json:"dataset"`
	Graphs  int          `json:"n_graphs"`
	Device  string       `json:"device"`
	Task    model.Task   `json:"task"`
	Rows    int          `json:"rows"`
	Columns int          `json:"columns"`
	Dtype   string       `json:"dtype"`
	File    string       `json:"file"`
	IDs     string       `json:"ids,omitempty"` // file that says what each row is
	Params  any          `json:"params,omitempty"`
	Notes   []string     `json:"notes,omitempty"`
	Seconds eval.Seconds `json:"seconds"`
	Peak    int64        `json:"peak_memory_bytes,omitempty"`
}

func (a *app) embed(c *cobra.Command, f *embedFlags, m *named) error {
	start := time.Now()
	if err := wantsOut(c, f.out); err != nil {
		return err
	}
	if f.ids != "" {
		if err := writable("--ids", f.ids); err != nil {
			return err
		}
	}
	r := embedding{File: f.out, IDs: f.ids, Task: model.Task(f.task)}
	var w *model.Work
	var from model.Embedder
	var loading float64
	if m != nil {
		j, err := a.job(c, m, asked{source: f.source, seed: f.seed}, &f.computing, 1)
		if err != nil {
			return err
		}
		w, loading = j.Work, seconds(start)
		w.Progress = a.progress.report
		r.Model, r.Notes, r.Params = m.name, j.notes, j.estimators[0].Params()
		r.Task = cmp.Or(r.Task, model.TaskOf(w.Data))
		w.Blind = true
		from, err = j.estimators[0].(model.Encoder).Encoder(c.Context(), w, r.Task == model.NodeTask)
		if err != nil {
			return asUsage(err)
		}
	} else {
		var trained model.Model
		var err error
		if trained, w, err = a.load(&f.computing, f.model, &f.source); err != nil {
			return err
		}
		r.Model, loading = trained.About().Model, seconds(start)
		var ok bool
		if from, ok = trained.(model.Embedder); !ok {
			return fmt.Errorf("--model %s: %s represents nothing by vectors", f.model, r.Model)
		}
		r.Task = cmp.Or(r.Task, model.TaskOf(w.Data))
	}
	defer func() { _ = w.Close() }()
	d := w.Data
	r.Device = w.Engine.Describe()
	r.Dataset, r.Graphs = d.Name, d.NumGraphs()
	transforming := time.Now()
	var writing time.Duration
	ids := &rowIDs{path: f.ids}
	if err := ids.write(func() error {
		return writeFile("--out", f.out, func(out io.Writer) (err error) {
			writing, err = a.stream(c.Context(), out, from, w, &r, ids)
			return err
		})
	}); err != nil {
		return err
	}
	w.Spent.Transforming(transforming.Add(writing))
	r.Seconds, r.Peak = spent(w.Spent, loading, 0, start), memory.Peak()
	return a.emit(r, func(w io.Writer) {
		fmt.Fprintf(w, "%s: %d x %d %s, one row for each %s of %s, by %s in %.2f s",
			r.File, r.Rows, r.Columns, r.Dtype, r.Task.Noun(), r.Dataset, r.Model, r.Seconds.Total)
		if r.Peak > 0 {
			fmt.Fprintf(w, ", %.2f GB of memory at the peak", float64(r.Peak)/1e9)
		}
		fmt.Fprintln(w)
		writeNotes(w, r.Notes)
	})
}
