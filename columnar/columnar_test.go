package columnar_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/grove-graph/grove/columnar"
	_ "github.com/grove-graph/grove/columnar/parquet"
)

// written returns a table of one column and the given batches, and what its schema says, as the bytes of a file.
func written(t *testing.T, file string, batches ...[]int64) []byte {
	t.Helper()
	said := arrow.NewMetadata([]string{"about"}, []string{"numbers"})
	schema := arrow.NewSchema([]arrow.Field{{Name: "number", Type: arrow.PrimitiveTypes.Int64}}, &said)
	var out bytes.Buffer
	w, err := columnar.NewWriter(&out, file, schema)
	if err != nil {
		t.Fatal(err)
	}
	for _, batch := range batches {
		b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
		b.Field(0).(*array.Int64Builder).AppendValues(batch, nil)
		rows := b.NewRecordBatch()
		if err := w.Write(rows); err != nil {
			t.Fatal(err)
		}
		rows.Release()
		b.Release()
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// numbers reads a table of one column and returns its numbers, and how many batches they came in.
func numbers(r *columnar.Reader, err error) (all []int64, batches int, _ error) {
	if err != nil {
		return nil, 0, err
	}
	defer r.Close()
	if meta := r.Schema().Metadata(); meta.FindKey("about") < 0 {
		return nil, 0, fmt.Errorf("the schema says %v", meta)
	}
	for {
		rows, err := r.Next()
		if errors.Is(err, io.EOF) {
			return all, batches, nil
		}
		if err != nil {
			return nil, 0, err
		}
		if rows.NumCols() != 1 {
			return nil, 0, errors.New("another number of columns")
		}
		column, ok := rows.Column(0).(*array.Int64)
		if !ok {
			return nil, 0, errors.New("another type")
		}
		all = append(all, column.Int64Values()...)
		batches++
	}
}

// A table is read as it was written, a batch at a time, whatever its kind; Arrow from a pipe too.
func TestTablesComeBack(t *testing.T) {
	first, second := make([]int64, 3000), []int64{-1, 1 << 60}
	for i := range first {
		first[i] = int64(i)
	}
	want := slices.Concat(first, second)
	for _, file := range []string{"a.parquet", "a.arrow", "a.feather"} {
		if !columnar.Named(file) {
			t.Errorf("%s is named as no table", file)
		}
		raw := written(t, file, first, second)
		if isParquet := bytes.HasPrefix(raw, []byte("PAR1")); isParquet != strings.HasSuffix(file, columnar.Parquet) {
			t.Errorf("%s is Parquet: %t", file, isParquet)
		}
		got, _, err := numbers(columnar.NewReader(bytes.NewReader(raw)))
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %d numbers, %v", file, len(got), err)
		}
	}
	raw := written(t, "a.arrow", first, second)
	for name, in := range map[string]io.Reader{
		"a pipe": io.MultiReader(bytes.NewReader(raw)), "a stream": bytes.NewReader(raw[len("ARROW1\x00\x00"):]),
	} {
		got, batches, err := numbers(columnar.NewStream(in))
		if err != nil || !slices.Equal(got, want) || batches != 2 {
			t.Errorf("%s: %d numbers in %d batches, %v", name, len(got), batches, err)
		}
	}
	for _, file := range []string{"a.csv", "parquet", "a.parquet.gz", ""} {
		if columnar.Named(file) {
			t.Errorf("%s is named as a table", file)
		}
	}
}

// An error says what is wrong with a file in words that do not need its format to be known.
func TestFilesThatAreNoneOrCutOff(t *testing.T) {
	parquet, arrow := written(t, "a.parquet", []int64{1, 2, 3}), written(t, "a.arrow", []int64{1, 2, 3})
	for text, raw := range map[string][]byte{
		`neither Parquet nor Arrow IPC, it begins with "a,b\n"`:           []byte("a,b\n1,2\n"),
		"the file does not end as Parquet does: it is cut off or damaged": parquet[:len(parquet)-3],
		"the file ends within its data: it is cut off":                    arrow[:len(arrow)/3],
	} {
		_, _, err := numbers(columnar.NewReader(bytes.NewReader(raw)))
		if err == nil || err.Error() != text {
			t.Errorf("%v, want %s", err, text)
		}
	}
}

// Whatever bytes of a table are others or missing, reading it gives numbers or an error of one line.
func TestDamagedTablesAreErrors(t *testing.T) {
	for _, file := range []string{"a.parquet", "a.arrow"} {
		raw := written(t, file, []int64{1, 2, 3}, []int64{4})
		read := func(raw []byte, how string) (failed bool) {
			_, _, err := numbers(columnar.NewReader(bytes.NewReader(raw)))
			if err != nil && strings.Contains(err.Error(), "\n") {
				t.Errorf("%s, %s: an error of several lines, %q", file, how, err)
			}
			return err != nil
		}
		failures := 0
		for i := range raw {
			for _, other := range []byte{0, 0x7f, 0xff, raw[i] ^ 1} {
				damaged := bytes.Clone(raw)
				damaged[i] = other
				if read(damaged, fmt.Sprintf("byte %d as %d", i, other)) {
					failures++
				}
			}
		}
		if failures < len(raw)/4 {
			t.Errorf("%s: only %d of %d damages are noticed", file, failures, 4*len(raw))
		}
		if !read(raw[:len(raw)/2], "half of it") || !read(nil, "nothing") {
			t.Errorf("%s: a part is taken for the whole", file)
		}
	}
}
