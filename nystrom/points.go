package nystrom

import (
	"errors"
	"fmt"
	"math"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/simd"
	"github.com/grove-graph/grove/parallel"
	"gorgonia.org/tensor"
)

// Points are weighted sequences of unit vectors: point i consists of the Size rows
// Rows[i*Size:(i+1)*Size] of Table (D x d), or is row i where Rows is nil, and counts Weights[i]
// times. With discrete labels the table is the identity and the sequences are distinct label paths
// with their multiplicities, see [Distinct].
type Points struct {
	engine.Points
	Weights []float64 // one for each point; nil means 1
}

// check finds what is wrong with the shapes, the row numbers and the weights.
func (p Points) check() error {
	switch {
	case p.Table == nil || p.Table.Dims() != 2:
		return errors.New("the table of points must be a matrix")
	case p.Table.Dtype() != tensor.Float32 && p.Table.Dtype() != tensor.Float64:
		return fmt.Errorf("table of points of dtype %v: want float32 or float64", p.Table.Dtype())
	case p.Size < 1:
		return fmt.Errorf("points of %d rows: want at least 1", p.Size)
	case p.Rows == nil && p.Size != 1:
		return fmt.Errorf("points of %d rows need row numbers", p.Size)
	case len(p.Rows)%p.Size != 0:
		return fmt.Errorf("%d row numbers are not points of %d rows", len(p.Rows), p.Size)
	case p.Len() == 0:
		return errors.New("no points to cluster")
	case p.Len() > math.MaxInt32:
		return fmt.Errorf("%d points: at most %d; draw a sample", p.Len(), math.MaxInt32)
	case p.Weights != nil && len(p.Weights) != p.Len():
		return fmt.Errorf("%d weights for %d points", len(p.Weights), p.Len())
	}
	for i, r := range p.Rows {
		if r < 0 || int(r) >= p.Table.Shape()[0] {
			return fmt.Errorf("point %d: row %d of a table of %d rows", i/p.Size, r, p.Table.Shape()[0])
		}
	}
	for i, w := range p.Weights {
		if !(w > 0) || math.IsInf(w, 0) {
			return fmt.Errorf("point %d has weight %g: weights must be positive", i, w)
		}
	}
	return nil
}

// chunk is the number of points that one piece of parallel work covers.
const chunk = 4096

// cloud is a set of points over one element type.
type cloud[T simd.Float] struct {
	eng     engine.Engine // the host
	device  engine.Engine // what finds the nearest anchors
	workers int

	table  *tensor.Dense
	values []T     // of the table
	rows   []int32 // nil: point i is row i
	n      int     // points
	p, d   int     // rows of a point, elements of a row

	weights     []float64 // nil: ones
	totalWeight float64

	// slack bounds the error of a squared distance 2(p - similarity): rounding, and rows that are
	// slightly longer than 1.
	slack float64

	// tie is the difference of two similarities up to which rounding may decide which of them is larger.
	tie float64

	// sure is the difference of two similarities, summed in float64, above which those that decide differ alike.
	sure float64
}

func newCloud[T simd.Float](eng engine.Engine, workers int, points Points) (*cloud[T], error) {
	c := &cloud[T]{
		eng: eng.Host(), device: eng, workers: workers,
		table: points.Table, values: elements[T](points.Table), rows: points.Rows,
		n: points.Len(), p: points.Size, d: points.Table.Shape()[1],
		weights: points.Weights, totalWeight: float64(points.Len()),
	}
	if c.weights != nil {
		c.totalWeight = 0
		for _, w := range c.weights {
			c.totalWeight += w
		}
	}
	if c.rows != nil {
		c.compact()
	}
	return c, c.measure()
}

// compact copies the rows in use to a table of their own where less than half of the table is in use.
func (c *cloud[T]) compact() {
	number := make([]int32, c.table.Shape()[0]) // 1 + new number of a row in use
	var used []int32
	for _, r := range c.rows {
		if number[r] == 0 {
			used = append(used, r)
			number[r] = int32(len(used))
		}
	}
	if 2*len(used) >= len(number) {
		return
	}
	rows, values := make([]int32, len(c.rows)), make([]T, len(used)*c.d)
	for i, r := range c.rows {
		rows[i] = number[r] - 1
	}
	for i, r := range used {
		copy(values[i*c.d:(i+1)*c.d], c.row(r))
	}
	c.rows, c.values, c.table = rows, values, matrix(c.eng, values, len(used), c.d)
}

// measure finds the longest row in use and sets the slack. It returns an error for rows longer
// than rounding explains and for rows that are not finite.
func (c *cloud[T]) measure() error {
	longest := make([]float64, (c.n+chunk-1)/chunk)
	bad := make([]int, len(longest)) // 1 + number of the point
	parallel.Chunks(c.workers, c.n, chunk, func(from, to int) {
		piece := from / chunk
		for i := from; i < to; i++ {
			for j := range c.p {
				x := c.at(i, j)
				square := float64(simd.Dot(x, x))
				if !(square <= 1.001) && bad[piece] == 0 {
					bad[piece] = i + 1
				}
				longest[piece] = max(longest[piece], square)
			}
		}
	})
	excess := 0.0
	for piece, i := range bad {
		if i != 0 {
			return fmt.Errorf("point %d has a vector that is not finite or longer than 1: normalise the rows of the table", i-1)
		}
		excess = max(excess, longest[piece]-1)
	}
	unit := 0x1p-24
	if c.table.Dtype() == tensor.Float64 {
		unit = 0x1p-53
	}
	c.slack = float64(c.p) * (8*float64(c.d+4)*unit + 4*excess)
	c.sure = 2.2 * (1 + excess) * float64(c.p*(c.d+c.p)) * (unit + 0x1p-53)
	c.tie = float64(c.p+1) * c.slack // a device adds the terms of all positions in one sum
	return nil
}

// elements returns the data of a tensor, whose dtype is that of T.
func elements[T simd.Float](t *tensor.Dense) []T { return t.Data().([]T) }

// matrix wraps data, without copying, as a tensor.
func matrix[T simd.Float](eng engine.Engine, data []T, shape ...int) *tensor.Dense {
	return tensor.New(tensor.WithEngine(eng), tensor.WithShape(shape...), tensor.WithBacking(data))
}

// row returns row r of the table.
func (c *cloud[T]) row(r int32) []T { return c.values[int(r)*c.d : (int(r)+1)*c.d] }

// rowOf returns the row of the table that is at position j of point i.
func (c *cloud[T]) rowOf(i, j int) int32 {
	if c.rows == nil {
		return int32(i)
	}
	return c.rows[i*c.p+j]
}

// at returns the vector at position j of point i.
func (c *cloud[T]) at(i, j int) []T { return c.row(c.rowOf(i, j)) }

// weight returns the weight of point i.
func (c *cloud[T]) weight(i int) float64 {
	if c.weights == nil {
		return 1
	}
	return c.weights[i]
}

// distance turns a similarity into the squared distance 2(p - similarity), not below 0.
func (c *cloud[T]) distance(similarity T) T { return max(0, 2*(T(c.p)-similarity)) }
