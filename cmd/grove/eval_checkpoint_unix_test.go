//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"
)

// A search that is killed goes on from its checkpoint: to the figures of one that was not, and without measuring again
// what it had. When it has said them the checkpoint is gone.
func TestKilledSearchGoesOn(t *testing.T) {
	dir := t.TempDir()
	data := molecules(t, "mols")
	for name, protocol := range map[string][]string{
		"nested":    {"--inner", "2"},
		"published": {"--selection", "published", "--anchors", "all", "--repeats", "2"},
	} {
		line := append([]string{"eval", "gckn-path", "--data", data, "--path-size", "2,3,4,5", "--filters", "8,16,32",
			"--sigma", "0.4,0.6", "--cv", "3", "--workers", "1", "--json", "--quiet"}, protocol...)
		want := mustJSON(t, line...)
		path := filepath.Join(dir, name+".state")
		line = append(line, "--checkpoint", path)
		for kills, lines := 0, 0; kills < 3; kills++ {
			p := newProcess(t, "", line...)
			if err := p.Start(); err != nil {
				t.Fatal(err)
			}
			goal := lines + 8
			for deadline := time.Now().Add(time.Minute); lines < goal && time.Now().Before(deadline); {
				kept, _ := os.ReadFile(path)
				lines = bytes.Count(kept, []byte("\n"))
				time.Sleep(time.Millisecond)
			}
			_ = p.Process.Kill()
			if err := p.Wait(); err == nil {
				t.Fatalf("%s: it ended before it was killed", name)
			}
			if lines < goal {
				t.Fatalf("%s: %d lines after a minute", name, lines)
			}
		}
		fails(t, 2, []string{"--checkpoint " + path, "other settings"}, append(line, "--c", "1")...)
		got := mustJSON(t, line...)
		before := got["seconds"].(map[string]any)["before"]
		if seconds, ok := before.(float64); !ok || seconds <= 0 {
			t.Errorf("%s: %v seconds before", name, before)
		}
		delete(got, "seconds")
		delete(want, "seconds")
		if !reflect.DeepEqual(got, want) {
			text, _ := json.Marshal(got)
			t.Errorf("%s: %s after three kills", name, text)
		}
		if _, err := os.Stat(path); !os.IsNotExist(err) {
			t.Errorf("%s: the checkpoint is left (%v)", name, err)
		}
	}
}
