package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// alcohols writes a table of chains of carbon that end in a hydroxy group or not, and says which.
func alcohols(t *testing.T) string {
	t.Helper()
	text := "name,smiles,kind,mass,known\n"
	for n := 1; n <= 20; n++ {
		known := fmt.Sprint(n % 2)
		if n%5 == 0 {
			known = ""
		}
		text += fmt.Sprintf("a%d,%sO,alcohol,%d.5,%s\n", n, strings.Repeat("C", n), 14*n+18, known)
		text += fmt.Sprintf("h%d,%sC,alkane,%d.5,%d\n", n, strings.Repeat("C", n), 14*n+16, n%2)
	}
	path := filepath.Join(t.TempDir(), "alcohols.csv")
	write(t, path, text)
	return path
}

func TestTargetsOfMoleculesAreChosenByName(t *testing.T) {
	data := alcohols(t)
	if r := mustJSON(t, "eval", "wl", "--data", data, "--target", "kind", "--cv", "4"); r["mean"].(float64) < 99 {
		t.Errorf("accuracy %v", r["mean"])
	}
	if r := mustJSON(t, "eval", "linear", "--data", data, "--target", "mass", "--cv", "4"); r["metric"] != "rmse" {
		t.Errorf("numbers are measured by %v", r["metric"])
	}
	r := mustJSON(t, "eval", "majority", "--data", data, "--target", "known", "--cv", "4", "--predictions",
		filepath.Join(t.TempDir(), "held-out.csv"))
	if n := r["n_graphs"].(float64); n != 40 {
		t.Errorf("%v graphs", n)
	}
	if n := len(r["predictions"].([]any)); n != 36 {
		t.Errorf("%d of 36 molecules with a class are tested", n)
	}
	fails(t, exitUsage, []string{"--target", `"kind", "mass", "known"`}, "eval", "wl", "--data", data)
	fails(t, exitUsage, []string{"--target colour", `"kind", "mass", "known"`}, "eval", "wl", "--data", data, "--target",
		"colour")
	fails(t, exitUsage, []string{"--task graph-regression", "kind"}, "eval", "linear", "--data", data, "--target", "kind",
		"--task", "graph-regression")
}

// A model reads molecules as those were read that it learned from, and refuses to read them otherwise.
func TestAModelReadsMoleculesAsItLearnedThem(t *testing.T) {
	data, dir := alcohols(t), t.TempDir()
	file := filepath.Join(dir, "model.grove")
	must(t, "train", "linear", "--data", data, "--target", "kind", "--hydrogens", "--atom-attributes", "degree,charge",
		"--cv", "2", "-o", file)
	r := mustJSON(t, "predict", "--model", file, "--data", data)
	if r["accuracy"].(float64) < 99 {
		t.Errorf("accuracy %v of what it learned from", r["accuracy"])
	}
	again := mustJSON(t, "predict", "--model", file, "--data", data, "--hydrogens", "--atom-attributes", "degree,charge")
	if fmt.Sprint(again["predictions"]) != fmt.Sprint(r["predictions"]) {
		t.Error("other predictions with the flags that it was trained with")
	}
	fails(t, exitUsage,
		[]string{"--atom-attributes", "with --hydrogens and --atom-attributes degree,charge; leave them out"}, "predict",
		"--model", file, "--data", data, "--atom-attributes", "ring")
	plain := filepath.Join(dir, "plain.grove")
	must(t, "train", "linear", "--data", data, "--target", "kind", "--cv", "2", "-o", plain)
	fails(t, exitUsage, []string{"--hydrogens", "without them"}, "predict", "--model", plain, "--data", data,
		"--hydrogens")
	unknown := filepath.Join(dir, "new.smi")
	write(t, unknown, "CCCCO\nCCCCC\n")
	if r := mustJSON(t, "predict", "--model", plain, "--data", unknown); len(r["predictions"].([]any)) != 2 {
		t.Errorf("predicted %v", r["predictions"])
	}
}

func TestInvalidMoleculesAreLeftOutByAFlagAlone(t *testing.T) {
	dir := t.TempDir()
	data := filepath.Join(dir, "some.csv")
	text := "smiles,y\n"
	for n := 1; n <= 8; n++ {
		text += strings.Repeat("C", n) + "O,1\n" + strings.Repeat("C", n) + "N,0\n"
	}
	write(t, data, text+"C1CC,1\n")
	listed := `line 18: SMILES "C1CC": column 2: ring closure 1 is never closed`
	fails(t, exitFailure, []string{"some.csv:18:", "ring closure 1 is never closed"}, "eval", "wl", "--data", data,
		"--cv", "2")
	for _, args := range [][]string{
		{"data", "info", data, "--skip-invalid"},
		{"eval", "wl", "--data", data, "--cv", "2", "--skip-invalid"},
		{"train", "wl", "--data", data, "--cv", "2", "--skip-invalid", "-o", filepath.Join(dir, "m.grove")},
		{"predict", "--model", filepath.Join(dir, "m.grove"), "--data", data, "--skip-invalid"},
		{"explain", "--model", filepath.Join(dir, "m.grove"), "--data", data, "--skip-invalid", "--index", "3", "-o",
			filepath.Join(dir, "x.svg")},
		{"compare", "wl", "majority", "--data", data, "--cv", "2", "--skip-invalid", "-o", filepath.Join(dir, "compared")},
	} {
		if out := must(t, args...); !strings.Contains(out, listed) {
			t.Errorf("grove %s does not list what is left out:\n%s", strings.Join(args, " "), out)
		}
	}
	folds := filepath.Join(dir, "folds")
	write(t, filepath.Join(folds, "train_idx-1.txt"), "0\n1\n2\n3\n")
	write(t, filepath.Join(folds, "test_idx-1.txt"), "4\n5\n")
	fails(t, exitUsage, []string{"--folds", "--skip-invalid left out 1"}, "eval", "wl", "--data", data, "--folds", folds,
		"--skip-invalid")
}

