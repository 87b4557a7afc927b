package dataset

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/grove-graph/grove/columnar"
)

// writeParquet writes NAME.parquet.
func writeParquet(to *folderWriter, from Stream) error {
	return writeColumnar(to, from, columnar.Parquet)
}

// writeArrow writes NAME.arrow.
func writeArrow(to *folderWriter, from Stream) error { return writeColumnar(to, from, columnar.Arrow) }

// writeColumnar writes a file with a row for each graph, of which some are in memory at a time.
func writeColumnar(to *folderWriter, from Stream, ending string) error {
	var head *Dataset // the first graphs, for what all of them share
	if err := from.Each(func(d *Dataset) error {
		head = d
		return errEnough
	}); err != nil && !errors.Is(err, errEnough) {
		return err
	}
	if head == nil {
		return errors.New("no graphs to store")
	}
	w := newGraphWriter(head)
	file := head.Name + ending
	to.raw(file, func(out io.Writer) error {
		rows, err := columnar.NewWriter(out, file, w.schema)
		if err != nil {
			return err
		}
		if err := from.Each(func(d *Dataset) error { return w.append(d, rows) }); err != nil {
			return err
		}
		return rows.Close()
	})
	return to.err
}

// graphWriter makes rows of graphs.
type graphWriter struct {
	schema  *arrow.Schema
	columns []graphColumn
	graphs  int // so far
}

// graphColumn is a column with what appends the value of a graph to it: of its vertices or arcs from some on to before
// others.
type graphColumn struct {
	field  arrow.Field
	append func(to array.Builder, d *Dataset, at span)
}

// span is where a graph stands: its number, and its vertices and arcs from some on to before others.
type span struct{ graph, from, to, firstArc, lastArc int }

// newGraphWriter returns the columns of data of which d is a part.
func newGraphWriter(d *Dataset) *graphWriter {
	w := &graphWriter{}
	b := d.Batch
	w.whole("graph", arrow.PrimitiveTypes.Int64, func(_ *Dataset, at span) int64 { return int64(w.graphs + at.graph) })
	if d.GraphIDs != nil {
		w.add("id", arrow.BinaryTypes.String, func(to array.Builder, d *Dataset, at span) {
			to.(*array.StringBuilder).Append(d.GraphIDs[at.graph])
		})
	}
	if d.VertexIDs != nil {
		w.listOf("vertex_ids", arrow.BinaryTypes.String, func(to array.Builder, d *Dataset, at span) {
			to.(*array.StringBuilder).AppendValues(d.VertexIDs[at.from:at.to], nil)
		})
	}
	w.whole("vertices", arrow.PrimitiveTypes.Int32, func(_ *Dataset, at span) int64 { return int64(at.to - at.from) })
	w.ends()
	w.vertexColumns(d)
	if b.ArcLabels != nil {
		w.codes("arc_labels", d.ArcLabelNames, func(d *Dataset, at span) []int32 {
			return d.Batch.ArcLabels[at.firstArc:at.lastArc]
		})
	}
	if b.ArcWeights != nil {
		w.reals("arc_weights", func(d *Dataset, at span) []float64 { return d.Batch.ArcWeights[at.firstArc:at.lastArc] })
	}
	if b.ArcTypes != nil {
		w.listOf("arc_types", arrow.PrimitiveTypes.Int32, func(to array.Builder, d *Dataset, at span) {
			to.(*array.Int32Builder).AppendValues(d.Batch.ArcTypes[at.firstArc:at.lastArc], nil)
		})
	}
	if d.Motif != nil {
		w.marks("vertex_marks", func(d *Dataset, at span) []bool { return d.Motif.Vertices[at.from:at.to] })
		w.marks("arc_marks", func(d *Dataset, at span) []bool { return d.Motif.Arcs[at.firstArc:at.lastArc] })
	}
	w.known(d)
	w.splits(d)
	head, err := json.Marshal(columnarHeadOf(d))
	if err != nil {
		panic(err) // it has nothing but words
	}
	meta := arrow.NewMetadata([]string{headKey}, []string{string(head)})
	fields := make([]arrow.Field, len(w.columns))
	for i, c := range w.columns {
		fields[i] = c.field
	}
	w.schema = arrow.NewSchema(fields, &meta)
	return w
}

