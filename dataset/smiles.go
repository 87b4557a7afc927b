package dataset

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/grove-graph/grove/smiles"
)

// smilesColumn is what the column of a table that holds molecules is called by default.
const smilesColumn = "smiles"

// openTable reads a table of molecules, NAME.csv.
func openTable(f folder, file string, how Reading) (*Dataset, error) {
	file, err := oneFile(f, file, tableFiles(f))
	if err != nil {
		return nil, err
	}
	l, err := f.open(file)
	if err != nil {
		return nil, err
	}
	defer l.close()
	r := &tableReader{file: l.file, gatherer: gatherer{how: how.Molecules}}
	if err := r.read(l.in); err != nil {
		return nil, err
	}
	return r.finish(stem(file))
}

// oneFile is the file that was named, or the only one that a folder holds.
func oneFile(f folder, file string, found []string) (string, error) {
	switch {
	case file != "":
		return file, nil
	case len(found) == 1:
		return found[0], nil
	}
	return "", fmt.Errorf("%s: %d files of molecules: name the one to read", f.name, len(found))
}

// tableFiles lists the tables of a folder that have a column smiles.
func tableFiles(f folder) []string {
	return slices.DeleteFunc(f.stored("*.csv"), func(name string) bool { return !holdsMolecules(f, name, Reading{}) })
}

// holdsMolecules reports whether a table has a column smiles, or is to have one of another name.
func holdsMolecules(f folder, name string, how Reading) bool {
	if how.Molecules.Column != "" {
		return true
	}
	l, err := f.open(name)
	if err != nil {
		return false
	}
	defer l.close()
	if !l.next() {
		return false
	}
	header, err := csvReader(bytes.NewReader(append(l.line, '\n')), l.line).Read()
	return err == nil && columnOf(header, "") >= 0
}

// columnOf returns the place of the column that holds molecules in a header, -1 where there is none.
func columnOf(header []string, name string) int {
	if name != "" {
		return slices.Index(header, name)
	}
	return slices.IndexFunc(header, func(s string) bool { return strings.EqualFold(s, smilesColumn) })
}

// csvReader reads a table whose values are separated by what the header has: a comma, a semicolon or a tabulator.
func csvReader(in io.Reader, header []byte) *csv.Reader {
	r := csv.NewReader(in)
	if i := bytes.IndexAny(header, ",;\t"); i >= 0 {
		r.Comma = rune(header[i])
	}
	r.TrimLeadingSpace = r.Comma != '\t'
	return r
}

// tableReader gathers the molecules of a table with its other columns.
type tableReader struct {
	gatherer
	file    string
	header  []string
	at      int // the column of the molecules
	columns []column
	names   []string // of the molecules, "" for one that has none beside the columns
}

// read reads all of a table.
func (r *tableReader) read(in interface {
	io.Reader
	Peek(n int) ([]byte, error)
},
) error {
	start, _ := in.Peek(1 << 12)
	header, _, _ := bytes.Cut(start, []byte("\n"))
	t := csvReader(in, header)
	t.ReuseRecord = true
	row, err := t.Read()
	if err == io.EOF {
		return fmt.Errorf("%s: empty file", r.file)
	}
	if err != nil {
		return r.csvError(err)
	}
	if err := r.begin(row); err != nil {
		return err
	}
	for {
		row, err := t.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return r.csvError(err)
		}
		line, _ := t.FieldPos(r.at)
		if err := r.row(row, line); err != nil {
			return err
		}
	}
}

// csvError names the line of an error of the reader of tables.
func (r *tableReader) csvError(err error) error {
	var wrong *csv.ParseError
	if !errors.As(err, &wrong) {
		return fmt.Errorf("%s: %w", r.file, gzipError(plainError(err)))
	}
	if errors.Is(wrong.Err, csv.ErrFieldCount) {
		return fmt.Errorf("%s:%d: another number of values than the %d of the header", r.file, wrong.Line, len(r.header))
	}
	return fmt.Errorf("%s:%d: column %d: %w", r.file, wrong.Line, wrong.Column, wrong.Err)
}

// begin takes the header.
func (r *tableReader) begin(header []string) error {
	for _, name := range header {
		r.header = append(r.header, strings.TrimSpace(name))
	}
	if r.at = columnOf(r.header, r.how.Column); r.at < 0 {
		wanted := r.how.Column
		if wanted == "" {
			wanted = smilesColumn
		}
		return fmt.Errorf("%s:1: no column %s, there are %s", r.file, wanted, quoted(strings.Join(r.header, ", ")))
	}
	for i, name := range r.header {
		if first := slices.Index(r.header, name); first < i {
			return fmt.Errorf("%s:1: columns %d and %d are both called %s", r.file, first+1, i+1, quoted(name))
		}
		if i != r.at {
			r.columns = append(r.columns, column{name: name})
		}
	}
	return nil
}

// row takes a row of a table.
func (r *tableReader) row(row []string, line int) error {
	text := strings.TrimSpace(row[r.at])
	m, err := smiles.Parse(text)
	if err == nil {
		err = r.add(m)
	}
	if err != nil {
		return r.wrong(r.file, line, fmt.Sprintf("SMILES %s: %v", quoted(text), err))
	}
	next := 0
	for i, value := range row {
		if i != r.at {
			c := &r.columns[next]
			c.values = append(c.values, strings.TrimSpace(value))
			next++
		}
	}
	return nil
}

// finish returns what was read as a data set.
func (r *tableReader) finish(name string) (*Dataset, error) {
	d, err := r.set(name, r.file)
	if err != nil {
		return nil, err
	}
	if distinctNames(r.names) {
		d.GraphIDs = r.names
	}
	d.predict(d.named(r.columns))
	return d, nil
}

// openSmiles reads NAME.smi: a molecule a line, after which a name or further values may stand. A first line that
// begins with smiles names the columns.
func openSmiles(f folder, file string, how Reading) (*Dataset, error) {
	file, err := oneFile(f, file, f.stored("*"+smilesSuffix))
	if err != nil {
		return nil, err
	}
	l, err := f.open(file)
	if err != nil {
		return nil, err
	}
	defer l.close()
	r := &tableReader{file: l.file, gatherer: gatherer{how: how.Molecules}, header: []string{smilesColumn}}
	for l.next() {
		row := strings.Fields(string(l.line))
		if strings.Contains(string(l.line), "\t") {
			row = strings.Split(string(l.line), "\t")
			for len(r.header) > len(row) { // what stood at the end of the line was trimmed
				row = append(row, "")
			}
		}
		switch {
		case l.number == 1 && columnOf(row, how.Molecules.Column) >= 0:
			r.header = nil
			err = r.begin(row)
		case l.number == 1 && how.Molecules.Column != "":
			return nil, fmt.Errorf("%s:1: no column %s", r.file, how.Molecules.Column)
		case len(r.header) == 1:
			before := len(r.offsets)
			if err = r.row(row[:1], l.number); len(r.offsets) > before {
				r.names = append(r.names, strings.TrimSpace(strings.TrimPrefix(string(l.line), row[0])))
			}
		case len(row) != len(r.header):
			err = fmt.Errorf("%s:%d: %d values, the header has %d", r.file, l.number, len(row), len(r.header))
		default:
			err = r.row(row, l.number)
		}
		if err != nil {
			return nil, err
		}
	}
	if l.err != nil {
		return nil, l.err
	}
	return r.finish(stem(file))
}

const smilesSuffix = ".smi"