func TestFlagsOfMoleculesBelongToMolecules(t *testing.T) {
	data := molecules(t, "graphs")
	for flag, value := range map[string]string{
		"--smiles-column": "x", "--hydrogens": "", "--atom-attributes": "ring", "--skip-invalid": "",
	} {
		args := []string{"data", "info", data, flag}
		if value != "" {
			args = append(args, value)
		}
		fails(t, exitUsage, []string{flag, "no file of molecules", "TU format"}, args...)
	}
	fails(t, exitUsage, []string{"--atom-attributes colour"}, "data", "info", alcohols(t), "--atom-attributes", "colour")
}

// Molecules go through the other formats and come back as the same data set, byte for byte.
func TestMoleculesAreConvertedAndBack(t *testing.T) {
	t.Chdir(t.TempDir())
	data := alcohols(t)
	must(t, "data", "convert", data, "--to", "smiles", "--out", "a/alcohols")
	must(t, "data", "convert", data, "--to", "parquet", "--out", "b/alcohols")
	must(t, "data", "convert", "b/alcohols", "--to", "smiles", "--out", "c/alcohols")
	must(t, "data", "convert", data, "--to", "shards", "--out", "h/alcohols")
	must(t, "data", "convert", "h/alcohols", "--to", "smiles", "--out", "i/alcohols")
	must(t, "data", "convert", "i/alcohols", "--target", "kind", "--to", "tu", "--out", "j/alcohols")
	must(t, "data", "convert", data, "--target", "kind", "--to", "tu", "--out", "d/alcohols")
	must(t, "data", "convert", "a/alcohols", "--target", "kind", "--to", "tu", "--out", "e/alcohols")
	must(t, "data", "convert", "d/alcohols", "--to", "smiles", "--out", "f/alcohols")
	must(t, "data", "convert", "f/alcohols", "--to", "tu", "--out", "g/alcohols")
	for _, same := range [][2]string{{"a", "c"}, {"d", "e"}, {"d", "g"}, {"d", "j"}} {
		first, err := filepath.Glob(filepath.Join(same[0], "alcohols", "*"))
		if err != nil || len(first) == 0 {
			t.Fatalf("%s: %v", same[0], err)
		}
		for _, path := range first {
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(filepath.Join(same[1], "alcohols", filepath.Base(path)))
			if err != nil || string(got) != string(want) {
				t.Errorf("%s is another one in %s: %v", path, same[1], err)
			}
		}
	}
	fails(t, exitFailure, []string{"choose one with --target"}, "data", "convert", data, "--to", "tu", "--out", "no")
}

// Molecules are drawn with their bonds and hydrogens without being asked to.
func TestExplainDrawsMolecules(t *testing.T) {
	data, dir := filepath.Join(t.TempDir(), "some.csv"), t.TempDir()
	text := "smiles,y\n"
	for n := 1; n <= 6; n++ {
		text += fmt.Sprintf("N#C%sC(=O)[O-],1\n%sc1ccccc1N,0\n", strings.Repeat("C", n), strings.Repeat("C", n))
	}
	write(t, data, text)
	for _, args := range [][]string{
		{"wl", "--iterations", "1"}, {"treeg", "--estimators", "2"}, {"gin", "--epochs", "2"},
	} {
		file, drawing := filepath.Join(dir, "m.grove"), filepath.Join(dir, "x.svg")
		must(t, append([]string{"train", "--data", data, "--cv", "2", "-o", file}, args...)...)
		must(t, "explain", "--model", file, "--data", data, "--index", "0,1", "-o", drawing)
		svg, err := os.ReadFile(drawing)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{">N</text>", ">−</text>", ">H</text>", ">2</text>", "stroke-dasharray", ": NH2"} {
			if !strings.Contains(string(svg), want) {
				t.Errorf("%s: the drawing has no %s", args[0], want)
			}
		}
		if strings.Contains(string(svg), ">C</text>") && !strings.Contains(string(svg), ">3</text>") {
			t.Errorf("%s: carbons are written", args[0])
		}
	}
}
