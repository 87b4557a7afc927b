package dataset

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path"
	"path/filepath"
	"strconv"
)

// A line longer than this, and more blank lines at the end than these, are taken for damage.
const (
	maxLineBytes  = 64 << 20
	maxBlankLines = 1000
)

// folder is where a data set lies: a file system, so that tests need no disk, and the name by which
// errors call it.
type folder struct {
	files fs.FS
	name  string
}

// find returns the name of the file as it is stored, plain or compressed, or "" where it is missing.
func (f folder) find(name string) string {
	for _, stored := range []string{name, name + ".gz"} {
		if info, err := fs.Stat(f.files, stored); err == nil && !info.IsDir() {
			return stored
		}
	}
	return ""
}

// path names a file of the folder in an error.
func (f folder) path(name string) string { return filepath.Join(f.name, filepath.FromSlash(name)) }

// regular reports whether a file can be opened without waiting for ever, as for the other end of a pipe, and be read
// more than once.
func regular(info fs.FileInfo, err error) error {
	if err == nil && !info.Mode().IsRegular() {
		return errors.New("not a regular file: copy it to one")
	}
	return err
}

// lines reads a text file line by line and takes numbers from the current line. The first error ends
// the reading and is kept in err; it names the file and the line.
type lines struct {
	file   string // as errors call it
	number int    // of the current line, from 1
	line   []byte // what is left of the current line
	first  bool   // no field of the current line has been taken yet
	err    error

	in     *bufio.Reader
	closer io.Closer
	blank  int // number of the first blank line that was met, 0 before
	long   []byte
}

// open starts reading the file, which must exist plain or compressed.
func (f folder) open(name string) (*lines, error) {
	stored := f.find(name)
	if stored == "" {
		return nil, fmt.Errorf("%s: no such file, nor %s.gz", f.path(name), path.Base(name))
	}
	if err := regular(fs.Stat(f.files, stored)); err != nil {
		return nil, fmt.Errorf("%s: %w", f.path(stored), plainError(err))
	}
	file, err := f.files.Open(stored)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.path(stored), plainError(err))
	}
	l := &lines{file: f.path(stored), closer: file}
	var in io.Reader = file
	if path.Ext(stored) == ".gz" {
		if in, err = gzip.NewReader(bufio.NewReaderSize(file, 1<<16)); err != nil {
			file.Close()
			return nil, fmt.Errorf("%s: %w", l.file, gzipError(err))
		}
	}
	l.in = bufio.NewReaderSize(in, 1<<18)
	if mark, _ := l.in.Peek(3); bytes.Equal(mark, []byte("\xef\xbb\xbf")) {
		_, _ = l.in.Discard(3)
	}
	return l, nil
}

func (l *lines) close() { _ = l.closer.Close() }

// plainError drops the operation and the path that file errors repeat.
func plainError(err error) error {
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		return pathError.Err
	}
	return err
}

func gzipError(err error) error {
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return errors.New("the compressed file is truncated")
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum):
		return errors.New("the compressed file is damaged")
	}
	return err
}

// next moves to the next line that is not blank. It returns false at the end of the file and after an
// error. Blank lines may stand at the end only.
func (l *lines) next() bool {
	raw, ok := l.nextLine()
	l.line, l.first = bytes.TrimSpace(raw), true
	return ok
}

// nextLine is next for a reader that divides the line by itself: it returns it as it stands, with its end.
func (l *lines) nextLine() (raw []byte, ok bool) {
	for l.err == nil {
		raw, err := l.readLine()
		if err != nil && err != io.EOF {
			l.number++
			l.fail("%v", gzipError(plainError(err)))
			return nil, false
		}
		if len(raw) == 0 && err == io.EOF {
			return nil, false
		}
		l.number++
		if len(bytes.TrimSpace(raw)) > 0 {
			if l.blank > 0 {
				l.number = l.blank
				l.fail("blank line")
				return nil, false
			}
			return raw, true
		}
		if l.blank == 0 {
			l.blank = l.number
		}
		if l.number-l.blank == maxBlankLines {
			l.fail("%d blank lines up to here", maxBlankLines+1)
		}
	}
	return nil, false
}

