package sdf

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/grove-graph/grove/smiles"
)

// Record is a molecule with what its file says of it.
type Record struct {
	Name     string // its first line
	Molecule *smiles.Molecule
	Values   map[string]string // the named values after the molecule; several lines of one are joined by blanks
	Names    []string          // of the values, in their order
	Line     int               // that it begins in, from 1
	// Wrong says why the molecule cannot be read, in which case it is nil; the values are there.
	Wrong *Error
}

// Error says where a file is none of molecules, and what was expected.
type Error struct {
	Line   int // from 1
	Column int // in bytes, from 1; 0 where it is the line as a whole
	Reason string
}

func (e *Error) Error() string {
	if e.Column == 0 {
		return fmt.Sprintf("line %d: %s", e.Line, e.Reason)
	}
	return fmt.Sprintf("line %d: column %d: %s", e.Line, e.Column, e.Reason)
}

// A line longer than this is taken for damage.
const maxLine = 1 << 20

// Reader reads the records of a file one after another.
type Reader struct {
	in     *bufio.Scanner
	line   int // of the current one, from 1
	text   string
	ended  bool
	record *Record
	err    error
}

// NewReader returns a reader of the records of a file.
func NewReader(in io.Reader) *Reader {
	r := &Reader{in: bufio.NewScanner(in)}
	r.in.Buffer(nil, maxLine)
	return r
}

// Record returns the record that [Reader.Next] has read.
func (r *Reader) Record() *Record { return r.record }

// Err returns the first error of reading. What is wrong within a molecule is in [Record.Wrong].
func (r *Reader) Err() error { return r.err }

// take moves to the next line, false at the end.
func (r *Reader) take() bool {
	if r.ended || !r.in.Scan() {
		r.ended = true
		if err := r.in.Err(); err != nil && r.err == nil {
			r.err = err
			if errors.Is(err, bufio.ErrTooLong) {
				r.err = &Error{r.line + 1, 0, fmt.Sprintf("a line longer than %d bytes", maxLine)}
			}
		}
		r.text = ""
		return false
	}
	r.line++
	r.text = strings.TrimRight(r.in.Text(), "\r")
	return true
}

// separator ends a record.
const separator = "$$$$"

// Next reads the next record. It returns false at the end of the file and after an error.
func (r *Reader) Next() bool {
	if r.err != nil {
		return false
	}
	var block []string // lines of the molecule
	first := r.line + 1
	record := &Record{Values: map[string]string{}, Line: first}
	for r.take() && r.text != "M  END" && !strings.HasPrefix(r.text, separator) && !strings.HasPrefix(r.text, ">") {
		block = append(block, r.text)
	}
	if r.err != nil || r.ended && blank(block) {
		return false
	}
	if len(block) > 0 {
		record.Name = strings.TrimSpace(block[0])
	}
	if r.text != "M  END" {
		record.Wrong = &Error{r.line, 0, "the molecule should end with the line M  END"}
	}
	if record.Wrong == nil {
		record.Molecule, record.Wrong = parse(block, first)
	}
	for !r.ended && !strings.HasPrefix(r.text, separator) {
		if strings.HasPrefix(r.text, ">") {
			r.value(record)
			continue
		}
		r.take()
	}
	r.record = record
	return r.err == nil
}

// blank reports whether lines hold nothing.
func blank(lines []string) bool {
	for _, l := range lines {
		if strings.TrimSpace(l) != "" {
			return false
		}
	}
	return true
}

// value reads a named value: its line > <NAME>, and the lines up to a blank one.
func (r *Reader) value(record *Record) {
	_, rest, _ := strings.Cut(r.text, "<")
	name, _, found := strings.Cut(rest, ">")
	var lines []string
	for r.take() && strings.TrimSpace(r.text) != "" && !strings.HasPrefix(r.text, separator) &&
		!strings.HasPrefix(r.text, "> ") {
		lines = append(lines, strings.TrimSpace(r.text))
	}
	if name = strings.TrimSpace(name); !found || name == "" {
		return
	}
	if _, known := record.Values[name]; !known {
		record.Names = append(record.Names, name)
	}
	record.Values[name] = strings.Join(lines, " ")
}
