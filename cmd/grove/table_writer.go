package main

import (
	"io"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/grove-graph/grove/columnar"
	_ "github.com/grove-graph/grove/columnar/parquet" // by its registration
	"gorgonia.org/tensor"
)

// tableWriter writes a table as Parquet or Arrow IPC where the name of the file says so, otherwise as comma-separated
// values, some rows at a time.
type tableWriter struct {
	to   io.Writer
	file string

	out     columnar.Writer // nil before the first rows
	schema  *arrow.Schema
	written bool
}

func newTableWriter(to io.Writer, file string) *tableWriter { return &tableWriter{to: to, file: file} }

// write appends rows, of columns and of a matrix that becomes the column vector; nil for none, as comma-separated
// values have none.
func (w *tableWriter) write(columns []cells, vectors *tensor.Dense) error {
	if !columnar.Named(w.file) {
		first := !w.written
		w.written = true
		return writeCSV(w.to, columns, first)
	}
	if w.out == nil {
		w.schema = tableSchema(columns, vectors)
		var err error
		if w.out, err = columnar.NewWriter(w.to, w.file, w.schema); err != nil {
			return err
		}
	}
	rows := array.NewRecordBuilder(memory.DefaultAllocator, w.schema)
	defer rows.Release()
	for i := range columns {
		columns[i].appendTo(rows.Field(i))
	}
	if vectors != nil {
		list := rows.Field(len(columns)).(*array.FixedSizeListBuilder)
		for range vectors.Shape()[0] {
			list.Append(true)
		}
		switch to := list.ValueBuilder().(type) {
		case *array.Float32Builder:
			to.AppendValues(vectors.Float32s(), nil)
		case *array.Float64Builder:
			to.AppendValues(vectors.Float64s(), nil)
		}
	}
	batch := rows.NewRecordBatch()
	defer batch.Release()
	return w.out.Write(batch)
}

// close ends the file.
func (w *tableWriter) close() error {
	if w.out == nil {
		return nil
	}
	return w.out.Close()
}

// tableSchema returns the types of columns and of a matrix beside them.
func tableSchema(columns []cells, vectors *tensor.Dense) *arrow.Schema {
	var fields []arrow.Field
	for i := range columns {
		c := &columns[i]
		var t arrow.DataType = arrow.PrimitiveTypes.Float64
		switch {
		case c.wholes != nil:
			t = arrow.PrimitiveTypes.Int64
		case c.words != nil:
			t = arrow.BinaryTypes.String
		}
		fields = append(fields, arrow.Field{Name: c.name, Type: t, Nullable: c.wholes == nil})
	}
	if vectors != nil {
		var t arrow.DataType = arrow.PrimitiveTypes.Float32
		if vectors.Dtype() == tensor.Float64 {
			t = arrow.PrimitiveTypes.Float64
		}
		of := arrow.Field{Name: "item", Type: t}
		fields = append(fields, arrow.Field{Name: "vector", Type: arrow.FixedSizeListOfField(int32(vectors.Shape()[1]), of)})
	}
	return arrow.NewSchema(fields, nil)
}

// appendTo appends all cells to a column under construction.
func (c *cells) appendTo(column array.Builder) {
	switch to := column.(type) {
	case *array.Int64Builder:
		to.AppendValues(c.wholes, nil)
	case *array.StringBuilder:
		for _, word := range c.words {
			if word == "" {
				to.AppendNull()
			} else {
				to.Append(word)
			}
		}
	case *array.Float64Builder:
		for _, v := range c.reals {
			if math.IsNaN(v) {
				to.AppendNull()
			} else {
				to.Append(v)
			}
		}
	}
}