// readLine returns the next line with its end. It is valid until the next call.
func (l *lines) readLine() ([]byte, error) {
	raw, err := l.in.ReadSlice('\n')
	if err != bufio.ErrBufferFull {
		return raw, err
	}
	l.long = append(l.long[:0], raw...)
	for err == bufio.ErrBufferFull {
		if len(l.long) > maxLineBytes {
			return nil, fmt.Errorf("line longer than %d MiB", maxLineBytes>>20)
		}
		raw, err = l.in.ReadSlice('\n')
		l.long = append(l.long, raw...)
	}
	return l.long, err
}

// fail keeps the first error, with the file and the current line.
func (l *lines) fail(format string, values ...any) {
	if l.err == nil {
		l.err = fmt.Errorf("%s:%d: %s", l.file, l.number, fmt.Sprintf(format, values...))
	}
}

// more reports whether the current line holds another field.
func (l *lines) more() bool { return len(l.line) > 0 }

// end fails where the current line holds more than was taken.
func (l *lines) end() {
	if len(l.line) > 0 {
		l.fail("unexpected %s at the end of the line", quote(l.line))
	}
}

// field takes the next field of the current line; it may be empty between two commas.
func (l *lines) field() []byte {
	if l.first {
		l.first = false
	} else {
		l.separator()
	}
	i := 0
	for i < len(l.line) && l.line[i] != ',' && l.line[i] != ' ' && l.line[i] != '\t' {
		i++
	}
	token := l.line[:i]
	l.line = l.line[i:]
	return token
}

// separator takes blanks with at most one comma among them.
func (l *lines) separator() {
	i, comma := 0, false
	for i < len(l.line) {
		c := l.line[i]
		if c == ',' && !comma {
			comma = true
		} else if c != ' ' && c != '\t' {
			break
		}
		i++
	}
	l.line = l.line[i:]
}

// integer takes a whole number from the current line. After an error it returns 0.
func (l *lines) integer() int64 {
	token := l.field()
	digits := token
	if len(digits) > 0 && (digits[0] == '-' || digits[0] == '+') {
		digits = digits[1:]
	}
	if len(digits) == 0 {
		l.missing(token, "a whole number")
		return 0
	}
	value := int64(0)
	for _, c := range digits {
		if c < '0' || c > '9' {
			l.fail("%s is not a whole number", quote(token))
			return 0
		}
		if value > math.MaxInt64/10-1 {
			l.fail("the number %s is too large", quote(token))
			return 0
		}
		value = 10*value + int64(c-'0')
	}
	if token[0] == '-' {
		return -value
	}
	return value
}

// real takes a finite real number from the current line. After an error it returns 0.
func (l *lines) real() float64 { return l.parseReal(l.field()) }

// optionalReal is real for a field that may be empty, for which it returns false.
func (l *lines) optionalReal() (float64, bool) {
	token := l.field()
	if len(token) == 0 {
		return 0, false
	}
	return l.parseReal(token), true
}

func (l *lines) parseReal(token []byte) float64 {
	if len(token) == 0 {
		l.missing(token, "a number")
		return 0
	}
	value, err := strconv.ParseFloat(string(token), 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		l.fail("the number %s is too large", quote(token))
	case err != nil:
		l.fail("%s is not a number", quote(token))
	case math.IsNaN(value) || math.IsInf(value, 0):
		l.fail("%s is not a finite number", quote(token))
	default:
		return value
	}
	return 0
}

func (l *lines) missing(token []byte, wanted string) {
	if len(token) > 0 {
		l.fail("%s is not %s", quote(token), wanted)
	} else {
		l.fail("%s is missing", wanted)
	}
}

// quote shows a piece of a file in an error, shortened.
func quote(text []byte) string {
	const longest = 40
	if len(text) > longest {
		return strconv.Quote(string(text[:longest])) + "..."
	}
	return strconv.Quote(string(text))
}
