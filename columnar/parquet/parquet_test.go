package parquet_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/grove-graph/grove/columnar"
	_ "github.com/grove-graph/grove/columnar/parquet"
)

// Two batches of a table with a column of each form that Grove writes. Package pqarrow of arrow-go 18.8.0 wrote them to
// testdata/pqarrow.parquet, compressed by Snappy and with its schema.
var batches = []string{`[
	{"number": 1, "size": 2, "word": "a", "real": 0.5, "list": [1, 2], "words": ["x", "", null], "marks": [true, false],
		"nested": [[1.5, null], [], [2.5]], "vector": [1, 2]},
	{"number": -7, "size": null, "word": null, "real": null, "list": [], "words": [], "marks": null, "nested": [],
		"vector": [-0.5, 3]},
	{"number": 3, "size": 0, "word": "", "real": -2e300, "list": null, "words": null, "marks": [null, true],
		"nested": null, "vector": [0, 0.25]}]`, `[
	{"number": 9223372036854775807, "size": -2147483648, "word": "é", "real": 1, "list": [7, null, -1], "words": ["a"],
		"marks": [], "nested": [null, [3]], "vector": [4, 5]}]`}

func maybe(name string, of arrow.DataType) arrow.Field {
	return arrow.Field{Name: name, Type: of, Nullable: true}
}

// table returns the schema and the batches.
func table(t *testing.T) (*arrow.Schema, []arrow.RecordBatch) {
	t.Helper()
	said := arrow.NewMetadata([]string{"grove"}, []string{`{"directed":true}`})
	s := arrow.NewSchema([]arrow.Field{
		{Name: "number", Type: arrow.PrimitiveTypes.Int64},
		maybe("size", arrow.PrimitiveTypes.Int32), maybe("word", arrow.BinaryTypes.String),
		maybe("real", arrow.PrimitiveTypes.Float64), maybe("list", arrow.ListOf(arrow.PrimitiveTypes.Int32)),
		maybe("words", arrow.ListOf(arrow.BinaryTypes.String)), maybe("marks", arrow.ListOf(arrow.FixedWidthTypes.Boolean)),
		maybe("nested", arrow.ListOf(arrow.ListOf(arrow.PrimitiveTypes.Float64))),
		{Name: "vector", Type: arrow.FixedSizeListOfField(2, arrow.Field{Name: "item", Type: arrow.PrimitiveTypes.Float32})},
	}, &said)
	var all []arrow.RecordBatch
	for _, rows := range batches {
		batch, _, err := array.RecordFromJSON(memory.DefaultAllocator, s, strings.NewReader(rows))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, batch)
	}
	return s, all
}

