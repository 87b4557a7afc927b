package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// documents writes a graph of two rings of documents whose words tell the ring, with a published split.
func documents(t *testing.T) string {
	t.Helper()
	const n = 40
	dir := filepath.Join(t.TempDir(), "documents")
	edges, words, labels, split := "src,dst\n", "row,col,value\n", "node,label\n", "node,set\n"
	for v := range n {
		edges += fmt.Sprintf("%d,%d\n%d,%d\n", v, (v+2)%n, v, (v+4)%n)
		words += fmt.Sprintf("%d,%d,1\n%d,%d,1\n", v, 2*(v%2)+v/2%2, v, 4+v/6%3)
		labels += fmt.Sprintf("%d,%d\n", v, v%2)
		split += fmt.Sprintf("%d,%s\n", v, []string{"train", "train", "val", "test", "test"}[v/2%5])
	}
	for name, text := range map[string]string{
		"edges.csv": edges, "features.coo.csv": words, "labels.csv": labels, "split_0.csv": split,
	} {
		write(t, filepath.Join(dir, name), text)
	}
	return dir
}

func TestEveryFamilySolvesVertexTasks(t *testing.T) {
	dir := documents(t)
	for _, c := range []struct {
		model string
		flags []string
		least float64 // accuracy on the test part
	}{
		{"gckn-path", []string{"--path-size", "2", "--filters", "8"}, 90},
		{"gckn-subtree", []string{"--layers", "2:8:0.6/2:8:0.6,2:8:0.6", "--own-features=false,true"}, 90},
		{"mpgk-rr", []string{"--iterations", "1,2", "--normalise"}, 90},
		{"mpgk-aa", []string{"--iterations", "1"}, 50},
		{"cgmm", []string{"--layers", "2", "--states", "4", "--own-features"}, 90},
		{"wl", []string{"--iterations", "1,2"}, 0}, // all vertices look alike
		{"wl-oa", []string{"--iterations", "1"}, 0},
	} {
		t.Run(c.model, func(t *testing.T) {
			args := append([]string{c.model, "--data", dir, "--seed", "1"}, c.flags...)
			r := mustJSON(t, append([]string{"eval"}, args...)...)
			if mean := r["mean"].(float64); mean < c.least {
				t.Errorf("accuracy %g on the test part, want at least %g", mean, c.least)
			}
			file := filepath.Join(t.TempDir(), "model.grove")
			must(t, append([]string{"train", "-o", file, "--cv", "2"}, args...)...)
			said := mustJSON(t, "predict", "--model", file, "--data", dir)
			if n := len(said["predictions"].([]any)); n != 40 {
				t.Errorf("%d predictions of 40 vertices", n)
			}
			drawing := filepath.Join(t.TempDir(), "x.svg")
			x := mustJSON(t, "explain", "--model", file, "--data", dir, "--index", "3,7", "-o", drawing)
			if n := len(x["examples"].([]any)); n != 2 {
				t.Errorf("%d explanations of 2 vertices", n)
			}
			if _, err := os.Stat(drawing); err != nil {
				t.Error(err)
			}
			fails(t, 2, []string{"--method masks", "importance"},
				"explain", "--model", file, "--data", dir, "--index", "3", "-o", drawing, "--method", "masks")
			if strings.HasPrefix(c.model, "gckn") || c.model == "cgmm" {
				out := filepath.Join(t.TempDir(), "x.npy")
				if rows := mustJSON(t, "embed", "--model", file, "--data", dir, "-o", out)["rows"].(float64); rows != 40 {
					t.Errorf("%g rows of 40 vertices", rows)
				}
			}
		})
	}
	fails(t, 1, []string{"dwl-oa predicts something of graphs", "task for every vertex"}, "eval", "dwl-oa", "--data", dir)
	fails(t, 1, []string{"own features are for linear machines"}, "eval", "cgmm", "--data", dir, "--layers", "1",
		"--own-features", "--classifier", "rbf")
}
