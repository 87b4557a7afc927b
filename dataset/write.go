package dataset

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path"
	"path/filepath"
	"strconv"

	"github.com/grove-graph/grove/atomicfile"
)

// Write stores the data set in a folder: in TU format ([WriteTU]), or for a task per vertex as a vertex task
// ([WriteNode]).
func Write(dir string, d *Dataset) error { return writeAs(dir, DefaultFormat(d), d) }

// writeAs stores a data set in a folder, in place of one that is there.
func writeAs(dir string, f Format, d *Dataset) error {
	out, err := NewOutput(dir, true)
	if err != nil {
		return err
	}
	defer out.Discard()
	if err := out.Write("", f, d); err != nil {
		return err
	}
	return out.Commit()
}

// Output is a folder that a data set, or one in each of some parts of it, is being written to. [Output.Commit] puts
// it in place as a whole; until then what was there before is untouched, and whatever is killed then, the old is there
// or the new.
type Output struct {
	dir    string
	folder *atomicfile.Folder
}

// OccupiedError says that a folder holds a data set that is to be kept.
type OccupiedError struct {
	Dir    string
	Format Format
}

func (e *OccupiedError) Error() string {
	return fmt.Sprintf("%s: the folder holds a data set already (%s format)", e.Dir, e.Format)
}

// NewOutput begins to write to a folder, or to the named parts of it, train and test for instance, which are folders
// in it. The folder is made if need be. Data sets that are there already are replaced or, unless overwrite is set,
// the reason for an [OccupiedError]. Other files in the folder are kept. Until the output is committed or discarded no
// other process can write to the folder.
func NewOutput(dir string, overwrite bool, parts ...string) (*Output, error) {
	real, err := atomicfile.Resolve(dir)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, plainError(err))
	}
	places := []string{""}
	if len(parts) > 0 {
		places = parts
	}
	replaced := map[string]bool{}
	look := func() error {
		for _, part := range places {
			path := filepath.Join(real, part)
			info, err := os.Stat(path)
			if err != nil || !info.IsDir() {
				continue // nothing there, or in the way of what is to be made
			}
			if held := FormatOf(path); held != NoFormat && !overwrite {
				return &OccupiedError{filepath.Join(dir, part), held}
			}
			for _, file := range Files(path) {
				replaced[filepath.ToSlash(filepath.Join(part, filepath.Base(file)))] = true
			}
		}
		return nil
	}
	if err := look(); err != nil {
		return nil, err
	}
	folder, err := atomicfile.NewFolder(real, func(name string) bool { return replaced[name] }, parts...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, plainError(err))
	}
	if err := look(); err != nil { // what another process wrote before this one had the folder
		folder.Discard()
		return nil, err
	}
	return &Output{dir, folder}, nil
}

// Write writes a data set to the folder, or to a part of it. If that fails, the output is discarded.
func (o *Output) Write(part string, name Format, d *Dataset) error {
	f, err := formatNamed(name)
	if err != nil {
		return err
	}
	if err := f.write(&folderWriter{folder: o.folder, part: part}, d); err != nil {
		o.Discard()
		return err
	}
	return nil
}

// WriteStream is [Output.Write] for a stream, a piece of which is in memory at a time. It returns what was written in
// numbers. Formats of a whole data set are an error.
func (o *Output) WriteStream(part string, name Format, s Stream) (Summary, error) {
	f, err := formatNamed(name)
	if err == nil && f.from == nil {
		err = fmt.Errorf("format %q holds no set of graphs", name)
	}
	counted := &counting{Stream: s}
	if err == nil {
		err = f.from(&folderWriter{folder: o.folder, part: part}, counted)
	}
	if err != nil {
		o.Discard()
	}
	return counted.sum, err
}

// counting sums up the graphs of a stream when they are visited for the first time.
type counting struct {
	Stream
	sum  Summary
	done bool
}

func (c *counting) Each(visit func(*Dataset) error) error {
	if c.done {
		return c.Stream.Each(visit)
	}
	c.sum = Summary{}
	err := c.Stream.Each(func(d *Dataset) error {
		c.sum.add(d)
		return visit(d)
	})
	c.done = err == nil
	return err
}

// Commit puts what was written in place.
func (o *Output) Commit() error {
	if err := o.folder.Commit(); err != nil {
		return fmt.Errorf("%s: %w", o.dir, plainError(err))
	}
	return nil
}

// Discard gives up what was not committed. After [Output.Commit] it does nothing.
func (o *Output) Discard() { o.folder.Discard() }

// folderWriter writes text files into a folder. The first error is kept.
type folderWriter struct {
	folder *atomicfile.Folder
	part   string // of the folder, "" for all of it
	err    error
}

// file writes one file by calling content.
func (w *folderWriter) file(name string, content func(t *text)) {
	w.raw(name, func(out io.Writer) error {
		t := &text{out: bufio.NewWriterSize(out, 1<<16)}
		content(t)
		if t.err != nil {
			return t.err
		}
		return t.out.Flush()
	})
}

// raw writes one file of bytes.
func (w *folderWriter) raw(name string, content func(out io.Writer) error) {
	if w.err != nil {
		return
	}
	if err := w.folder.File(path.Join(w.part, name), content); err != nil {
		var named *fs.PathError
		errors.As(err, &named)
		w.err = fmt.Errorf("%s: %w", named.Path, named.Err)
	}
}

// text writes numbers and words. Errors of writing surface when the buffer is flushed.
type text struct {
	out     *bufio.Writer
	scratch []byte
	err     error // the first value that cannot be written
}

func (t *text) word(s string) { _, _ = t.out.WriteString(s) }

func (t *text) integer(v int64) {
	t.scratch = strconv.AppendInt(t.scratch[:0], v, 10)
	_, _ = t.out.Write(t.scratch)
}

// pair writes a line of two whole numbers.
func (t *text) pair(a int64, separator string, b int64) {
	t.integer(a)
	t.word(separator)
	t.integer(b)
	t.newline()
}

// real writes the shortest number that reads back as v.
func (t *text) real(v float64) {
	if (math.IsNaN(v) || math.IsInf(v, 0)) && t.err == nil {
		t.err = fmt.Errorf("%v is not a finite number", v)
	}
	t.scratch = strconv.AppendFloat(t.scratch[:0], v, 'g', -1, 64)
	_, _ = t.out.Write(t.scratch)
}

func (t *text) newline() { _ = t.out.WriteByte('\n') }
