package main

import (
	"fmt"
	"io"
	"time"

	"github.com/grove-graph/grove/eval"
	"github.com/grove-graph/grove/model"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"gorgonia.org/tensor"
)

// gramFlags are the flags of grove gram beside those of the model.
type gramFlags struct {
	computing
	source
	out  string
	seed uint64
}

func newGram(a *app) *cobra.Command {
	f := &gramFlags{}
	c := &cobra.Command{
		Use:   "gram MODEL --data DIR -o K.npy",
		Short: "Write the matrix of a kernel between graphs",
		Long: `Compute a kernel between all pairs of graphs of a data set and write the matrix in NumPy's format,
float64, a row and a column for each graph in the order of the data set.`,
		Example: `  grove gram wl-oa --data MUTAG -o K.npy
  grove gram wl --data MUTAG --iterations 3 --raw-kernel -o K.npy
  python3 -c "import numpy; print(numpy.load('K.npy').shape)"`,
		Args: knownModel,
		RunE: wantsModel,
	}
	addModels(c, func(model string) string {
		return "  grove gram " + model + " --data MUTAG -o K.npy"
	}, func(c *cobra.Command, m *named) error { return a.gram(c, f, m) })
	addFlags(c.PersistentFlags(), groupData, func(fs *pflag.FlagSet) {
		f.source.addFlags(fs)
	})
	addFlags(c.PersistentFlags(), groupComputing, func(fs *pflag.FlagSet) {
		f.computing.addFlags(fs)
		fs.Uint64Var(&f.seed, "seed", 0, "`S` number that everything drawn at random follows from")
	})
	addFlags(c.PersistentFlags(), groupOutput, func(fs *pflag.FlagSet) {
		fs.StringVarP(&f.out, "out", "o", "", "`FILE` matrix to write")
		a.addOutputFlags(fs)
	})
	return c
}

// gramReport is what grove gram reports.
type gramReport struct {
	Model   string       `json:"model"`
	Dataset string       `json:"dataset"`
	Graphs  int          `json:"n_graphs"`
	Device  string       `json:"device"`
	File    string       `json:"file"`
	Params  any          `json:"params"`
	Notes   []string     `json:"notes,omitempty"`
	Seconds eval.Seconds `json:"seconds"`
}

func (a *app) gram(c *cobra.Command, f *gramFlags, m *named) error {
	start := time.Now()
	if err := wantsOut(c, f.out); err != nil {
		return err
	}
	j, err := a.job(c, m, asked{source: f.source, seed: f.seed}, &f.computing, 1)
	if err != nil {
		return err
	}
	if j.Data.Task.PerVertex() {
		return fmt.Errorf("%s compares graphs; data set %s has a task for every vertex", m.name, j.Data.Name)
	}
	load := seconds(start)
	j.Progress = a.progress.report
	est := j.estimators[0]
	learner, err := est.Learner(c.Context(), j.Work)
	if err != nil {
		return asUsage(err)
	}
	transforming := time.Now()
	k, err := learner.(model.Grammer).KernelMatrix(c.Context(), model.TargetsOf(j.Data))
	if err != nil {
		return err
	}
	j.Spent.Transforming(transforming)
	n := k.Shape()[0]
	if err := writeFile("--out", f.out, func(w io.Writer) error {
		out, err := newNPY(w, tensor.Float64, n, n)
		if err != nil {
			return err
		}
		return out.write(nil, k)
	}); err != nil {
		return err
	}
	r := gramReport{m.name, j.Data.Name, n, j.Engine.Describe(), f.out, est.Params(), j.notes,
		spent(j.Spent, load, 0, start)}
	return a.emit(r, func(w io.Writer) {
		fmt.Fprintf(w, "%s: %d x %d float64, %s of %s in %.2f s\n", r.File, n, n, r.Model, r.Dataset, r.Seconds.Total)
		writeNotes(w, r.Notes)
	})
}
