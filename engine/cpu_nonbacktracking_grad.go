package engine

import "github.com/grove-graph/grove/engine/simd"

// messagesGrad goes back through the messages of the walks of one size in one piece. With d_i the gradient of
// m_i (cpu_nonbacktracking.go),
//
//	gradient of the exponent scale s_i(v) = sum over arcs u->v of d_i(u->v) * m_i(u->v),
//	d_{i+1}(v->w) = b_i(v) * sum of d_i(u->v) over the arcs into v from u other than w and v,
//
// which is the forward recursion with the arcs turned around. For a maximum the exponents themselves are
// compared, and the gradient of a message goes on to the first arc that attains it.
type messagesGrad[T simd.Float] struct {
	*messages[T]
	g       *pathGrad[T]
	value   [][]T // by position i > 1: m_i; for a maximum its exponent
	argmax  [][]int32
	current []T // d_i
	next    []T
	row     []T
	largest *maximum[T]
	turned  *exclusion[T]
}

func (g *pathGrad[T]) nonBacktrackingBack(pc piece) {
	t := &messagesGrad[T]{messages: newMessages(g.pathPool, pc, g.arcs), g: g, row: make([]T, pc.hi-pc.lo)}
	t.value = make([][]T, g.Size+2)
	t.argmax = make([][]int32, g.Size+1)
	for i := 2; i <= g.Size; i++ {
		t.value[i] = make([]T, t.size())
		if g.Pool == Max {
			t.argmax[i] = make([]int32, t.size())
		}
	}
	t.current, t.next = make([]T, t.size()), make([]T, t.size())
	t.largest, t.turned = newMaximum[T](t.width), newExclusion[T](Sum, t.width)
	rows := g.rootRows(pc.from, pc.to)
	for j := 1; j <= g.Size; j++ {
		if rows[j] == nil {
			continue
		}
		for i := j; i >= 2; i-- {
			if g.Pool == Max {
				t.passLargest(i, j)
			} else {
				t.pass(i, j, t.value[i], t.value[i+1])
			}
		}
		clear(t.current)
		for u := pc.from; u < pc.to; u++ {
			if r := rows[j][u-pc.from]; r >= 0 {
				t.start(u, j, t.outputs(pc, j, r))
			}
		}
		for i := 2; i <= j; i++ {
			clear(t.next)
			for v := pc.from; v < pc.to; v++ {
				t.back(i, j, v)
			}
			t.current, t.next = t.next, t.current
		}
	}
}

// start goes back from the output of u to the messages of position 2.
func (t *messagesGrad[T]) start(u int32, j int, gradient []T) {
	count := 0.0
	if t.g.counts != nil {
		count = t.g.counts[int(u)*t.Size+j-1]
	}
	leaving := t.arcs.leaving(t.Graph, u)
	if t.Pool == Max {
		scaled(t.row, t.scale[j], t.pieceScore(t.piece, u, 1))
		if j > 1 {
			t.largest.reset()
			for _, a := range leaving {
				if w := t.Graph.Col[a]; w != u {
					t.largest.see(t.at(t.value[2], a), w, a)
				}
			}
			simd.Add(t.row, t.row, t.largest.first)
		}
		simd.Exp(t.row, t.row, 1, t.shift[j])
	} else {
		t.root(t.row, u, j, t.value[2])
	}
	weight := t.g.weight(u, count)
	if t.g.normGrad != nil {
		copy(t.factor, t.row)
		if t.Pool == Mean && count > 0 {
			simd.Scale(1/T(count), t.factor)
		}
		t.g.addNorm(t.piece, u, gradient, t.factor)
	}
	simd.Mul(t.row, t.row, gradient)
	simd.Scale(weight, t.row)
	simd.Axpy(t.scale[j], t.row, t.g.gradient(t.piece, u, 1))
	if j == 1 {
		return
	}
	if t.Pool == Max {
		for f, a := range t.largest.arc {
			if a >= 0 {
				t.at(t.current, a)[f] = t.row[f]
			}
		}
		return
	}
	simd.Exp(t.factor, t.pieceScore(t.piece, u, 1), t.scale[j], t.shift[j]/T(j))
	simd.Mul(t.factor, t.factor, gradient)
	simd.Scale(weight, t.factor)
	for _, a := range leaving {
		if t.Graph.Col[a] != u {
			copy(t.at(t.current, a), t.factor)
		}
	}
}

