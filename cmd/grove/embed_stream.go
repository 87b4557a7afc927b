package main

import (
	"context"
	"io"
	"time"

	"github.com/grove-graph/grove/columnar"
	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/model"
	"gorgonia.org/tensor"
)

// stream writes the rows that r.Task asks for, in NumPy's format or as the name of the file says, and fills in their
// shape: those of a piece of the graphs at a time where they stay on disk. It returns how long writing took.
func (a *app) stream(
	ctx context.Context, w io.Writer, from model.Embedder, on *model.Work, r *embedding, ids *rowIDs,
) (writing time.Duration, err error) {
	perVertex := r.Task == model.NodeTask
	if r.Rows, err = rowsOf(on, perVertex); err != nil {
		return 0, err
	}
	columns, dtype := from.Width()
	r.Columns, r.Dtype = columns, dtype.String()
	var out matrixWriter
	if columnar.Named(r.File) {
		out = newTableWriter(w, r.File)
	} else if out, err = newNPY(w, dtype, r.Rows, columns); err != nil {
		return 0, err
	}
	err = a.embedEach(ctx, out, from, on, perVertex, 0, ids, &writing)
	return writing, err
}

// embedEach writes the rows of some work, before whose graphs so many come, and adds up how long writing takes.
func (a *app) embedEach(
	ctx context.Context, out matrixWriter, from model.Embedder, on *model.Work, perVertex bool, before int, ids *rowIDs,
	writing *time.Duration,
) error {
	graphs, progress := before, a.progress.report
	if on.Store != nil {
		progress = nil
	}
	err := on.Each(func(d *dataset.Dataset) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if on.Store != nil {
			a.progress.report("encode", graphs-before, on.Data.NumGraphs())
		}
		about, err := ids.add(d, perVertex, graphs)
		if err != nil {
			return err
		}
		graphs += d.NumGraphs()
		return from.Embed(ctx, d, perVertex, progress, func(rows *tensor.Dense) error {
			start := time.Now()
			defer func() { *writing += time.Since(start) }()
			n := rows.Shape()[0]
			some := rowsOfCells(about, 0, n)
			about = rowsOfCells(about, n, len(about[0].wholes))
			return out.write(some, rows)
		})
	})
	if err != nil {
		return err
	}
	return out.close()
}

// matrixWriter writes the rows of a matrix, some at a time, with what they are as far as it keeps that.
type matrixWriter interface {
	write(about []cells, rows *tensor.Dense) error
	close() error
}

// rowsOf returns the number of graphs, or of vertices, which are counted in a pass of their own on disk.
func rowsOf(w *model.Work, perVertex bool) (rows int, err error) {
	if !perVertex {
		return w.Data.NumGraphs(), nil
	}
	err = w.Each(func(d *dataset.Dataset) error {
		rows += d.Batch.NumVertices()
		return nil
	})
	return rows, err
}

// rowIDs says what the rows of a matrix are: the number of the graph or vertex, of the graph of a vertex, their
// names, and the class and targets as far as there are any. They are written to the file at path, to none without one.
type rowIDs struct {
	path string
	out  io.Writer
	rows int
}

// write makes the file from what content adds.
func (f *rowIDs) write(content func() error) error {
	if f.path == "" {
		return content()
	}
	var failed error
	err := writeFile("--ids", f.path, func(w io.Writer) error {
		f.out = w
		failed = content()
		return failed
	})
	if failed != nil {
		return failed
	}
	return err
}

// add returns what the rows of some graphs are, before which so many come, and writes it to the file.
func (f *rowIDs) add(d *dataset.Dataset, perVertex bool, before int) ([]cells, error) {
	columns := f.columns(d, perVertex, before)
	first := f.rows == 0
	f.rows += len(columns[0].wholes)
	if f.out == nil {
		return columns, nil
	}
	return columns, writeCSV(f.out, columns, first)
}

func (f *rowIDs) columns(d *dataset.Dataset, perVertex bool, before int) []cells {
	number, graph := cells{name: "graph"}, cells{name: "graph"}
	n := d.NumGraphs()
	if perVertex {
		number.name, n = "vertex", d.Batch.NumVertices()
	}
	for i := range n {
		number.wholes = append(number.wholes, int64(f.rows+i))
	}
	columns := []cells{number}
	if perVertex {
		for g := range d.NumGraphs() {
			from, to := d.Batch.Vertices(g)
			for range to - from {
				graph.wholes = append(graph.wholes, int64(before+g))
			}
		}
		columns = append(columns, graph)
	}
	t := model.TargetsOf(d)
	what := model.GraphTask
	if perVertex {
		what = model.NodeTask
	}
	known := (t.Task == model.NodeTask) == perVertex && t.Task != model.EdgeTask // of what the rows are
	columns = append(columns, idCells(d, what, nil)...)
	if known && t.Classes != nil {
		columns = append(columns, classCells("class", t.Classes, d.ClassNames))
	}
	if known && d.Targets != nil {
		columns = append(columns, realCells(each("target", d.TargetNames), d.Targets)...)
	}
	return columns
}
