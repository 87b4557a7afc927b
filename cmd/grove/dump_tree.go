package main

import (
	"fmt"
	"strconv"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/render"
	"github.com/grove-graph/grove/treeg"
)

// treegNames are the names that a dump of trees uses.
type treegNames = treeg.Names

// names returns the names of the features and classes. labels, unless nil, name the labels.
func (m *treegModel) names(labels []string) (names treegNames, err error) {
	e := m.encoding
	known, what := e.Names, "label "
	if e.Features == dataset.DegreeFeatures {
		what = "degree "
	}
	if known == nil {
		for _, code := range e.Labels {
			known = append(known, what+code)
		}
	}
	if labels != nil {
		if len(labels) != len(e.Labels) {
			return names, usagef("--label-names: %d names for %s", len(labels), count(len(e.Labels), "label"))
		}
		known = labels
	}
	columns, attributes := e.Width()
	both := attributes > 0 && columns > 0
	if both {
		attributes -= columns + 1 // labels follow the attributes, and one column for those never seen
	}
	for i := range attributes {
		names.Features = append(names.Features, fmt.Sprintf("attribute %d", i))
	}
	names.Features = append(names.Features, known...)
	if both {
		names.Features = append(names.Features, "unknown label")
	}
	names.Classes = m.Classes
	if m.Task == edgeTask {
		names.Features = m.namesOfEnds(names.Features)
	}
	return names, nil
}

// namesOfEnds returns the names of what edges show of their ends, as [graph.Batch.LineGraph] lists it.
func (m *treegModel) namesOfEnds(names []string) (ends []string) {
	first, second := " (both ends)", " (difference of the ends)"
	if m.directed {
		first, second = " (tail)", " (head)"
	}
	for _, place := range []string{first, second} {
		for _, name := range names {
			ends = append(ends, name+place)
		}
	}
	return append(ends, "weight")
}

// nodes says how to draw a tree.
func (d *treeDump) nodes(t *treeg.Tree) []render.TreeNode {
	in := d.m.model.Input()
	nodes := make([]render.TreeNode, len(t.Nodes))
	for i := range t.Nodes {
		n, to := &t.Nodes[i], &nodes[i]
		if t.Nodes[0].Weight > 0 {
			to.Share = n.Weight / t.Nodes[0].Weight
		}
		if s := n.Split; s != nil {
			to.Lines = []string{in.Text(s, d.names.Features)}
			to.No, to.Yes, to.PointsTo, to.Subset = int(n.LTE), int(n.GT), s.Pointer, "S"+s.Sign()
			continue
		}
		to.Lines, to.Value = d.leaf(n.Value)
		to.Lines = append(to.Lines, fmt.Sprintf("%g %s", n.Weight, plural(d.m.Task.noun())))
	}
	return nodes
}

// leaf returns the text of a leaf and the number that colours it: the value, or the share of the last class above an
// even one.
func (d *treeDump) leaf(value []float64) (lines []string, colour float64) {
	if len(value) == 1 {
		return []string{strconv.FormatFloat(value[0], 'g', 4, 64)}, value[0]
	}
	for c, share := range value {
		if share > 0 {
			lines = append(lines, fmt.Sprintf("class %s: %.3g", d.m.Classes[c], share))
		}
	}
	return lines, value[len(value)-1] - 1/float64(len(value))
}

// dumpedModel is a model of trees in JSON.
type dumpedModel struct {
	Model    string        `json:"model"`
	Task     task          `json:"task"`
	Classes  []string      `json:"classes,omitempty"`
	Loss     treeg.Loss    `json:"loss"`
	Options  treeg.Options `json:"options"`
	Features []string      `json:"features"`
	Gains    []float64     `json:"feature_importance"` // share of each feature in the gains of all splits
	Trees    []dumpedTree  `json:"trees"`
}

type dumpedTree struct {
	Tree  int          `json:"tree"`
	Class string       `json:"class,omitempty"` // where each class has a tree of its own
	Nodes []dumpedNode `json:"nodes"`           // the root is the first
}

type dumpedNode struct {
	Node     int          `json:"node"`
	Test     string       `json:"test,omitempty"` // the split in words
	Split    *treeg.Split `json:"split,omitempty"`
	No       int          `json:"no,omitempty"` // child of examples that are not above the threshold
	Yes      int          `json:"yes,omitempty"`
	Gain     float64      `json:"gain,omitempty"`
	Examples float64      `json:"examples"` // of training that reached the node
	Value    []float64    `json:"value,omitempty"`
}

// describe lists the trees that are asked for.
func (d *treeDump) describe() dumpedModel {
	model := d.m.model
	in := model.Input()
	out := dumpedModel{
		Model: d.m.Model, Task: d.m.Task, Classes: d.m.Classes, Loss: model.Loss(), Options: model.Options(),
		Gains: model.FeatureImportance(), Trees: []dumpedTree{},
	}
	for k := range in.Features() {
		out.Features = append(out.Features, in.FeatureName(k, d.names.Features))
	}
	for round := range model.Rounds() {
		if d.f.tree >= 0 && round != d.f.tree {
			continue
		}
		row := model.Trees(round)
		for k, t := range row {
			one := dumpedTree{Tree: round}
			if len(row) > 1 {
				one.Class = d.m.Classes[k]
			}
			for i := range t.Nodes {
				n := &t.Nodes[i]
				node := dumpedNode{i, "", n.Split, int(n.LTE), int(n.GT), n.Gain, n.Weight, n.Value}
				if n.Split != nil {
					node.Test = in.Text(n.Split, d.names.Features)
				}
				one.Nodes = append(one.Nodes, node)
			}
			out.Trees = append(out.Trees, one)
		}
	}
	return out
}
