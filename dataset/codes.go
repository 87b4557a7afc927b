package dataset

import (
	"slices"
	"strconv"
)

// enumerate gives every distinct code an id, from 0 in ascending order, and returns the id of each
// position and the code of each id.
func enumerate(codes []int64) (ids []int32, distinct []int64) {
	if len(codes) == 0 {
		return []int32{}, nil
	}
	low, high := slices.Min(codes), slices.Max(codes)
	ids = make([]int32, len(codes))
	if span := uint64(high) - uint64(low); span < uint64(4*len(codes)+1024) {
		idOf := make([]int32, span+1)
		for _, c := range codes {
			idOf[c-low] = 1
		}
		for i, present := range idOf {
			if present != 0 {
				idOf[i] = int32(len(distinct))
				distinct = append(distinct, low+int64(i))
			}
		}
		for i, c := range codes {
			ids[i] = idOf[c-low]
		}
		return ids, distinct
	}
	distinct = slices.Clone(codes)
	slices.Sort(distinct)
	distinct = slices.Clone(slices.Compact(distinct))
	for i, c := range codes {
		id, _ := slices.BinarySearch(distinct, c)
		ids[i] = int32(id)
	}
	return ids, distinct
}

// codeNames writes codes as they stand in files.
func codeNames(codes []int64) []string {
	names := make([]string, len(codes))
	for i, c := range codes {
		names[i] = strconv.FormatInt(c, 10)
	}
	return names
}

// classIndices is enumerate for classes.
func classIndices(codes []int64) (classes []int, names []string) {
	ids, distinct := enumerate(codes)
	classes = make([]int, len(ids))
	for i, id := range ids {
		classes[i] = int(id)
	}
	return classes, codeNames(distinct)
}

// fileCodes returns the whole numbers that stand in a file for the ids 0 to count-1: their names, where
// all of them are whole numbers in ascending order, otherwise the ids themselves and false.
func fileCodes(names []string, count int) (codes []int64, numeric bool) {
	codes = make([]int64, count)
	numeric = len(names) >= count
	for id := range codes {
		if !numeric {
			break
		}
		c, err := strconv.ParseInt(names[id], 10, 64)
		numeric = err == nil && (id == 0 || c > codes[id-1])
		codes[id] = c
	}
	if !numeric {
		for id := range codes {
			codes[id] = int64(id)
		}
	}
	return codes, numeric
}

// count returns one more than the largest id, at least 0.
func count[T int | int32](ids []T) int {
	largest := T(-1)
	for _, id := range ids {
		largest = max(largest, id)
	}
	return int(largest) + 1
}
