package main

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/internal/testfiles"
)

// people writes a table of rings and paths of people with a class each, and the tables beside it.
func people(t *testing.T) string {
	t.Helper()
	edges, vertices, graphs := "graph,source,target,label\n", "graph,id,age\n", "id,kind,mass\n"
	for g := range 16 {
		size, kind := 3+g/2, "path"
		for v := range size {
			vertices += fmt.Sprintf("g%d,v%d,%d\n", g, v, v)
			if v > 0 {
				edges += fmt.Sprintf("g%d,v%d,v%d,knows\n", g, v-1, v)
			}
		}
		if g%2 == 0 {
			kind = "ring"
			edges += fmt.Sprintf("g%d,v%d,v0,likes\n", g, size-1)
		}
		graphs += fmt.Sprintf("g%d,%s,%d.5\n", g, kind, size)
	}
	dir := filepath.Join(t.TempDir(), "people")
	write(t, filepath.Join(dir, "edges.csv"), edges)
	write(t, filepath.Join(dir, "vertices.csv"), vertices)
	write(t, filepath.Join(dir, "graphs.csv"), graphs)
	return dir
}

// sameFiles checks that two folders hold the same files, byte for byte.
func sameFiles(t *testing.T, wanted, got string) {
	t.Helper()
	names := func(dir string) (list []string) {
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) == 0 {
			t.Fatalf("%s: %v", dir, err)
		}
		for _, e := range entries {
			list = append(list, e.Name())
		}
		return list
	}
	if want, have := names(wanted), names(got); !slices.Equal(want, have) {
		t.Fatalf("%s has %v, %s %v", wanted, want, got, have)
	}
	for _, name := range names(wanted) {
		want, errWant := os.ReadFile(filepath.Join(wanted, name))
		have, errHave := os.ReadFile(filepath.Join(got, name))
		if errWant != nil || errHave != nil || string(want) != string(have) {
			t.Errorf("%s is another one in %s", name, got)
		}
	}
}

// MUTAG goes through every format that is written, and from each to each, and comes back as the same data set.
func TestMUTAGGoesThroughEveryFormat(t *testing.T) {
	root := testfiles.Data(t, "tu")
	t.Chdir(t.TempDir())
	must(t, "data", "convert", filepath.Join(root, "MUTAG"), "--to", "tu", "--out", "tu/MUTAG")
	left := []string{"node", "smiles"} // a vertex task is one graph, and atoms have other codes in SMILES
	from, passed := "tu/MUTAG", 0
	for _, f := range dataset.Formats() {
		if !f.Written || slices.Contains(left, f.Short) {
			continue
		}
		for _, source := range []string{"tu/MUTAG", from} { // there and back, and on from the format before
			out := filepath.Join("out", f.Short, fmt.Sprint(passed), "MUTAG")
			back := filepath.Join("back", f.Short, fmt.Sprint(passed), "MUTAG")
			must(t, "data", "convert", source, "--to", f.Short, "--out", out)
			must(t, "data", "convert", out, "--to", "tu", "--out", back)
			sameFiles(t, "tu/MUTAG", back)
			from = out
			passed++
		}
	}
	if passed < 12 {
		t.Errorf("only %d ways", passed)
	}
}

// Every command that reads graphs reads tables of edges and node-link JSON.
func TestCommandsReadTables(t *testing.T) {
	data := people(t)
	t.Chdir(t.TempDir())
	must(t, "data", "convert", data, "--target", "kind", "--to", "json", "--out", "people")
	for _, from := range []string{data, filepath.Join(data, "edges.csv"), "people", "people/people.jsonl"} {
		target := []string{"--target", "kind"}
		if strings.HasPrefix(from, "people") { // which has but one
			target = nil
		}
		with := func(args ...string) []string { return append(append(args, "--data", from), target...) }
		if r := mustJSON(t, with("eval", "wl", "--cv", "4")...); r["mean"].(float64) < 90 {
			t.Errorf("%s: accuracy %v", from, r["mean"])
		}
		must(t, with("train", "wl", "--cv", "2", "-o", "m.grove")...)
		if r := mustJSON(t, "predict", "--model", "m.grove", "--data", from); r["accuracy"].(float64) < 90 {
			t.Errorf("%s: accuracy %v of what it learned from", from, r["accuracy"])
		}
		must(t, "explain", "--model", "m.grove", "--data", from, "--index", "3", "-o", "x.svg")
		must(t, "embed", "gckn-path", "--data", from, "--filters", "4", "-o", "x.npy")
		must(t, "gram", "wl", "--data", from, "-o", "k.npy")
		must(t, with("compare", "wl", "majority", "--cv", "2")...)
		must(t, append([]string{"data", "split", from, "--parts", "4", "--out", "parts", "--overwrite"}, target...)...)
	}
}

