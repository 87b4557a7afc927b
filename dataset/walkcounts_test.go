package dataset

import "testing"

// Walks of length 1 are arcs.
func TestWalksOfOneStepAreArcs(t *testing.T) {
	d, err := WalkCounts(WalkCountOptions{Graphs: 30, Vertices: 9, Length: 1, Seed: 4})
	if err != nil {
		t.Fatal(err)
	}
	b := d.Batch
	for g := range b.NumGraphs() {
		var want [4]float64
		from, to := b.Vertices(g)
		for u := from; u < to; u++ {
			for _, v := range b.Neighbors(u) {
				start, end := float64(b.Labels[u]), float64(b.Labels[v])
				want[0], want[2], want[3] = want[0]+start, want[2]+end, want[3]+start*end
			}
		}
		if got := [4]float64(d.Targets[4*g : 4*g+4]); got != want {
			t.Errorf("graph %d: %v, want %v", g, got, want)
		}
	}
	if !b.Directed || d.Task != GraphRegression || len(d.TargetNames) != 4 {
		t.Errorf("%s with targets %v", d.Task, d.TargetNames)
	}
}

func TestWalkCountsRefuse(t *testing.T) {
	for _, opt := range []WalkCountOptions{{Graphs: -1}, {Vertices: -1}, {EdgeShare: 2}, {RedShare: -1}, {Length: 9}} {
		if _, err := WalkCounts(opt); err == nil {
			t.Errorf("%+v was accepted", opt)
		}
	}
}