// back goes from the messages of position i into v to those of position i+1 out of v.
func (t *messagesGrad[T]) back(i, j int, v int32) {
	entering := t.arcs.entering(v)
	clear(t.row)
	for _, a := range entering {
		switch {
		case t.arcs.tail[a] == v:
		case t.Pool == Max:
			simd.Add(t.row, t.row, t.at(t.current, a))
		default:
			simd.MulAdd(t.row, t.at(t.current, a), t.at(t.value[i], a))
		}
	}
	simd.Axpy(t.scale[j], t.row, t.g.gradient(t.piece, v, i))
	switch {
	case i == j:
	case t.Pool == Max:
		for _, a := range entering {
			if t.arcs.tail[a] == v {
				continue
			}
			at := int(a-t.Graph.RowPtr[t.from]) * t.width
			for f, arc := range t.argmax[i][at : at+t.width] {
				if arc >= 0 {
					t.at(t.next, arc)[f] += t.at(t.current, a)[f]
				}
			}
		}
	default:
		simd.Exp(t.factor, t.pieceScore(t.piece, v, i), t.scale[j], t.shift[j]/T(j))
		t.turned.each(v, entering, t.arcs.tail, t.arcs.leaving(t.Graph, v), t.Graph.Col,
			func(arc int32) []T { return t.at(t.current, arc) },
			func(arc int32, pooled []T) { simd.Mul(t.at(t.next, arc), pooled, t.factor) })
	}
}

// passLargest computes the exponents of the maxima of position i, and which arcs attain them.
func (t *messagesGrad[T]) passLargest(i, j int) {
	for v := t.from; v < t.to; v++ {
		scaled(t.factor, t.scale[j], t.pieceScore(t.piece, v, i))
		if i < j {
			t.largest.reset()
			for _, a := range t.arcs.leaving(t.Graph, v) {
				if w := t.Graph.Col[a]; w != v {
					t.largest.see(t.at(t.value[i+1], a), w, a)
				}
			}
		}
		for _, a := range t.arcs.entering(v) {
			dst := t.at(t.value[i], a)
			if i == j {
				copy(dst, t.factor)
				continue
			}
			at := int(a-t.Graph.RowPtr[t.from]) * t.width
			t.largest.without(t.arcs.tail[a], dst, t.argmax[i][at:at+t.width])
			simd.Add(dst, dst, t.factor)
		}
	}
}

// maximum keeps, for every filter, the first of the largest values seen and its arc, and the first of
// the largest among the arcs to other vertices than that one.
type maximum[T simd.Float] struct {
	first, second   []T
	arc, other, end []int32
}

func newMaximum[T simd.Float](width int) *maximum[T] {
	return &maximum[T]{make([]T, width), make([]T, width), make([]int32, width), make([]int32, width),
		make([]int32, width)}
}

func (m *maximum[T]) reset() {
	for f := range m.first {
		m.first[f], m.second[f] = negativeInfinity[T](), negativeInfinity[T]()
		m.arc[f], m.other[f], m.end[f] = -1, -1, -1
	}
}

// see takes the values of an arc to vertex w.
func (m *maximum[T]) see(values []T, w, arc int32) {
	for f, x := range values {
		switch {
		case x > m.first[f]:
			if m.end[f] != w {
				m.second[f], m.other[f] = m.first[f], m.arc[f]
			}
			m.first[f], m.arc[f], m.end[f] = x, arc, w
		case x > m.second[f] && m.end[f] != w:
			m.second[f], m.other[f] = x, arc
		}
	}
}

// without writes the largest value that is not of an arc to u, and its arc.
func (m *maximum[T]) without(u int32, largest []T, arc []int32) {
	for f := range largest {
		largest[f], arc[f] = m.first[f], m.arc[f]
		if m.end[f] == u {
			largest[f], arc[f] = m.second[f], m.other[f]
		}
	}
}
