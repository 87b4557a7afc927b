package parquet

import (
	"bytes"
	"errors"
	"fmt"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/float16"
	arrowmemory "github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/grove-graph/grove/columnar"
	"github.com/grove-graph/grove/memory"
)

var errDamaged = errors.New("the file is damaged")

// chunkOf returns a column of a group as form says that it stands there.
func chunkOf(in file.ColumnChunkReader, f *form) (chunk, error) {
	of := f.field.Type
	for range f.lists {
		of = of.(*arrow.ListType).Elem()
	}
	switch in := in.(type) {
	case *file.BooleanColumnChunkReader:
		return newChunk(in, f, of, in.ReadBatch, appendTo[*array.BooleanBuilder, bool]), nil
	case *file.Int32ColumnChunkReader:
		switch of.ID() {
		case arrow.NULL:
			return newChunk(in, f, of, in.ReadBatch, func(to array.Builder, values []int32, _ []bool) {
				to.AppendNulls(len(values))
			}), nil
		case arrow.INT64: // that was unsigned
			return newChunk(in, f, of, in.ReadBatch, converted[*array.Int64Builder](func(v int32) int64 {
				return int64(uint32(v))
			})), nil
		}
		return newChunk(in, f, of, in.ReadBatch, appendTo[*array.Int32Builder, int32]), nil
	case *file.Int64ColumnChunkReader:
		return newChunk(in, f, of, in.ReadBatch, appendTo[*array.Int64Builder, int64]), nil
	case *file.Float32ColumnChunkReader:
		return newChunk(in, f, of, in.ReadBatch, appendTo[*array.Float32Builder, float32]), nil
	case *file.Float64ColumnChunkReader:
		return newChunk(in, f, of, in.ReadBatch, appendTo[*array.Float64Builder, float64]), nil
	case *file.FixedLenByteArrayColumnChunkReader:
		return newChunk(in, f, of, in.ReadBatch, converted[*array.Float32Builder](func(v parquet.FixedLenByteArray) float32 {
			return float16.FromLEBytes(v).Float32()
		})), nil
	case *file.ByteArrayColumnChunkReader:
		return newChunk(in, f, of, in.ReadBatch, converted[*array.StringBuilder](func(v parquet.ByteArray) string {
			return string(v)
		})), nil
	}
	return nil, fmt.Errorf("values of type %s", in.Type())
}

// bulkBuilder is a builder that takes several values at once; without valid all of them are there.
type bulkBuilder[T any] interface {
	array.Builder
	AppendValues(values []T, valid []bool)
}

func appendTo[B bulkBuilder[T], T any](to array.Builder, values []T, valid []bool) {
	to.(B).AppendValues(values, valid)
}

// converted appends values as others.
func converted[B bulkBuilder[U], T, U any](convert func(T) U) func(to array.Builder, values []T, valid []bool) {
	return func(to array.Builder, values []T, valid []bool) {
		others := make([]U, len(values))
		for i, v := range values {
			if valid == nil || valid[i] {
				others[i] = convert(v)
			}
		}
		to.(B).AppendValues(others, valid)
	}
}

// typedChunk is a column of values of a type.
type typedChunk[T any] struct {
	form *form
	of   arrow.DataType // of the values
	in   file.ColumnChunkReader
	read func(n int64, values []T, definitions, repetitions []int16) (levels int64, there int, err error)
	put  func(to array.Builder, values []T, valid []bool)

	// What was read and not taken.
	definitions, repetitions []int16
	values                   []T   // those that are there
	begun                    int64 // rows; the last one is whole if there is nothing more to read
	valid                    []bool
	spaced                   []T
}

func newChunk[T any](
	in file.ColumnChunkReader, f *form, of arrow.DataType,
	read func(n int64, values []T, definitions, repetitions []int16) (levels int64, there int, err error),
	put func(to array.Builder, values []T, valid []bool),
) chunk {
	return &typedChunk[T]{form: f, of: of, in: in, read: read, put: put}
}

// fill implements [chunk].
func (c *typedChunk[T]) fill(rows int64) (int64, error) {
	const step = 1 << 12
	for {
		more := c.in.HasNext()
		if err := c.in.Err(); err != nil {
			return 0, err
		}
		whole := c.begun
		if more && len(c.form.lists) > 0 && whole > 0 {
			whole--
		}
		if !more || whole >= rows || whole > 0 && len(c.definitions) >= valuesAtOnce {
			return whole, nil
		}
		n := int64(step)
		if len(c.form.lists) == 0 {
			n = min(n, rows-whole)
		}
		if err := c.readOn(int(n)); err != nil {
			return 0, err
		}
	}
}

// more implements [chunk].
func (c *typedChunk[T]) more() bool { return c.begun > 0 || c.in.HasNext() }

