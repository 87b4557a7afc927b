package engine

import "github.com/grove-graph/grove/engine/simd"

// productGrad goes back through sums and means over the trie of the paths from a root, as trieGrad does, by products of
// factors. The paths of limit vertices that go on from one path share the product p of the factors of their other
// vertices: the last of them takes
//
//	w_limit p factor
//
// and the path the sum of these, which is w_limit p times the sum of the factors.
type productGrad[T simd.Float] struct {
	*trieGrad[T]
	product [][]T // by size: of the factors of the current path, for each pooled length from it on
	ends    []T   // sum of the factors of the last vertices of paths that share all others
	share   []T   // gradient by that sum
}

func newProductGrad[T simd.Float](t *trieGrad[T]) *productGrad[T] {
	return &productGrad[T]{
		trieGrad: t, product: vectors[T](t.Size+1, len(t.Lengths())*t.q), ends: make([]T, t.q), share: make([]T, t.q),
	}
}

// from goes back through the paths from a root.
func (t *productGrad[T]) from(root int32) {
	first := t.factors.at(t.row(root), 1)
	copy(t.product[1], first)
	t.visit(root, 1, t.product[1][:len(first)])
}

// visit appends v as the j-th vertex of the path and adds the gradient of its score to that of the vertex before.
// product is that of the factors of the path, for each pooled length from j on.
func (t *productGrad[T]) visit(v int32, j int, product []T) {
	t.path[j-1] = v
	own, longer := t.factors.split(product, j)
	if t.active[j] {
		if t.normGrad != nil {
			simd.Add(t.acc[j], t.acc[j], own)
		}
		simd.Mul(t.sum[j], own, t.weight[j])
	} else {
		clear(t.sum[j])
	}
	if j+1 == t.limit {
		t.last(v, j, longer)
	} else if j < t.limit {
		t.eachNext(v, j, func(w int32) {
			extended := t.product[j+1][:len(longer)]
			simd.Mul(extended, longer, t.factors.at(t.row(w), j+1))
			t.visit(w, j+1, extended)
		})
	}
	simd.AddToBoth(t.gradient(t.piece, v, j), t.sum[j-1], t.sum[j])
}

// last goes back through the paths of j + 1 = limit vertices that go on from v.
func (t *productGrad[T]) last(v int32, j int, product []T) {
	product, _ = t.factors.split(product, j+1)
	simd.Mul(t.share, product, t.weight[j+1])
	clear(t.ends)
	t.eachNext(v, j, func(w int32) {
		factor, _ := t.factors.split(t.factors.at(t.row(w), j+1), j+1)
		simd.MulAdd(t.gradient(t.piece, w, j+1), t.share, factor)
		simd.Add(t.ends, t.ends, factor)
	})
	simd.MulAdd(t.sum[j], t.share, t.ends)
	if t.normGrad != nil {
		simd.MulAdd(t.acc[j+1], product, t.ends)
	}
}
