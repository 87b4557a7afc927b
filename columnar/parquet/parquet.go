// Package parquet makes Parquet known to package columnar. A program that reads or writes it imports this package for
// that alone:
//
//	import _ "github.com/grove-graph/grove/columnar/parquet"
package parquet

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/grove-graph/grove/columnar"
)

func init() { columnar.RegisterParquet(columnar.ParquetFormat{Open: open, Create: create}) }

// rowsAtOnce is how many rows of a group are taken at a time.
const rowsAtOnce = 4096

// open begins to read a file.
func open(in columnar.Source) (array.RecordReader, *arrow.Schema, int64, error) {
	mem := columnar.Allocator()
	properties := parquet.NewReaderProperties(mem)
	properties.BufferedStreamEnabled = true
	table, err := file.NewParquetReader(struct{ parquet.ReaderAtSeeker }{in}, file.WithReadProps(properties))
	if err != nil {
		return nil, nil, 0, err
	}
	said := table.MetaData().KeyValueMetadata()
	if err := checkSchema(said.FindValue("ARROW:schema")); err != nil {
		return nil, nil, 0, err
	}
	from, err := pqarrow.NewFileReader(table, pqarrow.ArrowReadProperties{BatchSize: rowsAtOnce}, mem)
	if err != nil {
		return nil, nil, 0, err
	}
	rows, err := from.GetRecordReader(context.Background(), nil, nil)
	if err != nil {
		return nil, nil, 0, err
	}
	meta := arrow.NewMetadata(said.Keys(), said.Values())
	return rows, arrow.NewSchema(rows.Schema().Fields(), &meta), table.NumRows(), nil
}

// checkSchema refuses a damaged schema of Arrow that a file may keep beside its own, as base64 of a message.
func checkSchema(text *string) error {
	if text == nil {
		return nil
	}
	raw, err := base64.StdEncoding.DecodeString(*text)
	if err == nil {
		err = columnar.CheckMessage(raw)
	}
	if err != nil {
		return fmt.Errorf("the schema ARROW:schema is damaged: %w", err)
	}
	return nil
}

// create begins to write a file.
func create(w io.Writer, schema *arrow.Schema) (columnar.Writer, error) {
	return pqarrow.NewFileWriter(schema, w, parquet.NewWriterProperties(parquet.WithCompression(compress.Codecs.Snappy)),
		pqarrow.NewArrowWriterProperties(pqarrow.WithStoreSchema()))
}
