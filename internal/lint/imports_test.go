package engine_test

import (
	"os/exec"
	"strings"
	"testing"
)

// Nothing in a build without the tag gpu knows of CUDA: its binding links the driver's library.
func TestDefaultBuildHasNoCUDA(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "github.com/grove-graph/grove/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range strings.Fields(string(out)) {
		if path == "gorgonia.org/cu" || path == "github.com/grove-graph/grove/cuda/sim" {
			t.Errorf("the default build imports %s", path)
		}
	}
}

// With the tag gpu (and -e, for the kernels need not be compiled) only commands know the CUDA engine; everything else
// speaks to package engine.
func TestOnlyCommandsImportTheCUDAEngine(t *testing.T) {
	out, err := exec.Command("go", "list", "-e", "-tags", "gpu", "-f", "{{.ImportPath}} {{join .Imports \" \"}}",
		"github.com/grove-graph/grove/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		own := strings.TrimPrefix(words[0], "github.com/grove-graph/grove/")
		for _, path := range words[1:] {
			if path == "github.com/grove-graph/grove/cuda" && !strings.HasPrefix(own, "cmd/") &&
				own != "engine/enginetest/conformance" {
				t.Errorf("%s imports the CUDA engine", own)
			}
		}
	}
}
