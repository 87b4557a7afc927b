package graph

import (
	"math/bits"

	"github.com/grove-graph/grove/parallel"
)

// piece is a run of whole graphs whose vertices [from, to) are grouped together first: most of those
// that belong to one class are near each other, and a table for few classes stays in the cache. What
// is left to merge with the other pieces are the different fingerprints.
type piece struct {
	from, to int32
	found    [][]fingerprint // by size: the different fingerprints, by first appearance
	first    [][]int32       // by size: the first vertex of each
}

func (c *classifier) newPiece(from, to int32) piece {
	return piece{from, to, make([][]fingerprint, c.sizes()), make([][]int32, c.sizes())}
}

// group numbers the vertices of the piece by the fingerprint of one size, counted from 0, in c.class.
// prints holds the fingerprints, vertices x sizes; table is scratch space, which it returns.
func (p *piece) group(c *classifier, size int, prints []fingerprint, table []int32) []int32 {
	n := int(p.to - p.from)
	table = emptyTable(table, n)
	class := c.class[size][p.from:p.to]
	var found []fingerprint
	var first []int32
	for v := range class {
		print := prints[v*c.sizes()+size]
		at := place(table, found, print)
		if table[at] == 0 {
			found, first = append(found, print), append(first, p.from+int32(v))
			table[at] = int32(len(found))
		}
		class[v] = table[at] - 1
	}
	p.found[size], p.first[size] = found, first
	return table
}

// emptyTable returns an open hash table for up to n fingerprints: their number + 1, or 0 for a free place.
func emptyTable(old []int32, n int) []int32 {
	size := 1 << bits.Len(uint(2*n))
	if size > len(old) {
		return make([]int32, size)
	}
	clear(old[:size])
	return old[:size]
}

// place returns the place of a fingerprint in a table of those found, or the free place where it belongs.
func place(table []int32, found []fingerprint, print fingerprint) int {
	mask := len(table) - 1
	at := int(print[0]) & mask
	for table[at] != 0 && found[table[at]-1] != print {
		at = (at + 1) & mask
	}
	return at
}

// merge turns the classes within pieces into classes of the whole batch, numbered by first vertex, and
// returns the first vertex and the fingerprint of each, by size.
func (c *classifier) merge(pieces []piece, workers int) (roots [][]int32, keys [][]Key) {
	roots, keys = make([][]int32, c.sizes()), make([][]Key, c.sizes())
	parallel.For(workers, c.sizes(), func(size int) {
		total := 0
		for i := range pieces {
			total += len(pieces[i].found[size])
		}
		table := emptyTable(nil, total)
		var found []fingerprint
		roots[size] = []int32{}
		for i := range pieces {
			p := &pieces[i]
			for k, print := range p.found[size] {
				at := place(table, found, print)
				if table[at] == 0 {
					found, roots[size] = append(found, print), append(roots[size], p.first[size][k])
					table[at] = int32(len(found))
				}
				p.first[size][k] = table[at] - 1 // from here on the class in the batch
			}
		}
		keys[size] = found
	})
	parallel.For(workers, len(pieces), func(i int) {
		p := &pieces[i]
		for size, class := range c.class {
			for v := p.from; v < p.to; v++ {
				class[v] = p.first[size][class[v]]
			}
		}
	})
	return roots, keys
}
