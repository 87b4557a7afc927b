package mpgk

import (
	"slices"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/parallel"
)

// state is a batch after some updates of the vertex kernel.
type state struct {
	batch *graph.Batch
	class []int32 // the point of every vertex
	points
	front int // width of the last dense block, A^t x, that the next update by R-convolution multiplies
}

// newState returns the vertices under k^0. Labels become a count of 1 in their column where neighbourhoods are
// assigned, which keeps points sparse, and else a one-hot vector, which can be multiplied by A.
func newState(b *graph.Batch, in Input, countLabels bool) *state {
	class, rows := in.vectors(b)
	d := in.width()
	s := &state{batch: b, class: class, front: d}
	s.countCopies(len(rows) / d)
	s.counts.start = make([]int32, 1, s.len()+1)
	if countLabels && in.Labels > 0 {
		for p := range s.len() {
			if l := slices.Index(rows[p*d:(p+1)*d], 1); l >= 0 {
				s.counts.add(int32(l), 1)
			}
			s.counts.end()
		}
		s.counts.weight = ones(d)
		return s
	}
	s.dense, s.scale = rows, ones(d)
	s.counts.start = make([]int32, s.len()+1)
	return s
}

func ones(n int) []float64 { return slices.Repeat([]float64{1}, n) }

// ascending returns 0 to n-1.
func ascending(n int) []int32 {
	all := make([]int32, n)
	for i := range all {
		all[i] = int32(i)
	}
	return all
}

// countCopies counts the vertices of each of n points.
func (s *state) countCopies(n int) {
	s.copies = make([]float64, n)
	for _, c := range s.class {
		s.copies[c]++
	}
}

// refine groups the vertices of s by their own point and the sorted values of their neighbours. It returns the
// group of every vertex, and for each group the point and the neighbours' values.
func (s *state) refine(workers int, value []int32) (class, parent []int32, around *lists) {
	b, n := s.batch, s.batch.NumVertices()
	keys := &lists{start: make([]int32, n+1), items: make([]int32, n+b.NumArcs())}
	for v := range n {
		keys.start[v] = b.RowPtr[v] + int32(v)
	}
	keys.start[n] = int32(len(keys.items))
	parallel.Chunks(workers, n, 1024, func(from, to int) {
		for v := from; v < to; v++ {
			key := keys.at(v)
			key[0] = s.class[v]
			for i, u := range b.Neighbors(int32(v)) {
				key[i+1] = value[s.class[u]]
			}
			slices.Sort(key[1:])
		}
	})
	class, first := keys.group()
	around = &lists{start: make([]int32, 1, len(first)+1)}
	for _, v := range first {
		key := keys.at(int(v))
		parent = append(parent, key[0])
		around.items = append(around.items, key[1:]...)
		around.start = append(around.start, int32(len(around.items)))
	}
	return class, parent, around
}

// assign returns the vertices after an update by Eq. 7, alpha k^t + beta A_t, where A_t is the assignment kernel of
// neighbourhoods on the hierarchy h, in which the points have the given leaves.
func (s *state) assign(workers int, h *hierarchy, omega []float64, leaf []int32, alpha, beta float64) *state {
	visible := h.visible(omega)
	value := make([]int32, s.len())
	for p, l := range leaf {
		value[p] = visible[l]
	}
	next := &state{batch: s.batch, front: s.front}
	var parent []int32
	var around *lists
	next.class, parent, around = s.refine(workers, value)
	next.countCopies(len(parent))

	next.scale = scaled(alpha, s.scale)
	next.counts.weight = append(scaled(alpha, s.counts.weight), scaled(beta, omega)...)
	next.counts.start = make([]int32, 1, len(parent)+1)
	old := int32(len(s.counts.weight))
	tally := newTally(h, omega)
	for i, p := range parent {
		next.dense = append(next.dense, s.row(p)...)
		column, count := s.counts.row(p)
		next.counts.column, next.counts.count = append(next.counts.column, column...), append(next.counts.count, count...)
		for _, node := range around.at(i) {
			tally.add(node)
		}
		tally.each(func(node, count int32) { next.counts.add(old+node, count) })
		next.counts.end()
	}
	return next
}

// convolve returns the vertices after an update by Eq. 6. If the blocks P_0, ..., P_t of dense columns with the
// weights w_s give k^t, then A P_0, ..., A P_t give A k^t A', and since P_s is A^s x only A P_t is new:
// k^{t+1} has the weights alpha w_s + beta w_{s-1}.
func (s *state) convolve(e engine.Engine, alpha, beta float64) (*state, error) {
	class, parent, around := s.refine(e.Workers(), ascending(s.len()))
	fresh, err := s.multiply(e, around)
	if err != nil {
		return nil, err
	}
	old, d := len(s.scale), s.front
	rows := make([]float64, 0, len(parent)*(old+d))
	for i, p := range parent {
		rows = append(append(rows, s.row(p)...), fresh[i*d:(i+1)*d]...)
	}
	// Different neighbourhoods may have one sum.
	merged, first := groupRows(rows, old+d)
	next := &state{batch: s.batch, class: class, front: d}
	for v, c := range class {
		class[v] = merged[c]
	}
	next.countCopies(len(first))
	next.dense = make([]float64, 0, len(first)*(old+d))
	for _, i := range first {
		next.dense = append(next.dense, rows[int(i)*(old+d):(int(i)+1)*(old+d)]...)
	}
	next.scale = append(scaled(alpha, s.scale), make([]float64, d)...)
	for j, w := range s.scale {
		next.scale[j+d] += beta * w
	}
	next.counts.start = make([]int32, len(first)+1)
	return next, nil
}

// multiply returns for lists of points the sums of their last blocks.
func (s *state) multiply(e engine.Engine, around *lists) ([]float64, error) {
	d, old := s.front, len(s.scale)
	last := s.dense
	if old > d {
		last = make([]float64, 0, s.len()*d)
		for p := range s.len() {
			last = append(last, s.dense[(p+1)*old-d:(p+1)*old]...)
		}
	}
	out := make([]float64, around.len()*d)
	if len(out) == 0 || len(last) == 0 {
		return out, nil
	}
	sums := matrix(e, out, around.len(), d)
	return out, e.SparseMatMul(sums, around.multiplicities(s.len()), matrix(e, last, s.len(), d))
}

func scaled(a float64, x []float64) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = a * v
	}
	return out
}
