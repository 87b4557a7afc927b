package engine

import (
	"cmp"
	"math"
	"slices"

	"github.com/grove-graph/grove/engine/simd"
	"github.com/grove-graph/grove/graph"
)

// tallies is the search of [products] over row sequences in place of paths: it counts the paths from a root with equal
// rows, and then multiplies every sequence once, in the order of the ranks of the rows. So the result follows, to the
// last bit, from the multiset of sequences alone, whichever of the vertices with that multiset is the root. Twins have
// the same sequences behind them, so one of them stands for all ([graph.Twins]).
//
// The sequences are counted in a tree of at most so many nodes. Those that begin alike and need more are counted in
// several passes, each for some of the rows that come next, in the order of their ranks, which changes no bit.
type tallies[T simd.Float] struct {
	*products[T]
	twins    *graph.Twins
	root     int32   // class of twins
	nodes    []tally // a tree of sequences; the first is what all of them begin with
	most     int     // nodes
	full     bool    // a sequence was left out
	slots    []int32 // open addressing by parent and row: 1 + number of the node
	children []int32 // of the nodes on the way down, node after node
	begin    []int32 // rows that all sequences of the tree begin with
	low, top int32   // the row after these has a rank in [low, top)
}

// mostTallies bounds the memory of a worker: a node takes some 40 bytes with its slots.
const mostTallies = 1 << 20

// tally is a sequence: that of another node with a row appended.
type tally struct {
	parent, row  int32
	first, after int32   // child, and next child of the parent; 0: none
	count        float64 // paths, of which a clique has more than an integer can count
}

func newTallies[T simd.Float](f *factors[T], twins *graph.Twins, most int) *tallies[T] {
	return &tallies[T]{products: newProducts(f), twins: twins, most: most, slots: make([]int32, fewSlots)}
}

// fewSlots is the number of slots of a tree that begins.
const fewSlots = 64

func (t *tallies[T]) pool(root int32, limit int) {
	t.root, t.limit = t.twins.Class[root], limit
	clear(t.count)
	for j := 2; j <= limit; j++ {
		clear(t.acc[j])
	}
	row := t.row(root)
	own, longer := t.factors.split(t.factors.at(row, 1), 1)
	copy(t.acc[1], own)
	t.count[1] = 1
	t.begin = append(t.begin[:0], int32(row))
	if t.grow(0, math.MaxInt32, limit, t.most) {
		t.multiply(0, 1, longer)
		return
	}
	t.passes(longer)
}

// passes pools the sequences that begin as t.begin, tree by tree. product is that of the factors of these rows, for
// each pooled length above theirs.
func (t *tallies[T]) passes(product []T) {
	j := len(t.begin) + 1
	t.grow(0, math.MaxInt32, j, math.MaxInt)
	product = t.ending(t.sorted(0), j, product)
	if t.children = t.children[:0]; j == t.limit {
		return
	}
	next := make([]int32, 0, len(t.nodes)-1) // rows, in the order of their ranks
	for _, n := range t.sorted(0) {
		next = append(next, t.nodes[n].row)
	}
	t.children = t.children[:0]
	for width := len(next); len(next) > 0; {
		width = min(width, len(next))
		switch {
		case t.grow(t.Ranks[next[0]], t.Ranks[next[width-1]]+1, t.limit, t.most):
			for _, row := range next[:width] {
				t.descend(t.child(0, row), j, product)
			}
		case width > 1:
			width /= 2
			continue
		default:
			t.begin = append(t.begin, next[0])
			t.passes(t.extended(next[0], j, product))
			t.begin = t.begin[:j-1]
		}
		next = next[width:]
	}
}

// grow counts, in a tree of at most so many nodes, the paths of up to limit vertices whose sequences begin as t.begin
// and have a rank in [low, top) behind that. It reports whether they all fit.
func (t *tallies[T]) grow(low, top int32, limit, most int) bool {
	whole, nodes := t.limit, t.most
	t.limit, t.most, t.low, t.top, t.full = limit, most, low, top, false
	t.nodes = append(t.nodes[:0], tally{parent: -1, row: t.begin[len(t.begin)-1], count: 1})
	t.slots = t.slots[:fewSlots]
	clear(t.slots)
	t.visit(t.root, 1, 0, 1)
	t.limit, t.most = whole, nodes
	return !t.full
}

