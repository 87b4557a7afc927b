package predict

import (
	"math/rand/v2"
	"testing"

	"github.com/grove-graph/grove/treeg/internal/walks"
)

// Counts are compared with numbers that are kept one by one.
func TestCounts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		n, digits := 1+r.IntN(walks.MostVertices), 1+r.IntN(mostDigits)
		to, in := make([]uint64, n), make([][]int, n)
		for v := range n {
			for u := range n {
				if r.IntN(4) == 0 {
					to[v] |= 1 << u
					in[u] = append(in[u], v)
				}
			}
		}
		x, numbers := make(counts, digits), make([]int, n)
		for v := range n {
			numbers[v] = r.IntN(1 << r.IntN(digits+1))
			x.set(v, numbers[v])
		}
		check(t, r, x, numbers)
		c, longer := make(counts, digits+6), make([]int, n)
		c.step(x, to)
		for u := range n {
			for _, v := range in[u] {
				longer[u] += numbers[v]
			}
		}
		check(t, r, c, longer)
	}
}

func check(t *testing.T, r *rand.Rand, c counts, numbers []int) {
	t.Helper()
	some := uint64(1) << r.IntN(len(numbers))
	some |= r.Uint64() & (1<<len(numbers) - 1)
	threshold := float64(numbers[r.IntN(len(numbers))]) + float64(r.IntN(5)-2)/2
	total, least, most, above := 0, 1<<62, 0, uint64(0)
	for v, number := range numbers {
		if some>>v&1 == 0 {
			continue
		}
		total, least, most = total+number, min(least, number), max(most, number)
		above |= uint64(bit(float64(number) > threshold)) << v
	}
	if c.total(some) != total || c.least(some) != least || c.most(some) != most || c.above(threshold, some) != above {
		t.Fatalf("%v of %b: total %d, least %d, most %d, %b above %g, want %d, %d, %d, %b", numbers, some,
			c.total(some), c.least(some), c.most(some), c.above(threshold, some), threshold, total, least, most, above)
	}
}
