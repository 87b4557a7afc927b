package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The model with the best score is trained, as grove train trains it.
func TestTrainAuto(t *testing.T) {
	dir, data := t.TempDir(), molecules(t, "molecules")
	file, other := filepath.Join(dir, "auto.grove"), filepath.Join(dir, "other.grove")
	r := mustJSON(t, "train", "auto", "majority", "wl --iterations 1,2", "treeg --estimators 3", "--data", data,
		"--cv", "4", "-o", file, "--html", filepath.Join(dir, "auto.html"))
	if page := string(readFile(t, filepath.Join(dir, "auto.html"))); !strings.Contains(page, "the best of 3 models") {
		t.Error("the page does not say among how many models was chosen")
	}
	tried := r["tried"].([]any)
	if len(tried) != 3 {
		t.Fatalf("tried %v", tried)
	}
	best := tried[0].(map[string]any)
	for _, one := range tried {
		if m := one.(map[string]any); m["mean"].(float64) > best["mean"].(float64) {
			best = m
		}
	}
	line := map[string][]string{
		"majority": {"majority"}, "wl --iterations 1,2": {"wl", "--iterations", "1,2"},
		"treeg --estimators 3": {"treeg", "--estimators", "3"},
	}[best["model"].(string)]
	if r["model"] != line[0] || r["cross_validated"] != best["mean"] || best["model"] == "majority" {
		t.Errorf("trained %v with %v of %v", r["model"], r["cross_validated"], tried)
	}
	alone := mustJSON(t, append(append([]string{"train"}, line...), "--data", data, "--cv", "4", "-o", other)...)
	if alone["setting"] != r["setting"] || alone["training_accuracy"] != r["training_accuracy"] {
		t.Errorf("%v with %v, grove train has %v with %v", r["setting"], r["training_accuracy"], alone["setting"],
			alone["training_accuracy"])
	}
	says := func(file string) string {
		must(t, "predict", "--model", file, "--data", data, "-o", file+".csv")
		return string(readFile(t, file+".csv"))
	}
	if a, b := says(file), says(other); strings.Count(a, "\n") < 60 || a != b {
		t.Error("the model predicts otherwise than that of grove train")
	}
}

// With --vote the models that do as well as the best decide together, and the file holds all of them.
func TestTrainAutoVotes(t *testing.T) {
	dir, data := t.TempDir(), molecules(t, "molecules")
	file := filepath.Join(dir, "vote.grove")
	lines := []string{"wl --iterations 1 --c 1", "gckn-path --path-size 2 --filters 8 --c 1", "wl-oa --iterations 2 --c 1"}
	r := mustJSON(t, slices.Concat([]string{"train", "auto", "majority", "--data", data, "--vote", "-o", file, "--html",
		file + ".html"}, lines)...)
	holds(t, string(readFile(t, file+".html")), "vote trained on molecules", "within a standard error of the best")
	voters := strings.Split(r["setting"].(string), ", ")
	if r["model"] != "vote" || len(voters) < 2 || slices.Contains(voters, "majority") {
		t.Fatalf("trained %v with %q of %v", r["model"], voters, r["tried"])
	}
	classes := func(file string) (said []string) {
		must(t, "predict", "--model", file, "--data", data, "-o", file+".csv")
		for line := range strings.Lines(string(readFile(t, file+".csv"))) {
			said = append(said, strings.Split(line, ",")[1])
		}
		return said
	}
	var alone [][]string
	for i, line := range voters {
		one := filepath.Join(dir, fmt.Sprint(i, ".grove"))
		must(t, slices.Concat([]string{"train"}, strings.Fields(line), []string{"--data", data, "-o", one})...)
		alone = append(alone, classes(one))
	}
	for i, class := range classes(file) {
		votes := 0
		for _, said := range alone {
			if said[i] == class {
				votes++
			}
		}
		if 2*votes < len(alone) || 2*votes == len(alone) && alone[0][i] != class && len(alone) == 2 {
			t.Errorf("line %d: %s of %d votes among %d", i, class, votes, len(alone))
		}
	}
}

func TestTrainAutoRefuses(t *testing.T) {
	data, out := molecules(t, "molecules"), filepath.Join(t.TempDir(), "m.grove")
	for want, args := range map[string][]string{
		`unknown model "nothing"`:            {"nothing", "--data", data, "-o", out},
		"--out FILE is missing":              {"wl", "--data", data},
		`model "wl" is named twice`:          {"wl", "wl", "--data", data, "-o", out},
		"--all stands for the names":         {"wl", "--all", "--data", data, "-o", out},
		"--metric rmse":                      {"wl", "--data", data, "-o", out, "--metric", "rmse"},
		`model "cgmm --depth x": `:           {"cgmm --depth x", "--data", data, "-o", out},
		"--vote: a vote decides for a class": {"wl", "--data", data, "-o", out, "--metric", "roc-auc", "--vote"},
		"it needs probabilities, which":      {"wl", "--data", data, "-o", out, "--metric", "log-loss"},
	} {
		fails(t, exitUsage, []string{want}, append([]string{"train", "auto"}, args...)...)
	}
}
