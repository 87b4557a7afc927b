package examples_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// outside writes the program of an example into a module of its own, as a user's is, which requires Grove and what
// Grove does, and returns the folder.
func outside(t *testing.T, example string) string {
	t.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	read := func(path string) string {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	const name = "github.com/grove-graph/grove"
	own, required, _ := strings.Cut(read(filepath.Join(root, "go.mod")), "\n\n")
	if own != "module "+name {
		t.Fatalf("go.mod begins with %q", own)
	}
	dir := t.TempDir()
	for file, text := range map[string]string{
		"go.mod": "module example.org/outside\n\n" + required + "\nrequire " + name + " v0.0.0\n\nreplace " + name + " => " +
			root + "\n",
		"go.sum":  read(filepath.Join(root, "go.sum")),
		"main.go": read(filepath.Join(example, "main.go")),
		"gpu.go":  "//go:build gpu\n\npackage main\n\nimport _ \"" + name + "/cuda\"\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// run builds the program in a folder with some flags, and returns what it says.
func run(t *testing.T, dir string, flags []string, args ...string) string {
	t.Helper()
	build := exec.Command("go", append(append([]string{"build", "-mod=mod", "-o", "outside"}, flags...), ".")...)
	build.Dir = dir
	build.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	out, err := exec.Command(filepath.Join(dir, "outside"), args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return string(out)
}

// A program of another module trains a network of gorgonia's operations and Grove's.
func TestOutsideModule(t *testing.T) {
	if said := run(t, outside(t, "convolution"), nil, "cpu"); said != "loss 0.0000, weight 0.549\n" {
		t.Errorf("it says %q", said)
	}
}
