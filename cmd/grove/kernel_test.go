package main

import (
	"bytes"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/grove-graph/grove/dataset"
	"github.com/sbinet/npyio/npy"
)

// kernelModels are the models that are kernels between graphs.
func kernelModels() []string { return []string{"wl", "wl-oa", "dwl-oa", "mpgk-rr", "mpgk-aa"} }

func TestKernelModelsEvaluateTrainAndPredict(t *testing.T) {
	data := molecules(t, "molecules")
	for _, model := range kernelModels() {
		r := mustJSON(t, "eval", model, "--data", data, "--cv", "3", "--iterations", "1,2")
		if mean := r["mean"].(float64); mean < 50 || r["n_settings"] != 2.0 {
			t.Errorf("%s: %g %% from %v settings", model, mean, r["n_settings"])
		}
		file := filepath.Join(t.TempDir(), "m.grove")
		trained := mustJSON(t, "train", model, "--data", data, "-o", file, "--iterations", "2")
		p := mustJSON(t, "predict", "--model", file, "--data", data)
		if p["accuracy"] != trained["training_accuracy"] {
			t.Errorf("%s: the stored model reaches %v, the trained one %v", model, p["accuracy"], trained["training_accuracy"])
		}
		right := 0
		for _, line := range p["predictions"].([]any) {
			x := line.(map[string]any)
			if x["predicted"] == x["class"] {
				right++
			}
			if second := x["decisions"].([]any)[0].(float64) > 0; second != (x["predicted"] == "1") {
				t.Errorf("%s: the decision of %v does not speak for its class", model, x)
			}
		}
		if p["accuracy"] != rounded(100*float64(right)/60) {
			t.Errorf("%s: accuracy %v with %d of 60 right", model, p["accuracy"], right)
		}
	}
}

// A kernel does not depend on the number of workers, and its matrix is symmetric.
func TestGramWritesTheKernelMatrix(t *testing.T) {
	data := molecules(t, "molecules")
	for _, model := range kernelModels() {
		one, two := filepath.Join(t.TempDir(), "1.npy"), filepath.Join(t.TempDir(), "2.npy")
		r := mustJSON(t, "gram", model, "--data", data, "--workers", "1", "-o", one)
		must(t, "gram", model, "--data", data, "--workers", "2", "-o", two)
		raw := readFile(t, one)
		if !bytes.Equal(raw, readFile(t, two)) {
			t.Errorf("%s: another matrix with two workers", model)
		}
		var k []float64
		if err := npy.Read(bytes.NewReader(raw), &k); err != nil || len(k) != 60*60 || r["n_graphs"] != 60.0 {
			t.Fatalf("%s: %d numbers, %v", model, len(k), err)
		}
		for i := range 60 {
			for j := range i {
				if k[60*i+j] != k[60*j+i] {
					t.Fatalf("%s: not symmetric at %d, %d", model, i, j)
				}
			}
		}
	}
	fails(t, exitUsage, []string{"2"}, "gram", "mpgk-rr", "--data", data, "--iterations", "1,2",
		"-o", filepath.Join(t.TempDir(), "K.npy"))
}

func TestKernelsOfVertices(t *testing.T) {
	data := molecules(t, "molecules")
	out := filepath.Join(t.TempDir(), "X.npy")
	r := mustJSON(t, "embed", "mpgk-rr", "--data", data, "--task", "node", "--dims", "3", "-o", out)
	if r["rows"].(float64) < 600 || r["columns"] != 3.0 {
		t.Errorf("%v x %v", r["rows"], r["columns"])
	}
	if r := mustJSON(t, "embed", "mpgk-aa", "--data", data, "-o", out); r["rows"] != 60.0 {
		t.Errorf("%v rows for 60 graphs", r["rows"])
	}
}

