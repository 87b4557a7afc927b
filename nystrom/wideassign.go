package nystrom

import (
	"context"
	"unsafe"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/simd"
	"gorgonia.org/tensor"
)

const (
	// wideTerms is the number of products of an iteration of [KMeans] from which on a wide engine takes part: below it
	// the host is done before the anchors are there and the points back.
	wideTerms = 1 << 24
	// wideSums is the number of elements of moving points from which on a wide engine adds them up.
	wideSums = 1 << 18
	// wideLimit bounds the elements of the points on the engine.
	wideLimit = 1 << 29
)

// widePoints are points that stay on the engine. It draws the first anchors, finds the nearest anchors of all points,
// and adds the points up.
type widePoints[T simd.Float] struct {
	engine engine.Engine
	table  *tensor.Dense
	points *tensor.Dense // a row for each, position after position; the table itself where that is so
	index  []int32       // of the nearest anchor of each point
	two    []T           // the two largest similarities of each point
}

// newWidePoints returns nil where the engine is the host, or has too little to do or no room for the points.
func newWidePoints[T simd.Float](e engine.Engine, c *cloud[T], k int) (*widePoints[T], error) {
	if elements := c.n * c.p * c.d; !e.Capabilities().Wide || elements*k < wideTerms || elements > wideLimit {
		return nil, nil
	}
	w := &widePoints[T]{engine: e, index: make([]int32, c.n), two: make([]T, 2*c.n)}
	table, err := w.upload(c.values, c.table.Shape()...)
	if w.table, w.points = table, table; err != nil || c.rows == nil {
		return w, err
	}
	w.points = e.Scratch(table.Dtype(), c.n, c.p*c.d)
	index := make([]int32, c.n)
	for j := range c.p {
		for i := range index {
			index[i] = c.rowOf(i, j)
		}
		if err := e.Place(w.points, table, index, engine.Placement{Column: j * c.d, Stride: 1}); err != nil {
			return w, err
		}
	}
	return w, nil
}

func (w *widePoints[T]) upload(x []T, shape ...int) (*tensor.Dense, error) {
	host := matrix(w.engine.Host(), x, shape...)
	t := w.engine.Scratch(host.Dtype(), shape...)
	return t, w.engine.Convert(t, host)
}

// find finds the nearest of k anchors, each a row, position after position.
func (w *widePoints[T]) find(z []T, k int) error {
	anchors, err := w.upload(z, 1, k, len(z)/k)
	defer w.engine.Release(anchors)
	if err != nil {
		return err
	}
	two := w.engine.Scratch(anchors.Dtype(), len(w.index), 2)
	defer w.engine.Release(two)
	if err := w.engine.Assign(w.index, two, engine.Points{Table: w.points, Size: 1}, anchors); err != nil {
		return err
	}
	return w.engine.Convert(matrix(w.engine.Host(), w.two, len(w.index), 2), two)
}

// addRows adds rows of the table to sums in host memory.
func (w *widePoints[T]) addRows(sums *tensor.Dense, rows engine.Segments) error {
	there := w.engine.Mirror(sums)
	defer w.engine.Release(there)
	if err := w.engine.Convert(there, sums); err != nil {
		return err
	}
	if err := w.engine.AddRows(there, w.table, rows); err != nil {
		return err
	}
	return w.engine.Convert(sums, there)
}

// close gives the memory of the engine back.
func (w *widePoints[T]) close() {
	if w == nil {
		return
	}
	if w.points != w.table {
		w.engine.Release(w.points)
	}
	w.engine.Release(w.table)
}

// assignWide is assign by the engine. Equal anchors count once, as the first of them: where there are fewer points than
// clusters they are many.
func (l *lloyd[T]) assignWide(ctx context.Context) error {
	var first []int32 // the anchors that are equal to none before them
	var z []T
	seen := make(map[string]bool, l.k)
	for f := range l.k {
		from := len(z)
		for j := range l.p {
			z = append(z, l.anchor(j, f)...)
		}
		bytes := unsafe.Slice((*byte)(unsafe.Pointer(&z[from])), (len(z)-from)*int(unsafe.Sizeof(z[0])))
		if seen[string(bytes)] {
			z = z[:from]
			continue
		}
		seen[string(bytes)] = true
		first = append(first, int32(f))
	}
	if err := l.wide.find(z, len(first)); err != nil {
		return err
	}
	assigned := make([]int32, l.n)
	var unclear []int32
	for i, f := range l.wide.index {
		assigned[i] = first[f]
		if float64(l.wide.two[2*i]-l.wide.two[2*i+1]) <= l.tie {
			unclear = append(unclear, int32(i))
		}
	}
	err := l.decide(ctx, unclear, func(o int, f int32, _, _ T) { assigned[unclear[o]] = f })
	if err != nil {
		return err
	}
	var moves []move
	for i, to := range assigned {
		moves = l.move(moves, int32(i), to)
	}
	return l.sums.apply(moves)
}
