// Package columnar reads and writes tables as Arrow IPC and as Parquet, some rows at a time.
//
//	w, err := columnar.NewWriter(file, "rows.parquet", schema)
//	err = w.Write(rows)
//	err = w.Close()
//
//	r, err := columnar.NewReader(file)
//	defer r.Close()
//	for {
//		rows, err := r.Next() // io.EOF at the end
//	}
//
// Whatever a file holds, reading it panics never: what is damaged is an error.
package columnar

import (
	"fmt"
	"io"
	"path"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
)

// Endings of the names of files. Feather of version 2 is the file form of Arrow IPC.
const (
	Parquet = ".parquet"
	Arrow   = ".arrow"
	Feather = ".feather"
)

// Named reports whether a file is by its name a table of one of the kinds.
func Named(file string) bool {
	return slices.Contains([]string{Parquet, Arrow, Feather}, path.Ext(file))
}

// Writer writes a table, a batch of rows at a time, which all have the schema that it began with. What was not closed
// is not whole.
type Writer interface {
	Write(rows arrow.RecordBatch) error
	Close() error
}

// NewWriter begins to write a table: as Parquet where the name of the file ends so, with a group of rows for each
// batch, and otherwise in the file form of Arrow IPC. It does not close w.
func NewWriter(w io.Writer, file string, schema *arrow.Schema) (Writer, error) {
	w = struct{ io.Writer }{w}
	if path.Ext(file) != Parquet {
		return ipc.NewFileWriter(w, ipc.WithSchema(schema))
	}
	return pqarrow.NewFileWriter(schema, w, parquet.NewWriterProperties(parquet.WithCompression(compress.Codecs.Snappy)),
		pqarrow.NewArrowWriterProperties(pqarrow.WithStoreSchema()))
}

// readable turns a panic of a reader into an error: its library does not look at everything before it takes it.
func readable(err *error) {
	if cause := recover(); cause != nil {
		*err = fmt.Errorf("the file is damaged: %v", cause)
	}
}
