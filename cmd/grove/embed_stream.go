package main

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
	"time"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/model"
	"gorgonia.org/tensor"
)

// stream writes the rows that r.Task asks for, in NumPy's format, and fills in their shape: those of a piece of the
// graphs at a time where they stay on disk. It returns how long writing took.
func (a *app) stream(
	ctx context.Context, w io.Writer, from model.Embedder, on *model.Work, r *embedding, ids *rowIDs,
) (writing time.Duration, err error) {
	perVertex := r.Task == model.NodeTask
	if r.Rows, err = rowsOf(on, perVertex); err != nil {
		return 0, err
	}
	columns, dtype := from.Width()
	r.Columns, r.Dtype = columns, dtype.String()
	out, err := newNPY(w, dtype, r.Rows, columns)
	if err != nil {
		return 0, err
	}
	graphs, progress := 0, a.progress.report
	if on.Shards != nil {
		progress = nil
	}
	err = on.Each(func(d *dataset.Dataset) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if on.Shards != nil {
			a.progress.report("encode", graphs, on.Data.NumGraphs())
		}
		if err := ids.add(d, perVertex, graphs); err != nil {
			return err
		}
		graphs += d.NumGraphs()
		return from.Embed(ctx, d, perVertex, progress, func(rows *tensor.Dense) error {
			start := time.Now()
			defer func() { writing += time.Since(start) }()
			return out.write(rows)
		})
	})
	if err == nil && out.left != 0 {
		err = fmt.Errorf("%d numbers are missing", out.left)
	}
	return writing, err
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

// rowIDs is the file that says what the rows of a matrix are: the number of the graph or vertex, of the graph of a
// vertex, and the class and targets as far as there are any. It is none without a path.
type rowIDs struct {
	path string
	out  *csv.Writer
	rows int
}

// write makes the file from what content adds.
func (f *rowIDs) write(content func() error) error {
	if f.path == "" {
		return content()
	}
	var failed error
	err := writeFile("--ids", f.path, func(w io.Writer) error {
		f.out = csv.NewWriter(w)
		if failed = content(); failed != nil {
			return failed
		}
		f.out.Flush()
		return f.out.Error()
	})
	if failed != nil {
		return failed
	}
	return err
}

// add writes a line for each row of some graphs, before which so many come.
func (f *rowIDs) add(d *dataset.Dataset, perVertex bool, before int) error {
	if f.out == nil {
		return nil
	}
	t := model.TargetsOf(d)
	known := (t.Task == model.NodeTask) == perVertex && t.Task != model.EdgeTask // of what the rows are
	if f.rows == 0 {
		header := []string{"graph"}
		if perVertex {
			header = []string{"vertex", "graph"}
		}
		if known && t.Classes != nil {
			header = append(header, "class")
		}
		if known && d.Targets != nil {
			header = append(header, each("target", d.TargetNames)...)
		}
		_ = f.out.Write(header) // the writer keeps its error
	}
	line := func(row, graph int) {
		fields := []string{strconv.Itoa(f.rows)}
		if perVertex {
			fields = append(fields, strconv.Itoa(before+graph))
		}
		if known && t.Classes != nil {
			fields = append(fields, className(d, t.Classes[row]))
		}
		if known && d.Targets != nil {
			columns := len(d.TargetNames)
			for _, v := range d.Targets[row*columns : (row+1)*columns] {
				fields = append(fields, number(v))
			}
		}
		_ = f.out.Write(fields)
		f.rows++
	}
	for g := range d.NumGraphs() {
		if !perVertex {
			line(g, g)
			continue
		}
		from, to := d.Batch.Vertices(g)
		for v := from; v < to; v++ {
			line(int(v), g)
		}
	}
	return f.out.Error()
}

// className returns the name of a class, "" where there is none.
func className(d *dataset.Dataset, class int) string {
	if class < 0 {
		return ""
	}
	return d.ClassNames[class]
}

// number writes a number as it reads back, "" for one that is not known.
func number(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}
