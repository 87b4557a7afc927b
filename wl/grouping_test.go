package wl

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/engine/enginetest"
	"github.com/grove-graph/grove/split"
)

func TestGroupsOfFewNodes(t *testing.T) {
	graphs, y := marked(rand.New(rand.NewPCG(8, 2)), 12, 2)
	m := fit(t, enginetest.Open(t, 1), batch(t, graphs), Options{Kernel: Assignment, Follow: FollowOut})
	for _, groups := range []int{1, 2, 3, 100} { // three labels make at most three groups
		d := learn(t, m, nil, y, DefaultDeepOptions(groups))
		seen := map[int32]bool{}
		for _, g := range slices.Concat(d.group...) {
			seen[g] = true
		}
		if len(seen) != min(groups, 3) {
			t.Errorf("%d groups of three labels: %v", groups, d.group)
		}
	}
	one := learn(t, m, nil, y, DefaultDeepOptions(1))
	if w := one.model.weights[0]; w[0] <= 0 || w[1] != w[0] || w[2] != w[0] {
		t.Errorf("weights %v in a single group", w)
	}
}

// Groups of enough colours for a device to score them are those of the host.
func TestGroupsAreTheSameOnADevice(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 2))
	x := &index{ptr: []int32{0}}
	for range 4000 {
		for object := range int32(40) {
			if count := rng.Int32N(4); count > 0 {
				x.entries = append(x.entries, posting{object, count})
			}
		}
		x.ptr = append(x.ptr, int32(len(x.entries)))
	}
	var want []int32
	rough := enginetest.NewRough(2)
	for _, e := range []engine.Engine{engine.NewCPU(1), engine.NewCPU(3), rough, enginetest.Open(t, 2)} {
		tree := newHierarchy([]*index{x}, split.All(40), 40, e.Workers())
		if err := tree.groupNodes(t.Context(), e, 6, 1); err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = tree.group
		}
		if !slices.Equal(tree.group, want) {
			t.Errorf("%v, %d workers: other groups", e, e.Workers())
		}
	}
	if rough.Products.Load() == 0 {
		t.Error("nothing was left to the device: the test shows nothing")
	}
}
