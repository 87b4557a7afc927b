package main

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/grove-graph/grove/internal/testfiles"
)

// keys are what every evaluation has to say in JSON.
func evalKeys() []string {
	return []string{"model", "dataset", "n_graphs", "device", "metric", "mean", "std", "folds", "params", "seconds",
		"protocol", "anchors"}
}

func TestEvalReportsOneObject(t *testing.T) {
	data := molecules(t, "molecules")
	r := mustJSON(t, small("eval", "gckn-subtree", "--data", data, "--cv", "4", "--inner", "3")...)
	for _, key := range evalKeys() {
		if r[key] == nil {
			t.Errorf("no %s in %v", key, r)
		}
	}
	for _, key := range []string{"load", "fit", "transform", "select", "total"} {
		if r["seconds"].(map[string]any)[key] == nil {
			t.Errorf("no seconds.%s", key)
		}
	}
	if len(r["folds"].([]any)) != 4 || r["model"] != "gckn-subtree" || r["dataset"] != "molecules" ||
		r["metric"] != "accuracy" {
		t.Errorf("%v", r)
	}
	if mean := r["mean"].(float64); mean < 50 || mean > 100 {
		t.Errorf("mean accuracy %g %%", mean)
	}
}

func TestEvalSaysWhichProtocol(t *testing.T) {
	data := molecules(t, "molecules")
	for _, c := range []struct{ flags, protocol, anchors string }{
		{"", "nested", "training part"},
		{"--anchors all", "nested", "all graphs"},
		{"--selection published", "published", "training part"},
		{"--selection published --anchors all", "published", "all graphs"},
		{"--sigma 0.4,0.6,1 --halving", "by successive halving", "training part"},
	} {
		args := small(append([]string{"eval", "gckn-path", "--data", data, "--cv", "3"}, strings.Fields(c.flags)...)...)
		text := must(t, args...)
		if !strings.Contains(text, c.protocol) || !strings.Contains(text, c.anchors) || !strings.Contains(text, "accuracy") {
			t.Errorf("eval %s does not say %q and %q: %s", c.flags, c.protocol, c.anchors, text)
		}
		r := mustJSON(t, args...)
		if !strings.Contains(fmt.Sprint(r["protocol"]), c.protocol) ||
			!strings.Contains(fmt.Sprint(r["anchors"]), c.anchors) {
			t.Errorf("eval %s --json does not say %q and %q: %v", c.flags, c.protocol, c.anchors, r)
		}
	}
}

// Everything but the seconds and the device is the same for one and two workers.
func TestEvalSameForAnyWorkers(t *testing.T) {
	data := molecules(t, "molecules")
	var first string
	for _, workers := range []string{"1", "2"} {
		r := mustJSON(t, small("eval", "gckn-path", "--data", data, "--cv", "3", "--sigma", "0.5,1", "--seed", "7",
			"--workers", workers)...)
		delete(r, "seconds")
		delete(r, "device")
		if first == "" {
			first = fmt.Sprint(r)
		} else if got := fmt.Sprint(r); got != first {
			t.Errorf("two workers: %s, one worker: %s", got, first)
		}
	}
}

func TestEvalChoosesAmongSettings(t *testing.T) {
	data := molecules(t, "molecules")
	text := must(t, small("eval", "gckn-path", "--data", data, "--cv", "3", "--sigma", "0.5,1,2",
		"--global-pooling", "sum,mean", "--selection", "published", "--c-grid", "0.01,1")...)
	if !strings.Contains(text, "6 settings") || !strings.Contains(text, "2 values") {
		t.Errorf("it does not say among how many settings it chose: %s", text)
	}
}

func TestEvalRepeats(t *testing.T) {
	data := molecules(t, "molecules")
	r := mustJSON(t, small("eval", "gckn-path", "--data", data, "--cv", "3", "--repeats", "2")...)
	if n := len(r["folds"].([]any)); n != 6 {
		t.Errorf("%d folds, want 3 of each of 2 repeats", n)
	}
	text := must(t, small("eval", "gckn-path", "--data", data, "--cv", "3", "--repeats", "2")...)
	if !strings.Contains(text, "repeat  2") {
		t.Errorf("no second repeat in %s", text)
	}
}

