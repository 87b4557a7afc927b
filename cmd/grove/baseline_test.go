package main

import (
	"math"
	"path/filepath"
	"strings"
	"testing"
)

// A linear machine explains its decision by vertices; trees on static features write themselves down with the names of
// the features.
func TestBaselinesExplainThemselves(t *testing.T) {
	data, dir := molecules(t, "molecules"), t.TempDir()
	linear, static := filepath.Join(dir, "linear.grove"), filepath.Join(dir, "static.grove")
	must(t, "train", "linear", "--data", data, "--c", "0.1", "--scale", "each", "-o", linear)
	said := mustJSON(t, "predict", "--model", linear, "--data", data)["predictions"].([]any)
	for i, g := range mustJSON(t, "explain", "--model", linear, "--data", data, "--index", "0-9")["graphs"].([]any) {
		sum := 0.0
		for _, c := range g.(map[string]any)["contributions"].([]any) {
			sum += c.(float64)
		}
		if want := said[i].(map[string]any)["decisions"].([]any)[0].(float64); math.Abs(sum-want) > 1e-9*(1+math.Abs(want)) {
			t.Errorf("graph %d: contributions add up to %g, the decision is %g", i, sum, want)
		}
	}
	must(t, "train", "static", "--data", data, "--estimators", "5", "-o", static)
	text := must(t, "dump", "--model", static)
	for _, want := range []string{"boosting, loss logistic, 5 rounds of 1 tree", "tree 4\n", " > ", "examples, gain"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %q", want, text)
		}
	}
	total := 0.0
	for _, share := range mustJSON(t, "dump", "--model", static, "--format", "json")["feature_importance"].([]any) {
		total += share.(float64)
	}
	if math.Abs(total-1) > 1e-9 {
		t.Errorf("importances of sum %g", total)
	}
	out := filepath.Join(dir, "tree.svg")
	must(t, "dump", "--model", static, "--tree", "1", "-o", out)
	wellFormed(t, out)
	fails(t, exitFailure, []string{"nothing to say of static"}, "explain", "--model", static, "--data", data,
		"--index", "0", "-o", filepath.Join(dir, "x.svg"))
}

// Baselines choose on the validation part of a published split, and by folds of vertices; what they are asked to count
// and the data do not have is refused.
func TestBaselinesOfVertices(t *testing.T) {
	blocks := filepath.Join(t.TempDir(), "blocks")
	must(t, "data", "synth", "block-model", "--vertices", "60", "--out", blocks)
	for _, model := range []string{"majority", "linear", "static"} {
		r := mustJSON(t, "eval", model, "--data", blocks, "--cv", "3", "--inner", "2")
		if folds := r["folds"].([]any); len(folds) != 3 {
			t.Errorf("%s: %d folds", model, len(folds))
		}
	}
	fails(t, exitUsage, []string{"--statistics", "counted of graphs"}, "eval", "linear", "--data", blocks,
		"--statistics", "degrees")
	fails(t, exitUsage, []string{"--statistics", "stands alone"}, "eval", "linear", "--data", blocks,
		"--statistics", "all,labels")
}
