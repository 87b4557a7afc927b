package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// trainedInParts plans a training in a new folder, runs its rounds and returns the model and the number of rounds. The
// parts of a round run from the last to the first, one of them twice.
func trainedInParts(t *testing.T, size int, line ...string) (model []byte, rounds int) {
	t.Helper()
	dir := t.TempDir()
	plan, out := filepath.Join(dir, "plan.json"), filepath.Join(dir, "m.grove")
	r := mustJSON(t, append([]string{"plan", "train", "--part-graphs", fmt.Sprint(size), "--out", out, "-o", plan},
		line...)...)
	last, indices := int(r["parts"].(float64))-1, []string(nil)
	for i := last; i >= 0; i-- {
		indices = append(indices, fmt.Sprint(i))
	}
	for rounds = 1; ; rounds++ {
		if rounds > 1 && last > 0 {
			fails(t, exitFailure, []string{"parts are not done"}, "merge", plan)
		}
		must(t, "run-part", plan, "--index", strings.Join(indices, ","), "--workers", "1")
		must(t, "run-part", plan, "--index", "0")
		said, errs, status := grove("merge", plan, "--json")
		if status == 0 {
			break
		}
		if status != exitAgain || errs != "" || !strings.Contains(said, fmt.Sprintf(`"round": %d`, rounds+1)) {
			t.Fatalf("status %d: %s%s", status, said, errs)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 2 {
		t.Errorf("%v: left beside the plan: %v", err, left)
	}
	return readFile(t, out), rounds
}

// A model that is trained in parts, of whatever size, has the bytes of grove train.
func TestTrainingInParts(t *testing.T) {
	store := inStore(t, molecules(t, "molecules"))
	for _, c := range []struct {
		line   []string
		rounds int
	}{
		{small("gckn-path", "--c", "1"), 4},
		{small("gckn-walk", "--c-grid", "0.1,1", "--choose-on", "30", "--features", "degrees"), 4},
		{[]string{"cgmm", "--c", "1", "--layers", "3", "--states", "4", "--arc-labels"}, 5},
		{small("gckn-subtree", "--c", "1", "--samples", "500", "--global-pooling", "max"), 6},
		{small("gckn-3layer", "--c", "1", "--precision", "float64"), 8},
		{[]string{"treeg", "--estimators", "3"}, 2},
		{[]string{"wl", "--c", "1"}, 2},
		{[]string{"wl", "--c", "1", "--machine", "linear", "--arc-labels"}, 2},
		{[]string{"wl-oa", "--c-grid", "0.1,1", "--iterations", "2,3", "--machine", "linear"}, 2},
	} {
		line := append(c.line, "--data", store, "--seed", "3")
		whole := filepath.Join(t.TempDir(), "m.grove")
		must(t, append(append([]string{"train"}, line...), "-o", whole)...)
		for _, size := range []int{1, 13, 1000} {
			if size == 1 && c.line[0] != "gckn-path" {
				continue
			}
			got, rounds := trainedInParts(t, size, line...)
			if !bytes.Equal(got, readFile(t, whole)) {
				t.Errorf("%q in parts of %d graphs is another model", c.line, size)
			}
			if rounds != c.rounds {
				t.Errorf("%q: %d rounds, want %d", c.line, rounds, c.rounds)
			}
		}
	}
}

// Where the vectors of the graphs are many, the linear machine is learned in rounds too. Trees of many graphs grow in
// rounds.
func TestLargeTrainingsInParts(t *testing.T) {
	if testing.Short() {
		t.Skip("17000 graphs with 504 columns")
	}
	dir := t.TempDir()
	store, whole := filepath.Join(dir, "store"), filepath.Join(dir, "m.grove")
	must(t, "data", "synth", "molecules", "--graphs", "17000", "--vertices", "6", "--seed", "1", "--to", "shards", "--out",
		store)
	line := []string{"gckn-path", "--filters", "168", "--samples", "2000", "--path-size", "3", "--c", "0.001",
		"--data", store}
	must(t, append([]string{"train", "-o", whole}, line...)...)
	got, rounds := trainedInParts(t, 9000, line...)
	if !bytes.Equal(got, readFile(t, whole)) {
		t.Error("another model")
	}
	if rounds < 8 { // two for anchors, vectors, means, deviations, products, steps, predictions
		t.Errorf("%d rounds", rounds)
	}

	line = []string{"treeg", "--estimators", "2", "--leaves", "3", "--seed", "2", "--data", store}
	must(t, append([]string{"train", "-o", whole}, line...)...)
	got, rounds = trainedInParts(t, 9000, line...)
	if !bytes.Equal(got, readFile(t, whole)) {
		t.Error("other trees")
	}
	if rounds < 7 { // walks; searches and splits of two trees
		t.Errorf("%d rounds of trees", rounds)
	}
}

// Colours that parts refine by themselves, in several blocks each, are joined to those of all graphs.
func TestColoursInParts(t *testing.T) {
	dir := t.TempDir()
	store, whole := filepath.Join(dir, "store"), filepath.Join(dir, "m.grove")
	must(t, "data", "synth", "molecules", "--graphs", "13000", "--vertices", "6", "--seed", "1", "--to", "shards", "--out",
		store)
	line := []string{"wl-oa", "--c", "1", "--data", store}
	must(t, append([]string{"train", "-o", whole}, line...)...)
	if got, _ := trainedInParts(t, 5000, line...); !bytes.Equal(got, readFile(t, whole)) {
		t.Error("another model")
	}
}

// What cannot be planned is refused, and so is data that has changed.
func TestTrainingsThatCannotBeCut(t *testing.T) {
	dir, data := t.TempDir(), molecules(t, "molecules")
	store, plan, out := filepath.Join(dir, "store"), filepath.Join(dir, "plan.json"), filepath.Join(dir, "m.grove")
	must(t, "data", "convert", data, "--to", "shards", "--out", store)
	where := []string{"--out", out, "-o", plan}
	fails(t, exitUsage, []string{"only a store can be cut"}, append([]string{"plan", "train", "gckn-path", "--data", data},
		where...)...)
	fails(t, exitUsage, []string{"mpgk-ra cannot be learned in rounds", "grove train"}, append([]string{"plan", "train",
		"mpgk-ra", "--data", store}, where...)...)
	fails(t, exitUsage, []string{"histograms of parts"}, append([]string{"plan", "train", "treeg", "--ensemble", "forest",
		"--data", store}, where...)...)
	fails(t, exitUsage, []string{"at once"}, append([]string{"plan", "train", "cgmm", "--pool", "3", "--data", store},
		where...)...)
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 { // the store
		t.Errorf("%v: left of plans that were refused: %v", err, left)
	}
	must(t, append(small("plan", "train", "gckn-path", "--c", "1", "--data", store), where...)...)
	must(t, "data", "synth", "molecules", "--graphs", "60", "--seed", "2", "--to", "shards", "--out", store, "--overwrite")
	fails(t, exitRefused, []string{"--data", "it has changed since"}, "run-part", plan, "--index", "0")
	rewrite(t, plan, `"data"`, `"date"`)
	fails(t, exitFailure, []string{"no store"}, "run-part", plan, "--index", "0")
}
