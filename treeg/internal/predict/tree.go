// Package predict sends graphs and vertices through fitted trees.
package predict

import "github.com/grove-graph/grove/treeg/internal/walks"

// Node is a node of a tree: a split, or a leaf where Split is nil.
type Node struct {
	Split  *walks.Split `json:"split,omitempty"`
	LTE    int32        `json:"lte,omitempty"` // child of examples that are not above the threshold
	GT     int32        `json:"gt,omitempty"`
	Gain   float64      `json:"gain,omitempty"`  // of the split in training
	Weight float64      `json:"weight"`          // of the training examples that reached the node
	Value  []float64    `json:"value,omitempty"` // of a leaf: a number, or the share of every class
}

// Tree is a decision tree. Its root is node 0, children come after their parents.
type Tree struct {
	Nodes []Node `json:"nodes"`
}

// Depth returns the number of splits on the longest path.
func (t *Tree) Depth() int {
	depth := make([]int, len(t.Nodes))
	most := 0
	for i := range t.Nodes {
		if n := &t.Nodes[i]; n.Split != nil {
			depth[n.LTE], depth[n.GT] = depth[i]+1, depth[i]+1
			most = max(most, depth[i]+1)
		}
	}
	return most
}
