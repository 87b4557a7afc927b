package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/grove-graph/grove/atomicfile"
	"gorgonia.org/tensor"
)

// writeFile makes a file by calling content. The flag is the one that named the file, for errors.
func writeFile(flag, path string, content func(w io.Writer) error) error {
	if err := atomicfile.Write(path, content); err != nil {
		return fmt.Errorf("%s %s: %w", flag, path, plain(err))
	}
	return nil
}

// plain drops the operation and the path that file errors repeat.
func plain(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}

// writable checks before long work that a file can be made.
func writable(flag, path string) error {
	dir := filepath.Dir(path)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return usagef("%s %s: there is no folder %s", flag, path, dir)
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return usagef("%s %s: this is a folder; name a file", flag, path)
	}
	if err := atomicfile.Check(path); err != nil {
		return fmt.Errorf("%s %s: %w", flag, path, plain(err))
	}
	return nil
}

// writableFolder checks before long work that a folder can be made, or written to where it is there.
func writableFolder(flag, path string) error {
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		return usagef("%s %s: this is a file; give a folder", flag, path)
	}
	there, err := filepath.Abs(path)
	if err != nil {
		return fmt.Errorf("%s %s: %w", flag, path, plain(err))
	}
	for {
		info, err := os.Stat(there)
		if err == nil && !info.IsDir() {
			return usagef("%s %s: %s is a file, not a folder", flag, path, there)
		}
		if err == nil || there == filepath.Dir(there) {
			break
		}
		there = filepath.Dir(there)
	}
	if err := atomicfile.Check(filepath.Join(there, "new")); err != nil {
		return fmt.Errorf("%s %s: %w", flag, path, plain(err))
	}
	return nil
}

// writeNPY writes a matrix in NumPy's format, version 1.0, little-endian, row-major.
func writeNPY(w io.Writer, x *tensor.Dense) error {
	descr := "<f4"
	if x.Dtype() == tensor.Float64 {
		descr = "<f8"
	}
	head := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%d, %d), }", descr, x.Shape()[0], x.Shape()[1])
	const prefix = 10 // magic, version and the length of the header
	head += strings.Repeat(" ", 63-(prefix+len(head))%64) + "\n"
	start := binary.LittleEndian.AppendUint16([]byte("\x93NUMPY\x01\x00"), uint16(len(head)))
	if _, err := w.Write(append(start, head...)); err != nil {
		return err
	}
	chunk := make([]byte, 0, 1<<15)
	flush := func(least int) error {
		if len(chunk) < least {
			return nil
		}
		_, err := w.Write(chunk)
		chunk = chunk[:0]
		return err
	}
	if x.Dtype() == tensor.Float64 {
		for _, v := range x.Float64s() {
			chunk = binary.LittleEndian.AppendUint64(chunk, math.Float64bits(v))
			if err := flush(1<<15 - 8); err != nil {
				return err
			}
		}
		return flush(1)
	}
	for _, v := range x.Float32s() {
		chunk = binary.LittleEndian.AppendUint32(chunk, math.Float32bits(v))
		if err := flush(1<<15 - 8); err != nil {
			return err
		}
	}
	return flush(1)
}
