package dataset

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// Communities have hubs, edges inside and attributes that tell them in part; parts do not overlap.
func TestCommunities(t *testing.T) {
	const n, k = 30000, 16
	d := mustSynth(t, "communities", SynthOptions{Vertices: n, Seed: 5})
	b, between, beyond := d.Batch, 0, [2]int{}
	for u := range int32(n) {
		for _, v := range b.Neighbors(u) {
			if d.VertexClasses[u] != d.VertexClasses[v] {
				between++
			}
		}
		for i, degree := range []int{20, 80} {
			if b.Degree(u) >= degree {
				beyond[i]++
			}
		}
	}
	if share, want := float64(between)/float64(b.NumArcs()), strangers*(1-1.0/k); math.Abs(share-want) > 0.03 {
		t.Errorf("%.3f of the edges join communities, want %.3f", share, want)
	}
	// The share of vertices with at least d neighbours falls like d^-1.5: 8 times from 20 to 80.
	if ratio := float64(beyond[0]) / float64(beyond[1]); ratio < 6 || ratio > 11 {
		t.Errorf("%d vertices have 20 neighbours or more, %d have 80", beyond[0], beyond[1])
	}
	// The best guess by attributes alone is the class with the largest sum of its own.
	right := 0
	for v, class := range d.VertexClasses {
		var sums [k]float64
		for j, x := range b.Attribute(int32(v)) {
			sums[j/attributesOfOne] += x
		}
		if slices.Index(sums[:], slices.Max(sums[:])) == class {
			right++
		}
	}
	if share := float64(right) / n; share < 0.4 || share > 0.6 {
		t.Errorf("attributes alone tell %.3f of the vertices", share)
	}
	fold := d.Splits[0].Fold
	all := slices.Sorted(slices.Values(slices.Concat(fold.Train, fold.Validation, fold.Test)))
	if len(slices.Compact(all)) != n/5 || len(fold.Train) != n/10 || len(fold.Test) != n/20 {
		t.Errorf("parts of %d, %d and %d vertices", len(fold.Train), len(fold.Validation), len(fold.Test))
	}
	if _, err := Synth("communities", SynthOptions{Vertices: 10_000_000}); err == nil ||
		!strings.Contains(err.Error(), "640000000 attributes, more than") {
		t.Errorf("error %v", err)
	}
}

// Ranks follow the weights that they are drawn by, to the accuracy of the integral.
func TestPowerLawRank(t *testing.T) {
	if first, last := powerLawRank(0, 9), powerLawRank(math.Nextafter(1, 0), 9); first != 0 || last != 8 {
		t.Errorf("ranks from %d to %d", first, last)
	}
	counts, steps := make([]float64, 50), 100000
	for i := range steps {
		counts[powerLawRank((float64(i)+0.5)/float64(steps), 50)]++
	}
	for r, few := range []int{4, 9, 19} {
		want := math.Pow(float64(few+1)+0.5, -1/(tailExponent-1)) / math.Pow(39.5, -1/(tailExponent-1))
		if got := counts[few] / counts[38]; math.Abs(got/want-1) > 0.05 {
			t.Errorf("case %d: rank %d is drawn %.2f times as often as rank 38, want %.2f", r, few, got, want)
		}
	}
}
