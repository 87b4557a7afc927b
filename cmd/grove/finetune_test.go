package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// unlabelled is a folder of generated molecules without the classes of the graphs.
func unlabelled(t *testing.T) string {
	t.Helper()
	data := molecules(t, "molecules")
	if err := os.Remove(filepath.Join(data, "molecules_graph_labels.txt")); err != nil {
		t.Fatal(err)
	}
	return data
}

// Anchors are learned from graphs without classes, represent graphs, and are what a training starts from.
func TestAnchorsAloneStartATraining(t *testing.T) {
	data, classes, dir := unlabelled(t), molecules(t, "molecules"), t.TempDir()
	anchors, tuned, x := filepath.Join(dir, "a.grove"), filepath.Join(dir, "t.grove"), filepath.Join(dir, "X.npy")
	fails(t, exitFailure, []string{"no classes"}, small("train", "gckn-path", "--data", data, "-o", anchors)...)
	text := must(t, small("train", "gckn-path", "--data", data, "--no-classifier", "-o", anchors)...)
	if strings.Contains(text, "accuracy") || !strings.Contains(text, "60 graphs") {
		t.Errorf("a report of anchors alone: %s", text)
	}
	if rows := mustJSON(t, "embed", "--model", anchors, "--data", data, "-o", x)["rows"]; rows != 60.0 {
		t.Errorf("%v rows", rows)
	}
	fails(t, exitFailure, []string{"predict nothing"}, "predict", "--model", anchors, "--data", classes)
	fails(t, exitFailure, nil, "explain", "--model", anchors, "--data", classes, "--index", "0", "-o",
		filepath.Join(dir, "e.svg"))

	args := []string{"train", "gckn-path-sup", "--data", classes, "--epochs", "3", "--from", anchors, "--freeze", "1",
		"-o", tuned}
	if text := must(t, args...); !strings.Contains(text, "from gckn-path of molecules (") {
		t.Errorf("a summary that does not say what it was made from: %s", text)
	}
	params := mustJSON(t, args...)["params"].(map[string]any)
	from := params["from"].(map[string]any)
	if from["model"] != "gckn-path" || len(from["digest"].(string)) != 64 || params["freeze"] != 1.0 {
		t.Errorf("params %v", params)
	}
	eval := []string{"eval", "gckn-path-sup", "--data", classes, "--cv", "2", "--decay", "0.01"}
	eval = append(eval, args[4:len(args)-2]...)
	if accuracy := mustJSON(t, eval...)["mean"].(float64); accuracy < 50 {
		t.Errorf("accuracy %g", accuracy)
	}
}

// What does not fit the model is refused by the name of the option.
func TestFineTuningRefuses(t *testing.T) {
	data, dir := molecules(t, "molecules"), t.TempDir()
	anchors, out := filepath.Join(dir, "a.grove"), filepath.Join(dir, "t.grove")
	must(t, small("train", "gckn-path", "--data", data, "--no-classifier", "-o", anchors)...)
	other := filepath.Join(dir, "wl.grove")
	must(t, "train", "wl", "--data", data, "--c", "1", "-o", other)
	for _, c := range []struct {
		status int
		words  []string
		args   []string
	}{
		{exitUsage, []string{"--filters 99", "has"}, []string{"--filters", "99"}},
		{exitUsage, []string{"--sigma 0.9", "has"}, []string{"--sigma", "0.9"}},
		{exitUsage, []string{"--lengths last", "has all"}, []string{"--lengths", "last"}},
		{exitUsage, []string{"--features degrees", "labels"}, []string{"--features", "degrees"}},
		{exitUsage, []string{"--layers", "has"}, []string{"--layers", "3:8:0.5"}},
		{exitUsage, []string{"2 layers to freeze", "has 1"}, []string{"--freeze", "2"}},
		{exitUsage, []string{"--from", "no linear classifier"}, []string{"--keep-classifier"}},
		{exitUsage, []string{"--from", "none.grove"}, []string{"--from", filepath.Join(dir, "none.grove")}},
		{exitUsage, []string{"--from", "no anchors"}, []string{"--from", other}},
	} {
		args := []string{"train", "gckn-path-sup", "--data", data, "--epochs", "1", "--from", anchors, "-o", out}
		fails(t, c.status, c.words, append(args, c.args...)...)
	}
	for _, c := range []struct {
		words []string
		args  []string
	}{
		{[]string{"gckn-path-sup", "gckn-subtree-sup"}, []string{"gckn-subtree-sup", "--from", anchors}},
		{[]string{"--keep-classifier"}, []string{"gckn-path-sup", "--keep-classifier"}},
		{[]string{"--c"}, []string{"gckn-path", "--no-classifier", "--c", "1"}},
		{[]string{"--pooling", "one value"}, []string{"gckn-path", "--no-classifier", "--pooling", "sum,mean"}},
	} {
		fails(t, exitUsage, c.words, append([]string{"train", c.args[0], "--data", data, "-o", out}, c.args[1:]...)...)
	}
}