func TestKernelModelsRefuse(t *testing.T) {
	data, blocks := molecules(t, "molecules"), filepath.Join(t.TempDir(), "blocks")
	must(t, "data", "synth", "block-model", "--vertices", "60", "--out", blocks)
	for _, c := range []struct {
		status int
		words  []string
		args   []string
	}{
		{exitFailure, []string{"dwl-oa", "vertex"}, []string{"eval", "dwl-oa", "--data", blocks}},
		{exitUsage, []string{"--features raw", "no attributes"},
			[]string{"eval", "mpgk-rr", "--data", data, "--features", "raw"}},
		{exitUsage, []string{"alpha"}, []string{"eval", "mpgk-rr", "--data", data, "--alpha", "-1"}},
		{exitUsage, []string{"--target"}, []string{"eval", "mpgk-rr", "--data", data, "--target", "mu"}},
		{exitUsage, []string{"--metric mae"}, []string{"eval", "mpgk-rr", "--data", data, "--metric", "mae"}},
	} {
		fails(t, c.status, c.words, c.args...)
	}
}

// What is wrong with classes, labels or C is said in one line, whatever the kernel.
func TestKernelMachinesRefuseBadClasses(t *testing.T) {
	classes := func(change func(line int, class string) string) string {
		data := molecules(t, "molecules")
		file := filepath.Join(data, "molecules_graph_labels.txt")
		lines := strings.Split(strings.TrimSpace(string(readFile(t, file))), "\n")
		var changed strings.Builder
		for i, class := range lines {
			changed.WriteString(change(i, class))
		}
		write(t, file, changed.String())
		return data
	}
	same := classes(func(int, string) string { return "1\n" })
	rare := classes(func(i int, _ string) string { return fmt.Sprintf("%d\n", max(1-i, 0)) })
	short := classes(func(i int, class string) string {
		if i == 59 {
			return ""
		}
		return class + "\n"
	})
	for _, model := range kernelModels() {
		two := "needs two classes"
		if model == "dwl-oa" {
			two = "weights need two"
		}
		eval := []string{"eval", model, "--cv", "3", "--data"}
		fails(t, exitFailure, []string{two}, "train", model, "--data", same, "-o", filepath.Join(t.TempDir(), "m.grove"))
		fails(t, exitFailure, []string{"fold", two}, append(eval, same)...)
		fails(t, exitFailure, []string{"fold", two}, append(eval, rare)...) // its graph is in one test fold
		fails(t, exitFailure, []string{"graph 60", "59 lines"}, append(eval, short)...)
		for _, c := range []string{"0", "-1", "NaN"} {
			fails(t, exitUsage, []string{"--c " + c}, append(eval, same, "--c", c)...)
		}
	}
}

// The sums over iterations stand beside the kernels of single ones where both are asked for.
func TestSumsOfIterationsAreSettings(t *testing.T) {
	data, out := molecules(t, "molecules"), filepath.Join(t.TempDir(), "K.npy")
	args := []string{"eval", "mpgk-ra", "--data", data, "--cv", "3", "--iterations", "1,2"}
	if r := mustJSON(t, append(args, "--sum-iterations=true,false")...); r["n_settings"] != 4.0 {
		t.Errorf("%v settings, want 4", r["n_settings"])
	}
	if r := mustJSON(t, append(args, "--sum-iterations")...); r["n_settings"] != 2.0 {
		t.Errorf("%v settings of sums, want 2", r["n_settings"])
	}
	fails(t, exitUsage, []string{"--sum-iterations", "neither true nor false"}, append(args, "--sum-iterations=both")...)
	must(t, "gram", "mpgk-ra", "--data", data, "--sum-iterations", "-o", out)
	fails(t, exitUsage, []string{"2"}, "gram", "mpgk-ra", "--data", data, "--sum-iterations=true,false", "-o", out)
}

// withTargets gives the graphs of a data set two targets: their vertices and their arcs.
func withTargets(t *testing.T, data string) {
	t.Helper()
	d, err := dataset.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	var lines strings.Builder
	for g := range d.NumGraphs() {
		from, to := d.Batch.Vertices(g)
		fmt.Fprintf(&lines, "%d, %d\n", to-from, d.Batch.RowPtr[to]-d.Batch.RowPtr[from])
	}
	write(t, filepath.Join(data, "molecules_graph_attributes.txt"), lines.String())
}

