package main

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/grove-graph/grove/memory"
)

// Where a kernel matrix does not fit, the error names what needs none.
func TestShortageNamesAWayOut(t *testing.T) {
	root := newRoot(&app{progress: newProgress(os.Stderr)})
	for line, want := range map[string]string{
		"train wl": "gckn-path and treeg need no matrix", "eval cgmm": "gckn-path and treeg need no matrix",
		"gram mpgk-aa": "grove embed mpgk-aa compares graphs with few landmarks", "predict": "fewer graphs at a time",
	} {
		c, _, err := root.Find(strings.Fields(line))
		if err != nil {
			t.Fatal(err)
		}
		short := &memory.Shortage{What: "kernel matrix of 9 x 9", Need: 80e9, Free: 20e9}
		said := withRemedy(c, short)
		if !errors.Is(said, short) || !strings.Contains(said.Error(), want) ||
			!strings.Contains(said.Error(), "80.0 GB of memory are needed, 20.0 GB are free") {
			t.Errorf("%s: %v", line, said)
		}
	}
}
