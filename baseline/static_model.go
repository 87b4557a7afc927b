package baseline

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/model/param"
	"github.com/grove-graph/grove/modelfile"
	"github.com/grove-graph/grove/trees"
	"gorgonia.org/tensor"
)

// staticModel are boosted trees on numbers that are counted once.
type staticModel struct {
	model.Head
	counted *counted
	trees   *trees.Model
	options trees.Options
}

// Encoding implements [model.Model].
func (m *staticModel) Encoding() *dataset.Encoding { return m.counted.Encoding }

// Predict implements [model.Model]: probabilities of the classes, or values.
func (m *staticModel) Predict(
	ctx context.Context, d *dataset.Dataset, _ model.Progress,
) (*model.Predictions, error) {
	d, err := m.Asks(d)
	if err != nil {
		return nil, err
	}
	t, err := m.counted.table(model.NewWork(d, nil), 1)
	if err != nil {
		return nil, err
	}
	return predictions(m.trees, m.trees.Scores(t, nil, m.trees.Rounds(), 1), t.Rows, &m.Head), ctx.Err()
}

// predictions says what the scores of so many examples stand for.
func predictions(m *trees.Model, scores []float64, n int, h *model.Head) *model.Predictions {
	outputs, classes := len(m.Start), len(h.Classes)
	if classes == 0 {
		return &model.Predictions{Values: tensor.New(tensor.WithShape(n, outputs), tensor.WithBacking(scores))}
	}
	p, said := make([]float64, 0, n*classes), make([]int, n)
	for i := range said {
		of := m.Loss.Probabilities(scores[i*outputs:(i+1)*outputs], classes)
		p, said[i] = append(p, of...), model.ArgMax(of)
	}
	x := tensor.New(tensor.WithShape(n, classes), tensor.WithBacking(p))
	return &model.Predictions{Classes: said, Probabilities: x}
}

// storedStatic is what the model adds to its file.
type storedStatic struct {
	Encoding *dataset.Encoding `json:"encoding"`
	Sees     *counted          `json:"sees"`
	Options  trees.Options     `json:"options"`
	Trees    *trees.Model      `json:"trees"`
}

// Parts implements [model.Model].
func (m *staticModel) Parts() (any, map[string]*tensor.Dense, error) {
	return storedStatic{m.counted.Encoding, m.counted, m.options, m.trees}, nil, nil
}

func loadStatic(h *model.Head, parts json.RawMessage) (model.Model, error) {
	var s storedStatic
	if err := modelfile.Unmarshal(parts, &s); err != nil {
		return nil, err
	}
	s.Sees.Encoding = s.Encoding
	if err := s.Sees.check(h.Task); err != nil {
		return nil, err
	}
	if err := s.Trees.Check(); err != nil {
		return nil, err
	}
	outputs, classes := len(s.Trees.Start), len(h.Classes)
	switch want := len(s.Sees.names(nil)); {
	case s.Trees.Rounds() != s.Options.Rounds:
		return nil, fmt.Errorf("%d rounds of trees of %d", s.Trees.Rounds(), s.Options.Rounds)
	case s.Trees.Columns != want:
		return nil, fmt.Errorf("trees on %d features of %d", s.Trees.Columns, want)
	case (classes == 0) != (s.Trees.Loss == trees.Squared), classes == 0 && outputs != max(len(h.Targets), 1),
		s.Trees.Loss == trees.Logistic && classes != 2, s.Trees.Loss == trees.Softmax && outputs != classes:
		return nil, fmt.Errorf("trees of %d outputs and loss %s for %d classes", outputs, s.Trees.Loss, classes)
	}
	return &staticModel{*h, s.Sees, s.Trees, s.Options}, nil
}

// Rounds implements [model.Dumper].
func (m *staticModel) Rounds() int { return m.trees.Rounds() }

// features returns the names of the features.
func (m *staticModel) features(round int, labels []string) ([]string, error) {
	if round >= m.Rounds() {
		return nil, param.Errorf("tree", round, "the model has %s, counted from 0", model.Count(m.Rounds(), "tree"))
	}
	if known := len(m.counted.Encoding.Labels); labels != nil && len(labels) != known {
		return nil, param.Errorf("label-names", nil, "%s for %s", model.Count(len(labels), "name"),
			model.Count(known, "label"))
	}
	return m.counted.names(labels), nil
}

// output names the trees of an output, "" where there is one.
func (m *staticModel) output(k int) string {
	switch {
	case len(m.trees.Start) == 1:
		return ""
	case len(m.Classes) > 0:
		return m.Classes[k]
	}
	return m.Targets[k]
}

// Dump implements [model.Dumper].
func (m *staticModel) Dump(round int, labels []string) (*model.Dump, error) {
	features, err := m.features(round, labels)
	if err != nil {
		return nil, err
	}
	out := &model.Dump{Model: m.Model, Task: m.Task, Classes: m.Classes, Loss: string(m.trees.Loss), Options: m.options,
		Features: features, Gains: m.trees.Gains(), Trees: []model.DumpedTree{}}
	for r, row := range m.trees.Trees {
		if round >= 0 && r != round {
			continue
		}
		for k, t := range row {
			out.Trees = append(out.Trees, model.DumpedTree{Tree: r, Class: m.output(k), Nodes: dumped(t, features)})
		}
	}
	return out, nil
}

// dumped describes the nodes of a tree.
func dumped(t trees.Tree, features []string) []model.DumpedNode {
	nodes := make([]model.DumpedNode, len(t))
	for i, n := range t {
		nodes[i] = model.DumpedNode{Node: i, Examples: float64(n.Examples)}
		if to := &nodes[i]; n.Yes > 0 {
			to.Test = fmt.Sprintf("%s > %g", features[n.Split.Feature], n.Split.Threshold)
			to.No, to.Yes, to.Gain, to.Split = n.No, n.Yes, n.Gain, n.Split
		} else {
			to.Value = []float64{n.Value}
		}
	}
	return nodes
}

// WriteText implements [model.Dumper].
func (m *staticModel) WriteText(w io.Writer, round int, labels []string) error {
	d, err := m.Dump(round, labels)
	if err != nil {
		return err
	}
	var text strings.Builder
	if round < 0 {
		fmt.Fprintf(&text, "boosting, loss %s, %s of %s\nscore = %v + leaves\n", m.trees.Loss,
			model.Count(m.Rounds(), "round"), model.Count(len(m.trees.Start), "tree"), m.trees.Start)
	}
	for _, t := range d.Trees {
		fmt.Fprintf(&text, "tree %d", t.Tree)
		if t.Class != "" {
			fmt.Fprintf(&text, ", %s", t.Class)
		}
		text.WriteByte('\n')
		writeNode(&text, t.Nodes, 0, "  ")
	}
	_, err = io.WriteString(w, text.String())
	return err
}

// writeNode writes a node and what is below it, each further in.
func writeNode(w io.Writer, nodes []model.DumpedNode, i int, indent string) {
	n := nodes[i]
	if n.Yes == 0 {
		fmt.Fprintf(w, "%s%d: %.6g (%s)\n", indent, i, n.Value[0], model.Count(int(n.Examples), "example"))
		return
	}
	fmt.Fprintf(w, "%s%d: %s (%s, gain %.4g)\n", indent, i, n.Test, model.Count(int(n.Examples), "example"), n.Gain)
	writeNode(w, nodes, n.No, indent+"  no  ")
	writeNode(w, nodes, n.Yes, indent+"  yes ")
}
