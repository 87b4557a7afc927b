package model

import "io"

// Dumper is a model that writes down what it learned: decision trees.
type Dumper interface {
	// Rounds returns the number of rounds in which trees were fitted.
	Rounds() int
	// WriteText writes the trees of a round, or with -1 of all rounds, to read. labels, unless nil, name the vertex
	// labels; as many as the model knows, or it is a [param.Error] of "label-names".
	WriteText(w io.Writer, round int, labels []string) error
	// Dump describes the same.
	Dump(round int, labels []string) (*Dump, error)
}

// Dump is a model of trees, to be written as JSON.
type Dump struct {
	Model    string       `json:"model"`
	Task     Task         `json:"task"`
	Classes  []string     `json:"classes,omitempty"`
	Loss     string       `json:"loss"`
	Options  any          `json:"options"`
	Features []string     `json:"features"`
	Gains    []float64    `json:"feature_importance"` // share of each feature in the gains of all splits
	Trees    []DumpedTree `json:"trees"`
}

// DumpedTree is one tree.
type DumpedTree struct {
	Tree  int          `json:"tree"`            // its round, counted from 0
	Class string       `json:"class,omitempty"` // where each class has a tree of its own
	Nodes []DumpedNode `json:"nodes"`           // the root is the first
}

// DumpedNode is a node of a tree, a split or a leaf.
type DumpedNode struct {
	Node     int       `json:"node"`
	Test     string    `json:"test,omitempty"` // the split in words
	Split    any       `json:"split,omitempty"`
	No       int       `json:"no,omitempty"` // child of examples that are not above the threshold
	Yes      int       `json:"yes,omitempty"`
	Gain     float64   `json:"gain,omitempty"`
	Examples float64   `json:"examples"` // of training that reached the node
	Value    []float64 `json:"value,omitempty"`

	PointsTo int    `json:"-"` // levels up to the ancestor whose subset the split uses, 0 for all vertices
	Subset   string `json:"-"` // which of the two subsets of that ancestor: "S+" or "S-"
}