// Predictions and vectors name graphs and vertices as their tables do.
func TestNamesOfTablesAreKept(t *testing.T) {
	data := people(t)
	t.Chdir(t.TempDir())
	must(t, "train", "wl", "--data", data, "--target", "kind", "--cv", "2", "-o", "m.grove")
	table := func(text string) [][]string {
		rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		return rows
	}
	rows := table(must(t, "predict", "--model", "m.grove", "--data", data, "-o", "-"))
	if got := fmt.Sprint(rows[0][:3], rows[1][:2], rows[16][:2]); got != "[graph id predicted] [0 g0] [15 g15]" {
		t.Error(got)
	}
	r := mustJSON(t, "predict", "--model", "m.grove", "--data", data)
	if got := fmt.Sprint(r["predictions"].([]any)[2].(map[string]any)["ids"]); got != "[g2]" {
		t.Error(got)
	}
	must(t, "embed", "gckn-path", "--data", data, "--filters", "4", "--task", "node", "-o", "x.npy", "--ids", "ids.csv")
	text, err := os.ReadFile("ids.csv")
	if err != nil {
		t.Fatal(err)
	}
	rows = table(string(text))
	if got := fmt.Sprint(rows[0], rows[1], rows[4]); got != "[vertex graph graph id id] [0 0 g0 v0] [3 1 g1 v0]" {
		t.Error(got)
	}
	must(t, "eval", "wl", "--data", data, "--target", "kind", "--cv", "2", "--predictions", "held.csv")
	text, err = os.ReadFile("held.csv")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range table(string(text))[1:] {
		if row[3] != "g"+row[2] {
			t.Errorf("graph %s is called %s", row[2], row[3])
		}
	}
	must(t, "train", "treeg", "--data", data, "--task", "edge", "--estimators", "2", "--cv", "2", "-o", "e.grove")
	rows = table(must(t, "predict", "--model", "e.grove", "--data", data, "-o", "-"))
	if got := fmt.Sprint(rows[0][:7], rows[1][:7]); got !=
		"[edge graph from to graph id from id to id] [0 0 0 1 g0 v0 v1]" {
		t.Error(got)
	}
}

// Neither the table of edges nor those that are read beside it are written over.
func TestTablesBesideEdgesAreKept(t *testing.T) {
	data := people(t)
	for _, name := range []string{"edges.csv", "vertices.csv", "graphs.csv"} {
		for _, from := range []string{data, filepath.Join(data, "edges.csv")} {
			fails(t, exitUsage, []string{"--out " + filepath.Join(data, name), "this is read from"}, "embed", "gckn-path",
				"--data", from, "-o", filepath.Join(data, name))
		}
	}
}

// Vertices of one graph are classified by the table beside its edges.
func TestVerticesOfATableAreClassified(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "clubs")
	edges, vertices := "from,to\n", "person,x,club,split\n"
	for v := range 40 {
		part := []string{"train", "train", "val", "test"}[v%4]
		vertices += fmt.Sprintf("p%d,%d,%s,%s\n", v, v%5, []string{"left", "right"}[v/20], part)
		for _, to := range []int{v + 1, v + 2} {
			if to/20 == v/20 {
				edges += fmt.Sprintf("p%d,p%d\n", v, to)
			}
		}
	}
	write(t, filepath.Join(dir, "edges.csv"), edges)
	write(t, filepath.Join(dir, "people.csv"), vertices)
	how := []string{"--vertex-table", filepath.Join(dir, "people.csv"), "--vertex-columns", "id=person,class=club"}
	args := append([]string{"eval", "treeg", "--estimators", "5", "--data", filepath.Join(dir, "edges.csv")}, how...)
	if r := mustJSON(t, args...); r["mean"].(float64) < 40 || r["n_graphs"].(float64) != 1 {
		t.Errorf("report %v", r)
	}
	fails(t, exitUsage, []string{"--out", "people.csv", "--vertex-table"}, append([]string{"embed", "gckn-path", "--data",
		filepath.Join(dir, "edges.csv"), "-o", filepath.Join(dir, "people.csv")}, how...)...)
}

func TestFlagsOfTablesBelongToTables(t *testing.T) {
	data := molecules(t, "graphs")
	for flag, value := range map[string]string{
		"--edge-columns": "from=a", "--vertex-columns": "id=a", "--graph-columns": "id=a", "--vertex-table": "x.csv",
		"--graph-table": "x.csv", "--directed": "",
	} {
		args := []string{"data", "info", data, flag}
		if value != "" {
			args = append(args, value)
		}
		fails(t, exitUsage, []string{flag, "no file of edges", "TU format"}, args...)
	}
	tables := people(t)
	for _, wrong := range []string{"weight", "colour=a", "weight=", "=a"} {
		fails(t, exitUsage, []string{"--edge-columns " + wrong, "want ROLE=COLUMN"}, "data", "info", tables, "--edge-columns",
			wrong)
	}
	fails(t, exitUsage, []string{"--hydrogens", "edge list format"}, "data", "info", tables, "--hydrogens")
	fails(t, exitFailure, []string{"edges.csv:1:", `no column "cost" for weight`}, "data", "info", tables,
		"--edge-columns", "weight=cost")
}
