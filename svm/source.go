package svm

import (
	"context"
	"fmt"

	"gorgonia.org/tensor"
)

// Source is a matrix of rows that are read in order, block after block, as often as they are asked for: from memory, or
// from a file that does not fit there.
type Source interface {
	// Dims returns the number of rows and columns.
	Dims() (rows, columns int)
	// Blocks calls visit with blocks of any numbers of rows, contiguous by rows, and the number of the first row of
	// each. Blocks follow one another and cover all rows, the same numbers each time. A block is good until visit
	// returns. Errors are those of visit, those of reading, and a cancelled context.
	Blocks(ctx context.Context, visit func(first int, x *tensor.Dense) error) error
}

// InMemory returns the source of a matrix in memory, a single block.
func InMemory(x *tensor.Dense) Source { return inMemory{x} }

type inMemory struct{ *tensor.Dense }

func (m inMemory) Dims() (rows, columns int) { return m.Shape()[0], m.Shape()[1] }

func (m inMemory) Blocks(ctx context.Context, visit func(first int, x *tensor.Dense) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return visit(0, m.Dense)
}

// eachDesign reads a source and refuses blocks that do not follow one another, or hold what is not a finite number.
func eachDesign(ctx context.Context, s Source, visit func(first int, d *design)) error {
	rows, columns := s.Dims()
	next := 0
	err := s.Blocks(ctx, func(first int, x *tensor.Dense) error {
		d, err := newDesign(x, nil)
		if err != nil {
			return fmt.Errorf("the block of features from row %d on: %w", first, err)
		}
		if n := d.numRows(); first != next || d.columns != columns || n > rows-first {
			return fmt.Errorf("a block of %d x %d features from row %d on: want one from row %d on of a matrix of %d x %d", n,
				d.columns, first, next, rows, columns)
		}
		next += d.numRows()
		visit(first, d)
		return ctx.Err()
	})
	if err == nil && next != rows {
		err = fmt.Errorf("%d rows of features, want %d", next, rows)
	}
	return err
}
