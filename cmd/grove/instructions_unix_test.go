//go:build unix

package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/grove-graph/grove/engine/simd"
	"github.com/grove-graph/grove/model"
	"github.com/grove-graph/grove/modelfile"
)

// Every command refuses an instruction set that there is not, in one line.
func TestUnknownInstructionsAreRefused(t *testing.T) {
	for _, line := range []string{
		"", "help", "devices", "data list", "data info x", "eval wl --data x", "train wl --data x -o y", "predict",
	} {
		p := newProcess(t, "export GROVE_SIMD=nonsense", strings.Fields(line)...)
		_ = p.Run()
		if p.ProcessState.ExitCode() != exitUsage || p.stdout.Len() > 0 ||
			p.stderr.String() != "grove: GROVE_SIMD=nonsense: want portable, avx2, avx512\n" {
			t.Errorf("grove %s: %v, it says %q", line, p.ProcessState, p.stderr.String())
		}
	}
	p := newProcess(t, "export GROVE_SIMD=portable", "devices", "--json")
	if err := p.Run(); err != nil || !strings.Contains(p.stdout.String(), `"simd": "portable"`) {
		t.Errorf("%v: %s%s", err, p.stdout.String(), p.stderr.String())
	}
}

// A model file says which instructions it was trained with. One that does not, as of before, is read.
func TestModelsRecordTheInstructions(t *testing.T) {
	data, file := molecules(t, "molecules"), filepath.Join(t.TempDir(), "m.grove")
	must(t, "train", "wl", "--data", data, "--c", "1", "-o", file)
	f, err := modelfile.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	var stored struct {
		Head  model.Head      `json:"head"`
		Parts json.RawMessage `json:"parts"`
	}
	if err := json.Unmarshal(f.Model, &stored); err != nil {
		t.Fatal(err)
	}
	if got := stored.Head.Training.Instructions; got != simd.Level() {
		t.Errorf("trained with %q, want %q", got, simd.Level())
	}
	said := must(t, "predict", "--model", file, "--data", data, "-o", "-")
	stored.Head.Training.Instructions = ""
	old := filepath.Join(t.TempDir(), "old.grove")
	if err := modelfile.Write(old, f.Kind, stored, f.Tensors); err != nil {
		t.Fatal(err)
	}
	again, err := modelfile.Read(old)
	if err != nil || strings.Contains(string(again.Model), "instructions") {
		t.Fatalf("%v: %s", err, again.Model)
	}
	if now := must(t, "predict", "--model", old, "--data", data, "-o", "-"); now != said {
		t.Error("a model that does not say predicts otherwise")
	}
}
