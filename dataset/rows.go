package dataset

import (
	"bytes"
	"strings"
)

// rows reads a table row by row: values that are separated by commas, semicolons, tabulators or blanks, whichever the
// first line has, in that order. A value may stand in double quotes, which are doubled within it, and go on over lines.
// Lines that begin with # or % before the first row are comments.
type rows struct {
	*lines
	comma  byte     // what separates values; ' ' for blanks and tabulators, as many as there are
	fields [][]byte // of the current row, valid until the next one
	again  bool     // whether the current row is to come once more
	at     int      // line on which the current row begins
	quoted []byte   // the text of quoted values
	header []string // nil where columns have no names
}

// openRows begins to read a table, up to its first row.
func (f folder) openRows(name string) (*rows, error) {
	l, err := f.open(name)
	if err != nil {
		return nil, err
	}
	r := &rows{lines: l}
	for {
		raw, ok := l.nextLine()
		if !ok {
			l.close()
			if l.err == nil {
				l.err = fileError(l.file, "no rows")
			}
			return nil, l.err
		}
		if line := bytes.TrimSpace(raw); line[0] != '#' && line[0] != '%' {
			r.comma = separatorOf(line)
			if r.again = r.divide(raw); !r.again {
				l.close()
				return nil, l.err
			}
			return r, nil
		}
	}
}

// separatorOf returns what separates the values of a line.
func separatorOf(line []byte) byte {
	inside := false
	var seen [256]bool
	for _, c := range line {
		if c == '"' {
			inside = !inside
		}
		seen[c] = seen[c] || !inside
	}
	for _, c := range []byte(",;\t") {
		if seen[c] {
			return c
		}
	}
	return ' '
}

// nextRow moves to the next row. It returns false at the end of the table and after an error.
func (r *rows) nextRow() bool {
	if r.again {
		r.again = false
		return true
	}
	raw, ok := r.nextLine()
	return ok && r.divide(raw)
}

// divide finds the values of a row, the first line of which is given.
func (r *rows) divide(line []byte) bool {
	r.fields, r.at = r.fields[:0], r.number
	if bytes.IndexByte(line, '"') >= 0 {
		return r.divideQuoted(line)
	}
	line = bytes.TrimRight(line, "\r\n")
	if r.comma == ' ' {
		r.divideBlanks(line)
		return true
	}
	start := 0
	for i, c := range line {
		if c == r.comma {
			r.fields = append(r.fields, trimmed(line[start:i]))
			start = i + 1
		}
	}
	r.fields = append(r.fields, trimmed(line[start:]))
	return true
}

func (r *rows) divideBlanks(line []byte) {
	start := -1
	for i, c := range line {
		switch blank := c == ' ' || c == '\t'; {
		case !blank && start < 0:
			start = i
		case blank && start >= 0:
			r.fields, start = append(r.fields, line[start:i]), -1
		}
	}
	if start >= 0 {
		r.fields = append(r.fields, line[start:])
	}
	if last := len(r.fields) - 1; last == 2 && string(r.fields[last]) == "{}" { // networkx writes that there is no data
		r.fields = r.fields[:last]
	}
}

// trimmed drops the blanks around a value.
func trimmed(text []byte) []byte {
	if len(text) > 0 && text[0] > ' ' && text[len(text)-1] > ' ' {
		return text
	}
	return bytes.TrimSpace(text)
}

// divideQuoted is divide for a row with values in quotes, which may go on over further lines.
func (r *rows) divideQuoted(line []byte) bool {
	r.quoted = r.quoted[:0]
	line = bytes.Clone(line)
	for first := true; ; first = false {
		line = bytes.TrimLeft(line, " ")
		if r.comma == ' ' {
			line = bytes.TrimLeft(line, " \t")
		}
		rest := bytes.TrimRight(line, "\r\n")
		if len(rest) == 0 && (first || r.comma == ' ') {
			return true
		}
		if len(rest) == 0 || rest[0] != '"' {
			end := bytes.IndexByte(rest, r.comma)
			if r.comma == ' ' {
				end = bytes.IndexAny(rest, " \t")
			}
			if end < 0 {
				r.fields = append(r.fields, trimmed(rest))
				return true
			}
			r.fields, line = append(r.fields, trimmed(rest[:end])), line[end+1:]
			continue
		}
		from := len(r.quoted)
		if line = r.quote(line[1:]); r.err != nil {
			return false
		}
		r.fields = append(r.fields, r.quoted[from:len(r.quoted):len(r.quoted)])
		rest = bytes.TrimLeft(bytes.TrimRight(line, "\r\n"), " ")
		switch {
		case len(rest) == 0:
			return true
		case rest[0] == r.comma, r.comma == ' ' && len(rest) < len(line):
			line = line[bytes.IndexByte(line, rest[0]):]
			if r.comma != ' ' {
				line = line[1:]
			}
		default:
			r.fail("%s after a value in quotes", quote(rest))
			return false
		}
	}
}

// quote takes the text after an opening quote up to the closing one, and returns what follows that.
func (r *rows) quote(line []byte) []byte {
	for {
		end := bytes.IndexByte(line, '"')
		switch {
		case end < 0:
			r.quoted = append(r.quoted, line...)
			begun := r.number
			raw, err := r.readLine()
			if len(raw) == 0 || len(r.quoted) > maxLineBytes {
				r.number = r.at
				r.fail("a quote that is never closed (read up to line %d)", begun)
				return nil
			}
			_ = err // the next call returns it again
			r.number++
			line = bytes.Clone(raw)
		case end+1 < len(line) && line[end+1] == '"':
			r.quoted, line = append(r.quoted, line[:end+1]...), line[end+2:]
		default:
			r.quoted = append(r.quoted, line[:end]...)
			return line[end+1:]
		}
	}
}

// names returns the current row as the names of columns.
func (r *rows) names() []string {
	names := make([]string, len(r.fields))
	for i, field := range r.fields {
		names[i] = string(field)
	}
	return names
}

// wrong fails for a value of the current row: the column is counted from 0.
func (r *rows) wrong(column int, format string, values ...any) {
	r.number = r.at
	r.fail("column "+strings.ReplaceAll(r.columnName(column), "%", "%%")+": "+format, values...)
}

// columnName is what a column is called in errors and notes.
func (r *rows) columnName(column int) string { return columnName(r.header, column) }
