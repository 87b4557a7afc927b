package nystrom

import (
	"bytes"
	"fmt"
	"hash/maphash"
	"unsafe"
)

// Distinct merges equal sequences. Sequence i is rows[i*size:(i+1)*size] and has the weight weights[i],
// or 1 where weights is nil. It returns the distinct sequences in order of first appearance, and the
// sum of the weights of each.
func Distinct(rows []int32, size int, weights []float64) (distinct []int32, counts []float64) {
	if size < 1 || len(rows)%size != 0 {
		panic(fmt.Sprintf("nystrom: Distinct: %d row numbers are not sequences of %d", len(rows), size))
	}
	first, counts := firstAppearances(memory(rows), len(rows)/size, weights)
	distinct = make([]int32, 0, len(first)*size)
	for _, i := range first {
		distinct = append(distinct, rows[int(i)*size:(int(i)+1)*size]...)
	}
	return distinct, counts
}

// memory returns the bytes of a slice.
func memory(x []int32) []byte {
	if len(x) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&x[0])), 4*len(x))
}

// firstAppearances groups n records of equal width by their bytes. It returns the first record of each
// group, ascending, and the weight of the group.
func firstAppearances(records []byte, n int, weights []float64) (first []int32, counts []float64) {
	if weights != nil && len(weights) != n {
		panic(fmt.Sprintf("nystrom: %d weights for %d points", len(weights), n))
	}
	if n == 0 {
		return nil, nil
	}
	width := len(records) / n
	record := func(i int) []byte { return records[i*width : (i+1)*width] }

	// Open addressing: a slot holds 1 + the number of a group. The hash is seeded at random, which the
	// order of the groups does not show.
	seed := maphash.MakeSeed()
	slots := make([]int32, 1024)
	var hashes []uint64
	for i := range n {
		hash := maphash.Bytes(seed, record(i))
		at := hash & uint64(len(slots)-1)
		for ; slots[at] != 0; at = (at + 1) & uint64(len(slots)-1) {
			g := slots[at] - 1
			if hashes[g] == hash && bytes.Equal(record(int(first[g])), record(i)) {
				break
			}
		}
		if slots[at] == 0 {
			first, hashes, counts = append(first, int32(i)), append(hashes, hash), append(counts, 0)
			slots[at] = int32(len(first))
		}
		if weights == nil {
			counts[slots[at]-1]++
		} else {
			counts[slots[at]-1] += weights[i]
		}
		if 2*len(first) > len(slots) {
			slots = rehash(make([]int32, 4*len(slots)), hashes)
		}
	}
	return first, counts
}

// rehash fills an empty table of slots with the groups of the given hashes.
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
