package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/eval"
	"github.com/grove-graph/grove/model"
)

func TestTreeGPredictsEdges(t *testing.T) {
	data := molecules(t, "molecules")
	model, out := filepath.Join(t.TempDir(), "edges.grove"), filepath.Join(t.TempDir(), "edges.csv")
	r := mustJSON(t, few("train", "treeg", "--data", data, "--task", "edge", "-o", model)...)
	said := mustJSON(t, "predict", "--model", model, "--data", data)
	if said["task"] != "edge" || said["accuracy"] != r["training_accuracy"] || said["accuracy"].(float64) < 50 {
		t.Errorf("task %v, accuracy %v, in training %v", said["task"], said["accuracy"], r["training_accuracy"])
	}
	first := said["predictions"].([]any)[0].(map[string]any)
	if first["edge"] != 0.0 || first["graph"] != 0.0 || first["from"] != 0.0 || first["class"] == nil {
		t.Errorf("the first prediction is %v", first)
	}
	must(t, "predict", "--model", model, "--data", data, "-o", out)
	if text := string(readFile(t, out)); !strings.HasPrefix(text, "edge,graph,from,to,predicted,class,probability ") {
		t.Errorf("the table begins with %.60q", text)
	}

	// The labels of edges are not to be seen: without them the predictions are the same.
	if err := os.Remove(filepath.Join(data, "molecules_edge_labels.txt")); err != nil {
		t.Fatal(err)
	}
	bare := mustJSON(t, "predict", "--model", model, "--data", data)
	for i, p := range bare["predictions"].([]any) {
		was := said["predictions"].([]any)[i].(map[string]any)
		if now := p.(map[string]any); now["predicted"] != was["predicted"] || now["class"] != nil {
			t.Fatalf("edge %d: %v without labels, %v with them", i, now, was)
		}
	}
	if text := must(t, "dump", "--model", model, "--tree", "0"); !strings.Contains(text, "(both ends)") {
		t.Errorf("no names of ends in %q", text)
	}
	fails(t, exitUsage, []string{"--task edge", "no labels"}, "eval", "treeg", "--data", data, "--task", "edge")
	fails(t, exitUsage, []string{"--task edge", "unlike majority, linear, static, treeg"},
		"eval", "wl", "--data", data, "--task", "edge")
}

// Edges of many graphs are tested on graphs that training has not seen, those of one graph on other edges of it.
func TestFoldsOfEdges(t *testing.T) {
	data := molecules(t, "molecules")
	r := mustJSON(t, few("eval", "treeg", "--data", data, "--task", "edge", "--cv", "3", "--walk-length", "0,1")...)
	if r["folds_from"] != "3, of whole graphs drawn at random" || r["inner_folds"] != "5, of whole graphs" {
		t.Errorf("folds %v, inner folds %v", r["folds_from"], r["inner_folds"])
	}
	one := tuGraph{class: "0"}
	labels := ""
	for v := range 40 {
		one.labels = append(one.labels, itoa(v%2))
		if v > 0 {
			one.edges = append(one.edges, [2]int{v - 1, v})
			labels += itoa(v/20) + "\n"
		}
	}
	large := writeTU(t, "large", []tuGraph{one})
	write(t, filepath.Join(large, "large_edge_labels.txt"), labels)
	r = mustJSON(t, few("eval", "treeg", "--data", large, "--task", "edge", "--cv", "3")...)
	if r["folds_from"] != "3, stratified" {
		t.Errorf("folds %v", r["folds_from"])
	}
}

func TestNoGraphHasEdgesInBothParts(t *testing.T) {
	d, err := dataset.Synth("molecules", dataset.SynthOptions{Graphs: 23, Seed: 2})
	if err != nil {
		t.Fatal(err)
	}
	if d, err = d.ByEdge(); err != nil {
		t.Fatal(err)
	}
	x := model.TargetsOf(d)
	folds, err := eval.Folds(x, 4, 2, 1)
	if err != nil || len(folds) != 8 {
		t.Fatalf("%d folds: %v", len(folds), err)
	}
	inner, err := eval.InnerOfGraphs(x, folds, 3, true, 1)
	if err != nil || len(inner) != 8 || len(inner[0]) != 1 {
		t.Fatalf("%d inner folds: %v", len(inner), err)
	}
	tested := make([]int, len(x.Classes))
	for f, fold := range folds {
		apart(t, x, fold.Train, fold.Test)
		apart(t, x, inner[f][0].Train, inner[f][0].Test)
		apart(t, x, inner[f][0].Test, fold.Test)
		for _, e := range fold.Test {
			tested[e]++
		}
	}
	if i := slices.IndexFunc(tested, func(n int) bool { return n != 2 }); i >= 0 {
		t.Errorf("edge %d is tested %d times by 2 cross-validations", i, tested[i])
	}
}

// apart fails where a graph has edges in both lists.
func apart(t *testing.T, x *model.Targets, a, b []int) {
	t.Helper()
	in := map[int]bool{}
	for _, e := range a {
		in[x.Graphs[e]] = true
	}
	for _, e := range b {
		if in[x.Graphs[e]] {
			t.Fatalf("graph %d is in both parts", x.Graphs[e])
		}
	}
	if len(a) == 0 || len(b) == 0 {
		t.Errorf("parts of %d and %d edges", len(a), len(b))
	}
}
