package treeg_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/model/param"
	"github.com/grove-graph/grove/modelfile"
	"github.com/grove-graph/grove/treeg"
)

func explain(t *testing.T, m *treeg.Trained, d *dataset.Dataset, examples ...int) []model.Explanation {
	t.Helper()
	steps := 0
	explained, err := m.Explain(context.Background(), d, examples, model.ExplainOptions{
		Progress: func(_ string, done, total int) {
			if steps++; done != steps || total != len(examples) {
				t.Errorf("step %d of %d after %d", done, total, steps)
			}
		},
	})
	if err != nil || steps != len(examples) {
		t.Fatalf("%d steps: %v", steps, err)
	}
	return explained
}

func sum(values []float64) (total float64) {
	for _, v := range values {
		total += v
	}
	return total
}

// Importances are those of the trees, of sum 1, beside what is predicted of the example.
func TestTrainedModelsExplain(t *testing.T) {
	ctx := context.Background()
	for task, d := range map[model.Task]*dataset.Dataset{
		model.GraphTask: synth(t, "molecules", 30, 10), model.NodeTask: synth(t, "block-model", 1, 60),
	} {
		level := treeg.Vertices
		if task == model.GraphTask {
			level = treeg.Graphs
		}
		m := fit(t, d, few(level, treeg.Boosting))
		b, err := m.Encoding().Apply(d)
		if err != nil {
			t.Fatal(err)
		}
		said := predict(t, m, d)
		examples := []int{7, 3, 3, 29}
		for i, x := range explain(t, m, d, examples...) {
			var want *treeg.Explanation
			err := m.Trees.Explain(ctx, b, examples[i:i+1], func(_ int, x *treeg.Explanation) error {
				want = x
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if x.Graph != want.Graph || !slices.Equal(x.Vertices, want.Vertices) || !slices.Equal(x.Arcs, want.Arcs) ||
				!slices.Equal(x.Seen, want.Vertices) {
				t.Errorf("%s %d: importances that are not those of the trees", task, examples[i])
			}
			if x.Predicted != said.Classes[examples[i]] || x.Value != nil {
				t.Errorf("%s %d: predicted %d, alone %d", task, examples[i], x.Predicted, said.Classes[examples[i]])
			}
		}
	}
	d := sizes(t, 20)
	m := fit(t, d, few(treeg.Graphs, treeg.Boosting))
	value := predict(t, m, d).Values.Float64s()[4]
	if x := explain(t, m, d, 4)[0]; x.Predicted != -1 || x.Value == nil || *x.Value != value {
		t.Errorf("a regression is explained as class %d, value %v", x.Predicted, x.Value)
	}
}

// To a model of edges the edges of a graph are important; both arcs of an edge show what it has.
func TestTrainedModelsExplainEdges(t *testing.T) {
	d := synth(t, "molecules", 12, 10)
	asks, err := d.ByEdge()
	if err != nil {
		t.Fatal(err)
	}
	m := fit(t, asks, few(treeg.Vertices, treeg.Boosting))
	said := predict(t, m, d)
	examples := []int{len(asks.Edges) - 1, 0, 5}
	of, _ := d.Batch.Edges()
	for i, x := range explain(t, m, d, examples...) {
		e := asks.Edges[examples[i]]
		from, to := d.Batch.Vertices(e.Graph)
		first, last := d.Batch.RowPtr[from], d.Batch.RowPtr[to]
		if x.Graph != e.Graph || x.Vertices != nil || x.Predicted != said.Classes[examples[i]] ||
			math.Abs(sum(x.Seen)-1) > 1e-12 || len(x.Arcs) != int(last-first) {
			t.Errorf("edge %d: %+v", examples[i], x)
		}
		for p, importance := range x.Arcs {
			if edge := of[int(first)+p] - slices.Min(of[first:last]); importance != x.Seen[edge] {
				t.Errorf("edge %d: arc %d has %g, its edge %g", examples[i], p, importance, x.Seen[edge])
			}
		}
	}
	for _, wrong := range []int{-1, len(asks.Edges)} {
		if _, err := m.Explain(context.Background(), d, []int{wrong}, model.ExplainOptions{}); err == nil {
			t.Errorf("edge %d of %d is explained", wrong, len(asks.Edges))
		}
	}
	for _, opt := range []model.ExplainOptions{{Method: model.Masks}, {Colours: 2}} {
		_, err := m.Explain(context.Background(), d, examples, opt)
		if err == nil || !strings.Contains(err.Error(), "subsets") {
			t.Errorf("%+v: %v", opt, err)
		}
	}
}

// A dump holds each tree from the root with the children that it names, in words and as JSON.
func TestTrainedModelsDump(t *testing.T) {
	d := synth(t, "rings-cliques", 40, 12)
	m := fit(t, d, few(treeg.Graphs, treeg.Boosting))
	all, err := m.Dump(-1, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(all.Trees) != 4*len(d.ClassNames) || all.Loss != "softmax" || math.Abs(sum(all.Gains)-1) > 1e-12 ||
		len(all.Gains) != len(all.Features) {
		t.Errorf("%d trees, loss %s, gains %g of %q", len(all.Trees), all.Loss, all.Gains, all.Features)
	}
	for k, tree := range all.Trees {
		if tree.Tree != k/len(d.ClassNames) || tree.Class != d.ClassNames[k%len(d.ClassNames)] {
			t.Errorf("tree %d is called %d of class %s", k, tree.Tree, tree.Class)
		}
		reached := 1
		for i, n := range tree.Nodes {
			if n.Node != i || (n.Split == nil) != (n.Value != nil) || (n.Split == nil) != (n.Test == "") {
				t.Errorf("tree %d: node %+v", k, n)
			}
			if n.Split == nil {
				continue
			}
			reached += 2
			if sum := tree.Nodes[n.No].Examples + tree.Nodes[n.Yes].Examples; sum != n.Examples {
				t.Errorf("children of %g examples below a node of %g", sum, n.Examples)
			}
			if s := n.Split.(*treeg.Split); n.PointsTo != s.Pointer || n.Subset != "S"+s.Sign() {
				t.Errorf("a split of %+v points to %d, %s", s, n.PointsTo, n.Subset)
			}
		}
		if reached != len(tree.Nodes) {
			t.Errorf("%d of %d nodes are reached", reached, len(tree.Nodes))
		}
	}
	one, err := m.Dump(2, nil)
	if err != nil || len(one.Trees) != len(d.ClassNames) || one.Trees[0].Tree != 2 {
		t.Errorf("round 2 alone: %d trees, %v", len(one.Trees), err)
	}
	raw, err := json.Marshal(all)
	if err != nil || bytes.Contains(raw, []byte(`"split":null`)) {
		t.Errorf("leaves have a split in the JSON, or %v", err)
	}
}

func TestTrainedModelsWriteTheirTrees(t *testing.T) {
	d := synth(t, "molecules", 40, 10)
	m := fit(t, d, few(treeg.Graphs, treeg.Boosting))
	write := func(m *treeg.Trained, round int, labels []string) string {
		var text bytes.Buffer
		if err := m.WriteText(&text, round, labels); err != nil {
			t.Fatal(err)
		}
		return text.String()
	}
	all, one := write(m, -1, nil), write(m, 3, nil)
	head := "boosting, loss logistic, 4 rounds of 1 tree"
	for _, want := range []string{head, "tree 0\n", "tree 3\n", "examples, gain"} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in %q", want, all)
		}
	}
	if !strings.HasPrefix(one, "tree 3\n") || !strings.Contains(all, one) {
		t.Errorf("tree 3 alone: %q", one)
	}
	var labels []string
	for k := range d.LabelCodes {
		labels = append(labels, strings.Repeat("X", k+1))
	}
	if named := write(m, -1, labels); !strings.Contains(named, " of X") {
		t.Errorf("no names of labels in %q", named)
	}
	edges := fit(t, byEdge(t, 12), few(treeg.Vertices, treeg.Boosting))
	if text := write(edges, -1, nil); !strings.Contains(text, "(both ends)") && !strings.Contains(text, "of the ends)") {
		t.Errorf("no ends of edges in %q", text)
	}
	for name, err := range map[string]error{
		"tree":        m.WriteText(&bytes.Buffer{}, 4, nil),
		"label-names": m.WriteText(&bytes.Buffer{}, -1, []string{"C"}),
	} {
		if wrong := new(param.Error); !errors.As(err, &wrong) || wrong.Name != name {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// Parts that do not fit each other are refused.
func TestDamagedParts(t *testing.T) {
	d := synth(t, "molecules", 30, 10)
	path := filepath.Join(t.TempDir(), "m.grove")
	if err := model.Save(path, fit(t, d, few(treeg.Graphs, treeg.Boosting))); err != nil {
		t.Fatal(err)
	}
	f, err := modelfile.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range [][2]string{
		{`"encoding":{`, `"encoding":null,"other":{`}, {`"labels":[`, `"labels":["1000",`},
		{`"task":"graph"`, `"task":"node"`}, {`"task":"graph"`, `"task":"edge"`}, {`"classes":["0","1"]`, `"classes":["0"]`},
		{`"classes":["0","1"]`, `"targets":["a"]`}, {`"features":"labels"`, `"features":"raw"`}, {`"trees":{`, `"wood":{`},
	} {
		damaged := strings.Replace(string(f.Model), change[0], change[1], 1)
		if damaged == string(f.Model) {
			t.Errorf("nothing to damage: %s", change[0])
			continue
		}
		if err := modelfile.Write(path, "treeg", json.RawMessage(damaged), f.Tensors); err != nil {
			t.Fatal(err)
		}
		if _, err := model.Load(path, nil); err == nil {
			t.Errorf("%s in place of %s is accepted", change[1], change[0])
		}
	}
}