// visit counts the paths that go on from class c, that of the j-th vertex of so many paths with the sequence of a node.
func (t *tallies[T]) visit(c int32, j int, node int32, paths float64) {
	if j == t.limit {
		return
	}
	t.path[j-1] = c
	path := t.path[:j]
	for _, d := range t.twins.Next(c) {
		left := float64(t.twins.Left(path, d))
		if left == 0 {
			continue
		}
		row, child := int32(t.row(t.twins.First[d])), int32(0)
		switch {
		case j < len(t.begin):
			if row != t.begin[j] {
				continue
			}
		case j == len(t.begin) && (t.Ranks[row] < t.low || t.Ranks[row] >= t.top):
			continue
		default:
			if child = t.child(node, row); t.full {
				return
			}
			t.nodes[child].count += left * paths
		}
		if t.visit(d, j+1, child, left*paths); t.full {
			return
		}
	}
}

// child returns the node of a sequence with one more row, of no meaning where the tree is full.
func (t *tallies[T]) child(parent, row int32) int32 {
	at := t.slot(parent, row)
	if n := t.slots[at]; n != 0 {
		return n - 1
	}
	if t.full = len(t.nodes) >= t.most; t.full {
		return 0
	}
	n := int32(len(t.nodes))
	t.nodes = append(t.nodes, tally{parent: parent, row: row, after: t.nodes[parent].first})
	t.nodes[parent].first, t.slots[at] = n, n+1
	if 2*len(t.nodes) > len(t.slots) {
		t.slots = slices.Grow(t.slots, len(t.slots))[:2*len(t.slots)]
		clear(t.slots)
		for i := int32(1); i <= n; i++ {
			t.slots[t.slot(t.nodes[i].parent, t.nodes[i].row)] = i + 1
		}
	}
	return n
}

// slot returns the place of a sequence in the table, or the free place where it belongs.
func (t *tallies[T]) slot(parent, row int32) int {
	mask := len(t.slots) - 1
	at := int((uint64(parent)<<32|uint64(row))*0x9e3779b97f4a7c15>>32) & mask
	for t.slots[at] != 0 {
		if n := &t.nodes[t.slots[at]-1]; n.parent == parent && n.row == row {
			break
		}
		at = (at + 1) & mask
	}
	return at
}

// multiply pools the sequences that go on from a node of j rows. product is that of their factors, for each pooled
// length above j.
func (t *tallies[T]) multiply(node int32, j int, product []T) {
	from := len(t.children)
	children := t.sorted(node)
	if len(children) == 0 {
		return
	}
	j++
	product = t.ending(children, j, product)
	for i := range children {
		t.descend(t.children[from+i], j, product)
	}
	t.children = t.children[:from]
}

// sorted appends the children of a node to t.children, in the order of their ranks, and returns them.
func (t *tallies[T]) sorted(node int32) []int32 {
	from := len(t.children)
	for n := t.nodes[node].first; n != 0; n = t.nodes[n].after {
		t.children = append(t.children, n)
	}
	children := t.children[from:]
	slices.SortFunc(children, func(a, b int32) int {
		return cmp.Compare(t.Ranks[t.nodes[a].row], t.Ranks[t.nodes[b].row])
	})
	return children
}

// ending pools the sequences of j rows that end with some nodes, and returns of the product of the factors before them
// that for longer ones.
func (t *tallies[T]) ending(nodes []int32, j int, product []T) (longer []T) {
	shared, longer := t.factors.split(product, j)
	clear(t.ends[j])
	for _, n := range nodes {
		child := &t.nodes[n]
		t.count[j] += child.count
		if own, _ := t.factors.split(t.factors.at(int(child.row), j), j); own != nil {
			simd.Axpy(T(child.count), own, t.ends[j])
		}
	}
	if shared != nil {
		simd.MulAdd(t.acc[j], shared, t.ends[j])
	}
	return longer
}

// descend pools the sequences that go on from a node of j rows. product is that of the factors before its row.
func (t *tallies[T]) descend(n int32, j int, product []T) {
	if t.nodes[n].first != 0 {
		t.multiply(n, j, t.extended(t.nodes[n].row, j, product))
	}
}

// extended multiplies a product by the factors of a row at position j.
func (t *tallies[T]) extended(row int32, j int, product []T) []T {
	_, longer := t.factors.split(t.factors.at(int(row), j), j)
	all := t.product[j][:len(longer)]
	simd.Mul(all, product, longer)
	return all
}
