package parquet

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"
)

// written returns the schema of a file for a table, and for each column how its values are laid out.
func written(s *arrow.Schema) (root *schema.GroupNode, leaves []*leaf, err error) {
	nodes := make(schema.FieldList, s.NumFields())
	for i, f := range s.Fields() {
		l := &leaf{}
		if nodes[i], err = l.node(f); err != nil {
			return nil, nil, fmt.Errorf("column %s: %w", f.Name, err)
		}
		leaves = append(leaves, l)
	}
	root, err = schema.NewGroupNode("schema", parquet.Repetitions.Repeated, nodes, -1)
	return root, leaves, err
}

// leaf lays out the values of a column, in whatever lists they stand.
type leaf struct {
	nullable []bool // the lists, the outermost first, and then the values

	definitions, repetitions []int16
	at                       []int // which values of the innermost array are there
	values                   arrow.Array
}

// node returns how a field stands in a file.
func (l *leaf) node(f arrow.Field) (schema.Node, error) {
	repetition := parquet.Repetitions.Required
	if f.Nullable {
		repetition = parquet.Repetitions.Optional
	}
	l.nullable = append(l.nullable, f.Nullable)
	var of parquet.Type
	var logical schema.LogicalType = schema.NoLogicalType{}
	switch t := f.Type.(type) {
	case *arrow.ListType, *arrow.FixedSizeListType:
		entry, err := l.node(t.(arrow.ListLikeType).ElemField())
		if err != nil {
			return nil, err
		}
		return schema.ListOfWithName(f.Name, entry, repetition, -1)
	case *arrow.BooleanType:
		of = parquet.Types.Boolean
	case *arrow.Int32Type:
		of, logical = parquet.Types.Int32, schema.NewIntLogicalType(32, true)
	case *arrow.Int64Type:
		of, logical = parquet.Types.Int64, schema.NewIntLogicalType(64, true)
	case *arrow.Float32Type:
		of = parquet.Types.Float
	case *arrow.Float64Type:
		of = parquet.Types.Double
	case *arrow.StringType:
		of, logical = parquet.Types.ByteArray, schema.StringLogicalType{}
	default:
		return nil, fmt.Errorf("values of type %s are not written as Parquet", f.Type)
	}
	return schema.NewPrimitiveNodeLogical(f.Name, repetition, logical, of, -1, -1)
}

// writer writes a group of rows for each batch.
type writer struct {
	out    *file.Writer
	leaves []*leaf
}

// Close implements [columnar.Writer].
func (w *writer) Close() error { return w.out.Close() }

// Write implements [columnar.Writer].
func (w *writer) Write(rows arrow.RecordBatch) error {
	group, err := w.out.AppendRowGroupChecked()
	if err != nil {
		return err
	}
	for i, l := range w.leaves {
		column, err := group.NextColumn()
		if err != nil {
			return err
		}
		l.lay(rows.Column(i))
		if err := l.write(column); err != nil {
			return err
		}
		if err := column.Close(); err != nil {
			return err
		}
	}
	return group.Close()
}

// lay lays out a column.
func (l *leaf) lay(column arrow.Array) {
	l.definitions, l.repetitions, l.at = l.definitions[:0], l.repetitions[:0], l.at[:0]
	for l.values = column; ; {
		list, ok := l.values.(array.ListLike)
		if !ok {
			break
		}
		l.values = list.ListValues()
	}
	for row := range column.Len() {
		l.put(column, row, 0, 0, 0)
	}
}

// put lays out value i of an array, in so many lists, of which some go on, where so many things around it are there.
func (l *leaf) put(values arrow.Array, i, lists int, definition, repetition int16) {
	if l.nullable[lists] {
		if values.IsNull(i) {
			l.level(definition, repetition)
			return
		}
		definition++
	}
	list, ok := values.(array.ListLike)
	if !ok {
		l.level(definition, repetition)
		l.at = append(l.at, i)
		return
	}
	from, to := list.ValueOffsets(i)
	if from == to {
		l.level(definition, repetition)
		return
	}
	entries := list.ListValues()
	for ; from < to; from++ {
		l.put(entries, int(from), lists+1, definition+1, repetition)
		repetition = int16(lists + 1)
	}
}

func (l *leaf) level(definition, repetition int16) {
	l.definitions, l.repetitions = append(l.definitions, definition), append(l.repetitions, repetition)
}

// write writes what was laid out.
func (l *leaf) write(column file.ColumnChunkWriter) error {
	var err error
	switch to := column.(type) {
	case *file.BooleanColumnChunkWriter:
		_, err = to.WriteBatch(chosen(l.values.(*array.Boolean).Value, l.at), l.definitions, l.repetitions)
	case *file.Int32ColumnChunkWriter:
		_, err = to.WriteBatch(chosen(l.values.(*array.Int32).Value, l.at), l.definitions, l.repetitions)
	case *file.Int64ColumnChunkWriter:
		_, err = to.WriteBatch(chosen(l.values.(*array.Int64).Value, l.at), l.definitions, l.repetitions)
	case *file.Float32ColumnChunkWriter:
		_, err = to.WriteBatch(chosen(l.values.(*array.Float32).Value, l.at), l.definitions, l.repetitions)
	case *file.Float64ColumnChunkWriter:
		_, err = to.WriteBatch(chosen(l.values.(*array.Float64).Value, l.at), l.definitions, l.repetitions)
	case *file.ByteArrayColumnChunkWriter:
		words := l.values.(*array.String)
		_, err = to.WriteBatch(chosen(func(i int) parquet.ByteArray { return parquet.ByteArray(words.Value(i)) }, l.at),
			l.definitions, l.repetitions)
	}
	return err
}

// chosen returns the values at some places.
func chosen[T any](value func(i int) T, at []int) []T {
	values := make([]T, len(at))
	for i, from := range at {
		values[i] = value(from)
	}
	return values
}
