package engine

import (
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/parallel"
	"gorgonia.org/tensor"
)

// PowerDiagonal implements [Engine] without a power of the matrix. Row v of A^i and column v of A^j meet
// in the middle: (A^{i+j})_vv = sum_w (A^i)_vw (A^j)_wv, so that D powers need the walks of ceil(D/2) arcs
// that leave v and those that enter it, which are the same where A is symmetric.
//
// The time for a vertex is the number of arcs that leave the vertices within floor(D/2) steps, once for
// each step and direction, and never more than ceil(D/2) times the arcs of its graph. Every worker holds
// 32 bytes for each vertex of the largest graph, twice that where A is not symmetric. All sums are in
// float64.
func (e *CPU) PowerDiagonal(y *tensor.Dense, b *graph.Batch) error {
	if err := CheckPowerDiagonal(y, b); err != nil {
		return err
	}
	powers := y.Shape()[1]
	if powers == 0 {
		return nil
	}
	out := make([]float64, y.DataSize())
	leaving := Adjacency(b)
	entering := leaving
	if !leaving.Symmetric() {
		entering = leaving.Transpose()
	}
	largest := 0
	graphOf := make([]int32, b.NumVertices())
	for g := range b.NumGraphs() {
		from, to := b.Vertices(g)
		largest = max(largest, int(to-from))
		for v := from; v < to; v++ {
			graphOf[v] = int32(g)
		}
	}
	parallel.Each(e.workers, (b.NumVertices()+diagonalChunk-1)/diagonalChunk, func() func(int) {
		forward, backward := newWalks(leaving, largest), newWalks(entering, largest)
		if entering == leaving {
			backward = forward
		}
		return func(chunk int) {
			for v := chunk * diagonalChunk; v < min((chunk+1)*diagonalChunk, b.NumVertices()); v++ {
				closedWalks(out[v*powers:(v+1)*powers], int32(v), b.Offsets[graphOf[v]], forward, backward)
			}
		}
	})
	store(y, out)
	return nil
}

// diagonalChunk is the number of vertices that one piece of parallel work covers.
const diagonalChunk = 64

// closedWalks computes (A^{d+1})_vv for all d of a row of the result, for a vertex of the graph whose
// first vertex is first.
func closedWalks(row []float64, v, first int32, forward, backward *walks) {
	forward.start(v, first)
	if backward != forward {
		backward.start(v, first)
	}
	for d := range row {
		if d%2 == 0 { // A^{i+1} A^i = A^{2i+1}
			forward.step()
			row[d] = forward.meet(backward, backward == forward)
			continue
		}
		if backward != forward {
			backward.step()
		}
		row[d] = forward.meet(backward, false)
	}
	forward.clear()
	if backward != forward {
		backward.clear()
	}
}

// walks is a row of a power of a matrix, restricted to one graph, beside the row of the power before.
type walks struct {
	a               *Sparse
	first           int32     // vertex of the graph that has position 0
	current, before []float64 // weights of the walks that end at each vertex of the graph
	at, from        []int32   // positions of the vertices that they reach, in the order they were met
	met             []int64   // the last step that met each vertex
	steps           int64
}

func newWalks(a *Sparse, n int) *walks {
	return &walks{a: a, current: make([]float64, n), before: make([]float64, n), met: make([]int64, n)}
}

// start makes the one walk of no arc at v.
func (w *walks) start(v, first int32) {
	w.first = first
	w.current[v-first] = 1
	w.at = append(w.at, v-first)
}

// step adds an arc to every walk.
func (w *walks) step() {
	for _, u := range w.from {
		w.before[u] = 0
	}
	w.current, w.before = w.before, w.current
	w.at, w.from = w.from[:0], w.at
	w.steps++
	for _, u := range w.from {
		x := w.before[u]
		for e := w.a.RowPtr[w.first+u]; e < w.a.RowPtr[w.first+u+1]; e++ {
			to := w.a.Col[e] - w.first
			if w.met[to] != w.steps {
				w.met[to] = w.steps
				w.at = append(w.at, to)
			}
			w.current[to] += x * w.a.value(e)
		}
	}
}

// meet returns the sum over all vertices of the product of the weights here and of the other walks, those
// of one arc fewer where before is true.
func (w *walks) meet(other *walks, before bool) float64 {
	theirs := other.current
	if before {
		theirs = other.before
	}
	sum := 0.0
	for _, u := range w.at {
		sum += w.current[u] * theirs[u]
	}
	return sum
}

// clear forgets all walks.
func (w *walks) clear() {
	for _, u := range w.at {
		w.current[u] = 0
	}
	for _, u := range w.from {
		w.before[u] = 0
	}
	w.at, w.from = w.at[:0], w.from[:0]
}
