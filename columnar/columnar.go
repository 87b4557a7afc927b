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
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
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
	format, err := registered()
	if err != nil {
		return nil, err
	}
	return format.Create(w, schema)
}

// Rows come a batch at a time, as from an [array.RecordReader].
type Rows interface {
	Next() bool // whether there is a further batch
	RecordBatch() arrow.RecordBatch
	Err() error
	Release()
}

// ParquetFormat is how Parquet is read and written.
type ParquetFormat struct {
	// Open begins to read: it returns the rows, the schema with what the file says beside it, and the number of rows.
	Open func(in Source) (rows Rows, schema *arrow.Schema, n int64, err error)
	// Create begins to write, with a group of rows for each batch.
	Create func(w io.Writer, schema *arrow.Schema) (Writer, error)
}

// parquet is what [RegisterParquet] was given.
var parquet atomic.Pointer[ParquetFormat]

// RegisterParquet makes Parquet known. Package columnar/parquet does it in its initialisation: what it stands on is
// three quarters of all that this package would otherwise bring along, and only programs that speak Parquet import it.
func RegisterParquet(f ParquetFormat) { parquet.Store(&f) }

func registered() (*ParquetFormat, error) {
	if f := parquet.Load(); f != nil {
		return f, nil
	}
	return nil, errors.New("this program knows no Parquet: convert it by grove data convert --to arrow")
}

// readable turns a panic of a reader into an error: its library does not look at everything before it takes it.
func readable(err *error) {
	if cause := recover(); cause != nil {
		*err = fmt.Errorf("the file is damaged: %v", cause)
	}
}
