package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	"github.com/grove-graph/grove/eval"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/nystrom"
	"github.com/grove-graph/grove/split"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"gorgonia.org/tensor"
)

// gramFlags are the flags of grove gram beside those of the model.
type gramFlags struct {
	computing
	source
	out     string
	seed    uint64
	nystrom int // landmarks; 0: the whole matrix
}

func newGram(a *app) *cobra.Command {
	f := &gramFlags{}
	c := &cobra.Command{
		Use:   "gram MODEL --data DIR -o K.npy",
		Short: "Write the matrix of a kernel between graphs",
		Long: `Compute a kernel between all pairs of graphs of a data set and write the matrix in NumPy's format,
float64, a row and a column for each graph in the order of the data set.

With --nystrom N, of kernels that know some rows without the others (wl, wl-oa), N graphs are drawn, the
landmarks, and features Z of all graphs are written in place of the matrix, at most N numbers each, such that
K is about Z Z', and exactly where a landmark is on one side.`,
		Example: `  grove gram wl-oa --data MUTAG -o K.npy
  grove gram wl-oa --data MUTAG --nystrom 50 -o Z.npy
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
		f.addNystrom(fs)
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
	k, err := f.matrix(c.Context(), j)
	if err != nil {
		return err
	}
	n, columns := k.Shape()[0], k.Shape()[1]
	if err := writeFile("--out", f.out, func(w io.Writer) error {
		out, err := newNPY(w, tensor.Float64, n, columns)
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
		fmt.Fprintf(w, "%s: %d x %d float64, %s of %s in %.2f s\n", r.File, n, columns, r.Model, r.Dataset, r.Seconds.Total)
		writeNotes(w, r.Notes)
	})
}

// matrix computes the kernel matrix, or the features by landmarks.
func (f *gramFlags) matrix(ctx context.Context, j *job) (*tensor.Dense, error) {
	est := j.estimators[0]
	if f.nystrom > 0 {
		if err := f.fits(j); err != nil {
			return nil, err
		}
		defer j.Spent.Transforming(time.Now())
		rows, err := f.rows(ctx, est.(model.RowGrammer), j)
		if err != nil {
			return nil, err
		}
		return rows(ctx, split.All(j.Data.NumGraphs()))
	}
	learner, err := est.Learner(ctx, j.Work)
	if err != nil {
		return nil, asUsage(err)
	}
	defer j.Spent.Transforming(time.Now())
	return learner.(model.Grammer).KernelMatrix(ctx, model.TargetsOf(j.Data))
}

func (f *gramFlags) addNystrom(fs *pflag.FlagSet) {
	fs.IntVar(&f.nystrom, "nystrom", 0, "`N` graphs to draw as landmarks, and features to write; 0: the whole matrix")
	bound(fs, "nystrom", 0, maxLandmarks)
}

// maxLandmarks bounds the matrix of the landmarks, whose eigenvectors are computed, to some minutes.
const maxLandmarks = 1 << 13

// fits refuses landmarks where there are not as many graphs, or the kernel knows no rows.
func (f *gramFlags) fits(j *job) error {
	if _, ok := j.estimators[0].(model.RowGrammer); f.nystrom > 0 && !ok {
		return usagef("--nystrom %d: the rows of the kernel of %s depend on all graphs; leave it out", f.nystrom,
			j.estimators[0].Name())
	}
	if n := j.Data.NumGraphs(); f.nystrom > n {
		return usagef("--nystrom %d: data set %s has %d graphs", f.nystrom, j.Data.Name, n)
	}
	return nil
}

// rows returns what computes rows of the matrix, or the features of graphs by the landmarks.
func (f *gramFlags) rows(ctx context.Context, of model.RowGrammer, j *job) (model.GramRows, error) {
	if f.nystrom == 0 {
		return of.GramRows(ctx, j.Work, nil)
	}
	drawn := nystrom.SampleSorted(int64(j.Data.NumGraphs()), f.nystrom, rand.New(rand.NewPCG(f.seed, landmarks)))
	marks := make([]int, len(drawn))
	for i, g := range drawn {
		marks[i] = int(g)
	}
	between, err := of.GramRows(ctx, j.Work, marks)
	if err != nil {
		return nil, err
	}
	w, err := between(ctx, marks)
	if err != nil {
		return nil, err
	}
	host := j.Engine.Host()
	root, _, err := nystrom.InverseRoot(host, len(marks), w.Float64s())
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, rows []int) (*tensor.Dense, error) {
		k, err := between(ctx, rows)
		if err != nil {
			return nil, err
		}
		rank := root.Shape()[1]
		z, err := nystrom.Product(host, k.Float64s(), len(rows), root.Float64s(), len(marks), rank)
		return tensor.New(tensor.WithShape(len(rows), rank), tensor.WithBacking(z)), err
	}, nil
}

// landmarks tells the draw of landmarks from other uses of the seed.
const landmarks = 0x1a4d
