package nystrom

import (
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"gorgonia.org/tensor"
)

// wideEntries is the number of features of the points to be scored from which on a wide engine scores them: below it
// the host is done before the means are there and the scores back.
const wideEntries = 1 << 16

// wideScores scores all points by products on the engine, where the features stay.
type wideScores struct {
	engine engine.Engine
	points *Vectors
	means  *Means
	sparse *engine.Sparse
	dense  *tensor.Dense
	groups [][]float64 // points x Lanes: inner products with the means of each lane
}

// newWideScores returns nil where the host scores points as fast, or the engine has too little to do.
func newWideScores(e engine.Engine, points *Vectors, means *Means) *wideScores {
	if !e.Capabilities().Wide || len(points.Sparse.Col)+len(points.Dense) < wideEntries {
		return nil
	}
	// A device keeps the arcs of a batch.
	x := *points.Sparse
	x.Batch = &graph.Batch{Offsets: []int32{0, int32(points.Len())}, RowPtr: x.RowPtr, Col: x.Col, ArcWeights: x.Values}
	return &wideScores{engine: e, points: points, means: means, sparse: &x}
}

// scores returns d with the scores of all points, or nil where the points to be scored have too few features.
func (d *wideScores) scores(entries int) (*wideScores, error) {
	if d == nil || entries < wideEntries {
		return nil, nil
	}
	n, width := d.points.Len(), d.points.Width
	if d.dense == nil && width > 0 {
		var err error
		if d.dense, err = d.upload(d.points.Dense, n, width); err != nil {
			return nil, err
		}
	}
	for group := range len(d.means.Offset) / Lanes {
		if len(d.groups) <= group {
			d.groups = append(d.groups, make([]float64, n*Lanes))
		}
		if err := d.score(group); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// score computes the inner products with the means of one lane.
func (d *wideScores) score(group int) error {
	n, width, columns := d.points.Len(), d.points.Width, d.sparse.Cols
	out := d.engine.Scratch(tensor.Float64, n, Lanes)
	defer d.engine.Release(out)
	if columns > 0 {
		table := make([]float64, 0, columns*Lanes)
		for _, lane := range d.means.Table[group*columns : (group+1)*columns] {
			table = append(table, lane[:]...)
		}
		x, err := d.upload(table, columns, Lanes)
		if err != nil {
			return err
		}
		defer d.engine.Release(x)
		if err := d.engine.SparseMatMul(out, d.sparse, x); err != nil {
			return err
		}
	}
	if width > 0 {
		slope, err := d.upload(d.means.Slope[group*Lanes*width:(group+1)*Lanes*width], Lanes, width)
		if err != nil {
			return err
		}
		defer d.engine.Release(slope)
		opt := engine.Gemm{TransB: true, Alpha: 1}
		if columns > 0 {
			opt.Beta = 1
		}
		if err := d.engine.Gemm(out, d.dense, slope, opt); err != nil {
			return err
		}
	}
	return d.engine.Convert(matrix(d.engine.Host(), d.groups[group], n, Lanes), out)
}

func (d *wideScores) upload(x []float64, rows, columns int) (*tensor.Dense, error) {
	t := d.engine.Scratch(tensor.Float64, rows, columns)
	return t, d.engine.Convert(t, matrix(d.engine.Host(), x, rows, columns))
}

// of writes the scores of point i to dst.
func (d *wideScores) of(dst []float64, i int) {
	for group, products := range d.groups {
		copy(dst[group*Lanes:(group+1)*Lanes], products[i*Lanes:(i+1)*Lanes])
	}
	for j, o := range d.means.Offset {
		dst[j] -= o
	}
}

// close gives the memory of the engine back.
func (d *wideScores) close() {
	if d != nil && d.dense != nil {
		d.engine.Release(d.dense)
	}
}
