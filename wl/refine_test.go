package wl

import (
	"context"
	"slices"
	"testing"

	"github.com/grove-graph/grove/engine/enginetest"
	"github.com/grove-graph/grove/graph"
)

func TestUnseenSignaturesGetFreshColours(t *testing.T) {
	path := graph.Graph{NumVertices: 3, Labels: []int32{0, 0, 0}}
	path.AddArc(0, 1)
	path.AddArc(1, 2)
	opt := Options{Kernel: Subtree, Iterations: 2, Follow: FollowOut}
	m := fit(t, enginetest.Open(t, 1), batch(t, []graph.Graph{path}), opt)
	star := graph.Graph{NumVertices: 4, Labels: []int32{0, 0, 0, 5}}
	for v := range int32(3) {
		star.AddArc(0, v+1)
	}
	c, err := m.Colours(context.Background(), batch(t, []graph.Graph{star, star}))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(c.Known, []int{1, 2, 2}) {
		t.Fatalf("%v known colours", c.Known)
	}
	if want := []int32{0, 0, 0, 1, 0, 0, 0, 1}; !slices.Equal(c.Of[0], want) {
		t.Errorf("labels %v, want %v", c.Of[0], want)
	}
	if want := []int32{2, 0, 0, 3, 2, 0, 0, 3}; !slices.Equal(c.Of[1], want) {
		t.Errorf("round 1: colours %v, want %v", c.Of[1], want)
	}
	if want := []int32{2, 3, 3, 4, 2, 3, 3, 4}; !slices.Equal(c.Of[2], want) { // a leaf of the star sees a fresh colour
		t.Errorf("round 2: colours %v, want %v", c.Of[2], want)
	}
}

// Equal hashes do not make equal colours.
func TestCollisionsAreResolved(t *testing.T) {
	d := newDictionary()
	for c := range 200 {
		if got := d.number([]uint64{uint64(c), 7}, 42); int(got) != c {
			t.Fatalf("signature %d got the number %d", c, got)
		}
		if c == 6 {
			break // growing rehashes by content
		}
	}
	for c := range uint64(7) {
		if got := d.find([]uint64{c, 7}, 42); uint64(got) != c {
			t.Errorf("signature %d has the number %d", c, got)
		}
		if got := d.find([]uint64{c, 8}, 42); got != -1 {
			t.Errorf("a signature that was never seen has the number %d", got)
		}
		if got := d.find([]uint64{c}, 42); got != -1 {
			t.Errorf("a shorter signature has the number %d", got)
		}
	}
}
