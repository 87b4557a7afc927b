package trees

import (
	"fmt"
	"math"

	"github.com/grove-graph/grove/parallel"
)

// Split compares a column with a threshold.
type Split struct {
	Feature   int     `json:"feature"`
	Threshold float32 `json:"threshold"`
}

// Node is a split of a tree, or a leaf where Yes is 0. Behind a split stands what is below its child No, and then what
// is below Yes.
type Node struct {
	Split    Split   `json:"split"`         // 0 of a leaf
	No       int     `json:"no,omitempty"`  // child of examples that are not above the threshold, or have no value
	Yes      int     `json:"yes,omitempty"` // child of examples that are above it
	Gain     float64 `json:"gain"`
	Examples int     `json:"examples"` // of the training that reached the node
	Value    float64 `json:"value"`    // what a leaf adds to the score
}

// Tree is a tree. The root is its first node.
type Tree []Node

// leaf returns the leaf that an example reaches.
func (t Tree) leaf(row []float32) *Node {
	n := &t[0]
	for n.Yes > 0 {
		if row[n.Split.Feature] > n.Split.Threshold {
			n = &t[n.Yes]
		} else {
			n = &t[n.No]
		}
	}
	return n
}

// Model are boosted trees.
type Model struct {
	Loss    Loss      `json:"loss"`
	Columns int       `json:"columns"` // of the tables that it knows
	Start   []float64 `json:"start"`   // the score of each output before the first round
	Trees   [][]Tree  `json:"trees"`   // by round and output
}

// Rounds returns the number of rounds.
func (m *Model) Rounds() int { return len(m.Trees) }

// predictRows are the rows that a goroutine takes at a time.
const predictRows = 256

// Scores returns the scores after some rounds of some rows of a table (nil: all), rows x outputs: values, the log-odds
// of the second class, or logits of all classes. The table has the columns of that of the training.
func (m *Model) Scores(t *Table, rows []int, rounds, workers int) []float64 {
	n, outputs := len(rows), len(m.Start)
	if rows == nil {
		n = t.Rows
	}
	scores := make([]float64, n*outputs)
	parallel.Chunks(workers, n, predictRows, func(from, to int) {
		for i := from; i < to; i++ {
			at := i
			if rows != nil {
				at = rows[i]
			}
			row, of := t.Row(at), scores[i*outputs:(i+1)*outputs]
			copy(of, m.Start)
			for _, trees := range m.Trees[:rounds] {
				for k, tree := range trees {
					of[k] += tree.leaf(row).Value
				}
			}
		}
	})
	return scores
}

// Gains returns the share of each column in the gains of all splits; zeros where there is no split.
func (m *Model) Gains() []float64 {
	gains, total := make([]float64, m.Columns), 0.0
	for _, round := range m.Trees {
		for _, tree := range round {
			for _, n := range tree {
				if n.Yes > 0 {
					gains[n.Split.Feature] += n.Gain
					total += n.Gain
				}
			}
		}
	}
	for c := range gains {
		if total > 0 {
			gains[c] /= total
		}
	}
	return gains
}

// Check returns an error where the parts do not fit each other, as they may in a file.
func (m *Model) Check() error {
	if m.Loss != Squared && m.Loss != Logistic && m.Loss != Softmax || len(m.Start) == 0 || m.Columns < 0 ||
		m.Loss == Logistic && len(m.Start) != 1 {
		return fmt.Errorf("trees of loss %q on %d columns with %d outputs", m.Loss, m.Columns, len(m.Start))
	}
	for k, s := range m.Start {
		if notFinite(s) || m.Loss != Squared && math.Abs(s) > maxStart && s != never {
			return fmt.Errorf("output %d starts at %g", k, s)
		}
	}
	for r, round := range m.Trees {
		if len(round) != len(m.Start) {
			return fmt.Errorf("round %d has %d trees for %d outputs", r, len(round), len(m.Start))
		}
		for _, tree := range round {
			if err := tree.check(m); err != nil {
				return fmt.Errorf("round %d: %w", r, err)
			}
		}
	}
	return nil
}

// check returns an error where the nodes are not those of a tree of the model.
func (t Tree) check(m *Model) error {
	if len(t) == 0 {
		return fmt.Errorf("a tree without a root")
	}
	for i, n := range t {
		switch {
		case n.Split.Feature < 0 || n.Split.Feature >= max(m.Columns, 1):
			return fmt.Errorf("node %d asks for column %d of %d", i, n.Split.Feature, m.Columns)
		case notFinite(float64(n.Split.Threshold)) || notFinite(n.Value) || notFinite(n.Gain) || n.Examples < 0:
			return fmt.Errorf("node %d holds a number that is not finite, or fewer than no examples", i)
		case m.Loss != Squared && math.Abs(n.Value) > maxStep:
			return fmt.Errorf("node %d adds %g to log-odds", i, n.Value)
		}
	}
	end, err := t.end(0, 0)
	if err == nil && end != len(t) {
		err = fmt.Errorf("%d of %d nodes are below the root", end, len(t))
	}
	return err
}

// end returns the number of the node behind all that is below node i.
func (t Tree) end(i, depth int) (int, error) {
	n := t[i]
	if n.No == 0 && n.Yes == 0 {
		return i + 1, nil
	}
	if n.No != i+1 || n.No >= len(t) || depth > maxDepth {
		return 0, fmt.Errorf("node %d of %d has the children %d and %d", i, len(t), n.No, n.Yes)
	}
	end, err := t.end(n.No, depth+1)
	if err != nil {
		return 0, err
	}
	if n.Yes != end || end >= len(t) {
		return 0, fmt.Errorf("node %d of %d has the children %d and %d", i, len(t), n.No, n.Yes)
	}
	return t.end(n.Yes, depth+1)
}

func notFinite(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }

// Bounds of log-odds, that of so many examples and that of a leaf.
const (
	maxStart = 64
	maxStep  = 1e12
)
