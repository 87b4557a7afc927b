//go:build gpu

package cuda

import (
	"math/rand/v2"
	"testing"
)

// Every row lies in one block or in parts, every entry in one of them, and no block has much more to do than another.
func TestRowsAreCutByEntries(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	for range 200 {
		rowPtr := make([]int32, 1+rng.IntN(3000))
		for row := range rowPtr[1:] {
			length := rng.IntN(4)
			if rng.IntN(50) == 0 {
				length = rng.IntN(1 << (1 + rng.IntN(13)))
			}
			rowPtr[row+1] = rowPtr[row] + int32(length)
		}
		groups := 1 << rng.IntN(9)
		c := cutRows(rowPtr, groups)
		row, parts, parted := int32(0), int32(0), c.parted
		for b := 0; b < len(c.blocks); b += 4 {
			first, last, from, to := c.blocks[b], c.blocks[b+1], c.blocks[b+2], c.blocks[b+3]
			if limit := min(manyItems*groups, sparseBlockItems) + partEntries; int(last-first+to-from) > limit {
				t.Fatalf("a block of %d items, want %d at most", last-first+to-from, limit)
			}
			if last > first { // whole rows
				if first != row || from != rowPtr[first] || to != rowPtr[last] {
					t.Fatalf("rows %d to %d with entries %d to %d follow row %d", first, last, from, to, row)
				}
				row = last
				continue
			}
			if first != row || first-last != parts || parted[0] != row || from >= to || to > rowPtr[row+1] {
				t.Fatalf("part %d of row %d with entries %d to %d", first-last, first, from, to)
			}
			if parts++; to == rowPtr[row+1] {
				if parted[2] != parts {
					t.Fatalf("row %d has parts up to %d, want %d", row, parted[2], parts)
				}
				row, parted = row+1, parted[3:]
			}
		}
		if int(row) != len(rowPtr)-1 || int(parts) != c.parts || len(parted) != 0 {
			t.Fatalf("%d of %d rows are in blocks, %d of %d parts", row, len(rowPtr)-1, parts, c.parts)
		}
	}
}
