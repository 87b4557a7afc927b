package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// supervised are the arguments of a network that is quick to train.
func supervised(args ...string) []string {
	return append(small(args...), "--epochs", "6")
}

func TestSupervisedModelTrainsAndPredicts(t *testing.T) {
	data := molecules(t, "molecules")
	model := filepath.Join(t.TempDir(), "m.grove")
	r := mustJSON(t, supervised("train", "gckn-path-sup", "--data", data, "-o", model)...)
	if a, ok := r["training_accuracy"].(float64); !ok || a < 60 || r["value"] != nil {
		t.Errorf("training accuracy %v, value %v", r["training_accuracy"], r["value"])
	}
	p := mustJSON(t, "predict", "--model", model, "--data", data)
	if p["accuracy"] != r["training_accuracy"] {
		t.Errorf("the stored model reaches %v, the trained one %v", p["accuracy"], r["training_accuracy"])
	}
	first := p["predictions"].([]any)[0].(map[string]any)
	if len(first["decisions"].([]any)) != 1 {
		t.Errorf("two classes have one decision value: %v", first)
	}
	x := filepath.Join(t.TempDir(), "X.npy")
	if rows := mustJSON(t, "embed", "--model", model, "--data", data, "-o", x)["rows"]; rows != 60.0 {
		t.Errorf("%v rows", rows)
	}
}

func TestSupervisedTrainingGoesOnFromItsCheckpoint(t *testing.T) {
	data, dir := molecules(t, "molecules"), t.TempDir()
	whole, resumed, state := filepath.Join(dir, "whole.grove"), filepath.Join(dir, "resumed.grove"),
		filepath.Join(dir, "state")
	must(t, supervised("train", "gckn-path-sup", "--data", data, "-o", whole)...)
	must(t, supervised("train", "gckn-path-sup", "--data", data, "-o", resumed, "--checkpoint", state,
		"--checkpoint-every", "3")...)
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
		supervised("train", "gckn-path-sup", "--data", data, "-o", resumed, "--checkpoint", state)...)
}

func TestSupervisedEvalChoosesEpochs(t *testing.T) {
	data := molecules(t, "molecules")
	args := supervised("eval", "gckn-path-sup", "--data", data, "--cv", "3")
	r := mustJSON(t, args...)
	for _, p := range r["params"].([]any) {
		if epochs, ok := p.(map[string]any)["epochs"].(float64); !ok || epochs < 0 || epochs > 6 {
			t.Errorf("chosen: %v", p)
		}
	}
	if text := must(t, args...); !strings.Contains(text, "epochs") ||
		!strings.Contains(text, "inner folds  5, stratified") {
		t.Errorf("no word of epochs and the inner folds: %s", text)
	}
	published := must(t, append(args, "--selection", "published", "--plot", filepath.Join(t.TempDir(), "epochs.svg"))...)
	if !strings.Contains(published, "optimistic") {
		t.Errorf("published selection: %s", published)
	}
}

func TestSupervisedRefuses(t *testing.T) {
	data := molecules(t, "molecules")
	out := filepath.Join(t.TempDir(), "m.grove")
	for _, c := range []struct {
		status int
		words  []string
		args   []string
	}{
		{exitUsage, []string{"2 settings"}, []string{"--sigma", "0.4,0.6"}},
		{exitUsage, []string{"--validation 1"}, []string{"--validation", "1"}},
		{exitUsage, []string{"--checkpoint"}, []string{"--checkpoint", filepath.Join(out, "no", "folder")}},
		{exitUsage, []string{"--pooling", "gmp"}, []string{"--pooling", "median"}},
		{exitFailure, []string{"diverged", "epoch", "batch"}, []string{"--alternate=false", "--rate", "1e12"}},
	} {
		fails(t, c.status, c.words, append(supervised("train", "gckn-path-sup", "--data", data, "-o", out), c.args...)...)
	}
	if _, err := os.Stat(out); !os.IsNotExist(err) {
		t.Error("a training that failed left a model behind")
	}
}

func TestSupervisedVertexTask(t *testing.T) {
	dir := t.TempDir()
	data, model := filepath.Join(dir, "blocks"), filepath.Join(dir, "m.grove")
	must(t, "data", "synth", "block-model", "--vertices", "60", "--out", data)
	r := mustJSON(t, supervised("train", "gckn-path-sup", "--data", data, "-o", model)...)
	p := mustJSON(t, "predict", "--model", model, "--data", data)
	if p["task"] != "node" || p["accuracy"] != r["training_accuracy"] || len(p["predictions"].([]any)) != 60 {
		t.Errorf("prediction of vertices: %v of %v", p["accuracy"], r["training_accuracy"])
	}
	if e := mustJSON(t, supervised("eval", "gckn-path-sup", "--data", data, "--cv", "3")...); e["mean"] == nil {
		t.Errorf("%v", e)
	}
}

