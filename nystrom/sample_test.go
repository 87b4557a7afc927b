package nystrom_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/grove-graph/grove/nystrom"
)

func TestSampleIsSortedWithoutRepeats(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		total      int64
		want, size int
	}{{0, 5, 0}, {7, 0, 0}, {7, -1, 0}, {-3, 4, 0}, {7, 7, 7}, {7, 9, 7}, {1000, 1, 1}, {1000, 400, 400}, {1000, 999, 999},
		{1 << 60, 3000, 3000}} {
		got := nystrom.SampleSorted(c.total, c.want, rng)
		if len(got) != c.size {
			t.Fatalf("%d of %d: %d positions, want %d", c.want, c.total, len(got), c.size)
		}
		for i, v := range got {
			if v < 0 || v >= c.total || i > 0 && v <= got[i-1] {
				t.Fatalf("%d of %d: position %d after %v", c.want, c.total, v, got[:i])
			}
		}
	}
}

func TestSampleFollowsTheSeed(t *testing.T) {
	draw := func(seed uint64) []int64 {
		return nystrom.SampleSorted(1e6, 1000, rand.New(rand.NewPCG(seed, 0)))
	}
	if !slices.Equal(draw(1), draw(1)) || slices.Equal(draw(1), draw(2)) {
		t.Error("want the same sample for the same seed, and another for another")
	}
}

// Each of the subsets of 2 and of 4 out of 6 positions is as likely as any other: of 30000 draws 2000
// each, with a standard deviation of 43.
func TestSampleIsUniform(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, want := range []int{2, 4} {
		counts := map[[4]int64]int{}
		for range 30000 {
			var key [4]int64
			copy(key[:], nystrom.SampleSorted(6, want, rng))
			counts[key]++
		}
		if len(counts) != 15 {
			t.Fatalf("%d different subsets of %d, want 15", len(counts), want)
		}
		for subset, count := range counts {
			if math.Abs(float64(count)-2000) > 5*43 {
				t.Errorf("subset %v drawn %d times, want about 2000", subset[:want], count)
			}
		}
	}
}
