package parquet

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/schema"
)

// form is how a column of a table stands in a file.
type form struct {
	field arrow.Field
	leaf  int     // number of the column of the file that holds its values; -1 where they are of no kind that is read
	lists []int16 // for each list around a value, the outermost first, the definition level from which on it is there
	there int16   // the definition level of a value that is there
}

// formsOf returns the columns of a table.
func formsOf(s *schema.Schema) []form {
	forms := make([]form, s.Root().NumFields())
	for i := range forms {
		node := s.Root().Field(i)
		f := form{leaf: -1}
		t := f.of(node, s)
		if f.leaf < 0 {
			t, f.lists = otherType(node), nil
		}
		f.field = arrow.Field{Name: node.Name(), Type: t, Nullable: optional(node)}
		forms[i] = f
	}
	return forms
}

func optional(n schema.Node) bool { return n.RepetitionType() == parquet.Repetitions.Optional }

func repeated(n schema.Node) bool { return n.RepetitionType() == parquet.Repetitions.Repeated }

// of goes down to the values of a column. What is repeated without saying that it is a list is one, as files of old
// have it.
func (f *form) of(n schema.Node, s *schema.Schema) arrow.DataType {
	if repeated(n) {
		f.lists = append(f.lists, f.there)
		f.there++
		return listOf(f.valueOf(n, s))
	}
	if optional(n) {
		f.there++
	}
	list, ok := listIn(n)
	if !ok {
		return f.valueOf(n, s)
	}
	f.lists = append(f.lists, f.there)
	f.there++
	if inner, ok := entryOf(n, list); ok {
		return listOf(f.of(inner, s))
	}
	return listOf(f.valueOf(list, s))
}

func listOf(entries arrow.DataType) arrow.DataType {
	if entries == nil {
		return nil
	}
	return arrow.ListOf(entries)
}

// listIn returns the repeated part of a group that is marked as a list.
func listIn(n schema.Node) (list schema.Node, ok bool) {
	group, is := n.(*schema.GroupNode)
	if !is || group.NumFields() != 1 || !repeated(group.Field(0)) {
		return nil, false
	}
	_, marked := group.LogicalType().(schema.ListLogicalType)
	return group.Field(0), marked || group.ConvertedType() == schema.ConvertedTypes.List
}

// entryOf returns what the repeated part of a list holds, unless the part is itself the entry: a value, or by the rules
// for files of old a group of several fields or of certain names.
func entryOf(n, list schema.Node) (inner schema.Node, ok bool) {
	group, is := list.(*schema.GroupNode)
	if !is || group.NumFields() != 1 || group.Name() == "array" || group.Name() == n.Name()+"_tuple" {
		return nil, false
	}
	return group.Field(0), true
}

// valueOf returns the type of the values of a column of a file, nil for one of no kind that is read.
func (f *form) valueOf(n schema.Node, s *schema.Schema) arrow.DataType {
	p, ok := n.(*schema.PrimitiveNode)
	if !ok {
		return nil
	}
	t := valueType(p)
	if t != nil {
		f.leaf = s.ColumnIndexByNode(p)
	}
	return t
}

// valueType returns the type as which values are read, nil for one of no kind that is read.
func valueType(p *schema.PrimitiveNode) arrow.DataType {
	whole, annotated := p.LogicalType().(schema.IntLogicalType)
	bare := p.LogicalType().IsNone()
	switch p.LogicalType().(type) {
	case schema.NullLogicalType:
		if p.PhysicalType() == parquet.Types.Int32 {
			return arrow.Null
		}
		return nil
	case schema.StringLogicalType:
		if p.PhysicalType() == parquet.Types.ByteArray {
			return arrow.BinaryTypes.String
		}
		return nil
	case schema.Float16LogicalType:
		return arrow.PrimitiveTypes.Float32
	}
	switch p.PhysicalType() {
	case parquet.Types.Boolean:
		return arrow.FixedWidthTypes.Boolean
	case parquet.Types.Int32:
		switch {
		case bare || annotated && whole.IsSigned():
			return arrow.PrimitiveTypes.Int32
		case annotated:
			return arrow.PrimitiveTypes.Int64
		}
	case parquet.Types.Int64:
		if bare || annotated {
			return arrow.PrimitiveTypes.Int64
		}
	case parquet.Types.Float:
		return arrow.PrimitiveTypes.Float32
	case parquet.Types.Double:
		return arrow.PrimitiveTypes.Float64
	}
	return nil
}

// otherType returns a type that says about what a column holds whose values are not read.
func otherType(n schema.Node) arrow.DataType {
	p, ok := n.(*schema.PrimitiveNode)
	if !ok {
		return arrow.StructOf()
	}
	switch t := p.LogicalType().(type) {
	case schema.DateLogicalType:
		return arrow.FixedWidthTypes.Date32
	case schema.TimeLogicalType:
		return arrow.FixedWidthTypes.Time64us
	case schema.TimestampLogicalType:
		return arrow.FixedWidthTypes.Timestamp_us
	case schema.DecimalLogicalType:
		return &arrow.Decimal256Type{Precision: t.Precision(), Scale: t.Scale()}
	}
	if p.PhysicalType() == parquet.Types.Int96 {
		return arrow.FixedWidthTypes.Timestamp_ns
	}
	return arrow.BinaryTypes.Binary
}
