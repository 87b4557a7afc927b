package main

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"

	"gorgonia.org/tensor"
)

// npyWriter writes a matrix in NumPy's format, version 1.0, little-endian, row-major, a few rows at a time.
type npyWriter struct {
	w     io.Writer
	left  int // numbers that are still to come
	chunk []byte
}

// newNPY writes the head of the file.
func newNPY(w io.Writer, dtype tensor.Dtype, rows, columns int) (*npyWriter, error) {
	descr := "<f4"
	if dtype == tensor.Float64 {
		descr = "<f8"
	}
	head := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%d, %d), }", descr, rows, columns)
	const prefix = 10 // magic, version and the length of the header
	head += strings.Repeat(" ", 63-(prefix+len(head))%64) + "\n"
	start := binary.LittleEndian.AppendUint16([]byte("\x93NUMPY\x01\x00"), uint16(len(head)))
	_, err := w.Write(append(start, head...))
	return &npyWriter{w: w, left: rows * columns}, err
}

// write appends rows. They must be of the type and width that the head says.
func (n *npyWriter) write(rows *tensor.Dense) error {
	n.left -= rows.Shape().TotalSize()
	if rows.Dtype() == tensor.Float64 {
		return appendNumbers(n, rows.Float64s(), func(chunk []byte, v float64) []byte {
			return binary.LittleEndian.AppendUint64(chunk, math.Float64bits(v))
		})
	}
	return appendNumbers(n, rows.Float32s(), func(chunk []byte, v float32) []byte {
		return binary.LittleEndian.AppendUint32(chunk, math.Float32bits(v))
	})
}

// appendNumbers writes numbers in chunks.
func appendNumbers[T float32 | float64](n *npyWriter, numbers []T, encode func(chunk []byte, v T) []byte) error {
	const most = 4096 // numbers of a chunk
	for len(numbers) > 0 {
		some := numbers[:min(most, len(numbers))]
		numbers = numbers[len(some):]
		n.chunk = n.chunk[:0]
		for _, v := range some {
			n.chunk = encode(n.chunk, v)
		}
		if _, err := n.w.Write(n.chunk); err != nil {
			return err
		}
	}
	return nil
}
