package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/grove-graph/grove/dataset"
	"github.com/sbinet/npyio"
	"gonum.org/v1/gonum/mat"
)

// inParts plans a job in a new folder, runs its parts from the last to the first, and returns what merging writes to
// --out and to the other outputs.
func inParts(t *testing.T, size int, job string, args ...string) map[string][]byte {
	t.Helper()
	dir := t.TempDir()
	plan := filepath.Join(dir, "plan.json")
	var outputs []string
	line := append([]string{"plan", job, "--part-graphs", fmt.Sprint(size), "-o", plan}, args...)
	for i, arg := range line {
		if arg == "--out" || arg == "--ids" {
			outputs = append(outputs, line[i+1])
			line[i+1] = filepath.Join(dir, line[i+1])
		}
	}
	r := mustJSON(t, line...)
	var indices []string
	for i := int(r["parts"].(float64)) - 1; i >= 0; i-- {
		indices = append(indices, fmt.Sprint(i))
	}
	must(t, "run-part", plan, "--index", strings.Join(indices, ","), "--workers", "1")
	must(t, "merge", plan)
	files := map[string][]byte{}
	for _, name := range outputs {
		files[name] = readFile(t, filepath.Join(dir, name))
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1+len(outputs) {
		t.Errorf("%v: left beside the plan: %v", err, left)
	}
	return files
}

// What is computed in parts has the bytes of one machine, whatever the size of the parts, in every family.
func TestPartsMakeTheBytesOfOneMachine(t *testing.T) {
	for _, m := range everyModel(t) {
		if dataset.FormatOf(m.data) == dataset.NodeFormat || strings.Contains(m.name, "--task edge") {
			continue
		}
		t.Run(m.name, func(t *testing.T) {
			store, dir := inStore(t, m.data), t.TempDir()
			table, rows, ids := filepath.Join(dir, "p.csv"), filepath.Join(dir, "X.npy"), filepath.Join(dir, "X.csv")
			must(t, "predict", "--model", m.file, "--data", store, "-o", table)
			_, _, status := grove("embed", "--model", m.file, "--data", store, "-o", rows, "--ids", ids)
			for _, size := range []int{1, 11} {
				got := inParts(t, size, "predict", "--model", m.file, "--data", store, "--out", "p.csv")["p.csv"]
				if want := readFile(t, table); !bytes.Equal(got, want) {
					t.Errorf("predictions in parts of %d:\n%s\nof one machine:\n%s", size, got, want)
				}
				if status != 0 {
					continue
				}
				files := inParts(t, size, "embed", "--model", m.file, "--data", store, "--out", "X.npy", "--ids", "X.csv")
				if !bytes.Equal(files["X.npy"], readFile(t, rows)) || !bytes.Equal(files["X.csv"], readFile(t, ids)) {
					t.Errorf("other vectors, or ids, in parts of %d", size)
				}
			}
		})
	}
}

// So do the vectors of GCKN with every pooling.
func TestPartsOfEveryPooling(t *testing.T) {
	data := molecules(t, "molecules")
	store := inStore(t, data)
	for _, pooling := range []string{"sum", "mean", "max", "gmp"} {
		model, rows := filepath.Join(t.TempDir(), "m.grove"), filepath.Join(t.TempDir(), "X.npy")
		must(t, append(small("train", "gckn-subtree", "--data", data, "-o", model),
			"--c", "1", "--global-pooling", pooling)...)
		must(t, "embed", "--model", model, "--data", store, "-o", rows)
		for _, size := range []int{1, 11} {
			got := inParts(t, size, "embed", "--model", model, "--data", store, "--out", "X.npy")
			if !bytes.Equal(got["X.npy"], readFile(t, rows)) {
				t.Errorf("other vectors with %s in parts of %d", pooling, size)
			}
		}
	}
}

// planOfParts returns a plan to predict in parts of 20 graphs, its model and its data.
func planOfParts(t *testing.T) (plan, model, store string) {
	t.Helper()
	dir := t.TempDir()
	data := molecules(t, "molecules")
	plan, model, store = filepath.Join(dir, "plan.json"), filepath.Join(dir, "m.grove"), filepath.Join(dir, "store")
	must(t, "train", "wl", "--data", data, "--c", "1", "-o", model)
	must(t, "data", "convert", data, "--to", "shards", "--out", store)
	must(t, "plan", "predict", "--model", model, "--data", store, "--out", filepath.Join(dir, "p.csv"),
		"--part-graphs", "20", "-o", plan)
	return plan, model, store
}

// A part that could have other bits than the others is refused, in one line that says what to do.
func TestPartsOfAnotherKindAreRefused(t *testing.T) {
	for name, c := range map[string]struct {
		change func(t *testing.T, plan, model, store string)
		want   []string
	}{
		"version": {func(t *testing.T, plan, _, _ string) {
			rewrite(t, plan, thisBuild().String(), "v0.0.1")
		}, []string{"planned by grove v0.0.1", "plan again"}},
		"instructions": {func(t *testing.T, plan, _, _ string) {
			rewrite(t, plan, `"instructions": "`, `"instructions": "other-`)
		}, []string{"GROVE_SIMD=other-"}},
		"model": {func(t *testing.T, _, model, _ string) {
			must(t, "train", "wl", "--data", molecules(t, "molecules"), "--c", "2", "-o", model)
		}, []string{"--model", "it has changed since", "plan again"}},
		"data": {func(t *testing.T, _, _, store string) {
			must(t, "data", "synth", "molecules", "--graphs", "60", "--seed", "2", "--to", "shards", "--out", store,
				"--overwrite")
		}, []string{"--data", "it has changed since", "plan again"}},
		"job": {func(t *testing.T, plan, _, _ string) {
			rewrite(t, plan, `"predict"`, `"dance"`)
		}, []string{"a plan to dance"}},
		"no plan": {func(t *testing.T, plan, _, _ string) {
			rewrite(t, plan, "{", "[")
		}, []string{"no plan of grove"}},
	} {
		t.Run(name, func(t *testing.T) {
			plan, model, store := planOfParts(t)
			c.change(t, plan, model, store)
			status := exitRefused
			if name == "job" || name == "no plan" {
				status = exitFailure
			}
			fails(t, status, append(c.want, filepath.Base(plan)), "run-part", plan, "--index", "0")
			if left, _ := filepath.Glob(filepath.Join(filepath.Dir(plan), "plan.parts", "*")); len(left) > 0 {
				t.Errorf("left: %v", left)
			}
		})
	}
}

// rewrite replaces a piece of a file.
func rewrite(t *testing.T, path, old, new string) {
	t.Helper()
	text := string(readFile(t, path))
	if !strings.Contains(text, old) {
		t.Fatalf("%s: no %q in\n%s", path, old, text)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(text, old, new, 1)), 0o666); err != nil {
		t.Fatal(err)
	}
}