func TestRegressionOnGraphs(t *testing.T) {
	data := molecules(t, "molecules")
	withTargets(t, data)
	d, err := dataset.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	target := d.TargetNames[1]
	regression := []string{"eval", "mpgk-rr", "--data", data, "--task", "graph-regression"}
	fails(t, exitUsage, []string{"--target", "2 targets"}, regression...)
	fails(t, exitUsage, []string{"--target 1: ", strconv.Quote(target)}, append(regression, "--target", "1")...)
	mean, deviation := 0.0, 0.0
	for g := range 60 {
		mean += d.Targets[2*g+1] / 60
	}
	for g := range 60 {
		deviation += (d.Targets[2*g+1] - mean) * (d.Targets[2*g+1] - mean) / 60
	}
	deviation = math.Sqrt(deviation)
	for _, args := range [][]string{
		{"mpgk-rr", "--head", "svr", "--epsilon", "0.5"}, {"mpgk-rr", "--head", "mlp", "--hidden", "64", "--epochs", "800"},
		{"treeg", "--estimators", "20"}, {"gckn-path-sup", "--filters", "16", "--samples", "2000", "--path-size", "3",
			"--epochs", "40"},
	} {
		task := []string{"--data", data, "--task", "graph-regression", "--target", target}
		r := mustJSON(t, append(append([]string{"eval"}, args...), append(task, "--cv", "3")...)...)
		if r["metric"] != "rmse" || r["mean"].(float64) > deviation {
			t.Errorf("%v: %s %v, the targets deviate by %.3g", args, r["metric"], r["mean"], deviation)
		}
		model := filepath.Join(t.TempDir(), "m.grove")
		trained := mustJSON(t, append(append([]string{"train"}, args...), append(task, "-o", model)...)...)
		p := mustJSON(t, "predict", "--model", model, "--data", data)
		if p["errors"].([]any)[0].(map[string]any)["rmse"] != trained["training_rmse"] {
			t.Errorf("%v: the stored model errs by %v, the trained one by %v", args, p["errors"], trained["training_rmse"])
		}
		if len(p["predictions"].([]any)) != 60 || p["predictions"].([]any)[0].(map[string]any)["values"] == nil {
			t.Errorf("%v: no predicted values", args)
		}
		if e, ok := trained["training_rmse"].(float64); !ok || e > deviation {
			t.Errorf("%v: error %v on the training data", args, trained["training_rmse"])
		}
	}
}

// Arc labels are what their codes say: a data set with one more code numbers them differently, and a model that
// tells arcs apart says the same of the graphs that did not change.
func TestKernelKnowsArcLabelsByTheirCodes(t *testing.T) {
	data, changed := molecules(t, "molecules"), molecules(t, "molecules")
	d, err := dataset.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	_, first := d.Batch.Vertices(0)
	arcs := strings.Split(string(readFile(t, filepath.Join(changed, "molecules_A.txt"))), "\n")
	labels := strings.Split(string(readFile(t, filepath.Join(changed, "molecules_edge_labels.txt"))), "\n")
	for i, arc := range arcs {
		tail, _, _ := strings.Cut(arc, ",")
		if v, err := strconv.Atoi(strings.TrimSpace(tail)); err == nil && v <= int(first) {
			labels[i] = "-5"
		}
	}
	write(t, filepath.Join(changed, "molecules_edge_labels.txt"), strings.Join(labels, "\n"))
	model := filepath.Join(t.TempDir(), "m.grove")
	must(t, "train", "wl-oa", "--data", data, "-o", model, "--arc-labels", "--iterations", "2", "--c", "1")
	want := strings.Split(must(t, "predict", "--model", model, "--data", data, "-o", "-"), "\n")
	got := strings.Split(must(t, "predict", "--model", model, "--data", changed, "-o", "-"), "\n")
	if len(got) != len(want) || got[1] == want[1] {
		t.Errorf("%d lines, want %d; the changed graph: %s", len(got), len(want), got[1])
	}
	if !slices.Equal(got[2:], want[2:]) {
		t.Error("graphs that did not change are told differently")
	}
}
