package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// dirState lists the files of a folder with their contents.
func dirState(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	state := map[string]string{}
	for _, e := range entries {
		raw, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		state[e.Name()] = string(raw)
	}
	return state
}

func sameState(a, b map[string]string) bool {
	for name := range a {
		if a[name] != b[name] {
			return false
		}
	}
	return len(a) == len(b)
}

func TestDataIsNotOverwrittenUnasked(t *testing.T) {
	from, held := molecules(t, "from"), molecules(t, "held")
	before, input := dirState(t, held), dirState(t, from)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(from, link); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"data", "synth", "power-law", "--graphs", "4", "--out", held},
		{"data", "convert", from, "--out", held},
	} {
		fails(t, exitUsage, []string{"--out", "holds a data set", "--overwrite"}, args...)
	}
	fails(t, exitUsage, []string{"--out", "vertex task", "remove it first"}, "data", "synth", "block-model",
		"--vertices", "40", "--out", held, "--overwrite")
	for _, out := range []string{from, link, filepath.Join(from, "..", "from")} {
		fails(t, exitUsage, []string{"--out", "read from"}, "data", "convert", from, "--out", out, "--overwrite")
		fails(t, exitUsage, []string{"--out", "read from"}, "data", "convert", filepath.Join(from, "from_A.txt"),
			"--out", out)
	}
	if !sameState(before, dirState(t, held)) || !sameState(input, dirState(t, from)) {
		t.Error("a refused command changed a data set")
	}
	must(t, "data", "convert", from, "--out", held, "--overwrite")
	must(t, "data", "synth", "power-law", "--graphs", "4", "--vertices", "10", "--out", held, "--overwrite")
	if info := mustJSON(t, "data", "info", held); info["graphs"] != 4.0 {
		t.Errorf("not replaced: %v", info)
	}
}

func TestOutputsAreCheckedBeforeTheWork(t *testing.T) {
	dir := t.TempDir()
	fixed := filepath.Join(dir, "fixed.svg")
	write(t, fixed, "old")
	if err := os.Chmod(fixed, 0o444); err != nil {
		t.Fatal(err)
	}
	long := filepath.Join(dir, strings.Repeat("x", 300)+".svg")
	for _, out := range []string{fixed, long} {
		for _, args := range [][]string{ // there are no such data: the output is complained of first
			{"train", "gckn-path", "--data", "x", "-o", out},
			{"embed", "gckn-path", "--data", "x", "-o", out},
			{"predict", "--model", "m", "--data", "x", "-o", out},
			{"explain", "--model", "m", "--data", "x", "--index", "1", "-o", out},
			{"eval", "gckn-path", "--data", "x", "--plot", out},
		} {
			fails(t, exitFailure, []string{"--", out}, args...)
		}
	}
	fails(t, exitUsage, []string{"--out", "is a file"}, "data", "synth", "molecules",
		"--out", filepath.Join(fixed, "deep", "er"))
	fails(t, exitUsage, []string{"--out", "is a file"}, "data", "synth", "molecules", "--out", fixed)
	if state := dirState(t, dir); len(state) != 1 || state["fixed.svg"] != "old" {
		t.Errorf("the folder holds %v", state)
	}
}

func TestOutputsFollowLinksAndFillPipes(t *testing.T) {
	data := molecules(t, "molecules")
	model, dir := trained(t, data), t.TempDir()
	pipe, link, file := filepath.Join(dir, "pipe"), filepath.Join(dir, "link"), filepath.Join(dir, "file")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	if err := os.Symlink("file", link); err != nil {
		t.Fatal(err)
	}
	got := make(chan string)
	go func() {
		raw, _ := os.ReadFile(pipe)
		got <- string(raw)
	}()
	must(t, "predict", "--model", model, "--data", data, "-o", pipe)
	must(t, "predict", "--model", model, "--data", data, "-o", link)
	if through := <-got; through != string(readFile(t, file)) || !strings.HasPrefix(through, "graph,predicted") {
		t.Errorf("through the pipe came %q", through)
	}
	if info, _ := os.Lstat(pipe); info.Mode()&os.ModeNamedPipe == 0 {
		t.Error("the pipe was replaced")
	}
	if info, _ := os.Lstat(link); info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link was replaced")
	}
	for _, path := range []string{pipe, dir} { // nobody writes: reading would block
		fails(t, exitFailure, []string{"--model", path, "not a regular file", "copy"}, "predict", "--model", path,
			"--data", data)
	}
}

func TestConvertNamesTheEmptyGraphAtTheEnd(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "pair.txt"), "2\n2 0\n0 1 1\n0 1 0\n0 1\n")
	fails(t, exitFailure, []string{"graph 1", "no vertices", "leave this graph out"}, "data", "convert",
		filepath.Join(dir, "pair.txt"), "--out", filepath.Join(dir, "out"))
	if _, err := os.Stat(filepath.Join(dir, "out")); err == nil {
		t.Error("a folder was made")
	}
}
