package dataset

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/grove-graph/grove/graph"
)

// A format that is an entry is read, written, found, listed and kept from being overwritten.
func TestAFormatIsOneEntry(t *testing.T) {
	known := formats
	defer func() { formats = known }()
	formats = append(slices.Clone(known), format{
		FormatInfo: FormatInfo{Format: "sizes", Short: "sizes", File: "NAME.sizes", Title: "graphs without edges"},
		alone:      true,
		in:         func(f folder) bool { return f.holds("*.sizes") },
		files:      func(f folder) []string { return f.stored("*.sizes") },
		open: func(f folder, file string, _ Reading) (*Dataset, error) {
			if file == "" {
				file = f.stored("*.sizes")[0]
			}
			l, err := f.open(file)
			if err != nil {
				return nil, err
			}
			defer l.close()
			offsets := []int32{0}
			for l.next() {
				offsets = append(offsets, offsets[len(offsets)-1]+int32(l.integer()))
			}
			b := &graph.Batch{Offsets: offsets, RowPtr: make([]int32, offsets[len(offsets)-1]+1)}
			return &Dataset{Name: file, Batch: b}, l.err
		},
		write: func(w *folderWriter, d *Dataset) error {
			w.file(d.Name+".sizes", func(t *text) {
				for g := range d.NumGraphs() {
					t.integer(int64(d.Batch.Offsets[g+1] - d.Batch.Offsets[g]))
					t.newline()
				}
			})
			return w.err
		},
	})
	d, err := Synth("power-law", SynthOptions{Graphs: 3, Vertices: 5})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := writeAs(dir, "sizes", d); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, d.Name+".sizes")
	for _, path := range []string{dir, file} {
		back, err := Open(path)
		if err != nil || back.NumGraphs() != 3 || FormatOf(path) != "sizes" || !slices.Equal(Files(path), []string{file}) {
			t.Errorf("%s: read %v, %v; format %q, files %v", path, back, err, FormatOf(path), Files(path))
		}
	}
	var occupied *OccupiedError
	if _, err := NewOutput(dir, false); !errors.As(err, &occupied) || occupied.Format != "sizes" {
		t.Errorf("a data set is not kept: %v", err)
	}
	list := Formats()
	if last := list[len(list)-1]; len(list) != len(known)+1 || last.Short != "sizes" || !last.Written {
		t.Errorf("listed as %+v", last)
	}
	if err := writeAs(dir, TUFormat, d); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(file); !os.IsNotExist(err) || FormatOf(dir) != TUFormat {
		t.Errorf("what is replaced stays: %v, %s", err, FormatOf(dir))
	}
	other := filepath.Join(dir, "readme.md")
	if err := os.WriteFile(other, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	_, err = Open(other)
	wantError(t, err, "a file NAME.tree or NAME.txt or NAME.csv or NAME.smi or NAME.sdf or NAME.parquet or NAME.arrow or "+
		"NAME.json or NAME.sizes")
	_, err = Open(t.TempDir())
	wantError(t, err, fmt.Sprintf("and %s, plain or .gz", list[len(list)-1]))
}
