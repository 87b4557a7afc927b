// Package parquet makes Parquet known to package columnar. A program that reads or writes it imports this package for
// that alone:
//
//	import _ "github.com/grove-graph/grove/columnar/parquet"
//
// Columns hold whole numbers, real ones, booleans or words, or lists of those, in lists as deep as may be; whatever
// else a file holds is a column without values. How lists and missing values stand in a file is the encoding of Dremel
// (Melnik et al. 2010), as the specification of Parquet has it: each value, or what stands in its place, has a
// repetition level, the number of lists that it goes on with, and a definition level, how many of the things around it
// that may be missing or empty are there.
//
// The encodings of arrow-go's parquet take dictionaries from its package arrow/compute, with all of its functions: some
// 26 MB of a program, which no build tag leaves out. That is why columns are read without this package where nobody
// imports it.
package parquet

import (
	"bytes"
	"encoding/base64"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/grove-graph/grove/columnar"
)

func init() { columnar.RegisterParquet(columnar.ParquetFormat{Open: open, Create: create}) }

// open begins to read a file.
func open(in columnar.Source) (columnar.Rows, *arrow.Schema, int64, error) {
	properties := parquet.NewReaderProperties(columnar.Allocator())
	properties.BufferedStreamEnabled = true
	table, err := file.NewParquetReader(struct{ parquet.ReaderAtSeeker }{in}, file.WithReadProps(properties))
	if err != nil {
		return nil, nil, 0, err
	}
	said := table.MetaData().KeyValueMetadata()
	meta := arrow.NewMetadata(said.Keys(), said.Values())
	forms := formsOf(table.MetaData().Schema)
	fields := make([]arrow.Field, len(forms))
	for i, f := range forms {
		fields[i] = f.field
	}
	schema := arrow.NewSchema(fields, &meta)
	return &rows{table: table, schema: schema, forms: forms}, schema, table.NumRows(), nil
}

// named returns a schema whose lists call their entries as those of a file do, which some programs look up by path.
func named(s *arrow.Schema) *arrow.Schema {
	fields := s.Fields()
	for i := range fields {
		fields[i].Type = namedType(fields[i].Type)
	}
	meta := s.Metadata()
	return arrow.NewSchema(fields, &meta)
}

func namedType(t arrow.DataType) arrow.DataType {
	list, ok := t.(arrow.ListLikeType)
	if !ok {
		return t
	}
	entry := list.ElemField()
	entry.Name, entry.Type = "element", namedType(entry.Type)
	if fixed, ok := t.(*arrow.FixedSizeListType); ok {
		return arrow.FixedSizeListOfField(fixed.Len(), entry)
	}
	return arrow.ListOfField(entry)
}

// schemaKey is where programs that know Arrow look for the schema that a file was written with.
const schemaKey = "ARROW:schema"

// create begins to write a file.
func create(w io.Writer, schema *arrow.Schema) (columnar.Writer, error) {
	root, leaves, err := written(schema)
	if err != nil {
		return nil, err
	}
	said := metadata.KeyValueMetadata{}
	meta := schema.Metadata()
	for i, key := range meta.Keys() {
		if err := said.Append(key, meta.Values()[i]); err != nil {
			return nil, err
		}
	}
	var message bytes.Buffer
	if err := ipc.NewWriter(&message, ipc.WithSchema(named(schema))).Close(); err != nil {
		return nil, err
	}
	if err := said.Append(schemaKey, base64.StdEncoding.EncodeToString(message.Bytes())); err != nil {
		return nil, err
	}
	properties := parquet.NewWriterProperties(parquet.WithCompression(compress.Codecs.Snappy))
	out, err := file.NewParquetWriterWithError(w, root, file.WithWriterProps(properties), file.WithWriteMetadata(said))
	if err != nil {
		return nil, err
	}
	return &writer{out, leaves}, nil
}