// With a fan-out a model predicts by the paths that it was scored by.
func TestFanOut(t *testing.T) {
	dir := t.TempDir()
	data, model := filepath.Join(dir, "communities"), filepath.Join(dir, "m.grove")
	must(t, "data", "synth", "communities", "--vertices", "200", "--communities", "3", "--out", data)
	for _, name := range []string{"gckn-path-sup", "gcn", "gin"} {
		sampled := []string{"--data", data, "--epochs", "3", "--fanout", "3", "--predict-fanout", "4", "--json"}
		r := mustJSON(t, append([]string{"train", name, "-o", model}, sampled...)...)
		p := mustJSON(t, "predict", "--model", model, "--data", data)
		if p["accuracy"] != r["training_accuracy"] || len(p["predictions"].([]any)) != 200 {
			t.Errorf("%s: prediction of vertices: %v of %v", name, p["accuracy"], r["training_accuracy"])
		}
		fails(t, exitUsage, []string{"--fanout", "numbers for a network that sees"},
			"train", name, "-o", model, "--data", data, "--fanout", "1,2,3,4,5,6,7")
		fails(t, exitUsage, []string{"--fanout", "tasks on vertices"}, "train", name, "-o", model, "--data",
			molecules(t, "molecules"), "--fanout", "3")
	}
}

// A model that was trained from shards on disk is the one that was trained in memory, byte for byte.
func TestSupervisedTrainsFromShards(t *testing.T) {
	for _, degrees := range []bool{false, true} {
		data := molecules(t, "molecules")
		dir := t.TempDir()
		store := filepath.Join(dir, "molecules")
		must(t, "data", "convert", data, "--to", "shards", "--out", store)
		if have, want := mustJSON(t, "data", "info", store),
			mustJSON(t, "data", "info", data); have["vertices"] != want["vertices"] {
			t.Errorf("%v vertices in the store, want %v", have["vertices"], want["vertices"])
		}
		memory, stored := filepath.Join(dir, "memory.grove"), filepath.Join(dir, "stored.grove")
		args := func(data, model string) []string {
			a := supervised("train", "gckn-path-sup", "--data", data, "-o", model)
			if degrees {
				a = append(a, "--features", "degrees", "--start-graphs", "20", "--balanced", "--alternate")
			}
			return a
		}
		want, got := mustJSON(t, args(data, memory)...), mustJSON(t, args(store, stored)...)
		for _, key := range []string{"training_accuracy", "n_graphs", "dataset", "setting"} {
			if got[key] != want[key] {
				t.Errorf("%s: %v, want %v", key, got[key], want[key])
			}
		}
		if string(readFile(t, memory)) != string(readFile(t, stored)) {
			t.Error("another model")
		}
		if p := mustJSON(t, "predict", "--model", stored, "--data", store); p["accuracy"] != want["training_accuracy"] {
			t.Errorf("predictions for the store reach %v, want %v", p["accuracy"], want["training_accuracy"])
		}
		must(t, "data", "convert", data, "--to", "shards", "--out", store, "--overwrite")
		fails(t, exitUsage, []string{"--overwrite"}, "data", "convert", data, "--to", "shards", "--out", store)
		fails(t, exitUsage, []string{"--features attributes", "no attributes"},
			append(args(store, stored), "--features", "attributes")...)
		fails(t, exitUsage, []string{"--task node"}, append(args(store, stored), "--task", "node")...)
		if err := os.Truncate(filepath.Join(store, "00000.graphs"), 100); err != nil {
			t.Fatal(err)
		}
		fails(t, exitFailure, []string{"00000.graphs", "bytes"}, args(store, stored)...)
	}
}

func TestVertexTasksAreNoShards(t *testing.T) {
	dir := t.TempDir()
	data := filepath.Join(dir, "blocks")
	must(t, "data", "synth", "block-model", "--vertices", "60", "--out", data)
	fails(t, exitFailure, []string{"task on vertices"}, "data", "convert", data, "--to", "shards",
		"--out", filepath.Join(dir, "store"))
}
