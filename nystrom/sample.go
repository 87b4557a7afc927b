package nystrom

import (
	"math/bits"
	"math/rand/v2"
	"slices"
)

// SampleSorted draws want of the positions 0 to total-1 without replacement, every subset being
// equally likely, and returns them in ascending order. With want >= total it returns all positions. Time is
// at most O(want log want) and memory O(want), whatever the total.
func SampleSorted(total int64, want int, rng *rand.Rand) []int64 {
	total = max(total, 0)
	drawn := min(int64(max(want, 0)), total)
	left := total - drawn
	if drawn <= left {
		return drawSorted(total, int(drawn), rng)
	}
	// More than half is wanted: draw what to leave out.
	out := drawSorted(total, int(left), rng)
	sample := make([]int64, 0, drawn)
	for i := range total {
		if len(out) > 0 && out[0] == i {
			out = out[1:]
		} else {
			sample = append(sample, i)
		}
	}
	return sample
}

// bitsPerDraw bounds the bitmap of drawSorted to 32 bytes for each position drawn.
const bitsPerDraw = 256

// drawSorted draws positions one after another, leaves out those that came before, and stops at the
// given number of different ones: a draw without replacement. Repeats are found in a bitmap, or by
// sorting where that would be large.
func drawSorted(total int64, number int, rng *rand.Rand) []int64 {
	sample := make([]int64, 0, number)
	if total > bitsPerDraw*int64(number) {
		for len(sample) < number {
			for range number - len(sample) {
				sample = append(sample, rng.Int64N(total))
			}
			slices.Sort(sample)
			sample = slices.Compact(sample)
		}
		return sample
	}
	drawn := make([]uint64, (total+63)/64)
	for left := number; left > 0; {
		i := rng.Int64N(total)
		if bit := uint64(1) << (i % 64); drawn[i/64]&bit == 0 {
			drawn[i/64] |= bit
			left--
		}
	}
	for w, word := range drawn {
		for ; word != 0; word &= word - 1 {
			sample = append(sample, int64(64*w+bits.TrailingZeros64(word)))
		}
	}
	return sample
}
