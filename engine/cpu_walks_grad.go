package engine

import "github.com/grove-graph/grove/engine/simd"

// walkGrad goes back through the recursion of the walks of one size in one piece. With H_i(u) the gradient
// of c_i(u) times c_i(u) (cpu_walks.go), which is the gradient of the exponent scale s_i(u),
//
//	H_1(u) = gradient of the output of u times its factors times c_1(u),
//	H_{i+1}(v) = c_{i+1}(v) * sum over u with v among its neighbours of b_i(u) H_i(u) / c_i(u),
//
// and b_i / c_i is one over the sum of c_{i+1} at the neighbours of u. For a maximum the exponents
// themselves are compared, and all of H_i(u) goes to the first neighbour that attains it.
type walkGrad[T simd.Float] struct {
	*pathGrad[T]
	piece
	width   int
	value   [][]T // by position i: c_i of the vertices of the piece; for a maximum its exponent
	pooled  [][]T // by position i: sum of c_{i+1} at the neighbours
	argmax  [][]int32
	current []T // H_i
	next    []T
	row     []T
}

func (g *pathGrad[T]) walksBack(pc piece) {
	n, w := int(pc.to-pc.from), pc.hi-pc.lo
	t := &walkGrad[T]{
		pathGrad: g, piece: pc, width: w, value: vectors[T](g.Size+1, n*w), pooled: vectors[T](g.Size+1, n*w),
		current: make([]T, n*w), next: make([]T, n*w), row: make([]T, w),
	}
	if g.Pool == Max {
		t.argmax = make([][]int32, g.Size+1)
		for i := range t.argmax {
			t.argmax[i] = make([]int32, n*w)
		}
	}
	rows := g.rootRows(pc.from, pc.to)
	for j := 1; j <= g.Size; j++ {
		if rows[j] == nil {
			continue
		}
		for i := j; i >= 1; i-- {
			t.forward(i, j)
		}
		t.start(rows[j], j)
		for i := 1; i <= j; i++ {
			t.back(i, j)
			t.current, t.next = t.next, t.current
		}
	}
}

// at returns what table holds for vertex u.
func (t *walkGrad[T]) at(table []T, u int32) []T {
	at := int(u-t.from) * t.width
	return table[at : at+t.width]
}

// forward computes c_i of the walks of j vertices, or the exponents of their maxima.
func (t *walkGrad[T]) forward(i, j int) {
	for u := t.from; u < t.to; u++ {
		value, pooled := t.at(t.value[i], u), t.at(t.pooled[i], u)
		switch {
		case t.Pool == Max:
			scaled(value, t.scale[j], t.pieceScore(t.piece, u, i))
			if i < j {
				t.largestNeighbor(i, u, pooled)
				simd.Add(value, value, pooled)
			}
		default:
			simd.Exp(value, t.pieceScore(t.piece, u, i), t.scale[j], t.shift[j]/T(j))
			if i < j {
				clear(pooled)
				for _, v := range t.Graph.Neighbors(u) {
					simd.Add(pooled, pooled, t.at(t.value[i+1], v))
				}
				simd.Mul(value, value, pooled)
			}
		}
	}
}

// largestNeighbor finds the neighbour with the largest exponent.
func (t *walkGrad[T]) largestNeighbor(i int, u int32, largest []T) {
	at := int(u-t.from) * t.width
	argmax := t.argmax[i][at : at+t.width]
	for f := range largest {
		largest[f], argmax[f] = negativeInfinity[T](), -1
	}
	for _, v := range t.Graph.Neighbors(u) {
		for f, x := range t.at(t.value[i+1], v) {
			if x > largest[f] {
				largest[f], argmax[f] = x, v
			}
		}
	}
}

// start sets H_1 and adds to the gradients of the norms.
func (t *walkGrad[T]) start(rows []int32, j int) {
	clear(t.current)
	for u := t.from; u < t.to; u++ {
		r := rows[u-t.from]
		if r < 0 {
			continue
		}
		count := 0.0
		if t.counts != nil {
			count = t.counts[int(u)*t.Size+j-1]
		}
		value, gradient := t.at(t.value[1], u), t.outputs(t.piece, j, r)
		if t.Pool == Max {
			simd.Exp(t.row, value, 1, t.shift[j])
			value = t.row
		}
		h := t.at(t.current, u)
		simd.Mul(h, gradient, value)
		simd.Scale(t.pathGrad.weight(u, count), h)
		if t.normGrad == nil {
			continue
		}
		copy(t.row, value)
		if count > 0 {
			simd.Scale(1/T(count), t.row)
		}
		t.addNorm(t.piece, u, gradient, t.row)
	}
}

// back adds H_i to the gradients of the scores and computes H_{i+1} in next.
func (t *walkGrad[T]) back(i, j int) {
	clear(t.next)
	for u := t.from; u < t.to; u++ {
		h := t.at(t.current, u)
		simd.Axpy(t.scale[j], h, t.gradient(t.piece, u, i))
		if i == j {
			continue
		}
		if t.Pool == Max {
			at := int(u-t.from) * t.width
			for f, v := range t.argmax[i][at : at+t.width] {
				if v >= 0 {
					t.at(t.next, v)[f] += h[f]
				}
			}
			continue
		}
		share(t.row, h, t.at(t.pooled[i], u))
		for _, v := range t.Graph.Neighbors(u) {
			dst := t.at(t.next, v)
			simd.MulAdd(dst, t.row, t.at(t.value[i+1], v))
		}
	}
}

// share sets dst to h / pooled, and to zero where nothing was pooled.
func share[T simd.Float](dst, h, pooled []T) {
	for f, x := range pooled {
		dst[f] = 0
		if x > 0 {
			dst[f] = h[f] / x
		}
	}
}
