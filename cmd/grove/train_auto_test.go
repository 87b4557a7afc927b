package main

import (
	"path/filepath"
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

func TestTrainAutoRefuses(t *testing.T) {
	data, out := molecules(t, "molecules"), filepath.Join(t.TempDir(), "m.grove")
	for want, args := range map[string][]string{
		`unknown model "nothing"`:       {"nothing", "--data", data, "-o", out},
		"--out FILE is missing":         {"wl", "--data", data},
		`model "wl" is named twice`:     {"wl", "wl", "--data", data, "-o", out},
		"--all stands for the names":    {"wl", "--all", "--data", data, "-o", out},
		"--metric rmse":                 {"wl", "--data", data, "-o", out, "--metric", "rmse"},
		`model "cgmm --depth x": `:      {"cgmm --depth x", "--data", data, "-o", out},
		"it needs probabilities, which": {"wl", "--data", data, "-o", out, "--metric", "log-loss"},
	} {
		fails(t, exitUsage, []string{want}, append([]string{"train", "auto"}, args...)...)
	}
}