// add adds a column, of values that may be missing.
func (w *graphWriter) add(name string, t arrow.DataType, put func(to array.Builder, d *Dataset, at span)) {
	w.columns = append(w.columns, graphColumn{arrow.Field{Name: name, Type: t, Nullable: true}, put})
}

// listOf adds a column of lists.
func (w *graphWriter) listOf(name string, of arrow.DataType, put func(to array.Builder, d *Dataset, at span)) {
	w.add(name, arrow.ListOf(of), func(to array.Builder, d *Dataset, at span) {
		list := to.(*array.ListBuilder)
		list.Append(true)
		put(list.ValueBuilder(), d, at)
	})
}

func (w *graphWriter) whole(name string, t arrow.DataType, value func(d *Dataset, at span) int64) {
	w.add(name, t, func(to array.Builder, d *Dataset, at span) {
		switch to := to.(type) {
		case *array.Int32Builder:
			to.Append(int32(value(d, at)))
		case *array.Int64Builder:
			to.Append(value(d, at))
		}
	})
}

func (w *graphWriter) reals(name string, values func(d *Dataset, at span) []float64) {
	w.listOf(name, arrow.PrimitiveTypes.Float64, func(to array.Builder, d *Dataset, at span) {
		putReals(to.(*array.Float64Builder), values(d, at))
	})
}

// putReals appends numbers, of which NaN is missing.
func putReals(to *array.Float64Builder, values []float64) {
	if !slices.ContainsFunc(values, math.IsNaN) {
		to.AppendValues(values, nil)
		return
	}
	for _, v := range values {
		if math.IsNaN(v) {
			to.AppendNull()
		} else {
			to.Append(v)
		}
	}
}

func (w *graphWriter) marks(name string, values func(d *Dataset, at span) []bool) {
	w.listOf(name, arrow.FixedWidthTypes.Boolean, func(to array.Builder, d *Dataset, at span) {
		to.(*array.BooleanBuilder).AppendValues(values(d, at), nil)
	})
}

// ends adds the two ends of the arcs, counted within the graph.
func (w *graphWriter) ends() {
	w.listOf("from", arrow.PrimitiveTypes.Int32, func(to array.Builder, d *Dataset, at span) {
		for u := at.from; u < at.to; u++ {
			for range d.Batch.Degree(int32(u)) {
				to.(*array.Int32Builder).Append(int32(u - at.from))
			}
		}
	})
	w.listOf("to", arrow.PrimitiveTypes.Int32, func(to array.Builder, d *Dataset, at span) {
		for _, v := range d.Batch.Col[at.firstArc:at.lastArc] {
			to.(*array.Int32Builder).Append(v - int32(at.from))
		}
	})
}

// codesOfType returns the type of codes, whole numbers where all are, and what appends that of an id; -1 is missing.
func codesOfType(codes []string) (arrow.DataType, func(to array.Builder, id int32)) {
	if whole, numeric := fileCodes(codes, len(codes)); numeric {
		return arrow.PrimitiveTypes.Int64, func(to array.Builder, id int32) {
			if id < 0 {
				to.AppendNull()
			} else {
				to.(*array.Int64Builder).Append(whole[id])
			}
		}
	}
	return arrow.BinaryTypes.String, func(to array.Builder, id int32) {
		if id < 0 {
			to.AppendNull()
		} else {
			to.(*array.StringBuilder).Append(codes[id])
		}
	}
}

func (w *graphWriter) codes(name string, codes []string, ids func(d *Dataset, at span) []int32) {
	t, put := codesOfType(codes)
	w.listOf(name, t, func(to array.Builder, d *Dataset, at span) {
		for _, id := range ids(d, at) {
			put(to, id)
		}
	})
}

// vertexColumns adds what is known of vertices beside their classes and targets.
func (w *graphWriter) vertexColumns(d *Dataset) {
	if d.Batch.Labels != nil {
		w.codes("labels", d.LabelCodes, func(d *Dataset, at span) []int32 { return d.Batch.Labels[at.from:at.to] })
	}
	width := d.Batch.AttributeDim
	if width == 0 {
		return
	}
	w.listOf("attributes", arrow.ListOf(arrow.PrimitiveTypes.Float64), func(to array.Builder, d *Dataset, at span) {
		list := to.(*array.ListBuilder)
		for v := at.from; v < at.to; v++ {
			list.Append(true)
			putReals(list.ValueBuilder().(*array.Float64Builder), d.Batch.Attributes[v*width:(v+1)*width])
		}
	})
}

