package eval

import (
	"math"
	"testing"

	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/split"
)

// Scores are averaged with their neighbours, but for the value 0.
func TestScoresAreSmoothed(t *testing.T) {
	g := model.Grid{Name: "epochs", Values: []float64{0, 1, 2, 3, 4}, Smooth: 1}
	want := []float64{9, 1.5, 2, 3, 3.5}
	for k, got := range smoothed(g, []float64{9, 1, 2, 3, 4}) {
		if math.Abs(got-want[k]) > 1e-12 {
			t.Errorf("value %d: %g, want %g", k, got, want[k])
		}
	}
	g.Smooth = 0
	if got := smoothed(g, []float64{9, 1, 2, 3, 4}); got[1] != 1 {
		t.Errorf("not to be smoothed, %v", got)
	}
}

// A tenth is held out where it is large enough in every fold.
func TestInnerBySize(t *testing.T) {
	for size, want := range map[int]bool{1999: false, 2000: true} {
		folds := []split.Fold{{Train: make([]int, 2000)}, {Train: make([]int, size)}}
		if k, holdOut := Inner(folds); holdOut != want || k != map[bool]int{true: 10, false: 5}[want] {
			t.Errorf("%d examples: %d, %t", size, k, holdOut)
		}
	}
}