// readOn reads at most so many values.
func (c *typedChunk[T]) readOn(n int) error {
	if held := len(c.definitions); held == cap(c.definitions) && held > valuesAtOnce {
		const each = 16 // bytes at least, of a value and its levels
		if free := memory.Available(); free > 0 && int64(each)*int64(held) > free {
			return fmt.Errorf("more than %d values in a row, for which there is no memory", held)
		}
	}
	first, there := len(c.definitions), len(c.values)
	c.definitions, c.repetitions = longer(c.definitions, n), longer(c.repetitions, n)
	c.values = longer(c.values, n)
	levels, values, err := c.read(int64(n), c.values[there:], c.definitions[first:], c.repetitions[first:])
	if err != nil {
		return err
	}
	if levels == 0 || levels > int64(n) || int64(values) > levels {
		return errDamaged
	}
	last := first + int(levels)
	c.definitions, c.repetitions, c.values = c.definitions[:last], c.repetitions[:last], c.values[:there+values]
	if len(c.form.lists) == 0 {
		clear(c.repetitions[first:])
	}
	if c.form.there == 0 {
		clear(c.definitions[first:])
	}
	for _, r := range c.repetitions[first:] {
		if r == 0 {
			c.begun++
		}
	}
	if c.begun == 0 {
		return errDamaged
	}
	return nil
}

// longer returns a slice that has n further places.
func longer[T any](s []T, n int) []T {
	if len(s)+n > cap(s) {
		s = append(make([]T, 0, max(2*cap(s), len(s)+n)), s...)
	}
	return s[:len(s)+n]
}

// take implements [chunk].
func (c *typedChunk[T]) take(rows int64) (arrow.Array, error) {
	f := c.form
	lists := make([]lists, len(f.lists))
	c.valid, c.begun = c.valid[:0], c.begun-rows
	at, there := 0, 0
	for ; at < len(c.definitions); at++ {
		definition, depth := c.definitions[at], int(c.repetitions[at])
		if depth == 0 {
			if rows == 0 {
				break
			}
			rows--
		}
		if definition < 0 || definition > f.there || depth < 0 || depth > len(lists) ||
			depth > 0 && definition <= f.lists[depth-1] {
			return nil, errDamaged
		}
		for ; depth < len(lists); depth++ {
			entries := len(c.valid)
			if depth+1 < len(lists) {
				entries = len(lists[depth+1].offsets)
			}
			if lists[depth].add(entries, definition >= f.lists[depth]); definition <= f.lists[depth] {
				break
			}
		}
		if depth == len(lists) {
			c.valid = append(c.valid, definition == f.there)
			if definition == f.there {
				there++
			}
		}
	}
	if rows > 0 || there > len(c.values) || len(c.valid) > math.MaxInt32 {
		return nil, errDamaged
	}
	column := c.array(c.values[:there])
	for depth := len(lists) - 1; depth >= 0; depth-- {
		column = lists[depth].array(column)
	}
	c.definitions, c.repetitions = without(c.definitions, at), without(c.repetitions, at)
	c.values = without(c.values, there)
	return column, nil
}

// lists are lists that are put together, by where their entries begin; some are missing.
type lists struct {
	offsets []int32
	missing []int
}

// add adds a list that begins after so many entries.
func (l *lists) add(entries int, there bool) {
	if !there {
		l.missing = append(l.missing, len(l.offsets))
	}
	l.offsets = append(l.offsets, int32(entries))
}

// array returns the lists of some entries, which it takes over.
func (l *lists) array(entries arrow.Array) arrow.Array {
	defer entries.Release()
	n := len(l.offsets)
	l.offsets = append(l.offsets, int32(entries.Len()))
	there := bytes.Repeat([]byte{0xff}, (n+7)/8)
	for _, i := range l.missing {
		bitutil.ClearBit(there, i)
	}
	data := array.NewData(arrow.ListOf(entries.DataType()), n, []*arrowmemory.Buffer{
		arrowmemory.NewBufferBytes(there), arrowmemory.NewBufferBytes(arrow.Int32Traits.CastToBytes(l.offsets)),
	}, []arrow.ArrayData{entries.Data()}, len(l.missing), 0)
	defer data.Release()
	return array.NewListData(data)
}

// array returns values where they are valid, and gaps between them.
func (c *typedChunk[T]) array(values []T) arrow.Array {
	to := array.NewBuilder(columnar.Allocator(), c.of)
	defer to.Release()
	valid := c.valid
	if len(values) == len(valid) {
		c.put(to, values, nil)
		return to.NewArray()
	}
	c.spaced = longer(c.spaced[:0], len(valid))
	for i := range valid {
		if valid[i] {
			c.spaced[i], values = values[0], values[1:]
		}
	}
	c.put(to, c.spaced, valid)
	return to.NewArray()
}

// without drops the first places of a slice.
func without[T any](s []T, n int) []T { return s[:copy(s, s[n:])] }