// known adds the classes and targets.
func (w *graphWriter) known(d *Dataset) {
	t, put := codesOfType(d.ClassNames)
	if d.Classes != nil {
		w.add("class", t, func(to array.Builder, d *Dataset, at span) { put(to, int32(d.Classes[at.graph])) })
	}
	if d.VertexClasses != nil {
		w.listOf("vertex_class", t, func(to array.Builder, d *Dataset, at span) {
			for _, c := range d.VertexClasses[at.from:at.to] {
				put(to, int32(c))
			}
		})
	}
	width := len(d.TargetNames)
	for k, name := range d.TargetNames {
		switch {
		case d.Targets == nil:
		case d.Task.PerVertex():
			w.reals("vertex_target "+name, func(d *Dataset, at span) []float64 {
				column := make([]float64, at.to-at.from)
				for i := range column {
					column[i] = d.Targets[(at.from+i)*width+k]
				}
				return column
			})
		case d.TargetClasses != nil && d.TargetClasses[k] != nil:
			w.add("target "+name, arrow.BinaryTypes.String, func(to array.Builder, d *Dataset, at span) {
				if v := d.Targets[at.graph*width+k]; math.IsNaN(v) {
					to.AppendNull()
				} else {
					to.(*array.StringBuilder).Append(d.TargetClasses[k][int(v)])
				}
			})
		default:
			w.add("target "+name, arrow.PrimitiveTypes.Float64, func(to array.Builder, d *Dataset, at span) {
				putReals(to.(*array.Float64Builder), d.Targets[at.graph*width+k:at.graph*width+k+1])
			})
		}
	}
}

// splits adds the published splits, which whole data sets have.
func (w *graphWriter) splits(d *Dataset) {
	for _, s := range d.Splits {
		n := d.NumGraphs()
		if d.Task.PerVertex() {
			n = d.Batch.NumVertices()
		}
		parts := make([]string, n)
		for name, members := range map[string][]int{"train": s.Train, "val": s.Validation, "test": s.Test} {
			for _, i := range members {
				parts[i] = name
			}
		}
		put := func(to array.Builder, part string) {
			if part == "" {
				to.AppendNull()
			} else {
				to.(*array.StringBuilder).Append(part)
			}
		}
		if !d.Task.PerVertex() {
			w.add("split "+s.Name, arrow.BinaryTypes.String, func(to array.Builder, _ *Dataset, at span) {
				put(to, parts[at.graph])
			})
			continue
		}
		w.listOf("vertex_split "+s.Name, arrow.BinaryTypes.String, func(to array.Builder, _ *Dataset, at span) {
			for _, part := range parts[at.from:at.to] {
				put(to, part)
			}
		})
	}
}

// append writes the graphs of a piece, in batches of about the size of the pieces of streams.
func (w *graphWriter) append(d *Dataset, to columnar.Writer) error {
	d = d.MissingAsNaN()
	rows := array.NewRecordBuilder(memory.DefaultAllocator, w.schema)
	defer rows.Release()
	b, size := d.Batch, 0
	for g := range d.NumGraphs() {
		first, last := b.Vertices(g)
		at := span{g, int(first), int(last), int(b.RowPtr[first]), int(b.RowPtr[last])}
		if values := (at.to - at.from) * b.AttributeDim; values > math.MaxInt32 {
			return fmt.Errorf("graph %d has %d attributes, a list holds at most %d", w.graphs+g, values, math.MaxInt32)
		}
		for i, c := range w.columns {
			c.append(rows.Field(i), d, at)
		}
		size += (at.to-at.from)*(1+b.AttributeDim) + at.lastArc - at.firstArc
		if size < streamed && g+1 < d.NumGraphs() {
			continue
		}
		batch := rows.NewRecordBatch()
		err := to.Write(batch)
		batch.Release()
		if err != nil {
			return err
		}
		size = 0
	}
	w.graphs += d.NumGraphs()
	return nil
}
