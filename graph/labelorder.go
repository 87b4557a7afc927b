package graph

import (
	"cmp"
	"math/bits"
	"slices"
)

// LabelOrders returns the vertex labels 0 to labels-1 and the arc labels 0 to arcLabels-1 in orders that follow from
// the graphs alone, not from the numbers of labels or the order of graphs and vertices: frequent ones first, and of
// equally frequent ones in the order of a hash of where they are, which colour refinement takes from their vertices'
// and arcs' surroundings. Labels that it does not tell apart are in the order of their first vertex or arc; labels that
// do not occur come last. Weights and types of arcs do not count.
func (b *Batch) LabelOrders(labels, arcLabels int) (vertex, arc []int32) {
	r := &labelRefinement{
		batch: b, vertex: newLabelKeys(b.Labels, labels), arc: newLabelKeys(b.ArcLabels, arcLabels),
		colour: make([]uint64, b.NumVertices()),
	}
	known := r.vertex.distinct() + r.arc.distinct()
	for idle := 0; idle < idleRounds && (r.vertex.tied() || r.arc.tied()); idle++ {
		r.refine()
		if now := r.vertex.distinct() + r.arc.distinct(); now > known {
			known, idle = now, -1
		}
	}
	return r.vertex.order(), r.arc.order()
}

// idleRounds is the number of rounds of refinement without a new distinction after which none is expected.
const idleRounds = 4

// labelKeys are what is known of the labels of vertices, or of arcs.
type labelKeys struct {
	of    []int32  // vertex or arc
	count []int    // of each label
	first []int    // place where it occurs first
	key   []uint64 // hash of where it occurs
}

func newLabelKeys(of []int32, labels int) *labelKeys {
	k := &labelKeys{of: of, count: make([]int, labels), first: make([]int, labels), key: make([]uint64, labels)}
	for i, l := range of {
		if k.count[l]++; k.count[l] == 1 {
			k.first[l] = i
		}
	}
	for l, n := range k.count {
		k.key[l] = uint64(n)
	}
	return k
}

// keyOf returns the key of the label at a place, 0 where there are no labels.
func (k *labelKeys) keyOf(i int) uint64 {
	if k.of == nil {
		return 0
	}
	return k.key[k.of[i]]
}

// distinct counts the keys of labels that occur.
func (k *labelKeys) distinct() int {
	seen := map[uint64]bool{}
	for l, n := range k.count {
		if n > 0 {
			seen[k.key[l]] = true
		}
	}
	return len(seen)
}

// tied reports whether labels that occur have one key.
func (k *labelKeys) tied() bool {
	occur := 0
	for _, n := range k.count {
		if n > 0 {
			occur++
		}
	}
	return k.distinct() < occur
}

// order sorts the labels.
func (k *labelKeys) order() []int32 {
	order := make([]int32, len(k.count))
	for l := range order {
		order[l] = int32(l)
	}
	slices.SortStableFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(k.count[b], k.count[a]), cmp.Compare(k.key[a], k.key[b]),
			cmp.Compare(k.first[a], k.first[b]))
	})
	return order
}

// add puts sums over the places of every label into the keys.
func (k *labelKeys) add(at func(i int) uint64) {
	sums := make([]uint64, len(k.key))
	for i, l := range k.of {
		sums[l] += at(i)
	}
	for l, sum := range sums {
		if k.count[l] > 0 {
			k.key[l] = mix(k.key[l], sum)
		}
	}
}

// labelRefinement refines colours of vertices and keys of labels by each other.
type labelRefinement struct {
	batch       *Batch
	vertex, arc *labelKeys
	colour      []uint64
}

// refine gives every vertex a colour that hashes its own, its label's key, its neighbours' colours with the keys of the
// arcs between, and the colours of its graph; and every label a key that hashes the colours where it occurs. Sums of
// hashes stand for multisets.
func (r *labelRefinement) refine() {
	b := r.batch
	next := make([]uint64, len(r.colour))
	for v := range next {
		next[v] = mix(r.colour[v], r.vertex.keyOf(v))
	}
	own := slices.Clone(next)
	tails := make([]int32, b.NumArcs())
	for u := range int32(len(next)) {
		for a := b.RowPtr[u]; a < b.RowPtr[u+1]; a++ {
			tails[a] = u
			v, key := b.Col[a], r.arc.keyOf(int(a))
			next[u] += mix(own[v], key+1)
			next[v] += mix(own[u], ^key)
		}
	}
	for g := range b.NumGraphs() {
		from, to := b.Vertices(g)
		sum := uint64(0)
		for _, c := range next[from:to] {
			sum += mix(c, uint64(to-from))
		}
		for v := from; v < to; v++ {
			next[v] = mix(next[v], sum)
		}
	}
	r.colour = next
	r.vertex.add(func(v int) uint64 { return mix(next[v], 1) })
	r.arc.add(func(a int) uint64 { return mix(next[tails[a]], next[b.Col[a]]) })
}

// mix combines two words by the halves of a product.
func mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a^0x9e3779b97f4a7c15, b^0xbf58476d1ce4e5b9)
	return hi ^ lo
}
