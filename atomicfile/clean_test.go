package atomicfile

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// Clean removes what a killed writer of this file left, and nothing else.
func TestCleanRemovesWhatWasLeft(t *testing.T) {
	dir := t.TempDir()
	keep := []string{"state", ".state", ".state.grove-0123abc", ".state.grove-0123abcg", ".other.grove-0123abcd",
		"state.grove-0123abcd", ".state.grove-0123abcd.old", ".state.20240131", ".state.grove"}
	for _, name := range append([]string{".state.grove-0123abcd", ".state.grove-ffffffff"}, keep...) {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, ".state.grove-00000000"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := Clean(filepath.Join(dir, "state")); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, e := range entries {
		left = append(left, e.Name())
	}
	want := append(keep, ".state.grove-00000000")
	slices.Sort(want)
	if !slices.Equal(left, want) {
		t.Errorf("left are %q, want %q", left, want)
	}
	if err := Clean(filepath.Join(dir, "new")); err != nil {
		t.Errorf("nothing there: %v", err)
	}
	if err := Clean(filepath.Join(dir, "no", "folder")); err != nil {
		t.Errorf("no folder: %v", err)
	}
}
