package treeg

import (
	"io"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/model/param"
)

// Rounds implements [model.Dumper].
func (m *Trained) Rounds() int { return m.Trees.Rounds() }

// WriteText implements [model.Dumper].
func (m *Trained) WriteText(w io.Writer, round int, labels []string) error {
	names, err := m.names(round, labels)
	if err != nil {
		return err
	}
	return m.Trees.Dump(w, max(round, -1), names)
}

// Dump implements [model.Dumper].
func (m *Trained) Dump(round int, labels []string) (*model.Dump, error) {
	names, err := m.names(round, labels)
	if err != nil {
		return nil, err
	}
	in := m.Trees.Input()
	out := &model.Dump{
		Model: m.Model, Task: m.Task, Classes: m.Classes, Loss: string(m.Trees.Loss()), Options: m.Trees.Options(),
		Gains: m.Trees.FeatureImportance(), Trees: []model.DumpedTree{},
	}
	for k := range in.Features() {
		out.Features = append(out.Features, in.FeatureName(k, names.Features))
	}
	for r := range m.Rounds() {
		if round >= 0 && r != round {
			continue
		}
		row := m.Trees.Trees(r)
		for k, t := range row {
			one := model.DumpedTree{Tree: r, Nodes: dumped(t, &in, names.Features)}
			if len(row) > 1 {
				one.Class = m.Classes[k]
			}
			out.Trees = append(out.Trees, one)
		}
	}
	return out, nil
}

// dumped describes the nodes of a tree.
func dumped(t *Tree, in *Input, features []string) []model.DumpedNode {
	nodes := make([]model.DumpedNode, len(t.Nodes))
	for i := range t.Nodes {
		n := &t.Nodes[i]
		nodes[i] = model.DumpedNode{Node: i, Gain: n.Gain, Examples: n.Weight, Value: n.Value}
		if s := n.Split; s != nil {
			to := &nodes[i]
			to.Test, to.Split, to.No, to.Yes = in.Text(s, features), s, int(n.LTE), int(n.GT)
			to.PointsTo, to.Subset = s.Pointer, "S"+s.Sign()
		}
	}
	return nodes
}

// names returns the names of the features and classes. labels, unless nil, name the labels.
func (m *Trained) names(round int, labels []string) (names Names, err error) {
	if round >= m.Rounds() {
		return names, param.Errorf("tree", round, "the model has %s, counted from 0", model.Count(m.Rounds(), "tree"))
	}
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
			return names, param.Errorf("label-names", nil, "%s for %s", model.Count(len(labels), "name"),
				model.Count(len(e.Labels), "label"))
		}
		known = labels
	}
	columns, attributes := e.Width()
	both := attributes > 0 && columns > 0
	if both {
		attributes -= columns + 1 // labels follow the attributes, and one column for those never seen
	}
	for i := range attributes {
		names.Features = append(names.Features, e.AttributeName(i))
	}
	names.Features = append(names.Features, known...)
	if both {
		names.Features = append(names.Features, "unknown label")
	}
	if names.Classes = m.Classes; m.Task == model.EdgeTask {
		names.Features = m.namesOfEnds(names.Features)
	}
	return names, nil
}

// namesOfEnds returns the names of what edges show of their ends, as [graph.Batch.LineGraph] lists it.
func (m *Trained) namesOfEnds(names []string) (ends []string) {
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
