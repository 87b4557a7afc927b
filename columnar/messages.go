package columnar

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/apache/arrow-go/v18/arrow/ipc"
	arrowmemory "github.com/apache/arrow-go/v18/arrow/memory"
	flatbuffers "github.com/google/flatbuffers/go"
)

var errMessage = errors.New("a message is damaged")

// Bounds of what a message may say of itself, which its library would believe.
const (
	maxMetadata   = 1 << 28 // bytes
	maxDepth      = 64      // of fields in fields
	rowsOfBody    = 1 << 12 // at most so many rows for each byte of a body, which may be compressed
	rowsOfNothing = 1 << 16 // and so many without any
)

// messages reads the messages of a stream of Arrow IPC and looks at their metadata before anybody believes them: at
// lengths of vectors, fields that hold themselves, and numbers of rows.
type messages struct {
	in      io.Reader
	current *ipc.Message
}

// Message implements [ipc.MessageReader].
func (m *messages) Message() (_ *ipc.Message, err error) {
	defer readable(&err)
	var start [4]byte
	if _, err := io.ReadFull(m.in, start[:]); err != nil {
		return nil, err // at the end of a stream that has no mark of it, io.EOF
	}
	length := binary.LittleEndian.Uint32(start[:])
	if length == math.MaxUint32 { // as in all versions of the format since 0.15
		if _, err := io.ReadFull(m.in, start[:]); err != nil {
			return nil, io.ErrUnexpectedEOF
		}
		length = binary.LittleEndian.Uint32(start[:])
	}
	switch {
	case length == 0:
		return nil, io.EOF
	case length < 8 || length > maxMetadata:
		return nil, errMessage
	}
	raw := make([]byte, length)
	if _, err := io.ReadFull(m.in, raw); err != nil {
		return nil, io.ErrUnexpectedEOF
	}
	size, err := checkMessage(raw)
	if err != nil {
		return nil, err
	}
	body, err := m.read(size)
	if err != nil {
		return nil, err
	}
	m.Release()
	m.current = ipc.NewMessage(arrowmemory.NewBufferBytes(raw), arrowmemory.NewBufferBytes(body))
	return m.current, nil
}

// read reads so many bytes, with memory for what there is.
func (m *messages) read(size int) ([]byte, error) {
	const first = 1 << 24
	body := make([]byte, min(size, first))
	for at := 0; ; {
		if _, err := io.ReadFull(m.in, body[at:]); err != nil {
			return nil, io.ErrUnexpectedEOF
		}
		if at = len(body); at == size {
			return body, nil
		}
		body = append(make([]byte, 0, min(size, 4*at)), body...)
		body = body[:cap(body)]
	}
}

// Release implements [ipc.MessageReader].
func (m *messages) Release() {
	if m.current != nil {
		m.current.Release()
		m.current = nil
	}
}

// Retain implements [ipc.MessageReader].
func (m *messages) Retain() {}

// table is a table of a flatbuffer.
type table struct{ flatbuffers.Table }

// slot returns where the value of a slot of a table stands, 0 for none.
func (t table) slot(n int) flatbuffers.UOffsetT {
	return flatbuffers.UOffsetT(t.Offset(flatbuffers.VOffsetT(4 + 2*n)))
}

// vector returns the length of a vector and where it begins. Its items of so many bytes are all there.
func (t table) vector(n, bytes int) (length int, start flatbuffers.UOffsetT, err error) {
	at := t.slot(n)
	if at == 0 {
		return 0, 0, nil
	}
	length, start = t.VectorLen(at), t.Vector(at)
	if length < 0 || length > (len(t.Bytes)-int(start))/bytes {
		return 0, 0, errMessage
	}
	return length, start, nil
}

// below returns the table that a slot leads to.
func (t table) below(n int) (table, error) {
	at := t.slot(n)
	if at == 0 {
		return table{}, errMessage
	}
	return table{flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(t.Pos + at)}}, nil
}

// number returns a number of 8 bytes.
func (t table) number(n int) int64 {
	if at := t.slot(n); at != 0 {
		return t.GetInt64(t.Pos + at)
	}
	return 0
}

// checkMessage refuses metadata that promise what cannot be, and returns the length of the body.
func checkMessage(raw []byte) (body int, err error) {
	root := table{flatbuffers.Table{Bytes: raw, Pos: flatbuffers.GetUOffsetT(raw)}}
	size := root.number(3)
	if size < 0 || size > math.MaxInt {
		return 0, errMessage
	}
	header, err := root.below(2)
	if err != nil {
		return 0, err
	}
	kind := ipc.MessageType(0)
	if at := root.slot(1); at != 0 {
		kind = ipc.MessageType(root.GetByte(root.Pos + at))
	}
	switch kind {
	case ipc.MessageSchema:
		fields := len(raw) / 8
		err = checkFields(header, 1, &fields, maxDepth)
		if err == nil {
			_, _, err = header.vector(2, 4)
		}
		return int(size), err
	case ipc.MessageDictionaryBatch:
		if header, err = header.below(1); err != nil {
			return 0, err
		}
		fallthrough
	case ipc.MessageRecordBatch:
		if rows := header.number(0); rows < 0 || rows > rowsOfNothing && (rows-rowsOfNothing)/rowsOfBody > size {
			return 0, fmt.Errorf("%d rows in %d bytes", rows, size)
		}
		for slot, bytes := range map[int]int{1: 16, 2: 16, 4: 8} {
			if _, _, err := header.vector(slot, bytes); err != nil {
				return 0, err
			}
		}
		return int(size), nil
	}
	return 0, fmt.Errorf("a message of a kind that has no rows: %s", kind)
}

// checkFields walks through the fields in a slot and those in them.
func checkFields(t table, slot int, left *int, depth int) error {
	n, start, err := t.vector(slot, 4)
	if err != nil {
		return err
	}
	if *left -= n; *left < 0 || depth == 0 {
		return errMessage
	}
	for i := range n {
		f := table{flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(start + flatbuffers.UOffsetT(4*i))}}
		if _, _, err := f.vector(6, 4); err != nil {
			return err
		}
		const union = 14
		if at := f.slot(2); at != 0 && f.GetByte(f.Pos+at) == union {
			return errors.New("a column is a union")
		}
		if err := checkFields(f, 5, left, depth-1); err != nil {
			return err
		}
	}
	return nil
}
