package dataset

import (
	"os"
	"path/filepath"
	"testing"
)

func TestOpenFindsTheFormat(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range twoGraphs {
		write("tu/"+name, text)
	}
	write("tugz/X_A.txt.gz", compress("1, 2\n"))
	write("tugz/X_graph_indicator.txt", "1\n1\n")
	write("node/edges.csv", "src,dst\n0,1\n")
	write("node/labels.csv", "node,label\n0,0\n1,1\n")
	write("text/Y.txt", "1\n1 0\n0 0\n")
	write("textgz/Y.txt.gz", compress("1\n1 0\n0 0\n"))
	write("many/Y.txt", "1\n1 0\n0 0\n")
	write("many/Z.txt", "1\n1 0\n0 0\n")
	write("none/readme.md", "nothing")
	write("half/X_graph_indicator.txt", "1\n")
	write("halfnode/features.coo.csv", "row,col,value\n")
	good := map[string]string{
		"tu": "X", "tugz": "X", "tu/X_A.txt": "X", "node": "node", "node/edges.csv": "node",
		"text": "Y", "text/Y.txt": "Y", "textgz": "Y", "textgz/Y.txt.gz": "Y", "textgz/Y.txt": "Y", "many/Z.txt": "Z",
	}
	for path, name := range good {
		d, err := Open(filepath.Join(dir, path))
		if err != nil {
			t.Errorf("%s: %v", path, err)
		} else if d.Name != name {
			t.Errorf("%s is called %s, want %s", path, d.Name, name)
		}
	}
	bad := map[string]string{
		"absent": "absent: no such file or directory", "none": "none: no data set: looked for NAME_A.txt",
		"half": "X_A.txt: no such file", "halfnode": "labels.csv: no such file",
		"none/readme.md": "readme.md: not a data set", ".": "no data set: looked for",
		"many": "many: 2 text files: name the one to read",
	}
	for path, want := range bad {
		_, err := Open(filepath.Join(dir, path))
		wantError(t, err, want)
	}
	_, err := OpenTU(filepath.Join(dir, "tu", "X_A.txt"))
	wantError(t, err, "is a folder that holds NAME_A.txt")
	_, err = OpenNode(filepath.Join(dir, "node", "edges.csv"), Directed)
	wantError(t, err, "is a folder that holds edges.csv")
	_, err = OpenText(filepath.Join(dir, "text", "absent.txt"))
	wantError(t, err, "absent.txt: no such file")
}

// A folder that is replaced while it is read is read again, until it stays.
func TestReplacedWhileItIsRead(t *testing.T) {
	d, err := Synth("power-law", SynthOptions{Graphs: 3, Vertices: 5})
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "d")
	for _, times := range []int{0, 2, 100} {
		if err := Write(dir, d); err != nil {
			t.Fatal(err)
		}
		reads := 0
		err := asOne(filepath.Join(dir, d.Name+"_A.txt"), func() error {
			if reads++; reads <= times {
				return Write(dir, d)
			}
			return nil
		})
		if times < 100 && (err != nil || reads != times+1) {
			t.Errorf("replaced %d times: read %d times, %v", times, reads, err)
		}
		if times == 100 {
			wantError(t, err, "was replaced again and again")
		}
	}
}