// Repeats of folds that are given are the evaluations of one seed after another.
func TestEvalRepeatsOfGivenFolds(t *testing.T) {
	data, folds := molecules(t, "molecules"), writeFolds(t)
	seen := map[string]bool{}
	for _, more := range [][]string{{"--anchors", "all"}, {"--workers", "3"}, {"--inner", folds}} {
		line := func(repeats, seed string) map[string]any {
			args := append([]string{"eval", "gckn-path", "--data", data, "--folds", folds, "--sigma", "0.5,1", "--filters", "4",
				"--repeats", repeats, "--seed", seed}, more...)
			return mustJSON(t, small(args...)...)
		}
		r := line("3", "7")
		var want []any
		for _, seed := range []string{"7", "8", "9"} {
			one := line("1", seed)["folds"].([]any)
			want, seen[fmt.Sprint(one)] = append(want, one...), true
		}
		if !reflect.DeepEqual(r["folds"], want) {
			t.Errorf("%v: folds %v, want those of three seeds, %v", more, r["folds"], want)
		}
		if r["n_settings"] != 2.0 || r["folds_from"] != "2 from "+folds+", 3 times" {
			t.Errorf("%v: %v settings, folds %v", more, r["n_settings"], r["folds_from"])
		}
	}
	if len(seen) < 2 {
		t.Error("all seeds do the same: nothing is shown")
	}
}

// writeFolds writes two folds of 60 graphs, with inner folds.
func writeFolds(t *testing.T) string {
	dir := t.TempDir()
	for k := 1; k <= 2; k++ {
		var train, test, innerTrain, innerTest strings.Builder
		for g := range 60 {
			switch {
			case g/2%2 == k-1:
				fmt.Fprintln(&test, g)
			case g%6 < 2:
				fmt.Fprintln(&train, g)
				fmt.Fprintln(&innerTest, g)
			default:
				fmt.Fprintln(&train, g)
				fmt.Fprintln(&innerTrain, g)
			}
		}
		write(t, filepath.Join(dir, fmt.Sprintf("train_idx-%d.txt", k)), train.String())
		write(t, filepath.Join(dir, fmt.Sprintf("test_idx-%d.txt", k)), test.String())
		write(t, filepath.Join(dir, "inner", fmt.Sprintf("train_idx-%d.txt", k)), innerTrain.String())
		write(t, filepath.Join(dir, "inner", fmt.Sprintf("val_idx-%d.txt", k)), innerTest.String())
	}
	return dir
}

func TestEvalGivenFolds(t *testing.T) {
	data, folds := molecules(t, "molecules"), writeFolds(t)
	r := mustJSON(t, small("eval", "gckn-path", "--data", data, "--folds", folds)...)
	if len(r["folds"].([]any)) != 2 || !strings.Contains(fmt.Sprint(r["folds_from"]), folds) {
		t.Errorf("two folds were given: %v", r)
	}
	for _, inner := range []string{folds, filepath.Join(folds, "inner")} {
		text := must(t, small("eval", "gckn-path", "--data", data, "--folds", folds, "--inner", inner)...)
		if !strings.Contains(text, "inner folds  1 for each fold") {
			t.Errorf("given inner folds are not used: %s", text)
		}
	}
}

func TestEvalRefusesFoldsThatDoNotFit(t *testing.T) {
	data, folds := molecules(t, "molecules"), writeFolds(t)
	write(t, filepath.Join(folds, "test_idx-2.txt"), "2\n3\n60\n")
	fails(t, exitFailure, []string{"test_idx-2.txt:3", "60"},
		small("eval", "gckn-path", "--data", data, "--folds", folds)...)
	write(t, filepath.Join(folds, "test_idx-2.txt"), "")
	fails(t, exitFailure, []string{"test_idx-2.txt"}, small("eval", "gckn-path", "--data", data, "--folds", folds)...)
	fails(t, exitFailure, []string{"no folds"}, small("eval", "gckn-path", "--data", data, "--folds", t.TempDir())...)
}

func TestEvalWrongUsage(t *testing.T) {
	data := molecules(t, "molecules")
	for _, c := range []struct {
		words []string
		flags string
	}{
		{[]string{"--cv 1"}, "--cv 1"},
		{[]string{"--cv 61", "60 graphs"}, "--cv 61"},
		{[]string{"--folds", "--cv"}, "--folds x --cv 5"},
		{[]string{"--repeats 0"}, "--repeats 0"},
		{[]string{"--repeats", "--folds"}, "--selection published --repeats 2 --folds " + writeFolds(t)},
		{[]string{"--inner 1"}, "--inner 1"},
		{[]string{"--inner somewhere", "--folds"}, "--inner somewhere"},
		{[]string{"--inner", "published"}, "--inner 3 --selection published"},
		{[]string{"--selection", "nested or published"}, "--selection best"},
		{[]string{"--anchors", "train or all"}, "--anchors some"},
		{[]string{"--c-grid", "-1"}, "--c-grid 1,-1"},
		{[]string{"--plot", ".svg"}, "--plot accuracy.pdf"},
		{[]string{"--grid"}, "--grid huge"},
	} {
		fails(t, exitUsage, c.words, append([]string{"eval", "gckn-path", "--data", data}, strings.Fields(c.flags)...)...)
	}
	fails(t, exitUsage, []string{"--data"}, "eval", "gckn-path")
}

