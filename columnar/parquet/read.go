package parquet

import (
	"errors"
	"fmt"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/grove-graph/grove/columnar"
)

// Bounds of what is taken at a time: rows, and values of a column, unless a single row has more.
const (
	rowsAtOnce   = 1 << 12
	valuesAtOnce = 1 << 18
)

// rows reads a file, some rows of a group at a time.
type rows struct {
	table  *file.Reader
	schema *arrow.Schema
	forms  []form

	groups  int     // that were begun
	left    int64   // rows of the group that are still to come
	columns []chunk // of the group
	batch   arrow.RecordBatch
	err     error
}

// chunk is a column of a group of rows.
type chunk interface {
	// fill reads on until there are so many rows, or there is enough, and returns how many there are.
	fill(rows int64) (int64, error)
	// take returns rows that were read.
	take(rows int64) (arrow.Array, error)
	// more reports whether something is left.
	more() bool
}

// Next implements [columnar.Rows].
func (r *rows) Next() bool {
	if r.err == nil {
		r.err = r.next()
	}
	return r.err == nil && r.batch != nil
}

// RecordBatch implements [columnar.Rows].
func (r *rows) RecordBatch() arrow.RecordBatch { return r.batch }

// Err implements [columnar.Rows].
func (r *rows) Err() error { return r.err }

// Release implements [columnar.Rows].
func (r *rows) Release() {
	if r.batch != nil {
		r.batch.Release()
		r.batch = nil
	}
}

// next reads a batch, none after the last one.
func (r *rows) next() error {
	r.Release()
	for r.left == 0 {
		for i, c := range r.columns {
			if c != nil && c.more() {
				return r.in(i, errors.New("the file is damaged: there are more rows than the group has"))
			}
		}
		if r.columns = nil; r.groups == r.table.NumRowGroups() {
			return nil
		}
		if err := r.begin(); err != nil {
			return err
		}
	}
	n := min(r.left, rowsAtOnce)
	for i, c := range r.columns {
		if c == nil {
			continue
		}
		have, err := c.fill(n)
		if err == nil && have == 0 {
			err = fmt.Errorf("the file is damaged: %d rows are missing", r.left)
		}
		if err != nil {
			return r.in(i, err)
		}
		n = min(n, have)
	}
	columns := make([]arrow.Array, len(r.forms))
	for i := range r.forms {
		var err error
		if columns[i], err = r.column(i, n); err != nil {
			return r.in(i, err)
		}
	}
	r.batch = array.NewRecordBatch(r.schema, columns, n)
	for _, c := range columns {
		c.Release()
	}
	r.left -= n
	return nil
}

// begin opens the next group.
func (r *rows) begin() error {
	group := r.table.RowGroup(r.groups)
	r.groups++
	if r.left = group.NumRows(); r.left < 0 {
		return errors.New("the file is damaged: a group of fewer than no rows")
	}
	r.columns = make([]chunk, len(r.forms))
	for i := range r.forms {
		f := &r.forms[i]
		if f.leaf < 0 {
			continue
		}
		in, err := group.Column(f.leaf)
		if err == nil {
			r.columns[i], err = chunkOf(in, f)
		}
		if err != nil {
			return r.in(i, err)
		}
	}
	return nil
}

// in names the column of an error.
func (r *rows) in(i int, err error) error {
	return fmt.Errorf("column %s: %s", r.forms[i].field.Name, strings.TrimPrefix(err.Error(), "parquet: "))
}

// column returns rows of a column.
func (r *rows) column(i int, n int64) (arrow.Array, error) {
	if r.columns[i] == nil {
		return array.MakeArrayOfNull(columnar.Allocator(), r.forms[i].field.Type, int(n)), nil
	}
	return r.columns[i].take(n)
}
