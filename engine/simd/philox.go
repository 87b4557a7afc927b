package simd

import "math/bits"

// The constants of Philox4x32-10 (Salmon et al., SC 2011, section 4.3): multipliers, and what keys grow by each round.
const (
	philoxRounds = 10
	philoxFirst  = 0xD2511F53
	philoxSecond = 0xCD9E8D57
	philoxLeft   = 0x9E3779B9
	philoxRight  = 0xBB67AE85
)

// Philox is the random function Philox4x32-10 of a counter and a key (Salmon et al., SC 2011).
func Philox(counter [4]uint32, key [2]uint32) [4]uint32 {
	a, b, c, d, left, right := counter[0], counter[1], counter[2], counter[3], key[0], key[1] // arrays are in memory
	for range philoxRounds {
		first, second := uint64(a)*philoxFirst, uint64(c)*philoxSecond
		a, b, c, d = uint32(second>>32)^b^left, uint32(second), uint32(first>>32)^d^right, uint32(first)
		left += philoxLeft
		right += philoxRight
	}
	return [4]uint32{a, b, c, d}
}

// PhiloxWords fills words with the results of [Philox] for a counter and those that follow it, one after another:
// words[i] = Philox(counter + (i/4, 0, 0, 0), key)[i%4]. The first word of a counter is followed modulo 2^32.
func PhiloxWords(words []uint32, counter [4]uint32, key [2]uint32) {
	philoxWords(active, words, counter, key)
}

// Keep keeps, enlarges and drops elements by random words: y[i] = factor*x[i] where words[i] >= least, else 0. y may
// be x.
func Keep[T Float](y, x []T, words []uint32, least uint32, factor T) {
	checkLength("Keep", len(y), len(x))
	checkLength("Keep", len(y), len(words))
	keep(active, y, x, words, least, factor)
}

func portablePhiloxWords(words []uint32, counter [4]uint32, key [2]uint32) {
	for at := 0; at < len(words); at += 4 {
		block := Philox(counter, key)
		copy(words[at:], block[:])
		counter[0]++
	}
}

func portableKeep[T Float](y, x []T, words []uint32, least uint32, factor T) {
	x, words = x[:len(y)], words[:len(y)]
	for i, word := range words {
		choice := [2]T{x[i] * factor, 0} // no branch, which nobody could predict
		_, dropped := bits.Sub32(word, least, 0)
		y[i] = choice[dropped]
	}
}
