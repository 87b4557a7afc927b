package main

import (
	"math"
	"path/filepath"
	"strings"
	"testing"
)

// What the vertices of a graph add to the decision of a kernel machine sums to the decision that grove
// predict gives.
func TestExplainKernels(t *testing.T) {
	data := molecules(t, "molecules")
	for _, name := range []string{"wl", "wl-oa", "dwl-oa"} {
		model, out := filepath.Join(t.TempDir(), "m.grove"), filepath.Join(t.TempDir(), "x.svg")
		must(t, "train", name, "--data", data, "-o", model, "--iterations", "2", "--c", "1")
		said := mustJSON(t, "predict", "--model", model, "--data", data)["predictions"].([]any)
		args := []string{"explain", "--model", model, "--data", data, "--index", "0-5", "-o", out}
		if name == "dwl-oa" {
			args = append(args, "--colours", "2")
		}
		r := mustJSON(t, args...)
		for g, x := range r["graphs"].([]any) {
			sum := 0.0
			for _, c := range x.(map[string]any)["contributions"].([]any) {
				sum += c.(float64)
			}
			want := said[g].(map[string]any)["decisions"].([]any)[0].(float64)
			if math.Abs(sum-want) > 1e-9 {
				t.Errorf("%s: the contributions of graph %d add up to %g, its decision is %g", name, g, sum, want)
			}
			colours, _ := x.(map[string]any)["colours"].([]any)
			if (name == "dwl-oa") != (len(colours) > 0) || len(colours) > 2 {
				t.Errorf("%s: graph %d shows %d colours", name, g, len(colours))
			}
			for _, c := range colours {
				c := c.(map[string]any)
				if len(c["roots"].([]any)) == 0 || len(c["ball"].([]any)) == 0 || c["weight"].(float64) <= 0 {
					t.Errorf("graph %d: colour %v", g, c)
				}
			}
		}
		if !strings.Contains(string(readFile(t, out)), "<svg") {
			t.Errorf("%s: no drawing", name)
		}
		if weights := r["weights"]; (weights != nil) != (name == "dwl-oa") {
			t.Errorf("%s: weights %v", name, weights)
		}
	}
}

func TestExplainKernelsRefuses(t *testing.T) {
	data, model := molecules(t, "molecules"), filepath.Join(t.TempDir(), "m.grove")
	out := filepath.Join(t.TempDir(), "x.svg")
	must(t, "train", "wl", "--data", data, "-o", model, "--iterations", "1", "--c", "1")
	fails(t, exitUsage, []string{"--colours", "wl"}, "explain", "--model", model, "--data", data, "--index", "0",
		"-o", out, "--colours", "2")
	fails(t, exitUsage, []string{"--method masks", "wl"}, "explain", "--model", model, "--data", data, "--index", "0",
		"-o", out, "--method", "masks")
	must(t, "train", "mpgk-rr", "--data", data, "-o", model, "--iterations", "1", "--c", "1")
	fails(t, exitFailure, []string{"nothing to say of mpgk-rr"}, "explain", "--model", model, "--data", data,
		"--index", "0", "-o", out)
}