func TestEvalWantsGraphsWithClasses(t *testing.T) {
	dir := t.TempDir()
	blocks := filepath.Join(dir, "blocks")
	must(t, "data", "synth", "block-model", "--vertices", "40", "--out", blocks)
	fails(t, exitFailure, []string{"dwl-oa", "every vertex"}, "eval", "dwl-oa", "--data", blocks)
	data := molecules(t, "molecules")
	if err := os.Remove(filepath.Join(data, "molecules_graph_labels.txt")); err != nil {
		t.Fatal(err)
	}
	fails(t, exitFailure, []string{"no classes"}, "eval", "gckn-path", "--data", data)
}

func TestEvalOneClass(t *testing.T) {
	var graphs []tuGraph
	for range 6 {
		graphs = append(graphs, tuGraph{"3", []string{"0", "1"}, [][2]int{{0, 1}}})
	}
	data := writeTU(t, "same", graphs)
	if r := mustJSON(t, "eval", "gckn-path", "--data", data, "--cv", "3", "--path-size", "2"); r["mean"] != 100.0 {
		t.Errorf("with one class there is nothing to get wrong: %v", r["mean"])
	}
}

func TestEvalPlots(t *testing.T) {
	data := molecules(t, "molecules")
	dir := t.TempDir()
	for name, flags := range map[string]string{
		"nested.svg": "", "repeats.svg": "--repeats 2", "published.svg": "--selection published --sigma 0.5,1",
		"one.svg": "--selection published --c-grid 1",
	} {
		path := filepath.Join(dir, name)
		must(t, small(append([]string{"eval", "gckn-path", "--data", data, "--cv", "3", "--plot", path},
			strings.Fields(flags)...)...)...)
		if !strings.Contains(wellFormed(t, path), "gckn-path on molecules") {
			t.Errorf("%s has no title", name)
		}
	}
	png := filepath.Join(dir, "nested.png")
	must(t, small("eval", "gckn-path", "--data", data, "--cv", "3", "--plot", png)...)
	if raw := readFile(t, png); !strings.HasPrefix(string(raw), "\x89PNG") {
		t.Error("not a PNG picture")
	}
}

// The published figure of GCKN-path at this setting, protocol and folds is 88.3 +- 7.2 %.
func TestEvalMUTAGAsPublished(t *testing.T) {
	data, folds := testfiles.Data(t, "tu", "MUTAG"), testfiles.Data(t, "folds", "MUTAG")
	start := time.Now()
	r := mustJSON(t, "eval", "gckn-path", "--data", data, "--folds", folds, "--selection", "published", "--anchors", "all")
	if mean := r["mean"].(float64); mean < 86.8 || mean > 89.8 {
		t.Errorf("accuracy %.1f %%, want 88.3 within 1.5", mean)
	}
	t.Logf("%.1f +- %.1f %% in %v", r["mean"], r["std"], time.Since(start))
}

// Where all graphs look the same every representation is constant and the classifier has nothing to go by.
func TestGraphsThatAllLookTheSame(t *testing.T) {
	var graphs []tuGraph
	for g := range 8 {
		graphs = append(graphs, tuGraph{itoa(g % 2), []string{"0", "0"}, [][2]int{{0, 1}}})
	}
	data := writeTU(t, "alike", graphs)
	if r := mustJSON(t, "eval", "gckn-path", "--data", data, "--cv", "2", "--path-size", "2"); r["mean"] != 50.0 {
		t.Errorf("accuracy %v %%, want half", r["mean"])
	}
	model := filepath.Join(t.TempDir(), "m.grove")
	must(t, "train", "gckn-path", "--data", data, "--path-size", "2", "-o", model)
	must(t, "predict", "--model", model, "--data", data)
	must(t, "explain", "--model", model, "--data", data, "--index", "0-7", "-o", filepath.Join(t.TempDir(), "x.svg"))
}
