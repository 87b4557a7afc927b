package graph

import (
	"slices"
	"testing"

	"github.com/grove-graph/grove/internal/testfiles"
)

// pathCase is a graph with all of its paths and walks; a null list was too long to store.
type pathCase struct {
	Name        string      `json:"name"`
	Neighbors   [][]int32   `json:"neighbors"`
	MaxPathSize int         `json:"max_path_size"`
	PathCounts  [][]int64   `json:"path_counts"`
	PathTotals  []int64     `json:"total_path_counts"`
	Paths       [][][]int32 `json:"paths"`
	MaxWalkSize int         `json:"max_walk_size"`
	WalkCounts  [][]int64   `json:"walk_counts"`
	WalkTotals  []int64     `json:"total_walk_counts"`
	Walks       [][][]int32 `json:"walks"`
}

func TestGoldenPaths(t *testing.T) {
	testfiles.Golden(t, "", testfiles.OfKind("paths"), func(t *testing.T, raw []byte) {
		for _, c := range testfiles.Decode[struct{ Cases []pathCase }](t, raw).Cases {
			t.Run(c.Name, c.check)
		}
	})
}

func (c pathCase) check(t *testing.T) {
	b := FromAdjacency([]int32{0, int32(len(c.Neighbors))}, c.Neighbors)
	checkSequences(t, "paths", b, b.VisitPaths, b.PathCounts(c.MaxPathSize), c.MaxPathSize, c.PathCounts, c.PathTotals,
		c.Paths)
	checkSequences(t, "walks", b, b.VisitWalks, whole(b.WalkCounts(c.MaxWalkSize)), c.MaxWalkSize, c.WalkCounts,
		c.WalkTotals, c.Walks)
}

// checkSequences compares order and counts of the paths, or of the walks, of one graph.
func checkSequences(t *testing.T, what string, b *Batch, visit func(int32, int, func([]int32)), counts []int64,
	maxSize int, wantCounts [][]int64, wantTotals []int64, want [][][]int32) {
	t.Helper()
	listed := make([][][]int32, maxSize)
	for u := range int32(b.NumVertices()) {
		visit(u, maxSize, func(sequence []int32) {
			listed[len(sequence)-1] = append(listed[len(sequence)-1], slices.Clone(sequence))
		})
		if got := counts[int(u)*maxSize : int(u+1)*maxSize]; !slices.Equal(got, wantCounts[u]) {
			t.Errorf("%s from %d: counted %v, want %v", what, u, got, wantCounts[u])
		}
	}
	for j, list := range listed {
		if int64(len(list)) != wantTotals[j] {
			t.Errorf("%s of %d vertices: %d visited, want %d", what, j+1, len(list), wantTotals[j])
		}
		if want[j] != nil && !slices.EqualFunc(list, want[j], slices.Equal[[]int32]) {
			t.Errorf("%s of %d vertices: visited %v, want %v", what, j+1, list, want[j])
		}
	}
}
