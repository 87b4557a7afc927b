//go:build gpu && unix

package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
)

// Parts that run on every GPU of a machine side by side are those of one, and where one fails all end.
func TestPartsOnEveryGPU(t *testing.T) {
	wantGPU(t)
	dir, data := t.TempDir(), molecules(t, "molecules")
	plan, model, rows := filepath.Join(dir, "plan.json"), filepath.Join(dir, "m.grove"), filepath.Join(dir, "X.npy")
	store := inStore(t, data)
	must(t, append(small("train", "gckn-path", "--data", data, "-o", model), "--c", "1")...)
	must(t, "plan", "embed", "--model", model, "--data", store, "--device", "cuda", "--part-graphs", "10", "--out", rows,
		"-o", plan)
	must(t, "run-part", plan, "--index", "2")
	onTwo := func(index string) (*process, error) {
		p := newProcess(t, "", "run-part", plan, "--index", index, "--device", everyGPU)
		p.Env = append(p.Env, "GROVE_SIM=devices=2")
		return p, p.Run()
	}
	p, err := onTwo("0-5")
	if err != nil {
		t.Fatalf("%v: %s", err, p.stderr.String())
	}
	if said := p.stdout.String(); strings.Count(said, "\n") != 6 || strings.Count(said, "done before") != 1 {
		t.Error(said)
	}
	must(t, "merge", plan, "--keep")
	got := readFile(t, rows)
	must(t, "embed", "--model", model, "--data", store, "--device", "cuda", "-o", rows)
	if !bytes.Equal(got, readFile(t, rows)) {
		t.Error("other rows than of one GPU")
	}
	must(t, "merge", plan)
	rewrite(t, model, "gckn", "gcKn")
	p, err = onTwo("0-5")
	if err == nil || p.ProcessState.ExitCode() != exitRefused ||
		!strings.Contains(p.stderr.String(), "it has changed since") {
		t.Errorf("%v: %s", err, p.stderr.String())
	}
}

// A training in rounds on a GPU has the model of one process there. Trees grow in parts on a CPU alone.
func TestRoundsOnAGPU(t *testing.T) {
	wantGPU(t)
	store := inStore(t, molecules(t, "molecules"))
	for _, line := range [][]string{
		small("gckn-path", "--c", "1"), {"cgmm", "--c", "1", "--layers", "2"}, {"wl", "--c", "1"},
	} {
		line = append(line, "--data", store, "--seed", "3", "--device", "cuda")
		whole := filepath.Join(t.TempDir(), "m.grove")
		must(t, append([]string{"train", "-o", whole}, line...)...)
		if got, _ := trainedInParts(t, 25, line...); !bytes.Equal(got, readFile(t, whole)) {
			t.Errorf("%q: another model", line)
		}
	}
	plan := filepath.Join(t.TempDir(), "plan.json")
	fails(t, exitUsage, []string{"--device", "on a CPU"}, "plan", "train", "treeg", "--data", store, "--device", "cuda",
		"--out", "m.grove", "-o", plan)
}
