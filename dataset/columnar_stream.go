package dataset

import (
	"errors"
	"math"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
)

// columnarStream is a columnar file of which a group of rows is in memory at a time. The codes that occur, and the
// number of rows, are found out in a pass of their own.
type columnarStream struct {
	folder folder
	file   string
	layout *columnLayout
	codes  *columnarCodes
	graphs int
}

// openColumnarStream goes through a file once for what all pieces share. It returns nil for what takes all rows to be
// read: molecules, vertex tasks, columns that may be targets, splits and missing attributes.
func openColumnarStream(f folder, file string) (*columnarStream, error) {
	s := &columnarStream{folder: f, file: file}
	rows, err := f.openRowsOf(file)
	if err != nil {
		return nil, err
	}
	defer rows.close()
	if s.layout, err = layoutOf(rows.Schema(), Molecules{}); err != nil {
		return nil, inFile(f.path(file), err)
	}
	l := s.layout
	targets := l.class >= 0 || l.targets != nil
	if l.molecules >= 0 || l.vertexClass >= 0 || l.vertexTargets != nil || !targets && l.others != nil || l.splits != nil {
		return nil, nil
	}
	s.codes = newCodes(l)
	err = s.each(func(r *graphRows) error {
		if slices.ContainsFunc(r.values, math.IsNaN) {
			return errEnough
		}
		s.graphs += len(r.offsets) - 1
		return nil
	})
	switch {
	case errors.Is(err, errEnough):
		return nil, nil
	case err == nil && s.graphs == 0:
		err = inFile(f.path(file), errors.New("no rows"))
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// NumGraphs implements [Stream].
func (s *columnarStream) NumGraphs() int { return s.graphs }

// each calls visit with what is gathered of each batch.
func (s *columnarStream) each(visit func(r *graphRows) error) error {
	rows, err := s.folder.openRowsOf(s.file)
	if err != nil {
		return err
	}
	defer rows.close()
	file := s.folder.path(s.file)
	before, width := 0, -1
	return eachBatch(rows.Reader, file, func(batch arrow.RecordBatch) error {
		r := newGraphRows(s.layout, s.codes)
		r.row, r.width = before, width
		if err := r.add(batch); err != nil {
			return inFile(file, err)
		}
		before, width = r.row, r.width
		return visit(r)
	})
}

// Each implements [Stream].
func (s *columnarStream) Each(visit func(*Dataset) error) error {
	return s.each(func(r *graphRows) error {
		d, err := r.set(stem(s.file))
		if err != nil {
			return inFile(s.folder.path(s.file), err)
		}
		if r.attributes >= 0 && d.Batch.AttributeDim > 0 && d.Batch.Attributes == nil {
			d.Batch.Attributes = []float64{}
		}
		return visit(d)
	})
}
