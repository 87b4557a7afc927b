package svm

import (
	"fmt"

	"github.com/grove-graph/grove/split"
	"gorgonia.org/tensor"
)

// design is the matrix that a problem is trained on: the chosen rows of a tensor, standardised where
// there is a scaler. The tensor itself is neither copied nor changed.
type design struct {
	single  []float32 // the data of the tensor, row-major: this one
	double  []float64 // or that one
	columns int
	rows    []int // row of the tensor of each row of the design
	scaler  *Scaler
}

// newDesign takes the rows of x (all of them for nil) and refuses what is not a matrix of finite
// numbers.
func newDesign(x *tensor.Dense, rows []int) (*design, error) {
	single, double, err := contents(x, "the features", "one row for each sample")
	if err != nil {
		return nil, err
	}
	shape := x.Shape()
	d := &design{single: single, double: double, columns: shape[1], rows: rows}
	if rows == nil {
		d.rows = split.All(shape[0])
	}
	for _, r := range d.rows {
		if r < 0 || r >= shape[0] {
			return nil, fmt.Errorf("row %d is not in a matrix of %d rows", r, shape[0])
		}
		if j := d.firstNotFinite(r); j >= 0 {
			return nil, fmt.Errorf("feature %d of row %d is NaN or infinite: remove or replace it", j, r)
		}
	}
	return d, nil
}

// contents returns the numbers of a matrix, row-major, in one of two types.
func contents(x *tensor.Dense, what, wanted string) (single []float32, double []float64, err error) {
	if x == nil {
		return nil, nil, fmt.Errorf("no matrix given")
	}
	if shape := x.Shape(); len(shape) != 2 {
		return nil, nil, fmt.Errorf("%s have shape %v: give a matrix with %s", what, shape, wanted)
	}
	if x.RequiresIterator() || x.DataOrder().IsColMajor() || x.DataOrder().IsTransposed() {
		return nil, nil, fmt.Errorf("%s are a view or stored by columns: give a contiguous row-major matrix", what)
	}
	switch data := x.Data().(type) {
	case []float32:
		return data, nil, nil
	case []float64:
		return nil, data, nil
	}
	return nil, nil, fmt.Errorf("%s are %v: give Float32 or Float64", what, x.Dtype())
}

func (d *design) numRows() int { return len(d.rows) }

// epsilon is the spacing of numbers at 1 in the type of the tensor.
func (d *design) epsilon() float64 {
	if d.single != nil {
		return 0x1p-23
	}
	return 0x1p-52
}

func (d *design) firstNotFinite(row int) int {
	lo, hi := row*d.columns, (row+1)*d.columns
	if d.single != nil {
		return notFinite(d.single[lo:hi])
	}
	return notFinite(d.double[lo:hi])
}

func notFinite[T float32 | float64](x []T) int {
	for j, v := range x {
		if v-v != 0 {
			return j
		}
	}
	return -1
}

// fill writes rows [i0, i1) and columns [j0, j1) to dst, whose rows are ld numbers apart.
func (d *design) fill(dst []float64, ld, i0, i1, j0, j1 int) {
	for i := i0; i < i1; i++ {
		out := dst[(i-i0)*ld : (i-i0)*ld+j1-j0]
		at := d.rows[i] * d.columns
		if d.single != nil {
			for j, v := range d.single[at+j0 : at+j1] {
				out[j] = float64(v)
			}
		} else {
			copy(out, d.double[at+j0:at+j1])
		}
		if d.scaler != nil {
			mean, scale := d.scaler.Mean[j0:j1], d.scaler.Scale[j0:j1]
			for j, v := range out {
				out[j] = (v - mean[j]) / scale[j]
			}
		}
	}
}
