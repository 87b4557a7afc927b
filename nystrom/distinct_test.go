package nystrom_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/grove-graph/grove/nystrom"
)

func TestDistinctCountsEachSequenceOnce(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct{ n, size, labels int }{{0, 3, 2}, {1, 1, 1}, {500, 1, 9}, {3000, 3, 5}, {20000, 4, 40}} {
		rows := make([]int32, c.n*c.size)
		for i := range rows {
			rows[i] = rng.Int32N(int32(c.labels)) - 1
		}
		weights := make([]float64, c.n)
		for i := range weights {
			weights[i] = float64(1 + rng.IntN(9))
		}
		var order []string
		want, mass := map[string]float64{}, map[string]float64{}
		key := func(sequence []int32) string { return fmt.Sprint(sequence) }
		for i := range c.n {
			s := key(rows[i*c.size : (i+1)*c.size])
			if want[s] == 0 {
				order = append(order, s)
			}
			want[s]++
			mass[s] += weights[i]
		}
		check := func(weights []float64, want map[string]float64) {
			t.Helper()
			distinct, counts := nystrom.Distinct(rows, c.size, weights)
			if len(counts) != len(order) || len(distinct) != len(order)*c.size {
				t.Fatalf("%v: %d distinct sequences, want %d", c, len(counts), len(order))
			}
			for i, count := range counts {
				s := key(distinct[i*c.size : (i+1)*c.size])
				if s != order[i] || count != want[s] {
					t.Fatalf("%v: sequence %d is %s, %g times; want %s, %g times", c, i, s, count, order[i], want[s])
				}
			}
		}
		check(nil, want)
		check(weights, mass)
	}
}
