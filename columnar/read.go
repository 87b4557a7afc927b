package columnar

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	arrowmemory "github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/grove-graph/grove/memory"
)

// The first bytes of a file. Arrow IPC as a file is its stream after eight bytes.
const (
	magicParquet = "PAR1"
	magicArrow   = "ARROW1\x00\x00"
	magicStream  = "\xff\xff\xff\xff"
)

// Reader reads a table, some rows at a time.
type Reader struct {
	schema *arrow.Schema
	rows   Rows
	left   int64 // rows of Parquet that are still to come; -1 where their number is not known
}

// Source is a file that may be read in any order.
type Source interface {
	io.Reader
	io.ReaderAt
	io.Seeker
}

// NewReader begins to read Parquet, or Arrow IPC as a file or a stream.
func NewReader(in Source) (r *Reader, err error) {
	defer readable(&err)
	start := make([]byte, len(magicParquet))
	if _, err := in.ReadAt(start, 0); err != nil && err != io.EOF {
		return nil, err
	}
	if string(start) != magicParquet {
		if _, err := in.Seek(0, io.SeekStart); err != nil {
			return nil, err
		}
		rows, err := NewStream(in)
		if begin := string(start); err != nil && begin != magicArrow[:len(begin)] && begin != magicStream {
			return nil, fmt.Errorf("neither Parquet nor Arrow IPC, it begins with %q", strings.TrimRight(begin, "\x00"))
		}
		return rows, err
	}
	format, err := registered()
	if err != nil {
		return nil, err
	}
	rows, schema, n, err := format.Open(in)
	if err != nil {
		return nil, plain(err)
	}
	return &Reader{schema: schema, rows: rows, left: n}, nil
}

// NewStream begins to read Arrow IPC, a file or a stream, from its beginning to its end, a pipe for instance.
func NewStream(in io.Reader) (r *Reader, err error) {
	defer readable(&err)
	buffered := bufio.NewReaderSize(in, 1<<16)
	if start, _ := buffered.Peek(len(magicArrow)); bytes.Equal(start, []byte(magicArrow)) {
		_, _ = buffered.Discard(len(magicArrow))
	}
	rows, err := ipc.NewReaderFromMessageReader(&messages{in: buffered}, ipc.WithAllocator(Allocator()))
	if err != nil {
		return nil, plain(err)
	}
	return &Reader{schema: rows.Schema(), rows: rows, left: -1}, nil
}

// Schema returns what the columns are.
func (r *Reader) Schema() *arrow.Schema { return r.schema }

// Next returns the next rows, or [io.EOF] where there are no more. They are valid until the next call.
func (r *Reader) Next() (rows arrow.RecordBatch, err error) {
	defer readable(&err)
	if !r.rows.Next() {
		switch err := r.rows.Err(); {
		case err != nil && !errors.Is(err, io.EOF):
			return nil, plain(err)
		case r.left > 0:
			return nil, fmt.Errorf("the file is damaged: %d rows are missing", r.left)
		}
		return nil, io.EOF
	}
	rows = r.rows.RecordBatch()
	if r.left >= 0 {
		r.left -= rows.NumRows()
	}
	return rows, array.ValidateRecordFull(rows)
}

// Close gives back what the reader holds. It does not close the file.
func (r *Reader) Close() { r.rows.Release() }

// Allocator gives no more memory at once than there is.
func Allocator() arrowmemory.Allocator { return bounded{arrowmemory.NewGoAllocator()} }

// bounded refuses the rest: a length that stands in a damaged file may be anything.
type bounded struct{ *arrowmemory.GoAllocator }

// Allocate implements [arrowmemory.Allocator].
func (b bounded) Allocate(size int) []byte {
	b.check(size)
	return b.GoAllocator.Allocate(size)
}

// Reallocate implements [arrowmemory.Allocator].
func (b bounded) Reallocate(size int, old []byte) []byte {
	b.check(size)
	return b.GoAllocator.Reallocate(size, old)
}

func (bounded) check(size int) {
	const small = 1 << 24 // too little to ask for
	if size <= small {
		return
	}
	if free := memory.Available(); free > 0 && int64(size) > free {
		panic(fmt.Errorf("%d bytes at once, more than there is memory", size))
	}
}

// plain says in other words what the library says of a file that is cut off, and drops the names of packages from all
// else.
func plain(err error) error {
	text := err.Error()
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the file ends within its data: it is cut off")
	case strings.Contains(text, "magic bytes not found"), strings.Contains(text, "smaller than indicated metadata size"):
		return errors.New("the file does not end as Parquet does: it is cut off or damaged")
	}
	for _, prefix := range []string{"arrow/ipc: ", "parquet: "} {
		for len(text) > len(prefix) && text[:len(prefix)] == prefix {
			text = text[len(prefix):]
		}
	}
	return errors.New(text)
}
