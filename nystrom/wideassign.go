package nystrom

import (
	"context"
	"unsafe"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/simd"
	"gorgonia.org/tensor"
)

const (
	// wideTerms is the number of products of an iteration of [KMeans] from which on a wide engine finds the nearest
	// anchors: below it the host is done before the anchors are there and the points back.
	wideTerms = 1 << 24
	// wideLimit bounds the elements of the points on the engine.
	wideLimit = 1 << 29
)

// wideAssign finds the nearest anchors of all points on the engine, where the points stay.
type wideAssign[T simd.Float] struct {
	engine engine.Engine
	points *tensor.Dense // a row for each, position after position
	index  []int32       // of the nearest anchor of each point
	two    []T           // the two largest similarities of each point
}

// newWideAssign returns nil where the engine is the host, or has too little to do or no room for the points.
func newWideAssign[T simd.Float](e engine.Engine, c *cloud[T], k int) (*wideAssign[T], error) {
	if elements := c.n * c.p * c.d; !e.Capabilities().Wide || elements*k < wideTerms || elements > wideLimit {
		return nil, nil
	}
	w := &wideAssign[T]{engine: e, index: make([]int32, c.n), two: make([]T, 2*c.n)}
	table, err := w.upload(c.values, c.table.Shape()...)
	if w.points = table; err != nil || c.rows == nil {
		return w, err
	}
	defer e.Release(table)
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

func (w *wideAssign[T]) upload(x []T, shape ...int) (*tensor.Dense, error) {
	host := matrix(w.engine.Host(), x, shape...)
	t := w.engine.Scratch(host.Dtype(), shape...)
	return t, w.engine.Convert(t, host)
}

// find finds the nearest of k anchors, each a row, position after position.
func (w *wideAssign[T]) find(z []T, k int) error {
	anchors, err := w.upload(z, 1, k, len(z)/k)
	if err != nil {
		return err
	}
	defer w.engine.Release(anchors)
	two := w.engine.Scratch(anchors.Dtype(), len(w.index), 2)
	defer w.engine.Release(two)
	if err := w.engine.Assign(w.index, two, engine.Points{Table: w.points, Size: 1}, anchors); err != nil {
		return err
	}
	return w.engine.Convert(matrix(w.engine.Host(), w.two, len(w.index), 2), two)
}

// close gives the memory of the engine back.
func (w *wideAssign[T]) close() {
	if w != nil {
		w.engine.Release(w.points)
	}
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
