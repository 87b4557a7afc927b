package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/grove-graph/grove/internal/testfiles"
)

// shallow makes a contextual graph Markov model that is fitted in no time.
func shallow(args ...string) []string {
	return append(args, "--states", "4", "--layers", "3", "--iterations", "3")
}

func TestCGMMTrainsAndPredictsWithEveryClassifier(t *testing.T) {
	data := molecules(t, "molecules")
	for _, kind := range []string{"linear", "rbf", "jaccard"} {
		model := filepath.Join(t.TempDir(), "m.grove")
		r := mustJSON(t, shallow("train", "cgmm", "--data", data, "-o", model, "--classifier", kind, "--gamma", "0.01")...)
		p := mustJSON(t, "predict", "--model", model, "--data", data)
		if p["accuracy"] != r["training_accuracy"] || r["c"] == nil {
			t.Errorf("%s: the stored model reaches %v, the trained one %v at C = %v",
				kind, p["accuracy"], r["training_accuracy"], r["c"])
		}
		x := mustJSON(t, "embed", "--model", model, "--data", data, "-o", filepath.Join(t.TempDir(), "X.npy"))
		if x["rows"] != 60.0 || x["columns"] != 12.0 {
			t.Errorf("%s: fingerprints %v x %v, want 60 x 12", kind, x["rows"], x["columns"])
		}
	}
}

func TestCGMMEvaluatesAGridOfDepths(t *testing.T) {
	data := molecules(t, "molecules")
	r := mustJSON(t, shallow("eval", "cgmm", "--data", data, "--cv", "3", "--depth", "1,2,3",
		"--classifier", "linear,jaccard")...)
	if r["n_settings"] != 6.0 || r["mean"].(float64) < 50 {
		t.Errorf("%v %% from %v settings", r["mean"], r["n_settings"])
	}
}

func TestCGMMGoesOnFromItsCheckpoint(t *testing.T) {
	data, dir := molecules(t, "molecules"), t.TempDir()
	whole, resumed, state := filepath.Join(dir, "whole"), filepath.Join(dir, "resumed"), filepath.Join(dir, "state")
	must(t, shallow("train", "cgmm", "--data", data, "-o", whole, "--c-grid", "0.1,1")...)
	must(t, shallow("train", "cgmm", "--data", data, "-o", resumed, "--c-grid", "0.1,1", "--checkpoint", state)...)
	if string(readFile(t, whole)) != string(readFile(t, resumed)) {
		t.Error("keeping checkpoints changes the model")
	}
	if _, err := os.Stat(state); !os.IsNotExist(err) {
		t.Errorf("the checkpoint of a training that is over is still there: %v", err)
	}
	if err := os.WriteFile(state, []byte("rubbish"), 0o666); err != nil {
		t.Fatal(err)
	}
	fails(t, exitFailure, []string{"state"},
		shallow("train", "cgmm", "--data", data, "-o", resumed, "--c", "1", "--checkpoint", state)...)
}

func TestCGMMRefuses(t *testing.T) {
	data, out := molecules(t, "molecules"), filepath.Join(t.TempDir(), "x")
	for _, c := range []struct {
		words []string
		args  []string
	}{
		{[]string{"2 settings"}, []string{"embed", "cgmm", "--data", data, "-o", out, "--states", "4,5"}},
		{[]string{"distance 1"}, []string{"eval", "cgmm", "--data", data, "--previous", "2"}},
		{[]string{"--depth", "9"}, []string{"eval", "cgmm", "--data", data, "--depth", "9"}},
		{[]string{"--features attributes"}, []string{"eval", "cgmm", "--data", data, "--features", "attributes"}},
	} {
		fails(t, exitUsage, c.words, c.args...)
	}
}

func TestCGMMPlotsAccuracyAgainstDepth(t *testing.T) {
	data, plot := molecules(t, "molecules"), filepath.Join(t.TempDir(), "depth.svg")
	must(t, shallow("eval", "cgmm", "--data", data, "--cv", "3", "--depth", "3,1,2", "--c-grid", "0.1,1",
		"--selection", "published", "--plot", plot)...)
	for _, word := range []string{">layers<", "accuracy (%)", "3 folds"} {
		if !strings.Contains(string(readFile(t, plot)), word) {
			t.Errorf("the plot does not say %q", word)
		}
	}
	// Without several depths the plot is one against C.
	must(t, shallow("eval", "cgmm", "--data", data, "--cv", "3", "--c-grid", "0.1,1", "--selection", "published",
		"--plot", plot)...)
	if strings.Contains(string(readFile(t, plot)), ">layers<") {
		t.Error("a single depth is plotted against layers")
	}
}

// The steps of machines side by side do not end on the counts of these states; each finds its optimum by itself.
func TestCGMMOnProteins(t *testing.T) {
	r := mustJSON(t, "eval", "cgmm", "--data", testfiles.Data(t, "tu", "PROTEINS"))
	if mean := r["mean"].(float64); mean < 70 || mean > 76 {
		t.Errorf("accuracy %.1f, others report 72 to 74", mean)
	}
}
