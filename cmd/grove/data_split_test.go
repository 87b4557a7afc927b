package main

import (
	"fmt"
	"path/filepath"
	"testing"
)

// The two parts of a split hold every graph once, with both classes in each.
func TestDataSplit(t *testing.T) {
	data := molecules(t, "molecules")
	out := filepath.Join(t.TempDir(), "parts")
	said := mustJSON(t, "data", "split", data, "--parts", "5", "--seed", "3", "--out", out)
	whole := mustJSON(t, "data", "info", data)
	if train, test := said["n_train"].(float64), said["n_test"].(float64); test != 12 || train != 48 {
		t.Errorf("%g graphs to train and %g to test, want 48 and 12", train, test)
	}
	for _, part := range []string{"train", "test"} {
		info := mustJSON(t, "data", "info", filepath.Join(out, part))
		if have, want := fmt.Sprint(info["class_names"]), fmt.Sprint(whole["class_names"]); have != want {
			t.Errorf("%s has classes %s, the whole %s", part, have, want)
		}
	}
	fails(t, exitUsage, []string{"holds a data set already"}, "data", "split", data, "--out", out)
	fails(t, exitUsage, []string{"--parts 1"}, "data", "split", data, "--parts", "1",
		"--out", filepath.Join(t.TempDir(), "x"))
}
