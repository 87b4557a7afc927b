package wl

import (
	"math/bits"
	"slices"
	"sync"
)

// dictionary is the injective map of one round: it numbers signatures by first appearance. A signature is
// the colour of a vertex followed by the ascending multiset of its neighbours; in round 0 it is the label.
// Signatures are compared in full, so that equal hashes never make equal colours.
type dictionary struct {
	items []uint64 // signatures, one after another
	start []int    // of each signature in items, and the end of the last
	// table is an open hash table of a power of two places: upper half of the hash, which says where, and number + 1; 0 is
	// free.
	table []uint64

	refilled sync.Once // the table, after it was dropped
}

func newDictionary() *dictionary {
	return &dictionary{start: []int{0}, table: make([]uint64, 16)}
}

// size returns the number of signatures.
func (d *dictionary) size() int { return len(d.start) - 1 }

// signature returns the signature of a colour.
func (d *dictionary) signature(colour int) []uint64 {
	return d.items[d.start[colour]:d.start[colour+1]]
}

const (
	numberMask = 1<<32 - 1
	hashMask   = ^uint64(numberMask)
)

// hash mixes a signature into 64 bits: one multiplication to 128 bits for each item, folded.
func hash(signature []uint64) uint64 {
	h := uint64(0x9e3779b97f4a7c15)
	for _, s := range signature {
		hi, lo := bits.Mul64(h^s, 0xd6e8feb86659fd93)
		h = hi ^ lo + 0x2545f4914f6cdd1d
	}
	return h
}

// place returns the place of a signature in the table, or the free place where it belongs.
func (d *dictionary) place(signature []uint64, h uint64) int {
	mask := len(d.table) - 1
	for at := int(h>>32) & mask; ; at = (at + 1) & mask {
		e := d.table[at]
		if e == 0 || e&hashMask == h&hashMask && slices.Equal(d.signature(int(e&numberMask)-1), signature) {
			return at
		}
	}
}

// drop gives the memory of the table back until the next search: it is as large as what it finds. No more signatures
// are numbered.
func (d *dictionary) drop() { d.table = nil }

// find returns the number of a signature, or -1.
func (d *dictionary) find(signature []uint64, h uint64) int32 {
	d.refilled.Do(func() {
		if d.table == nil {
			d.refill()
		}
	})
	return int32(d.table[d.place(signature, h)]&numberMask) - 1
}

// number returns the number of a signature, a new one where it is new.
func (d *dictionary) number(signature []uint64, h uint64) int32 {
	at := d.place(signature, h)
	if e := d.table[at]; e != 0 {
		return int32(e&numberMask) - 1
	}
	d.items = append(d.items, signature...)
	d.start = append(d.start, len(d.items))
	d.table[at] = h&hashMask | uint64(d.size())
	if 2*d.size() >= len(d.table) {
		d.grow()
	}
	return int32(d.size()) - 1
}

// refill makes a table for the signatures that there are.
func (d *dictionary) refill() {
	d.table = make([]uint64, 1<<bits.Len(uint(2*d.size()|15)))
	for c := range d.size() {
		d.insert(hash(d.signature(c))&hashMask | uint64(c+1))
	}
}

// grow makes the table twice as large.
func (d *dictionary) grow() {
	entries := d.table
	d.table = make([]uint64, 2*len(entries))
	for _, e := range entries {
		if e != 0 {
			d.insert(e)
		}
	}
}

// insert writes an entry to the free place where it belongs.
func (d *dictionary) insert(entry uint64) {
	mask := len(d.table) - 1
	at := int(entry>>32) & mask
	for d.table[at] != 0 {
		at = (at + 1) & mask
	}
	d.table[at] = entry
}
