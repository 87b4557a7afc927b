package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Every flag that takes a file or a folder says whether that is read or written, so that no command can forget to
// keep the two apart.
func TestEveryFileFlagIsReadOrWritten(t *testing.T) {
	roles := fileFlags()
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			value, _ := describeFlag(f)
			if _, known := roles[f.Name]; (strings.HasPrefix(value, "FILE") || value == "DIR") != known {
				t.Errorf("%s --%s %s: is it in fileFlags? %t", c.CommandPath(), f.Name, value, known)
			}
		})
		if use := strings.Fields(c.Use); len(use) > 1 && use[1] == "IN" && c.Annotations[readsArguments] == "" {
			t.Errorf("%s reads its argument and does not say so", c.CommandPath())
		}
		for _, child := range c.Commands() {
			visit(child)
		}
	}
	visit(newRoot(&app{progress: newProgress(os.Stderr)}))
}

// An output that is an input, by whatever name, is refused, and the input is as before.
func TestNoOutputIsAnInput(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	must(t, "data", "synth", "molecules", "--graphs", "40", "--vertices", "12", "--out", "data")
	must(t, "data", "convert", "data", "--to", "shards", "--out", "shards")
	must(t, "data", "synth", "block-model", "--vertices", "60", "--out", "task")
	write(t, "tree/x.tree", "1:2(3($) 4($))\n2:2(3($))\n")
	write(t, "text/y.txt", "1\n1 0\n0 0\n")
	write(t, "folds/train_idx-1.txt", "0\n")
	must(t, small("train", "gckn-path", "--data", "data", "-o", "model")...)
	must(t, "train", "treeg", "--data", "data", "--estimators", "2", "-o", "trees")
	if err := os.Symlink("model", "link"); err != nil {
		t.Fatal(err)
	}
	if err := os.Link("model", "second"); err != nil {
		t.Fatal(err)
	}
	write(t, "both/z.txt", "1\n1 0\n0 0\n")
	write(t, "both/z.txt.gz", "no archive")
	must(t, "data", "split", "data", "--out", "parts")
	for link, to := range map[string]string{"part": "parts/train", "text/way": "../task",
		"view/view_A.txt": "../data/data_A.txt"} {
		if err := os.MkdirAll(filepath.Dir(link), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(to, link); err != nil {
			t.Fatal(err)
		}
	}
	before := dirTree(t, dir)
	labels := "data/data_graph_labels.txt"
	for _, args := range [][]string{
		{"predict", "--model", "model", "--data", "data", "-o", "model"},
		{"predict", "--model", "model", "--data", "data", "-o", "./data/../model"},
		{"predict", "--model", "model", "--data", "data", "-o", "link"},
		{"predict", "--model", "link", "--data", "data", "-o", "model"},
		{"predict", "--model", "model", "--data", "data", "-o", "second"},
		{"predict", "--model", "model", "--data", "data", "-o", labels},
		{"predict", "--model", "model", "--data", "shards", "-o", "shards/00000.graphs"},
		{"predict", "--model", "model", "--data", "data/data_A.txt", "-o", labels},
		{"train", "wl", "--data", "data", "-o", labels},
		{"train", "treeg", "--data", "task", "-o", "task/edges.csv"},
		{"train", "wl", "--data", "tree", "-o", "tree/x.tree"},
		{"train", "wl", "--data", "text/y.txt", "-o", "text/y.txt"},
		{"train", "gckn-path-sup", "--data", "data", "-o", "m", "--checkpoint", labels},
		{"train", "gckn-path-sup", "--data", "data", "--from", "model", "-o", "model"},
		{"compare", "wl", "--data", "data", "--ranks", "none.json,model", "-o", "model"},
		{"embed", "gckn-path", "--data", "data", "-o", labels},
		{"embed", "--model", "model", "--data", "data", "-o", "model"},
		{"gram", "wl", "--data", "data", "-o", labels},
		{"explain", "--model", "model", "--data", "data", "--index", "0", "-o", "model"},
		{"dump", "--model", "trees", "-o", "trees"},
		{"eval", "wl", "--data", "data", "--folds", "folds", "--plot", "folds/train_idx-1.txt"},
		{"data", "convert", "data", "--out", "data", "--overwrite"},
		{"data", "convert", "tree/x.tree", "--out", "tree", "--overwrite"},
		{"data", "split", "data", "--out", "data"},
		{"data", "split", "parts/train/", "--out", "parts", "--overwrite"},
		{"data", "split", "parts/train/train_A.txt", "--out", "parts", "--overwrite"},
		{"data", "split", "part", "--out", "parts", "--overwrite"},
		{"data", "convert", "view", "--out", "data", "--overwrite"},
		{"data", "convert", "data", "--out", "text/way/../data", "--overwrite"},
		{"embed", "gckn-path", "--data", "both", "-o", "both/z.txt"},
	} {
		fails(t, exitUsage, []string{"--", "read from", "name another one"}, args...)
	}
	for _, same := range []string{"./m", "later"} {
		_ = os.Symlink("m", "later")
		fails(t, exitUsage, []string{"--checkpoint", "--out", "the same file"},
			"train", "gckn-path-sup", "--data", "data", "-o", "m", "--checkpoint", same)
	}
	fails(t, exitFailure, []string{"z.txt.gz"}, "embed", "gckn-path", "--data", "both/z.txt.gz", "-o", "both/z.txt")
	if after := dirTree(t, dir); !sameState(before, after) {
		t.Error("a refused command changed something")
	}
	for range 2 { // in the folder, not of the data
		must(t, "predict", "--model", "model", "--data", "data", "-o", "data/predictions.csv")
	}
}

// dirTree is dirState for a folder of folders.
func dirTree(t *testing.T, dir string) map[string]string {
	t.Helper()
	state := map[string]string{}
	files, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	more, _ := filepath.Glob(filepath.Join(dir, "*"))
	for _, path := range append(files, more...) {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			state[path] = string(readFile(t, path))
		}
	}
	return state
}

