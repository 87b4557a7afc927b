package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/grove-graph/grove/columnar"
	"github.com/sbinet/npyio/npy"
)

// readTable returns a columnar file as comma-separated values without its vectors, and the numbers of these.
func readTable(t *testing.T, path string) (table string, vectors []float32) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := columnar.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var text bytes.Buffer
	for first := true; ; first = false {
		batch, err := rows.Next()
		if errors.Is(err, io.EOF) {
			return text.String(), vectors
		}
		if err != nil {
			t.Fatal(err)
		}
		var columns []cells
		for i, f := range rows.Schema().Fields() {
			c := cells{name: f.Name}
			switch column := batch.Column(i).(type) {
			case *array.Int64:
				c.wholes = column.Int64Values()
			case *array.Float64:
				c.reals = column.Float64Values()
			case *array.String:
				for row := range column.Len() {
					c.words = append(c.words, column.Value(row))
				}
			case array.ListLike:
				vectors = append(vectors, column.ListValues().(*array.Float32).Float32Values()...)
				continue
			}
			columns = append(columns, c)
		}
		if err := writeCSV(&text, columns, first); err != nil {
			t.Fatal(err)
		}
	}
}

// Predictions are the same in a table of any kind, of a store too, whose pieces become groups of rows.
func TestPredictionsAsColumns(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, "data", "synth", "molecules", "--graphs", "30", "--out", "set")
	must(t, "data", "convert", "set", "--to", "shards", "--out", "store")
	for _, model := range []string{"wl", "treeg"} {
		must(t, "train", model, "--data", "set", "-o", "model.grove", "--workers", "1")
		for _, data := range []string{"set", "store"} {
			must(t, "predict", "--model", "model.grove", "--data", data, "-o", "p.csv")
			want, err := os.ReadFile("p.csv")
			if err != nil {
				t.Fatal(err)
			}
			for _, ending := range []string{".parquet", ".arrow", ".feather"} {
				must(t, "predict", "--model", "model.grove", "--data", data, "-o", "p"+ending)
				if got, _ := readTable(t, "p"+ending); got != string(want) {
					t.Errorf("%s, %s, %s:\n%s\nwant\n%s", model, data, ending, got, want)
				}
			}
		}
	}
}

// The vectors of a columnar file are those of a matrix, and what the rows are is what --ids says.
func TestVectorsAsColumns(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, "data", "synth", "molecules", "--graphs", "30", "--out", "set")
	for _, task := range []string{"graph", "node"} {
		must(t, "embed", "gckn-path", "--data", "set", "--filters", "4", "--task", task, "-o", "X.npy", "--ids", "ids.csv")
		file, err := os.Open("X.npy")
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		var want []float32
		if err := npy.Read(file, &want); err != nil {
			t.Fatal(err)
		}
		ids, err := os.ReadFile("ids.csv")
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{"X.parquet", "X.arrow"} {
			must(t, "embed", "gckn-path", "--data", "set", "--filters", "4", "--task", task, "-o", path)
			table, got := readTable(t, path)
			if table != string(ids) {
				t.Errorf("%s, %s:\n%s\nwant\n%s", task, path, table, ids)
			}
			if len(got) != len(want) || len(got) == 0 {
				t.Fatalf("%d numbers, want %d", len(got), len(want))
			}
			for i := range got {
				if got[i] != want[i] {
					t.Fatalf("number %d is %v, want %v", i, got[i], want[i])
				}
			}
		}
	}
}

// fromInput runs a command with a file as standard input, and returns what it says.
func fromInput(t *testing.T, path string, args ...string) string {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func(before *os.File) { os.Stdin, _ = before, file.Close() }(os.Stdin)
	os.Stdin = file
	return must(t, args...)
}

// A dash stands for Arrow IPC on standard input, wherever data are read.
func TestDataFromStandardInput(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, "data", "synth", "molecules", "--graphs", "30", "--out", "set")
	must(t, "data", "convert", "set", "--to", "arrow", "--out", "columns")
	const arrow = "columns/columns.arrow"
	want := strings.Replace(must(t, "data", "info", "set"), " set\n", " standard input\n", 1)
	if got := fromInput(t, arrow, "data", "info", "-"); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	fromInput(t, arrow, "train", "wl", "--data", "-", "--c", "1", "-o", "piped.grove")
	must(t, "train", "wl", "--data", "set", "--c", "1", "-o", "model.grove")
	want = must(t, "predict", "--model", "model.grove", "--data", "set", "-o", "-")
	if got := fromInput(t, arrow, "predict", "--model", "piped.grove", "--data", "-", "-o", "-"); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	fromInput(t, arrow, "data", "convert", "-", "--to", "tu", "--out", "back/set")
	for _, kind := range []string{"A", "node_labels", "edge_labels", "graph_labels", "node_gt"} {
		a, errA := os.ReadFile("set/set_" + kind + ".txt")
		b, errB := os.ReadFile("back/set/set_" + kind + ".txt")
		if errA != nil || errB != nil || !bytes.Equal(a, b) {
			t.Errorf("%s: another file, %v %v", kind, errA, errB)
		}
	}
	defer func(before *os.File) { os.Stdin = before }(os.Stdin)
	os.Stdin, _ = os.Open("set/set_A.txt")
	fails(t, exitFailure, []string{"standard input: no stream of Arrow IPC"}, "data", "info", "-")
	os.Stdin, _ = os.Open(arrow)
	fails(t, exitFailure, []string{"standard input: its rows are no molecules"}, "data", "info", "-", "--hydrogens")
}
