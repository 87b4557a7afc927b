package predict

import (
	"math/bits"

	"github.com/grove-graph/grove/treeg/internal/walks"
)

// counts are numbers of walks to the vertices of a small graph, digit by digit: bit v of counts[j] is binary digit j of
// the number of vertex v. What is asked of them is answered for all vertices at once.
type counts []uint64

// mostDigits bounds what is counted. To a vertex of a graph of mostVertices lead at most 64^longestCounted walks of a
// length, and 64 times as many are exact in a float64.
const mostDigits = 6*walks.LongestCounted + 1

// step adds the walks that are a step longer than those of x; from vertex v arcs lead to the vertices to[v].
func (c counts) step(x counts, to []uint64) {
	for j, digit := range x {
		higher := c[j:]
		for ; digit != 0; digit &= digit - 1 {
			higher.increment(to[bits.TrailingZeros64(digit)])
		}
	}
}

// increment adds 1 to the numbers of some vertices.
func (c counts) increment(of uint64) {
	for j, digit := range c {
		c[j], of = digit^of, digit&of
	}
}

// total adds the numbers of some vertices up.
func (c counts) total(of uint64) int {
	sum := 0
	for j, digit := range c {
		sum += bits.OnesCount64(digit&of) << j
	}
	return sum
}

// least returns the smallest number of some vertices, of which there must be one.
func (c counts) least(of uint64) int {
	least := 0
	for j := len(c) - 1; j >= 0; j-- {
		if zeros := of &^ c[j]; zeros != 0 {
			of = zeros
		} else {
			least |= 1 << j
		}
	}
	return least
}

// most returns the largest number of some vertices, of which there must be one.
func (c counts) most(of uint64) int {
	most := 0
	for j := len(c) - 1; j >= 0; j-- {
		if ones := of & c[j]; ones != 0 {
			of = ones
			most |= 1 << j
		}
	}
	return most
}

// above returns those of some vertices whose number is above a threshold.
func (c counts) above(threshold float64, of uint64) uint64 {
	switch {
	case threshold < 0:
		return of
	case !(threshold < float64(uint64(1)<<len(c))):
		return 0
	}
	t, above := uint64(threshold), uint64(0)
	for j := len(c) - 1; j >= 0; j-- { // of are equal to t in the digits so far
		one := -(t >> j & 1) // in all bits
		above |= of & c[j] &^ one
		of &^= c[j] ^ one
	}
	return above
}

// set makes the number of a vertex, which was 0, another one.
func (c counts) set(v, number int) {
	for j := range c {
		c[j] |= uint64(number>>j&1) << v
	}
}
