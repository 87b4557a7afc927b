package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/grove-graph/grove/modelfile"
	"github.com/sbinet/npyio/npy"
)

// trained returns a model that was trained on a data set.
func trained(t *testing.T, data string, more ...string) string {
	t.Helper()
	model := filepath.Join(t.TempDir(), "model.grove")
	must(t, append(small("train", "gckn-subtree", "--data", data, "-o", model), more...)...)
	return model
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestTrainReportsHowItChose(t *testing.T) {
	data := molecules(t, "molecules")
	out := filepath.Join(t.TempDir(), "m.grove")
	r := mustJSON(t, small("train", "gckn-path", "--data", data, "-o", out, "--sigma", "0.5,1")...)
	for _, key := range []string{"model", "dataset", "n_graphs", "device", "setting", "params", "c", "training_accuracy",
		"cross_validated", "file", "seconds"} {
		if r[key] == nil {
			t.Errorf("no %s in %v", key, r)
		}
	}
	if a := r["training_accuracy"].(float64); a < 60 || a > 100 {
		t.Errorf("training accuracy %g %%", a)
	}
	fixed := mustJSON(t, small("train", "gckn-path", "--data", data, "-o", out, "--c", "0.25")...)
	if fixed["c"] != 0.25 || fixed["cross_validated"] != nil {
		t.Errorf("with --c 0.25 there is nothing to choose: %v", fixed)
	}
}

// A model that is stored and read back predicts the same, whatever the number of workers that trained
// and apply it.
func TestSameSeedSamePredictionsForAnyWorkers(t *testing.T) {
	data := molecules(t, "molecules")
	one, two := trained(t, data, "--workers", "1", "--seed", "3"), trained(t, data, "--workers", "2", "--seed", "3")
	if !bytes.Equal(readFile(t, one), readFile(t, two)) {
		t.Error("one and two workers train different models")
	}
	first := must(t, "predict", "--model", one, "--data", data, "-o", "-", "--workers", "1")
	if second := must(t, "predict", "--model", two, "--data", data, "-o", "-", "--workers", "2"); first != second {
		t.Error("one and two workers predict differently")
	}
	other := trained(t, data, "--seed", "4")
	if bytes.Equal(readFile(t, one), readFile(t, other)) {
		t.Error("another seed trains the same model")
	}
}

func TestPredictWritesALineForEachGraph(t *testing.T) {
	data := molecules(t, "molecules")
	model := trained(t, data)
	out := filepath.Join(t.TempDir(), "predictions.csv")
	r := mustJSON(t, "predict", "--model", model, "--data", data, "-o", out)
	rows, err := csv.NewReader(bytes.NewReader(readFile(t, out))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 61 || strings.Join(rows[0], " ") != "graph predicted class decision" {
		t.Fatalf("%d rows under %v", len(rows), rows[0])
	}
	right := 0
	for _, row := range rows[1:] {
		if row[1] == row[2] {
			right++
		}
		if positive := !strings.HasPrefix(row[3], "-"); positive != (row[1] == "1") {
			t.Errorf("the decision %s does not speak for class %s", row[3], row[1])
		}
	}
	if accuracy := r["accuracy"].(float64); accuracy != rounded(100*float64(right)/60) {
		t.Errorf("accuracy %g %%, the table has %d of 60 right", accuracy, right)
	}
	if r := mustJSON(t, "predict", "--model", model, "--data", data); len(r["predictions"].([]any)) != 60 {
		t.Error("without a file --json carries the predictions")
	}
}

func TestPredictLabelsAndClassesThatWereNeverSeen(t *testing.T) {
	model := trained(t, molecules(t, "molecules"))
	data := writeTU(t, "strange", []tuGraph{
		{"1", []string{"0", "77"}, [][2]int{{0, 1}}},
		{"5", []string{"99"}, nil},
	})
	r := mustJSON(t, "predict", "--model", model, "--data", data)
	if r["n_unknown_class"] != 1.0 || len(r["unknown_labels"].([]any)) == 0 {
		t.Errorf("a strange class and strange labels: %v", r)
	}
	if text := must(t, "predict", "--model", model, "--data", data); !strings.Contains(text, "never saw") ||
		!strings.Contains(text, "counted as wrong") {
		t.Errorf("no word about them in %q", text)
	}
}

func TestPredictWithoutClasses(t *testing.T) {
	data := molecules(t, "molecules")
	model := trained(t, data)
	if err := os.Remove(filepath.Join(data, "molecules_graph_labels.txt")); err != nil {
		t.Fatal(err)
	}
	r := mustJSON(t, "predict", "--model", model, "--data", data)
	if r["accuracy"] != nil || len(r["predictions"].([]any)) != 60 {
		t.Errorf("graphs without classes: %v", r)
	}
	if text := must(t, "predict", "--model", model, "--data", data); !strings.Contains(text, "no classes") {
		t.Errorf("it should say that there are no classes: %q", text)
	}
}

func TestOneClass(t *testing.T) {
	data := writeTU(t, "same", []tuGraph{
		{"3", []string{"0", "1", "1"}, [][2]int{{0, 1}, {1, 2}}},
		{"3", []string{"1", "1", "0"}, [][2]int{{0, 1}, {1, 2}}},
	})
	model := trained(t, data)
	r := mustJSON(t, "predict", "--model", model, "--data", data)
	if r["accuracy"] != 100.0 {
		t.Errorf("with one class there is nothing to get wrong: %v", r)
	}
	out := filepath.Join(t.TempDir(), "x.svg")
	fails(t, exitFailure, []string{"only class 3"}, "explain", "--model", model, "--data", data, "--index", "0", "-o", out)
}

func TestGraphOfOneVertex(t *testing.T) {
	var graphs []tuGraph
	for range 6 {
		graphs = append(graphs,
			tuGraph{"0", []string{"0", "1", "1"}, [][2]int{{0, 1}, {1, 2}}},
			tuGraph{"1", []string{"1"}, nil})
	}
	data := writeTU(t, "tiny", graphs)
	model := trained(t, data)
	if r := mustJSON(t, "predict", "--model", model, "--data", data); r["accuracy"] != 100.0 {
		t.Errorf("a vertex and a path are easy to tell apart: %v", r)
	}
	out := filepath.Join(t.TempDir(), "x.svg")
	must(t, "explain", "--model", model, "--data", data, "--index", "1", "-o", out)
}

func TestDamagedModelIsRefused(t *testing.T) {
	data := molecules(t, "molecules")
	model := trained(t, data)
	raw := readFile(t, model)
	for name, damage := range map[string]func([]byte) []byte{
		"cut":     func(b []byte) []byte { return b[:len(b)/2] },
		"flipped": func(b []byte) []byte { b[len(b)/2] ^= 1; return b },
		"empty":   func([]byte) []byte { return nil },
		"longer":  func(b []byte) []byte { return append(b, 0) },
	} {
		path := filepath.Join(t.TempDir(), name+".grove")
		write(t, path, string(damage(bytes.Clone(raw))))
		fails(t, exitFailure, []string{name + ".grove"}, "predict", "--model", path, "--data", data)
	}
}

func TestEmbedWritesOneRowForEachGraphOrVertex(t *testing.T) {
	data := molecules(t, "molecules")
	vertices := int(mustJSON(t, "data", "info", data)["vertices"].(float64))
	model := trained(t, data)
	out := filepath.Join(t.TempDir(), "X.npy")
	for _, c := range []struct {
		args          []string
		rows, columns int
		dtype         string
	}{
		{small("embed", "gckn-path", "--data", data, "-o", out), 60, 3 * 16, "<f4"},
		{small("embed", "gckn-path", "--data", data, "-o", out, "--lengths", "last", "--precision", "float64"), 60, 16,
			"<f8"},
		{small("embed", "gckn-subtree", "--data", data, "-o", out, "--task", "node"), vertices, 3 * 16, "<f4"},
		{[]string{"embed", "gckn-walk", "--data", data, "-o", out, "--layers", "2:8:0.5,1:4:1", "--concat"}, 60, 2*8 + 2*4,
			"<f4"},
		{[]string{"embed", "--model", model, "--data", data, "-o", out}, 60, 3 * 16, "<f4"},
	} {
		r := mustJSON(t, c.args...)
		if r["rows"] != float64(c.rows) || r["columns"] != float64(c.columns) {
			t.Errorf("%v: says %v x %v, want %d x %d", c.args, r["rows"], r["columns"], c.rows, c.columns)
		}
		reader, err := npy.NewReader(bytes.NewReader(readFile(t, out)))
		if err != nil {
			t.Fatal(err)
		}
		shape := reader.Header.Descr.Shape
		if len(shape) != 2 || shape[0] != c.rows || shape[1] != c.columns || reader.Header.Descr.Type != c.dtype {
			t.Errorf("%v: the file holds %v %v, want %d x %d %s", c.args, shape, reader.Header.Descr.Type, c.rows, c.columns,
				c.dtype)
		}
		if c.dtype == "<f4" {
			var values []float32
			if err := reader.Read(&values); err != nil || len(values) != c.rows*c.columns {
				t.Errorf("%v: %d values, %v", c.args, len(values), err)
			}
		}
	}
}

func TestEmbedVertexTask(t *testing.T) {
	data := filepath.Join(t.TempDir(), "blocks")
	must(t, "data", "synth", "block-model", "--vertices", "60", "--out", data)
	out := filepath.Join(t.TempDir(), "X.npy")
	if r := mustJSON(t, small("embed", "gckn-path", "--data", data, "-o", out)...); r["task"] != "node" ||
		r["rows"] != 60.0 {
		t.Errorf("a vertex task is embedded by vertices: %v", r)
	}
}

// A file with a right checksum may still hold parts that do not fit each other.
func TestModelThatDoesNotFitTogetherIsRefused(t *testing.T) {
	data := molecules(t, "molecules")
	file, err := modelfile.Read(trained(t, data))
	if err != nil {
		t.Fatal(err)
	}
	child := func(m map[string]any, path ...string) map[string]any {
		for _, name := range path {
			m = m[name].(map[string]any)
		}
		return m
	}
	for name, change := range map[string]func(m map[string]any){
		"no classifier":    func(m map[string]any) { delete(child(m, "parts"), "classifier") },
		"no encoding":      func(m map[string]any) { delete(child(m, "parts"), "encoding") },
		"no network":       func(m map[string]any) { delete(child(m, "parts"), "network") },
		"no class names":   func(m map[string]any) { child(m, "head")["classes"] = []string{} },
		"fewer labels":     func(m map[string]any) { child(m, "parts", "encoding")["labels"] = []string{"C"} },
		"strange features": func(m map[string]any) { child(m, "parts", "encoding")["features"] = "smells" },
		"short weights":    func(m map[string]any) { child(m, "parts", "classifier")["weights"] = [][]float64{{1}} },
		"other scale":      func(m map[string]any) { child(m, "parts", "classifier", "scaler")["scale"] = []float64{} },
		"many filters": func(m map[string]any) {
			child(m, "parts", "network", "options")["layers"].([]any)[0].(map[string]any)["filters"] = 16384
		},
		"no layers": func(m map[string]any) { child(m, "parts", "network", "options")["layers"] = []any{} },
		"three layers": func(m map[string]any) {
			o := child(m, "parts", "network", "options")
			l := o["layers"].([]any)
			o["layers"] = append(l, l[0])
		},
		"unknown pooling":   func(m map[string]any) { child(m, "parts", "network", "options")["global_pooling"] = "median" },
		"text for a number": func(m map[string]any) { child(m, "parts", "network", "options")["epsilon"] = "small" },
	} {
		var description map[string]any
		if err := json.Unmarshal(file.Model, &description); err != nil {
			t.Fatal(err)
		}
		change(description)
		path := filepath.Join(t.TempDir(), "m.grove")
		if err := modelfile.Write(path, file.Kind, description, file.Tensors); err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) {
			fails(t, exitFailure, []string{"m.grove: damaged model file: "}, "predict", "--model", path, "--data", data)
			if _, message, _ := grove("predict", "--model", path, "--data", data); strings.Count(message, "damaged") > 1 {
				t.Errorf("the error says twice that the file is damaged: %s", message)
			}
		})
	}
	path := filepath.Join(t.TempDir(), "foreign.grove")
	if err := modelfile.Write(path, "something-else", map[string]any{}, nil); err != nil {
		t.Fatal(err)
	}
	fails(t, exitFailure, []string{"foreign.grove", "something-else"}, "predict", "--model", path, "--data", data)
}