// A folder that holds a data set of any format is not written to unasked.
func TestDataOfEveryFormatIsKept(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	must(t, "data", "synth", "molecules", "--graphs", "10", "--out", "from")
	must(t, "data", "convert", "from", "--out", "tu")
	must(t, "data", "convert", "from", "--to", "shards", "--out", "shards")
	must(t, "data", "synth", "block-model", "--vertices", "60", "--out", "node")
	write(t, "tree/any.tree", "1:2(3($) 4($))\n")
	write(t, "trees/train.tree", "1:2(3($) 4($))\n")
	write(t, "trees/test.tree", "1:2(3($) 4($))\n")
	write(t, "text/any.txt", "1\n1 0\n0 0\n")
	write(t, "half/half_graph_indicator.txt", "1\n")
	before := dirTree(t, dir)
	for _, held := range []string{"tu", "shards", "node", "tree", "trees", "text", "half"} {
		fails(t, exitUsage, []string{"--out " + held, "holds a data set already"},
			"data", "synth", "power-law", "--graphs", "4", "--out", held)
		fails(t, exitUsage, []string{"--out " + held, "holds a data set already"},
			"data", "convert", "from", "--out", held+"/.")
	}
	if !sameState(before, dirTree(t, dir)) {
		t.Error("a refused command changed a data set")
	}
	write(t, "other/notes.txt", "to do: all\n")
	must(t, "data", "synth", "power-law", "--graphs", "4", "--vertices", "9", "--out", "other")
	if string(readFile(t, "other/notes.txt")) != "to do: all\n" || mustJSON(t, "data", "info", "other")["graphs"] != 4.0 {
		t.Error("other files and a data set do not go together")
	}
}

// Folders that a newcomer may have do not get into the way of writing beside them.
func TestOutBesideAnyFolder(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, name := range []string{"new", "tmp", "a"} {
		must(t, "data", "synth", "power-law", "--graphs", "4", "--vertices", "9", "--out", name)
	}
	must(t, "data", "synth", "power-law", "--graphs", "4", "--vertices", "9", "--out", "b")
}
