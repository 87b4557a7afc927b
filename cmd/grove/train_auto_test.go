package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/vote"
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

// By a metric of scores the mean of the probabilities counts that sigmoids make of what the models say.
func TestTrainAutoAverages(t *testing.T) {
	dir, data := t.TempDir(), molecules(t, "molecules")
	file := filepath.Join(dir, "mean.grove")
	r := mustJSON(t, "train", "auto", "wl --iterations 1 --c 1", "gckn-path --path-size 2 --filters 8 --c 1",
		"--data", data, "--vote", "--metric", "roc-auc", "-o", file)
	voters := strings.Split(r["setting"].(string), ", ")
	if r["model"] != "vote" || len(voters) < 2 {
		t.Fatalf("trained %v with %q of %v", r["model"], voters, r["tried"])
	}
	m, err := model.Load(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	d, err := dataset.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	say := func(m model.Model) *model.Predictions {
		said, err := m.Predict(context.Background(), d, nil)
		if err != nil {
			t.Fatal(err)
		}
		return said
	}
	parts, _, err := m.Parts()
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(parts)
	if err != nil {
		t.Fatal(err)
	}
	var kept struct {
		Members []struct{ Sigmoids model.Sigmoids }
	}
	if err := json.Unmarshal(raw, &kept); err != nil {
		t.Fatal(err)
	}
	means := make([]float64, d.NumGraphs())
	for k, member := range m.(*vote.Voters).Members() {
		s := kept.Members[k].Sigmoids[0]
		if s.Slope >= 0 {
			t.Errorf("%s: a probability that falls with the decision, %+v", voters[k], s)
		}
		for i, decision := range say(member).Decisions.Float64s() {
			means[i] += 1 / (1 + math.Exp(s.Slope*decision+s.Offset)) / float64(len(voters))
		}
	}
	said := say(m)
	for i, mean := range means {
		p := said.Probabilities.Float64s()[2*i+1]
		if math.Abs(p-mean) > 1e-12 || (p > 0.5) != (said.Classes[i] == 1) {
			t.Errorf("molecule %d: class %d with a probability of %g, want %g", i, said.Classes[i], p, mean)
		}
	}
}

func TestTrainAutoRefuses(t *testing.T) {
	data, out := molecules(t, "molecules"), filepath.Join(t.TempDir(), "m.grove")
	numbers := molecules(t, "molecules")
	withTargets(t, numbers)
	for want, args := range map[string][]string{
		`unknown model "nothing"`:    {"nothing", "--data", data, "-o", out},
		"--out FILE is missing":      {"wl", "--data", data},
		`model "wl" is named twice`:  {"wl", "wl", "--data", data, "-o", out},
		"--all stands for the names": {"wl", "--all", "--data", data, "-o", out},
		"--metric rmse":              {"wl", "--data", data, "-o", out, "--metric", "rmse"},
		`model "cgmm --depth x": `:   {"cgmm --depth x", "--data", data, "-o", out},
		"--vote: a vote decides for a class": {"linear", "--data", numbers, "--task", "graph-regression",
			"--target", "target 1", "-o", out, "--vote"},
		"it needs probabilities, which": {"wl", "--data", data, "-o", out, "--metric", "log-loss"},
	} {
		fails(t, exitUsage, []string{want}, append([]string{"train", "auto"}, args...)...)
	}
}
