package mpgk

import (
	"math"
	"slices"

	"github.com/grove-graph/grove/engine"
)

// group gives equal items the same number: 0, 1, ... in the order of compare, which must be that of a
// total order. hash must agree on equal items. first holds one item of each number. The numbers do not depend
// on the order of the items.
func group(n int, hash func(i int) uint64, compare func(i, j int) int) (number, first []int32) {
	number = make([]int32, n)
	size := 1024
	slots := make([]int32, size) // open addressing; a slot holds 1 + the position in first
	var hashes []uint64
	for i := range n {
		h := hash(i)
		at := h & uint64(size-1)
		for ; slots[at] != 0; at = (at + 1) & uint64(size-1) {
			if g := slots[at] - 1; hashes[g] == h && compare(int(first[g]), i) == 0 {
				break
			}
		}
		if slots[at] == 0 {
			first, hashes = append(first, int32(i)), append(hashes, h)
			slots[at] = int32(len(first))
		}
		number[i] = slots[at] - 1
		if 2*len(first) > size {
			size *= 4
			slots = make([]int32, size)
			for g, h := range hashes {
				at := h & uint64(size-1)
				for slots[at] != 0 {
					at = (at + 1) & uint64(size-1)
				}
				slots[at] = int32(g + 1)
			}
		}
	}
	order := ascending(len(first))
	slices.SortFunc(order, func(a, b int32) int { return compare(int(first[a]), int(first[b])) })
	rank, sorted := make([]int32, len(first)), make([]int32, len(first))
	for r, g := range order {
		rank[g], sorted[r] = int32(r), first[g]
	}
	for i, g := range number {
		number[i] = rank[g]
	}
	return number, sorted
}

// groupRows groups the rows of a matrix of d columns.
func groupRows(x []float64, d int) (number, first []int32) {
	row := func(i int) []float64 { return x[i*d : (i+1)*d] }
	hash := func(i int) uint64 {
		h := uint64(0)
		for _, v := range row(i) {
			h = mix(h, math.Float64bits(v))
		}
		return h
	}
	return group(len(x)/d, hash, func(i, j int) int { return slices.Compare(row(i), row(j)) })
}

// mix adds x to a hash.
func mix(h, x uint64) uint64 {
	h = (h ^ x) * 0x9e3779b97f4a7c15
	return h ^ h>>29
}

// lists are lists of numbers, one after another.
type lists struct {
	start []int32 // of each list; one more than there are lists
	items []int32
}

func (l *lists) at(i int) []int32 { return l.items[l.start[i]:l.start[i+1]] }

func (l *lists) len() int { return len(l.start) - 1 }

// group groups equal lists, in lexicographic order.
func (l *lists) group() (number, first []int32) {
	hash := func(i int) uint64 {
		h := uint64(len(l.at(i)))
		for _, x := range l.at(i) {
			h = mix(h, uint64(x))
		}
		return h
	}
	return group(l.len(), hash, func(i, j int) int { return slices.Compare(l.at(i), l.at(j)) })
}

// multiplicities returns the matrix that counts the items of each list, which are sorted and below cols.
func (l *lists) multiplicities(cols int) *engine.Sparse {
	a := &engine.Sparse{Cols: cols, RowPtr: make([]int32, 1, l.len()+1), Values: []float64{}}
	for i := range l.len() {
		for j, x := range l.at(i) {
			if j > 0 && x == l.at(i)[j-1] {
				a.Values[len(a.Values)-1]++
				continue
			}
			a.Col, a.Values = append(a.Col, x), append(a.Values, 1)
		}
		a.RowPtr = append(a.RowPtr, int32(len(a.Col)))
	}
	return a
}
