package walks

import (
	"math"
	"slices"

	"github.com/grove-graph/grove/parallel"
)

// computeDiagonals fills in diag(A^d), the weight of the closed walks of every vertex. Row v of A^a and column v
// of A^b meet in the middle of the walks of length a+b, so no power is formed. They are made once for a batch, on the
// host whatever the engine: they are constants of a fit, and tell which kinds of features there are to be tried at all.
func (d *Data) computeDiagonals() {
	n := d.Batch.NumVertices()
	d.diagonal = make([][][]float64, len(d.Operators))
	d.cyclic = make([][]bool, len(d.Operators))
	weighted := d.Weighted()
	choose := weighted && d.Input.DiagonalGrids == nil
	if choose {
		d.Input.DiagonalGrids = make([][]Grid, len(d.Operators))
	}
	for o, op := range d.Operators {
		if same := d.reverseOf(o); same >= 0 && same < o {
			d.diagonal[o], d.cyclic[o] = d.diagonal[same], d.cyclic[same]
			if choose {
				d.Input.DiagonalGrids[o] = d.Input.DiagonalGrids[same]
			}
			continue
		}
		for i := range d.Length {
			g := NoGrid
			if weighted {
				if choose {
					d.Input.DiagonalGrids[o] = append(d.Input.DiagonalGrids[o], d.diagonalGrid(op, i+1))
				}
				g = d.Input.DiagonalGrids[o][i]
			}
			diagonal := d.Demand.Memory.zeros(n)
			parallel.Each(d.Engine.Workers(), (n+255)/256, func() func(int) {
				m := newMeeting(op, n, g)
				return func(chunk int) {
					for v := chunk * 256; v < min(n, chunk*256+256); v++ {
						diagonal[v] = m.closedWalks(int32(v), i+1)
					}
				}
			})
			d.diagonal[o] = append(d.diagonal[o], diagonal)
			d.cyclic[o] = append(d.cyclic[o], slices.ContainsFunc(diagonal, func(x float64) bool { return x != 0 }))
		}
	}
}

// Diagonals returns diag(A^d) of all vertices by operator and length, one after another.
func (d *Data) Diagonals() (all []float64) {
	for _, lengths := range d.diagonal {
		for _, diagonal := range lengths {
			all = append(all, diagonal...)
		}
	}
	return all
}

// reverseOf returns the operator that is the transpose, of the same arcs in the other direction, or -1.
func (d *Data) reverseOf(o int) int {
	if d.Input.MeanSteps { // each has rows that sum to 1
		return -1
	}
	for p, other := range d.Operators {
		if other.arcs.Type == d.Operators[o].arcs.Type && other.arcs.Against != d.Operators[o].arcs.Against {
			return p
		}
	}
	return -1
}

// diagonalGrid returns a grid for closed walks of a length: a vertex has at most the total weight of its walks.
func (d *Data) diagonalGrid(op *operator, length int) Grid {
	largest := 0.0
	for v := range len(op.Out.ptr) - 1 {
		sum := 0.0
		for _, w := range op.Out.weight[op.Out.ptr[v]:op.Out.ptr[v+1]] {
			sum += math.Abs(w)
		}
		largest = max(largest, sum)
	}
	return GridFor(math.Pow(max(largest, 1), float64(length)))
}

// meeting holds the two halves of closed walks.
type meeting struct {
	out, in half
	grid    Grid
}

// half is a sparse vector that goes along arcs.
type half struct {
	steps         *rows
	value, next   []float64
	touched, more []int32
}

func newMeeting(op *operator, n int, g Grid) *meeting {
	return &meeting{
		out:  half{steps: &op.Out, value: make([]float64, n), next: make([]float64, n)},
		in:   half{steps: &op.In, value: make([]float64, n), next: make([]float64, n)},
		grid: g,
	}
}

// closedWalks returns the weight of the closed walks of a vertex.
func (m *meeting) closedWalks(v int32, length int) float64 {
	switch length {
	case 1:
		return m.loops(v)
	case 2:
		return m.thereAndBack(v)
	}
	a := (length + 1) / 2
	m.out.walk(v, a, m.grid)
	m.in.walk(v, length-a, m.grid)
	sum := 0.0
	for _, u := range m.in.touched {
		if x := m.out.value[u]; x != 0 {
			sum += m.grid.Round(x * m.in.value[u])
		}
	}
	m.out.clear()
	m.in.clear()
	return sum
}

// loops returns the weight of the arcs from a vertex to itself.
func (m *meeting) loops(v int32) float64 {
	out := m.out.steps
	sum := 0.0
	for p := out.ptr[v]; p < out.ptr[v+1] && out.col[p] <= v; p++ {
		if out.col[p] == v {
			sum += m.grid.Round(out.at(p))
		}
	}
	return sum
}

// thereAndBack returns the weight of the closed walks of length 2, from rows in ascending order.
func (m *meeting) thereAndBack(v int32) float64 {
	out, in := m.out.steps, m.in.steps
	p, to := out.ptr[v], out.ptr[v+1]
	q, end := in.ptr[v], in.ptr[v+1]
	sum := 0.0
	for p < to && q < end {
		u := out.col[p]
		switch w := in.col[q]; {
		case u < w:
			p++
		case u > w:
			q++
		default:
			there, back := 0.0, 0.0
			for ; p < to && out.col[p] == u; p++ {
				there += m.grid.Round(out.at(p))
			}
			for ; q < end && in.col[q] == u; q++ {
				back += m.grid.Round(in.at(q))
			}
			sum += m.grid.Round(there * back)
		}
	}
	return sum
}

// walk makes steps from vertex v; value is zero before.
func (h *half) walk(v int32, steps int, g Grid) {
	h.value[v] = 1
	h.touched = append(h.touched[:0], v)
	for range steps {
		h.more = h.more[:0]
		for _, u := range h.touched {
			x := h.value[u]
			h.value[u] = 0
			for p := h.steps.ptr[u]; p < h.steps.ptr[u+1]; p++ {
				w := h.steps.col[p]
				if h.next[w] == 0 {
					h.more = append(h.more, w) // again where values cancel, which does no harm
				}
				if h.steps.weight == nil {
					h.next[w] += x
				} else {
					h.next[w] += g.Round(h.steps.weight[p] * x)
				}
			}
		}
		h.value, h.next = h.next, h.value
		h.touched, h.more = h.more, h.touched
		h.unique()
	}
}

// unique drops repeats from touched.
func (h *half) unique() {
	once := h.touched[:0]
	for _, u := range h.touched {
		if x := h.value[u]; x != 0 {
			once = append(once, u)
			h.next[u], h.value[u] = x, 0
		}
	}
	for _, u := range once {
		h.value[u], h.next[u] = h.next[u], 0
	}
	h.touched = once
}

func (h *half) clear() {
	for _, u := range h.touched {
		h.value[u] = 0
	}
}
