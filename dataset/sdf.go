package dataset

import (
	"errors"
	"fmt"
	"slices"

	"github.com/grove-graph/grove/sdf"
)

const sdfSuffix = ".sdf"

// openSDF reads NAME.sdf: molecules as connection tables, each with named values, which are columns of targets.
func openSDF(f folder, file string, how Reading) (*Dataset, error) {
	file, err := oneFile(f, file, f.stored("*"+sdfSuffix))
	if err != nil {
		return nil, err
	}
	if how.Molecules.Column != "" {
		return nil, fmt.Errorf("%s: no columns of SMILES in SDF", f.path(file))
	}
	l, err := f.open(file)
	if err != nil {
		return nil, err
	}
	defer l.close()
	r := &tableReader{file: l.file, gatherer: gatherer{how: how.Molecules}}
	records := sdf.NewReader(l.in)
	for records.Next() {
		if err := r.record(records.Record()); err != nil {
			return nil, err
		}
	}
	var wrong *sdf.Error
	switch err := records.Err(); {
	case errors.As(err, &wrong):
		return nil, fmt.Errorf("%s:%d: %s", r.file, wrong.Line, wrong.Reason)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", r.file, gzipError(plainError(err)))
	}
	return r.finish(stem(file))
}

// record takes a record of an SDF.
func (r *tableReader) record(from *sdf.Record) error {
	if wrong := from.Wrong; wrong != nil {
		reason := wrong.Reason
		if wrong.Column > 0 {
			reason = fmt.Sprintf("column %d: %s", wrong.Column, reason)
		}
		return r.wrong(r.file, wrong.Line, reason)
	}
	before := len(r.offsets)
	if err := r.add(from.Molecule); err != nil {
		return fmt.Errorf("%s:%d: %w", r.file, from.Line, err)
	}
	r.names = append(r.names, from.Name)
	for _, name := range from.Names {
		if !slices.ContainsFunc(r.columns, func(c column) bool { return c.name == name }) {
			r.columns = append(r.columns, column{name: name, values: make([]string, before)})
		}
	}
	for i := range r.columns {
		c := &r.columns[i]
		c.values = append(c.values, from.Values[c.name])
	}
	return nil
}
