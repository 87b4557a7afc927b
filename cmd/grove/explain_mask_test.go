package main

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestExplainByMasks(t *testing.T) {
	data := molecules(t, "molecules")
	for name, model := range map[string]string{
		"unsupervised": trained(t, data),
		"supervised":   trainedEndToEnd(t, data),
	} {
		out := filepath.Join(t.TempDir(), "masks.svg")
		text := must(t, "explain", "--model", model, "--data", data, "--index", "1-5,7", "--method", "masks", "--edges", "3",
			"--bonds", "aromatic,single,double", "-o", out)
		if drawing := wellFormed(t, out); strings.Count(drawing, `class="graph"`) != 6 ||
			!strings.Contains(drawing, "share of the paths") {
			t.Errorf("%s: the drawing does not show six graphs and what their edges say", name)
		}
		if strings.Count(text, "\n") != 7 || !strings.Contains(text, "loss") {
			t.Errorf("%s: a line for each of six graphs and one for the file: %q", name, text)
		}
		all := mustJSON(t, "explain", "--model", model, "--data", data, "--index", "all", "--class", "1", "--limit", "4",
			"--method", "masks", "--edges", "3", "--groups")
		graphs := all["graphs"].([]any)
		if len(graphs) == 0 || len(graphs) > 4 {
			t.Fatalf("%s: %d graphs, want at most 4", name, len(graphs))
		}
		for _, g := range graphs {
			g := g.(map[string]any)
			masks := g["masks"].(map[string]any)
			if g["predicted"] != "1" || g["class"] != "1" || masks["converged"] != true {
				t.Errorf("%s: graph %v is predicted %v and has class %v, converged %v",
					name, g["graph"], g["predicted"], g["class"], masks["converged"])
			}
			last := 1.0
			for _, e := range masks["edges"].([]any) {
				score := e.(map[string]any)["score"].(float64)
				if score > last || score < 0 {
					t.Errorf("%s: score %g after %g", name, score, last)
				}
				last = score
			}
			if motif := masks["motif"].([]any); len(motif) > 3 {
				t.Errorf("%s: a motif of %d edges out of 3", name, len(motif))
			}
		}
		groups := all["groups"].(map[string]any)
		if has := groups["has"].(map[string]any)["nitro"].(float64); int(has) != len(graphs) {
			t.Errorf("%s: %g of %d graphs have a nitro group, all of class 1 do", name, has, len(graphs))
		}
	}
}

// trainedEndToEnd returns a model file.
func trainedEndToEnd(t *testing.T, data string) string {
	t.Helper()
	model := filepath.Join(t.TempDir(), "sup.grove")
	must(t, "train", "gckn-path-sup", "--data", data, "--epochs", "5", "--filters", "8", "--validation", "0", "-o", model)
	return model
}

func TestExplainByMasksRefuses(t *testing.T) {
	data := molecules(t, "molecules")
	model := trained(t, data)
	out := filepath.Join(t.TempDir(), "x.svg")
	explain := func(more ...string) []string {
		return append([]string{"explain", "--model", model, "--data", data, "--index", "0-3", "-o", out}, more...)
	}
	fails(t, exitUsage, []string{"--lambda", "--method masks"}, explain("--lambda", "0.1")...)
	fails(t, exitUsage, []string{"--groups", "--method masks"}, explain("--groups")...)
	fails(t, exitUsage, []string{"--lambda", "positive"}, explain("--method", "masks", "--lambda", "-1")...)
	fails(t, exitUsage, []string{"--edges"}, explain("--method", "masks", "--edges", "-2")...)
	fails(t, exitUsage, []string{"--method", "masks"}, explain("--method", "mask")...)
	fails(t, exitUsage, []string{"--class 9", `"0", "1"`}, explain("--class", "9")...)
	gmp := trained(t, data, "--pooling", "gmp", "--c", "1")
	fails(t, exitFailure, []string{"generalised max"}, "explain", "--model", gmp, "--data", data, "--index", "0",
		"--method", "masks", "-o", out)
}
