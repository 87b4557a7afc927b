package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/grove-graph/grove/dataset"
)

// inStore returns a store of the data set in a folder, under its name.
func inStore(t *testing.T, data string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), filepath.Base(data))
	must(t, "data", "convert", data, "--to", "shards", "--out", dir)
	return dir
}

// A store that is generated has the bytes of one that is converted from the text of the same graphs, and the text that
// is written from it those of the text.
func TestGeneratedStoreIsTheConvertedOne(t *testing.T) {
	text, made := molecules(t, "same"), filepath.Join(t.TempDir(), "same")
	must(t, "data", "synth", "molecules", "--graphs", "60", "--vertices", "12", "--seed", "1", "--to", "shards",
		"--out", made)
	back := filepath.Join(t.TempDir(), "same")
	must(t, "data", "convert", made, "--to", "tu", "--out", back)
	for _, pair := range [][2]string{{made, inStore(t, text)}, {back, text}} {
		entries, err := os.ReadDir(pair[0])
		if err != nil || len(entries) < 2 {
			t.Fatal(entries, err)
		}
		for _, e := range entries {
			if !bytes.Equal(readFile(t, filepath.Join(pair[0], e.Name())), readFile(t, filepath.Join(pair[1], e.Name()))) {
				t.Errorf("%s differs", e.Name())
			}
		}
	}
	a, b := mustJSON(t, "data", "info", made), mustJSON(t, "data", "info", text)
	for _, key := range []string{"graphs", "vertices", "arcs", "components", "max_degree", "labels", "bytes"} {
		if a[key] != b[key] {
			t.Errorf("%s: %v in the store, %v in the text", key, a[key], b[key])
		}
	}
	fails(t, exitUsage, []string{"block-model", "vertices of one graph"}, "data", "synth", "block-model", "--to", "shards",
		"--out", filepath.Join(t.TempDir(), "x"))
	fails(t, exitUsage, []string{"--out", "holds a data set already"}, "data", "synth", "molecules", "--to", "shards",
		"--out", made)
}

// Whatever is trained on graphs or applied to them says the same of graphs in a store, or in a columnar file, as of
// graphs in memory, in every family.
func TestStoresAreAsGoodAsMemory(t *testing.T) {
	for _, m := range everyModel(t) {
		if dataset.FormatOf(m.data) == dataset.NodeFormat {
			continue
		}
		t.Run(m.name, func(t *testing.T) {
			store, columns := inStore(t, m.data), filepath.Join(t.TempDir(), filepath.Base(m.data))
			must(t, "data", "convert", m.data, "--to", "parquet", "--out", columns)
			table := must(t, "predict", "--model", m.file, "--data", m.data, "-o", "-")
			for _, data := range []string{store, columns} {
				if got := must(t, "predict", "--model", m.file, "--data", data, "-o", "-"); got != table {
					t.Errorf("predictions of %s:\n%s\nin memory:\n%s", data, got, table)
				}
			}
			file := filepath.Join(t.TempDir(), "p.csv")
			must(t, "predict", "--model", m.file, "--data", store, "-o", file)
			if got := string(readFile(t, file)); got != table {
				t.Errorf("predictions in a file:\n%s\non standard output:\n%s", got, table)
			}
			a, b := mustJSON(t, "predict", "--model", m.file, "--data", m.data), mustJSON(t, "predict", "--model", m.file,
				"--data", store)
			for _, r := range []map[string]any{a, b} {
				delete(r, "seconds")
				delete(r, "peak_memory_bytes")
				delete(r, "device") // of graphs on disk nobody knows how few they are
			}
			if x, y := jsonOf(t, a), jsonOf(t, b); x != y {
				t.Errorf("the report of a store is\n%s\nthat in memory\n%s", y, x)
			}
		})
	}
}