// Parts are named by the flag, or by the scheduler; and those that are missing as schedulers take them.
func TestPartsAreNamed(t *testing.T) {
	plan, _, _ := planOfParts(t) // 60 graphs
	fails(t, exitUsage, []string{"which part?", "--index 0 to 2"}, "run-part", plan)
	for _, index := range []string{"3", "-1", "x", "1-0", "0,,1", "0-3"} {
		fails(t, exitUsage, []string{"--index", "want numbers of parts from 0 to 2"}, "run-part", plan, "--index="+index)
	}
	t.Setenv("SLURM_ARRAY_TASK_ID", "1")
	if said := must(t, "run-part", plan); !strings.Contains(said, "part 1 of 3, graphs 20 to 39") {
		t.Error(said)
	}
	fails(t, exitFailure, []string{"2 of 3 parts are not done: 0,2", "--index 0,2"}, "merge", plan)
	must(t, "run-part", plan, "--index", "0,2")
	if said := must(t, "run-part", plan, "--index", "0-2"); strings.Count(said, "done before") != 3 {
		t.Error(said)
	}
	must(t, "merge", plan, "--keep")
	must(t, "merge", plan)
	fails(t, exitUsage, []string{"want one plan"}, "merge")
}

// Numbers that are handed out on standard input are parts like others, and what is not one ends the process.
func TestPartsAreHandedOut(t *testing.T) {
	plan, _, _ := planOfParts(t)
	numbers := filepath.Join(t.TempDir(), "numbers")
	give := func(text string) {
		t.Helper()
		if err := os.WriteFile(numbers, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	give("2\n0-1\n2\n")
	said := strings.Split(strings.TrimSpace(fromInput(t, numbers, "run-part", plan, "--index", "-")), "\n")
	if len(said) != 4 || !strings.Contains(said[0], "part 2 of 3") || !strings.Contains(said[3], "done before") {
		t.Errorf("%q", said)
	}
	must(t, "merge", plan)
	defer func(before *os.File) { os.Stdin = before }(os.Stdin)
	for text, want := range map[string]string{
		"3\n": "standard input 3: want numbers of parts from 0 to 2", "\n": "which part?",
	} {
		give(text)
		os.Stdin, _ = os.Open(numbers)
		fails(t, exitUsage, []string{want}, "run-part", plan, "--index", "-")
	}
	fails(t, exitUsage, []string{"--json"}, "run-part", plan, "--index", "-", "--json")
}

// What cannot be cut is refused when it is planned.
func TestWhatCannotBeCut(t *testing.T) {
	_, model, store := planOfParts(t)
	dir := t.TempDir()
	line := func(job string, more ...string) []string {
		return append([]string{"plan", job, "--model", model, "-o", filepath.Join(dir, "plan.json")}, more...)
	}
	fails(t, exitUsage, []string{"--data", "only a store", "--to shards"}, line("predict",
		"--data", molecules(t, "molecules"), "--out", filepath.Join(dir, "p.csv"))...)
	fails(t, exitUsage, []string{"--out", "name a file .npy or .csv"}, line("predict", "--data", store,
		"--out", filepath.Join(dir, "p.parquet"))...)
	fails(t, exitFailure, []string{"--model", "wl represents nothing by vectors"}, line("embed", "--data", store,
		"--out", filepath.Join(dir, "X.npy"))...)
	fails(t, exitUsage, []string{"--out"}, line("predict", "--data", store)...)
}

// A comparison in parts, of whatever size, has the same bytes, and but for seconds and memory those of grove compare.
func TestComparisonInParts(t *testing.T) {
	dir, data := t.TempDir(), molecules(t, "molecules")
	line := comparison(data)[1:]
	one := filepath.Join(dir, "one.json")
	must(t, append([]string{"compare", "-o", one}, line...)...)
	want := untimed(t, readFile(t, one))
	delete(want, "device")
	var first []byte
	for _, size := range []int{1, 5, 12} {
		plan, out := filepath.Join(dir, "plan.json"), filepath.Join(dir, fmt.Sprint(size, ".json"))
		r := mustJSON(t, append([]string{"plan", "compare", "--part-folds", fmt.Sprint(size), "--out", out, "-o", plan},
			line...)...)
		fails(t, exitFailure, []string{"parts are not done"}, "merge", plan)
		for i := int(r["parts"].(float64)) - 1; i >= 0; i-- {
			must(t, "run-part", plan, "--index", fmt.Sprint(i), "--workers", "1")
		}
		must(t, "merge", plan)
		if first == nil {
			first = readFile(t, out)
		}
		if !bytes.Equal(readFile(t, out), first) {
			t.Errorf("parts of %d folds make another comparison", size)
		}
	}
	var got map[string]any
	if err := json.Unmarshal(first, &got); err != nil {
		t.Fatal(err)
	}
	if device := got["device"].(string); !strings.HasPrefix(device, "cpu") {
		t.Errorf("device %s", device)
	}
	delete(got, "device")
	delete(got, "seconds")
	for _, m := range got["models"].([]any) {
		for _, f := range m.(map[string]any)["tested"].([]any) {
			delete(f.(map[string]any), "seconds")
		}
		delete(m.(map[string]any), "seconds")
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("in parts\n%v\nin one process\n%v", got, want)
	}
	again := filepath.Join(dir, "1.json") // what is there is not computed again, and the table follows from it
	text := must(t, append([]string{"compare", "-o", again}, line...)...)
	holds(t, text, "chosen", "voted", "best")
}

// A comparison of other data or folds is refused, and so is an output that is there.
func TestComparisonOfOtherDataIsRefused(t *testing.T) {
	dir, data := t.TempDir(), filepath.Join(t.TempDir(), "molecules")
	synth := func(seed string) {
		must(t, "data", "synth", "molecules", "--graphs", "40", "--seed", seed, "--out", data, "--overwrite")
	}
	synth("1")
	folds, plan, out := filepath.Join(dir, "folds"), filepath.Join(dir, "plan.json"), filepath.Join(dir, "c.json")
	if err := os.Mkdir(folds, 0o777); err != nil {
		t.Fatal(err)
	}
	for fold := range 4 {
		var train, test strings.Builder
		for graph := range 40 {
			if graph/2%4 == fold { // the classes take turns
				fmt.Fprintln(&test, graph)
			} else {
				fmt.Fprintln(&train, graph)
			}
		}
		for name, text := range map[string]string{"train": train.String(), "test": test.String()} {
			if err := os.WriteFile(filepath.Join(folds, fmt.Sprintf("%s_idx-%d.txt", name, fold+1)), []byte(text),
				0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	must(t, "plan", "compare", "wl", "--data", data, "--folds", folds, "--out", out, "-o", plan)
	must(t, "run-part", plan, "--index", "0")
	fold := filepath.Join(folds, "test_idx-1.txt")
	kept := readFile(t, fold)
	lines := strings.SplitAfter(string(kept), "\n")
	if err := os.WriteFile(fold, []byte(strings.Join(lines[1:], "")), 0o666); err != nil {
		t.Fatal(err)
	}
	fails(t, exitRefused, []string{"--folds", "it has changed since"}, "run-part", plan, "--index", "1")
	if err := os.WriteFile(fold, kept, 0o666); err != nil {
		t.Fatal(err)
	}
	must(t, "run-part", plan, "--index", "1-3")
	synth("2")
	fails(t, exitRefused, []string{"--data", "it has changed since"}, "merge", plan)
	synth("1")
	must(t, "merge", plan)
	fails(t, exitUsage, []string{"it is there already"}, "plan", "compare", "wl", "--data", data, "--out", out, "-o", plan)
	must(t, "compare", "wl", "--data", data, "--folds", folds, "-o", out)
	fails(t, exitUsage, []string{"the parts read the data too"}, "plan", "compare", "wl", "--data", "-", "--out",
		filepath.Join(dir, "other.json"), "-o", plan)
}

// A kernel matrix in parts, of whatever size, has the bytes that grove gram writes.
func TestKernelMatrixInParts(t *testing.T) {
	dir, data := t.TempDir(), molecules(t, "molecules")
	plan, out, whole := filepath.Join(dir, "plan.json"), filepath.Join(dir, "K.npy"), filepath.Join(dir, "whole.npy")
	for _, line := range [][]string{{"wl", "--iterations", "2"}, {"wl-oa", "--arc-labels"}, {"wl", "--raw-kernel"},
		{"wl-oa", "--nystrom", "9", "--seed", "3"}} {
		must(t, append([]string{"gram", "-o", whole, "--data", data}, line...)...)
		for _, size := range []string{"1", "7", "500"} {
			r := mustJSON(t, append([]string{"plan", "gram", "--data", data, "--part-rows", size, "--out", out, "-o", plan},
				line...)...)
			for i := int(r["parts"].(float64)) - 1; i >= 0; i-- {
				must(t, "run-part", plan, "--index", fmt.Sprint(i), "--workers", "1")
			}
			must(t, "merge", plan)
			if !bytes.Equal(readFile(t, out), readFile(t, whole)) {
				t.Errorf("%q in parts of %s rows is another matrix", line, size)
			}
		}
	}
	fails(t, exitUsage, []string{"dwl-oa depend on all graphs"}, "plan", "gram", "dwl-oa", "--data", data, "--out", out,
		"-o", plan)
	fails(t, exitUsage, []string{"--nystrom 61", "has 60 graphs"}, "plan", "gram", "wl", "--data", data, "--nystrom", "61",
		"--out", out, "-o", plan)
	fails(t, exitUsage, []string{"the parts read the data too"}, "plan", "gram", "wl", "--data", "-", "--out", out,
		"-o", plan)
	must(t, "plan", "gram", "wl", "--data", data, "--out", out, "-o", plan)
	rewrite(t, plan, `"digest": "`, `"digest": "0`)
	fails(t, exitRefused, []string{"--data", "it has changed since"}, "run-part", plan, "--index", "0")
	rewrite(t, plan, `"wl"`, `"waltz"`)
	fails(t, exitUsage, []string{`unknown model "waltz"`}, "run-part", plan, "--index", "0")
}

// Products of the features by all graphs as landmarks are the kernel, those by some are where one of two is a landmark,
// and never more than it on the diagonal.
func TestFeaturesByLandmarks(t *testing.T) {
	dir, data := t.TempDir(), molecules(t, "molecules")
	file := filepath.Join(dir, "K.npy")
	matrix := func(args ...string) *mat.Dense {
		t.Helper()
		must(t, append([]string{"gram", "--data", data, "-o", file}, args...)...)
		m := new(mat.Dense)
		if err := npyio.Read(bytes.NewReader(readFile(t, file)), m); err != nil {
			t.Fatal(err)
		}
		return m
	}
	for _, kernel := range []string{"wl", "wl-oa"} {
		k := matrix(kernel)
		n, _ := k.Dims()
		for _, landmarks := range []int{n, 20} {
			z, products := matrix(kernel, "--nystrom", fmt.Sprint(landmarks)), new(mat.Dense)
			products.Mul(z, z.T())
			exact := 0
			for i := range n {
				if products.At(i, i) > k.At(i, i)+1e-9 {
					t.Errorf("%s: graph %d has %g with itself, the kernel %g", kernel, i, products.At(i, i), k.At(i, i))
				}
				worst := 0.0
				for j := range n {
					worst = max(worst, math.Abs(products.At(i, j)-k.At(i, j)))
				}
				if worst < 1e-8 {
					exact++
				}
			}
			if exact < landmarks || landmarks < n && exact == n {
				t.Errorf("%s: %d rows of %d are exact with %d landmarks", kernel, exact, n, landmarks)
			}
		}
	}
	fails(t, exitUsage, []string{"--nystrom 5", "mpgk-ra depend on all graphs"}, "gram", "mpgk-ra", "--data", data,
		"--nystrom", "5", "-o", file)
}
