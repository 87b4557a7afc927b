package main

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/grove-graph/grove/report"
)

// trees trains a small ensemble.
func trees(t *testing.T, data string, more ...string) string {
	t.Helper()
	model := filepath.Join(t.TempDir(), "trees.grove")
	must(t, append(few("train", "treeg", "--data", data, "-o", model), more...)...)
	return model
}

// sumOf adds the importances of a list up and fails where one is larger than that before it.
func sumOf(t *testing.T, list any) (sum float64) {
	t.Helper()
	before := math.Inf(1)
	for _, x := range list.([]any) {
		importance := x.(map[string]any)["importance"].(float64)
		if importance > before {
			t.Errorf("importance %g after %g", importance, before)
		}
		before = importance
		sum += importance
	}
	return sum
}

func TestExplainTreesOfGraphs(t *testing.T) {
	data := molecules(t, "molecules")
	out := filepath.Join(t.TempDir(), "trees.svg")
	model := trees(t, data)
	r := mustJSON(t, "explain", "--model", model, "--data", data, "--index", "2,5-9", "-o", out)
	examples := r["examples"].([]any)
	if len(examples) != 6 || examples[0].(map[string]any)["graph"] != 2.0 || r["task"] != "graph" {
		t.Fatalf("%d examples of task %v", len(examples), r["task"])
	}
	for _, one := range examples {
		x := one.(map[string]any)
		for _, kind := range []string{"vertices", "edges"} {
			if sum := sumOf(t, x[kind]); math.Abs(sum-1) > 1e-9 {
				t.Errorf("graph %v: the %s have an importance of %g in all", x["graph"], kind, sum)
			}
		}
	}
	total := 0.0
	for _, one := range r["averages"].([]any) {
		c := one.(map[string]any)
		total += c["n_examples"].(float64)
		if sum := sumOf(t, c["vertices"]); c["by"] != "label" || math.Abs(sum-1) > 1e-9 {
			t.Errorf("class %v: the kinds by %v have %g in all", c["class"], c["by"], sum)
		}
		if sum := sumOf(t, c["edges"]); math.Abs(sum-1) > 1e-9 {
			t.Errorf("class %v: the kinds of edges have %g in all", c["class"], sum)
		}
	}
	for _, want := range []string{"size of a vertex: importance, colour: element", report.EdgeMeasure} {
		if !strings.Contains(wellFormed(t, out), want) {
			t.Errorf("no %q in the legend", want)
		}
	}
	if drawing := wellFormed(t, out); total != 6 || strings.Count(drawing, `class="graph"`) != 6 {
		t.Errorf("averages over %g examples, and a drawing of others", total)
	}
	text := must(t, "explain", "--model", model, "--data", data, "--index", "all", "--class", "1", "--limit", "3",
		"-o", out)
	if !strings.Contains(text, "most important") || !strings.Contains(text, "mean of 3 examples predicted 1") {
		t.Errorf("it says %q", text)
	}
}

func TestExplainTreesOfVertices(t *testing.T) {
	dir := t.TempDir()
	data, out := filepath.Join(dir, "blocks"), filepath.Join(dir, "x.svg")
	must(t, "data", "synth", "block-model", "--vertices", "150", "--out", data)
	r := mustJSON(t, "explain", "--model", trees(t, data), "--data", data, "--index", "7,149", "-o", out)
	for i, one := range r["examples"].([]any) {
		x := one.(map[string]any)
		listed := len(x["vertices"].([]any))
		if want := []float64{7, 149}[i]; x["vertex"] != want || listed != mostListed {
			t.Errorf("vertex %v explained by %d vertices", x["vertex"], listed)
		}
		if sum := sumOf(t, x["vertices"]); sum > 1+1e-9 || sum < 0.5 {
			t.Errorf("the most important of 150 vertices hold %g", sum)
		}
	}
	if c := r["averages"].([]any)[0].(map[string]any); c["by"] != "distance" {
		t.Errorf("averages by %v", c["by"])
	}
	if strings.Count(wellFormed(t, out), `class="graph"`) != 2 {
		t.Error("there are not two drawings")
	}
}

func TestExplainTreesOfEdges(t *testing.T) {
	data, out := molecules(t, "molecules"), filepath.Join(t.TempDir(), "x.svg")
	model := trees(t, data, "--task", "edge")
	said := mustJSON(t, "predict", "--model", model, "--data", data)["predictions"].([]any)
	last := len(said) - 1
	r := mustJSON(t, "explain", "--model", model, "--data", data, "--index", fmt.Sprintf("0,7,%d", last), "-o", out)
	for i, one := range r["examples"].([]any) {
		x := one.(map[string]any)
		want := said[[]int{0, 7, last}[i]].(map[string]any)
		for _, key := range []string{"edge", "graph", "from", "to", "predicted", "class"} {
			if x[key] != want[key] {
				t.Errorf("example %d: %s %v, predicted is that of %v", i, key, x[key], want[key])
			}
		}
		if sum := sumOf(t, x["edges"]); x["vertices"] != nil || math.Abs(sum-1) > 1e-9 {
			t.Errorf("edge %v: edges have an importance of %g in all, vertices %v", x["edge"], sum, x["vertices"])
		}
	}
	for _, one := range r["averages"].([]any) {
		c := one.(map[string]any)
		if sum := sumOf(t, c["edges"]); c["by"] != "distance" || c["vertices"] != nil || math.Abs(sum-1) > 1e-9 {
			t.Errorf("class %v: edges by %v have %g in all", c["class"], c["by"], sum)
		}
	}
	if strings.Count(wellFormed(t, out), `class="graph"`) != 3 {
		t.Error("there are not three drawings")
	}
	fails(t, exitUsage, []string{"--index", "edges"}, "explain", "--model", model, "--data", data,
		"--json", "--index", fmt.Sprint(last+1))
}

func TestExplainTreesOfARegression(t *testing.T) {
	data := molecules(t, "molecules")
	targets := ""
	for g := range 60 {
		targets += fmt.Sprintln(g % 7)
	}
	write(t, filepath.Join(data, "molecules_graph_attributes.txt"), targets)
	model := trees(t, data, "--task", "graph-regression")
	r := mustJSON(t, "explain", "--model", model, "--data", data, "--index", "0,1")
	if x := r["examples"].([]any)[0].(map[string]any); x["value"] == nil || x["predicted"] != nil {
		t.Errorf("value %v, class %v", x["value"], x["predicted"])
	}
}

func TestExplainTreesRefuses(t *testing.T) {
	data := molecules(t, "molecules")
	model, out := trees(t, data), filepath.Join(t.TempDir(), "x.svg")
	explain := func(more ...string) []string {
		return append([]string{"explain", "--model", model, "--data", data, "-o", out}, more...)
	}
	fails(t, exitUsage, []string{"--method masks"}, explain("--index", "0", "--method", "masks")...)
	fails(t, exitUsage, []string{"--index 60", "60 graphs"}, explain("--index", "60")...)
	fails(t, exitUsage, []string{"--class 7"}, explain("--index", "all", "--class", "7")...)
	blocks := filepath.Join(t.TempDir(), "blocks")
	must(t, "data", "synth", "block-model", "--vertices", "40", "--out", blocks)
	fails(t, exitFailure, []string{"vertex"}, "explain", "--model", model, "--data", blocks, "--index", "0", "-o", out)
	fails(t, exitFailure, []string{"each vertex", "each graph"}, "explain", "--model", trees(t, blocks), "--data", data,
		"--index", "0", "-o", out)
}