// What is evaluated on graphs in a store has the figures of memory, and predicts the same of every graph.
func TestStoresAreEvaluatedAsInMemory(t *testing.T) {
	data := molecules(t, "molecules")
	store, dir := inStore(t, data), t.TempDir()
	for _, line := range [][]string{
		small("gckn-path", "--c", "1"), small("gckn-subtree", "--anchors", "train", "--c-grid", "0.1,1"),
		{"wl", "--iterations", "1,2", "--machine", "linear"}, {"wl-oa", "--c", "1"}, {"dwl-oa", "--c", "1"},
		{"linear"}, {"majority"},
		{"static", "--estimators", "2,3"}, {"treeg", "--estimators", "2"},
		{"cgmm", "--states", "3", "--layers", "2", "--c", "1"}, {"gin", "--epochs", "2"},
		{"gckn-path-sup", "--filters", "8", "--epochs", "2", "--path-size", "2"},
	} {
		var said [2]string
		for i, from := range []string{data, store} {
			file, page := filepath.Join(dir, "p.csv"), filepath.Join(dir, "page.html")
			r := mustJSON(t, append(append([]string{"eval"}, line...), "--data", from, "--cv", "3", "--seed", "1",
				"--predictions", file, "--html", page)...)
			delete(r, "seconds")
			delete(r, "device") // of graphs on disk nobody knows how few they are
			if said[i] = jsonOf(t, r) + string(readFile(t, file)); !bytes.Contains(readFile(t, page), []byte("<svg")) {
				t.Errorf("%q on %s: nothing is drawn", line, from)
			}
		}
		if said[0] != said[1] {
			t.Errorf("%q on a store:\n%s\nin memory:\n%s", line, said[1], said[0])
		}
	}
}

// Vectors of graphs in a store, or in a columnar file, are those of the same graphs in memory, with anchors that are
// learned and with a model, and --ids says what they are.
func TestStoresAreEmbeddedAsInMemory(t *testing.T) {
	data := filepath.Join(t.TempDir(), "many") // more than a piece
	must(t, "data", "synth", "molecules", "--graphs", "24000", "--vertices", "9", "--out", data)
	store, dir := inStore(t, data), t.TempDir()
	columns := filepath.Join(t.TempDir(), "many")
	must(t, "data", "convert", store, "--to", "parquet", "--out", columns)
	model := filepath.Join(dir, "m.grove")
	must(t, append(small("train", "gckn-path", "--data", store, "-o", model), "--c", "1")...)
	inMemory := filepath.Join(dir, "n.grove")
	must(t, append(small("train", "gckn-path", "--data", data, "-o", inMemory), "--c", "1")...)
	if !bytes.Equal(readFile(t, model), readFile(t, inMemory)) {
		t.Error("the model that was trained on a store is another one than that in memory")
	}
	a := must(t, "predict", "--model", model, "--data", data, "-o", "-")
	if b := must(t, "predict", "--model", model, "--data", store, "-o", "-"); a != b || strings.Count(a, "\n") != 24001 {
		t.Error("other predictions from a store")
	}
	for _, args := range [][]string{small("embed", "gckn-path"), {"embed", "--model", model},
		{"embed", "--model", model, "--task", "node"}} {
		var files, ids [3][]byte
		for i, from := range []string{data, store, columns} {
			out, list := filepath.Join(dir, "X.npy"), filepath.Join(dir, "X.csv")
			must(t, append(args, "--data", from, "-o", out, "--ids", list)...)
			files[i], ids[i] = readFile(t, out), readFile(t, list)
		}
		for i := range files {
			if !bytes.Equal(files[0], files[i]) || !bytes.Equal(ids[0], ids[i]) {
				t.Errorf("%v: other bytes from disk", args)
			}
		}
		lines, err := csv.NewReader(bytes.NewReader(ids[0])).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		want := []string{"graph", "class"}
		if strings.Contains(strings.Join(args, " "), "node") {
			want = []string{"vertex", "graph"}
		}
		if strings.Join(lines[0], ",") != strings.Join(want, ",") || len(lines) < 24001 {
			t.Errorf("%d lines, %v", len(lines), lines[0])
		}
		for i, line := range lines[1:] {
			if line[0] != strconv.Itoa(i) || want[1] == "class" && line[1] != strconv.Itoa(i%2) {
				t.Fatalf("line %d is %v", i, line)
			}
		}
	}
	fails(t, exitUsage, []string{"--ids", "same file"}, "embed", "--model", model, "--data", data,
		"-o", filepath.Join(dir, "a"), "--ids", filepath.Join(dir, "a"))
	fails(t, exitUsage, []string{"--ids", "no folder"}, "embed", "--model", model, "--data", data,
		"-o", filepath.Join(dir, "a"), "--ids", filepath.Join(dir, "none", "b"))
}

func jsonOf(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
