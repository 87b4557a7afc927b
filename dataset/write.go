package dataset

import (
	"bufio"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
)

// Write stores the data set in a folder, which it makes if need be: in TU format ([WriteTU]), or for a
// task per vertex as a vertex task ([WriteNode]). Files of an earlier data set of the same name and
// format are replaced or removed.
func Write(dir string, d *Dataset) error {
	if d.Task.PerVertex() {
		return WriteNode(dir, d)
	}
	return WriteTU(dir, d)
}

// folderWriter writes text files into a folder. The first error is kept.
type folderWriter struct {
	dir     string
	written map[string]bool
	err     error
}

func newFolderWriter(dir string) *folderWriter {
	return &folderWriter{dir: dir, written: make(map[string]bool), err: os.MkdirAll(dir, 0o777)}
}

// file writes one file by calling content. The text goes to a temporary file that takes the name at
// the end, so that a file is there as a whole or not at all.
func (w *folderWriter) file(name string, content func(t *text)) {
	if w.err != nil {
		return
	}
	target := filepath.Join(w.dir, name)
	temporary := filepath.Join(w.dir, "."+name+".new")
	file, err := os.Create(temporary)
	if err != nil {
		w.err = fmt.Errorf("%s: %w", target, plainError(err))
		return
	}
	t := &text{out: bufio.NewWriterSize(file, 1<<16)}
	content(t)
	if err = errors.Join(t.err, t.out.Flush(), file.Close()); err == nil {
		err = os.Rename(temporary, target)
	}
	if err != nil {
		_ = os.Remove(temporary)
		w.err = fmt.Errorf("%s: %w", target, plainError(err))
	}
	w.written[name] = true
}

// removeOthers removes the named files, plain or compressed, that were not written now: what an
// earlier data set left in the folder must not be read as part of this one.
func (w *folderWriter) removeOthers(names ...string) {
	for _, name := range names {
		if w.err == nil && !w.written[name] {
			_ = os.Remove(filepath.Join(w.dir, name))
			_ = os.Remove(filepath.Join(w.dir, name+".gz"))
		}
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

// real writes the shortest number that reads back as v.
func (t *text) real(v float64) {
	if (math.IsNaN(v) || math.IsInf(v, 0)) && t.err == nil {
		t.err = fmt.Errorf("%v is not a finite number", v)
	}
	t.scratch = strconv.AppendFloat(t.scratch[:0], v, 'g', -1, 64)
	_, _ = t.out.Write(t.scratch)
}

func (t *text) newline() { _ = t.out.WriteByte('\n') }