// write returns a table as the bytes of a file.
func write(t *testing.T, s *arrow.Schema, batches []arrow.RecordBatch) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := columnar.NewWriter(&out, "x.parquet", s)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range batches {
		if err := w.Write(b); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// cells reads a file and returns what stands in each column and row.
func cells(t *testing.T, raw []byte) map[string][]string {
	t.Helper()
	r, err := columnar.NewReader(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	all := map[string][]string{}
	for {
		batch, err := r.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		add(all, batch)
	}
}

func add(all map[string][]string, batch arrow.RecordBatch) {
	for i, c := range batch.Columns() {
		for row := range c.Len() {
			all[batch.ColumnName(i)] = append(all[batch.ColumnName(i)], c.ValueStr(row))
		}
	}
}

func testdata(t *testing.T, name string) []byte {
	t.Helper()
	raw, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// A table comes back as it was, from the file that another program wrote of it too.
func TestTablesComeBack(t *testing.T) {
	s, batches := table(t)
	want := map[string][]string{}
	for _, b := range batches {
		add(want, b)
	}
	for name, raw := range map[string][]byte{"Grove": write(t, s, batches), "pqarrow": testdata(t, "pqarrow.parquet")} {
		got := cells(t, raw)
		for column := range want {
			if !slices.Equal(got[column], want[column]) {
				t.Errorf("%s, column %s: %q, want %q", name, column, got[column], want[column])
			}
		}
		r, err := columnar.NewReader(bytes.NewReader(raw))
		if err != nil {
			t.Fatal(err)
		}
		meta := r.Schema().Metadata()
		if v, _ := meta.GetValue("grove"); v != `{"directed":true}` || len(got) != len(want) {
			t.Errorf("%s: %d columns, the schema says %q", name, len(got), v)
		}
		r.Close()
	}
}

// Rows that are a part of others are written alone.
func TestPartsOfBatches(t *testing.T) {
	s, batches := table(t)
	want := map[string][]string{}
	add(want, batches[0].NewSlice(1, 3))
	got := cells(t, write(t, s, []arrow.RecordBatch{batches[0].NewSlice(1, 2), batches[0].NewSlice(2, 3)}))
	if !maps.EqualFunc(got, want, slices.Equal) {
		t.Errorf("%v, want %v", got, want)
	}
}

// stored describes what a file holds: its schema, what it says beside it, and each value with its levels.
func stored(t *testing.T, raw []byte) (lines []string) {
	t.Helper()
	r, err := file.NewParquetReader(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	schema.PrintSchema(r.MetaData().Schema.Root(), &text, 2)
	said := r.MetaData().KeyValueMetadata()
	lines = append(lines, text.String(), strings.Join(said.Keys(), ", "), strings.Join(said.Values(), ", "))
	for g := range r.NumRowGroups() {
		for k := range r.MetaData().Schema.NumColumns() {
			column, err := r.RowGroup(g).Column(k)
			if err != nil {
				t.Fatal(err)
			}
			about, err := r.RowGroup(g).MetaData().ColumnChunk(k)
			if err != nil {
				t.Fatal(err)
			}
			lines = append(lines, fmt.Sprintf("group %d, %s, %s: %s", g, about.PathInSchema(), about.Compression(),
				levels(column)))
		}
	}
	return lines
}

// levels describes the values of a column of a group, at most 20.
func levels(column file.ColumnChunkReader) string {
	switch in := column.(type) {
	case *file.BooleanColumnChunkReader:
		return levelsOf(in.ReadBatch)
	case *file.Int32ColumnChunkReader:
		return levelsOf(in.ReadBatch)
	case *file.Int64ColumnChunkReader:
		return levelsOf(in.ReadBatch)
	case *file.Float32ColumnChunkReader:
		return levelsOf(in.ReadBatch)
	case *file.Float64ColumnChunkReader:
		return levelsOf(in.ReadBatch)
	case *file.ByteArrayColumnChunkReader:
		return levelsOf(in.ReadBatch)
	}
	return "another type"
}

func levelsOf[T any](read func(n int64, values []T, definitions, repetitions []int16) (int64, int, error)) string {
	const most = 20
	values, definitions, repetitions := make([]T, most), make([]int16, most), make([]int16, most)
	n, there, err := read(most, values, definitions, repetitions)
	return fmt.Sprint(n, definitions, repetitions, values[:there], err)
}

// What is written stands in a file as pqarrow has it there, for others to read.
func TestLayoutIsThatOfPqarrow(t *testing.T) {
	s, batches := table(t)
	got, want := stored(t, write(t, s, batches)), stored(t, testdata(t, "pqarrow.parquet"))
	if len(got) != len(want) {
		t.Fatalf("%d lines, want %d", len(got), len(want))
	}
	for i := range got {
		if got[i] != want[i] {
			t.Errorf("%s\nwant\n%s", got[i], want[i])
		}
	}
}

// What other programs write is read: other widths and encodings, pages of the second version, groups of two rows. Types
// that are not read are columns without values. Package pqarrow of arrow-go 18.8.0 wrote the file, compressed by zstd.
func TestFilesOfOtherPrograms(t *testing.T) {
	want := map[string][]string{
		"int8": {"-1", "(null)", "1"}, "int16": {"-300", "(null)", "2"}, "uint8": {"255", "(null)", "3"},
		"uint16": {"65535", "(null)", "4"}, "uint32": {"4294967295", "(null)", "5"},
		"uint64": {"9223372036854775807", "(null)", "6"}, "float16": {"0.5", "(null)", "-2"},
		"float32": {"1.25", "(null)", "-1"}, "bool": {"true", "(null)", "false"}, "words": {"a", "(null)", "b"},
		"large": {"[1,255]", "(null)", "[]"}, "null": {"(null)", "(null)", "(null)"},
		"deep": {"[[[1,2],[]],[],[[3]]]", "(null)", "[null,[null,[4,null]]]"},
	}
	for _, other := range []string{"date", "time", "decimal", "binary", "struct", "map", "structs"} {
		want[other] = []string{"(null)", "(null)", "(null)"}
	}
	if got := cells(t, testdata(t, "others.parquet")); !maps.EqualFunc(got, want, slices.Equal) {
		t.Errorf("%v, want %v", got, want)
	}
	r, err := columnar.NewReader(bytes.NewReader(testdata(t, "others.parquet")))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for column, want := range map[string]string{
		"date": "date32", "time": "timestamp[us, tz=UTC]", "struct": "struct<>",
		"structs": "struct<>", "binary": "binary",
		"deep": "list<item: list<item: list<item: int64, nullable>, nullable>, nullable>",
	} {
		f, _ := r.Schema().FieldsByName(column)
		if got := f[0].Type.String(); got != want {
			t.Errorf("%s is %s, want %s", column, got, want)
		}
	}
}

// Lists as files of old have them: repeated without a word, in two levels, and in three with other names.
func TestListsOfOldFiles(t *testing.T) {
	one := func(n schema.Node, err error) schema.Node {
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	required, repeated := parquet.Repetitions.Required, parquet.Repetitions.Repeated
	list := func(name string, of schema.Node) schema.Node {
		return one(schema.NewGroupNodeConverted(name, required, schema.FieldList{of}, schema.ConvertedTypes.List, -1))
	}
	repeatedly := func(name string) schema.Node {
		return one(schema.NewGroupNode(name, repeated, schema.FieldList{schema.NewInt32Node("entry", required, -1)}, -1))
	}
	root, err := schema.NewGroupNode("schema", required, schema.FieldList{
		schema.NewInt32Node("plain", repeated, -1), list("two", schema.NewInt32Node("array", repeated, -1)),
		list("three", repeatedly("bag")), list("tuple", repeatedly("tuple_tuple")),
	}, -1)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w := file.NewParquetWriter(&out, root)
	group, err := w.AppendRowGroupChecked()
	if err != nil {
		t.Fatal(err)
	}
	for range 4 {
		column, err := group.NextColumn()
		if err != nil {
			t.Fatal(err)
		}
		_, err = column.(*file.Int32ColumnChunkWriter).WriteBatch([]int32{1, 2, 3}, []int16{1, 1, 0, 1}, []int16{0, 1, 0, 0})
		if err := errors.Join(err, column.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	got, nothing := cells(t, out.Bytes()), []string{"(null)", "(null)", "(null)"}
	all := []string{"[1,2]", "[]", "[3]"}
	want := map[string][]string{"plain": all, "two": all, "three": all, "tuple": nothing}
	if !maps.EqualFunc(got, want, slices.Equal) {
		t.Errorf("%v", got)
	}
}

// Rows of many values, and many rows of few, come some at a time, whatever group they are written in.
func TestRowsComeSomeAtATime(t *testing.T) {
	s := arrow.NewSchema([]arrow.Field{maybe("list", arrow.ListOf(arrow.PrimitiveTypes.Int32)),
		{Name: "number", Type: arrow.PrimitiveTypes.Int64}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, s)
	const n = 20000
	next := int32(0)
	for i := range int64(n) {
		b.Field(0).(*array.ListBuilder).Append(true)
		b.Field(1).(*array.Int64Builder).Append(i)
		for range map[bool]int{false: int(i % 3), true: 700000}[i == 7777] {
			b.Field(0).(*array.ListBuilder).ValueBuilder().(*array.Int32Builder).Append(next)
			next++
		}
	}
	r, err := columnar.NewReader(bytes.NewReader(write(t, s, []arrow.RecordBatch{b.NewRecordBatch()})))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	row, value, pieces := int64(0), int32(0), 0
	for {
		batch, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		pieces++
		lists := batch.Column(0).(*array.List)
		if batch.NumRows() > 5000 || batch.NumRows() > 1 && lists.ListValues().Len() > 1000000 {
			t.Errorf("%d rows with %d values at once", batch.NumRows(), lists.ListValues().Len())
		}
		for _, v := range lists.ListValues().(*array.Int32).Int32Values() {
			if v != value {
				t.Fatalf("value %d, want %d", v, value)
			}
			value++
		}
		for i := range lists.Len() {
			from, to := lists.ValueOffsets(i)
			want := row % 3
			if row == 7777 {
				want = 700000
			}
			if got := batch.Column(1).(*array.Int64).Value(i); got != row || to-from != want {
				t.Fatalf("row %d has %d values, want row %d with %d", got, to-from, row, want)
			}
			row++
		}
	}
	if row != n || value != next || pieces < 5 {
		t.Errorf("%d rows with %d values in %d pieces, want %d with %d", row, value, pieces, n, next)
	}
}

// A file that promises other rows than it has, or another type than is written, is refused in one line.
func TestWrongTablesAreRefused(t *testing.T) {
	s := arrow.NewSchema([]arrow.Field{maybe("day", arrow.ListOf(arrow.FixedWidthTypes.Date32))}, nil)
	_, err := columnar.NewWriter(io.Discard, "x.parquet", s)
	if err == nil || err.Error() != "column day: values of type date32 are not written as Parquet" {
		t.Errorf("%v", err)
	}
}
