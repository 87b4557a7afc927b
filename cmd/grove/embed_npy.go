package main

import (
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strings"

	"gorgonia.org/tensor"
)

// npyWriter writes a matrix in NumPy's format, version 1.0, little-endian, row-major, a few rows at a time.
type npyWriter struct {
	w    io.Writer
	left int // numbers that are still to come
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
func (n *npyWriter) write(_ []cells, rows *tensor.Dense) error {
	n.left -= rows.Shape().TotalSize()
	if rows.Dtype() == tensor.Float64 {
		return writeNumbers(n.w, rows.Float64s())
	}
	return writeNumbers(n.w, rows.Float32s())
}

// close tells whether all rows were written.
func (n *npyWriter) close() error {
	if n.left != 0 {
		return fmt.Errorf("%d numbers are missing", n.left)
	}
	return nil
}

// writeNumbers writes numbers some at a time: their bytes are a copy.
func writeNumbers[T float32 | float64](w io.Writer, numbers []T) (err error) {
	var bytes []byte
	for chunk := range slices.Chunk(numbers, 1<<14) {
		if bytes, err = binary.Append(bytes[:0], binary.LittleEndian, chunk); err != nil {
			return err
		}
		if _, err := w.Write(bytes); err != nil {
			return err
		}
	}
	return nil
}
