//go:build unix

package dataset

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// Opening a pipe that nobody writes to waits for ever, so readers refuse it, whichever file of a data set it is.
func TestPipesAreRefused(t *testing.T) {
	for name, others := range map[string]map[string]string{
		"x/x_A.txt":               {"x/x_graph_indicator.txt": "1\n1\n"},
		"x/x_graph_indicator.txt": {"x/x_A.txt": "1, 2\n"},
		"x/edges.csv":             {"x/labels.csv": "node,label\n0,0\n"},
		"x/features.csv":          {"x/edges.csv": "src,dst\n0,1\n", "x/labels.csv": "node,label\n0,0\n1,1\n"},
		"x/x.txt":                 {},
		"x/train.tree":            {"x/test.tree": ""},
		"x/shards.json":           {},
		"x/x_A.txt.gz":            {"x/x_graph_indicator.txt": "1\n1\n"},
	} {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, "x"), 0o777); err != nil {
			t.Fatal(err)
		}
		for other, text := range others {
			if err := os.WriteFile(filepath.Join(dir, other), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if err := syscall.Mkfifo(filepath.Join(dir, name), 0o600); err != nil {
			t.Skip(err)
		}
		refused := make(chan error, 1)
		go func() {
			_, err := Open(filepath.Join(dir, "x"))
			refused <- err
		}()
		select {
		case err := <-refused:
			wantError(t, err, "not a regular file: copy it to one")
		case <-time.After(10 * time.Second):
			t.Fatalf("%s: the reader waits for ever", name)
		}
	}
}
