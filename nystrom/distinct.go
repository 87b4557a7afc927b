package nystrom

import (
	"fmt"
	"hash/maphash"
	"slices"
	"unsafe"
)

// Distinct merges equal sequences. Sequence i is rows[i*size:(i+1)*size] and has the weight weights[i],
// or 1 where weights is nil. It returns the distinct sequences in order of first appearance, and the
// sum of the weights of each.
func Distinct(rows []int32, size int, weights []float64) (distinct []int32, counts []float64) {
	if size < 1 || len(rows)%size != 0 {
		panic(fmt.Sprintf("nystrom: Distinct: %d row numbers are not sequences of %d", len(rows), size))
	}
	n := len(rows) / size
	if weights != nil && len(weights) != n {
		panic(fmt.Sprintf("nystrom: %d weights for %d points", len(weights), n))
	}
	// Open addressing: a slot holds 1 + the number of a distinct sequence. The hash is seeded at random, which the
	// order of the sequences does not show.
	seed := maphash.MakeSeed()
	slots := make([]int32, 1024)
	var hashes []uint64
	for i := range n {
		sequence := rows[i*size : (i+1)*size]
		hash := maphash.Bytes(seed, unsafe.Slice((*byte)(unsafe.Pointer(&sequence[0])), 4*size))
		at := hash & uint64(len(slots)-1)
		for ; slots[at] != 0; at = (at + 1) & uint64(len(slots)-1) {
			g := slots[at] - 1
			if hashes[g] == hash && slices.Equal(distinct[int(g)*size:(int(g)+1)*size], sequence) {
				break
			}
		}
		if slots[at] == 0 {
			distinct, hashes, counts = append(distinct, sequence...), append(hashes, hash), append(counts, 0)
			slots[at] = int32(len(counts))
		}
		if weights == nil {
			counts[slots[at]-1]++
		} else {
			counts[slots[at]-1] += weights[i]
		}
		if 2*len(counts) > len(slots) {
			slots = rehash(make([]int32, 4*len(slots)), hashes)
		}
	}
	return distinct, counts
}

// rehash fills an empty table of slots with the sequences of the given hashes.
func rehash(slots []int32, hashes []uint64) []int32 {
	for g, hash := range hashes {
		at := hash & uint64(len(slots)-1)
		for slots[at] != 0 {
			at = (at + 1) & uint64(len(slots)-1)
		}
		slots[at] = int32(g + 1)
	}
	return slots
}
