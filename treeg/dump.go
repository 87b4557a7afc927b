package treeg

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/grove-graph/grove/model"
)

// Names are those of what a model speaks of; what has none is numbered.
type Names struct {
	Features []string // labels or attributes of the vertices
	Classes  []string
}

// output names the trees of an output of boosting, where there are several.
func (n Names) output(k int) string {
	if k < len(n.Classes) {
		return "class " + n.Classes[k]
	}
	return fmt.Sprintf("output %d", k)
}

// Dump writes the trees of one round as text, one for each output of boosting, else one; or with round -1 all trees. A
// node has a line, children are further in. The model marshalled as JSON says the same for programs.
func (m *Model) Dump(w io.Writer, round int, names Names) error {
	out := bufio.NewWriter(w)
	if round >= 0 {
		m.dumpRound(out, round, names)
		return out.Flush()
	}
	fmt.Fprintf(out, "%s, loss %s, %s of %s\n", m.opt.Ensemble, m.loss, model.Count(len(m.trees), "round"),
		model.Count(len(m.trees[0]), "tree"))
	if m.opt.Ensemble == Boosting {
		fmt.Fprintf(out, "score = %v + %g * leaves\n", m.start, m.opt.LearningRate)
	}
	for k, t := range m.first {
		fmt.Fprintf(out, "start, %s\n", names.output(k))
		m.dumpNode(out, t, 0, "", names)
	}
	for round := range m.trees {
		m.dumpRound(out, round, names)
	}
	return out.Flush()
}

func (m *Model) dumpRound(out io.Writer, round int, names Names) {
	for k, t := range m.trees[round] {
		fmt.Fprintf(out, "tree %d", round)
		if len(m.trees[round]) > 1 {
			fmt.Fprintf(out, ", %s", names.output(k))
		}
		fmt.Fprintln(out)
		m.dumpNode(out, t, 0, "  ", names)
	}
}

func (m *Model) dumpNode(w io.Writer, t *Tree, i int32, indent string, names Names) {
	n := &t.Nodes[i]
	if n.Split == nil {
		values := make([]string, len(n.Value))
		for k, v := range n.Value {
			values[k] = strconv.FormatFloat(v, 'g', 6, 64)
		}
		noun := "examples"
		if int(n.Weight) == 1 {
			noun = "example"
		}
		fmt.Fprintf(w, "%s%d: %s (%g %s)\n", indent, i, strings.Join(values, " "), n.Weight, noun)
		return
	}
	split := m.input.Text(n.Split, names.Features)
	fmt.Fprintf(w, "%s%d: %s (%g examples, gain %.4g)\n", indent, i, split, n.Weight, n.Gain)
	m.dumpNode(w, t, n.LTE, indent+"  no  ", names)
	m.dumpNode(w, t, n.GT, indent+"  yes ", names)
}

// FeatureImportance returns the share of each feature in the gains of all splits.
func (m *Model) FeatureImportance() []float64 {
	out := make([]float64, m.input.Features())
	total := 0.0
	for _, t := range m.all() {
		for i := range t.Nodes {
			if n := &t.Nodes[i]; n.Split != nil {
				out[n.Split.Feature] += n.Gain
				total += n.Gain
			}
		}
	}
	for k := range out {
		if total > 0 {
			out[k] /= total
		}
	}
	return out
}
