//go:build gpu

package main

import (
	"bytes"
	"path/filepath"
	"testing"
)

// The splits of trees are searched on the device and are those of the CPU: the model file has the same bytes.
func TestTreesAreTheSameOnEveryDevice(t *testing.T) {
	wantGPU(t)
	data := molecules(t, "molecules")
	for _, options := range [][]string{
		{"--estimators", "3"},
		{"--ensemble", "forest", "--estimators", "2"},
	} {
		folder := t.TempDir()
		var files [][]byte
		for _, device := range []string{"cpu", "cuda"} {
			model := filepath.Join(folder, device+".grove")
			must(t, append([]string{"train", "treeg", "--data", data, "--device", device, "-o", model}, options...)...)
			files = append(files, readFile(t, model))
		}
		if !bytes.Equal(files[0], files[1]) {
			t.Errorf("%v: the model files of the two devices differ", options)
		}
	}
}
