package main

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestExplainDrawsStates(t *testing.T) {
	data, dir := molecules(t, "molecules"), t.TempDir()
	model, drawing, classes := filepath.Join(dir, "m.grove"), filepath.Join(dir, "states.svg"),
		filepath.Join(dir, "classes.svg")
	must(t, shallow("train", "cgmm", "--data", data, "-o", model, "--c", "1")...)
	r := mustJSON(t, "explain", "--model", model, "--data", data, "--index", "0,3", "-o", drawing, "--class-map", classes)
	graphs, profiles := r["graphs"].([]any), r["classes"].([]any)
	if len(graphs) != 2 || len(profiles) != 2 {
		t.Fatalf("%d graphs and %d classes", len(graphs), len(profiles))
	}
	for _, g := range graphs {
		states := g.(map[string]any)["states"].([]any)
		if labels := g.(map[string]any)["labels"].([]any); len(states) != 3 || len(states[2].([]any)) != len(labels) {
			t.Errorf("states of %d layers for %d vertices", len(states), len(labels))
		}
	}
	for _, p := range profiles {
		for l, layer := range p.(map[string]any)["layers"].([]any) {
			sum := 0.0
			for _, frequency := range layer.([]any) {
				sum += frequency.(float64)
			}
			if sum < 1-1e-9 || sum > 1+1e-9 {
				t.Errorf("layer %d: the frequencies of a class add up to %g", l+1, sum)
			}
		}
	}
	for path, words := range map[string][]string{drawing: {"graph 3, layer 2", "state"},
		classes: {"layer 3", "mean frequency"}} {
		for _, word := range words {
			if !strings.Contains(string(readFile(t, path)), word) {
				t.Errorf("%s does not say %q", path, word)
			}
		}
	}
	fails(t, exitUsage, []string{"--class-map"}, "explain", "--model", model, "--data", data, "--index", "0",
		"-o", drawing, "--class-map", "x.txt")
	fails(t, exitUsage, []string{"more than 400 drawings"}, "explain", "--model", model, "--data", data,
		"--index", "0-59,0-59,0-59", "-o", drawing)
}
