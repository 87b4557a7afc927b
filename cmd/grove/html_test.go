package main

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// holds wants a page to hold some texts, and none that a mistake would leave.
func holds(t *testing.T, page string, wanted ...string) {
	t.Helper()
	for _, want := range wanted {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not hold %q", want)
		}
	}
	for _, no := range []string{"NOVERB", "%!", "ZgotmplZ", "http", "NaN"} {
		if strings.Contains(page, no) {
			t.Errorf("the page holds %q", no)
		}
	}
	for _, m := range regexp.MustCompile(`<a href="#([^"]*)"`).FindAllStringSubmatch(page, -1) {
		if n := strings.Count(page, `id="`+m[1]+`"`); n != 1 {
			t.Errorf("a link leads to %s, which is there %d times", m[1], n)
		}
	}
}

// The page of an evaluation has the figures of --json, and graphs of the wrong classes with what the models of their
// folds look at.
func TestEvalPage(t *testing.T) {
	data, file := molecules(t, "molecules"), filepath.Join(t.TempDir(), "page.html")
	r := mustJSON(t, "eval", "wl", "--data", data, "--cv", "4", "--inner", "3", "--calibrate", "isotonic", "--html", file)
	text := string(readFile(t, file))
	holds(t, text, "wl on molecules: accuracy", "Scores by C", "Receiver operating", "Do probabilities hold",
		"4, stratified", "3, stratified", "isotonic, on what", "made by", "<dt>command</dt>", "nested: settings chosen",
		"Colours show what each vertex adds", "contribution to the decision", `aria-label="graph `)
	for _, s := range r["scores"].([]any) {
		one := s.(map[string]any)
		format := "%.4g</td>"
		if m := one["metric"]; m != "log-loss" && m != "brier" {
			format = "%.1f %%</td>"
		}
		holds(t, text, ">"+one["metric"].(string)+"</th>", fmt.Sprintf(format, one["mean"]))
	}
	if r["page"] != file {
		t.Errorf("the result names the page %v", r["page"])
	}
}

// A model of vertices has counts alone, and one that explains nothing plain drawings.
func TestEvalPageOfOtherTasks(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "page.html")
	must(t, "data", "synth", "block-model", "--out", filepath.Join(dir, "vertices"), "--vertices", "60")
	must(t, "eval", "majority", "--data", filepath.Join(dir, "vertices"), "--cv", "3", "--html", file)
	if text := string(readFile(t, file)); strings.Contains(text, `<a href="#`) {
		t.Error("a count of vertices leads to graphs")
	} else {
		holds(t, text, "60 vertices to predict", "Which classes were taken for which")
	}
	must(t, "eval", "majority", "--data", molecules(t, "molecules"), "--cv", "3", "--html", file)
	text := string(readFile(t, file))
	holds(t, text, "Which classes were taken for which", "taken for")
	if strings.Contains(text, "contribution") {
		t.Error("a model without explanations has one")
	}
}

// Of numbers the page draws the graphs with the largest errors, with what was important to the model.
func TestEvalPageOfNumbers(t *testing.T) {
	data, file := molecules(t, "molecules"), filepath.Join(t.TempDir(), "page.html")
	var targets strings.Builder
	for g := range 60 {
		fmt.Fprintf(&targets, "%g\n", float64(g*g%17)/3)
	}
	write(t, filepath.Join(data, "molecules_graph_attributes.txt"), targets.String())
	must(t, "eval", "treeg", "--data", data, "--task", "graph-regression", "--cv", "3", "--inner", "2", "--estimators",
		"2,4", "--html", file)
	text := string(readFile(t, file))
	holds(t, text, "treeg on molecules: rmse", "The largest errors", "predicted ", "Sizes show how important", "r2",
		"Scores by estimators")
	if n := strings.Count(text, `aria-label="graph `); n < 6 {
		t.Errorf("%d graphs are drawn, want 6", n)
	}
	must(t, "compare", "treeg --estimators 3", "majority", "--data", data, "--task", "graph-regression", "--cv", "3",
		"--html", file)
	holds(t, string(readFile(t, file)), "Models on molecules", "<summary>The largest errors")
	must(t, "train", "treeg", "--estimators", "3", "--data", data, "--task", "graph-regression", "-o",
		filepath.Join(t.TempDir(), "m.grove"), "--html", file)
	holds(t, string(readFile(t, file)), "treeg trained on molecules", "on the examples it was trained on")
}

// The page of a training has the scores that were chosen by, the learning curve of a network, and what the model costs.
func TestTrainPage(t *testing.T) {
	data, dir := molecules(t, "molecules"), t.TempDir()
	page, out := filepath.Join(dir, "page.html"), filepath.Join(dir, "model.grove")
	r := mustJSON(t, "train", "gin", "--data", data, "-o", out, "--html", page, "--epochs", "5", "--width", "8")
	holds(t, string(readFile(t, page)), "gin trained on molecules", "Learning curves", "Learning curve", "loss by epoch",
		"accuracy by epoch", fmt.Sprintf("%.1f %% on the examples", r["training_accuracy"]), "numbers, ")
	must(t, small("train", "gckn-path", "--data", data, "-o", out, "--html", page, "--c", "1")...)
	text := string(readFile(t, page))
	holds(t, text, "gckn-path trained on molecules", "Settings")
	if strings.Contains(text, "Learning curve") || strings.Contains(text, "Scores by") {
		t.Error("there was nothing to choose and no epoch, but a curve")
	}
	must(t, small("train", "gckn-path", "--data", data, "-o", out, "--html", page, "--c-grid", "0.1,1", "--sigma",
		"0.4,0.6")...)
	holds(t, string(readFile(t, page)), "Scores by C", "cross-validated", "Settings, each at its best value")
	fails(t, exitUsage, []string{"--html", "no folder"}, "train", "wl", "--data", data, "-o", out, "--html",
		filepath.Join(dir, "none", "page.html"))
	fails(t, exitUsage, []string{"--html", "same file"}, "train", "wl", "--data", data, "-o", out, "--html", out)
}
