// Package testfiles finds what tests read: the golden values of independent implementations, which are packed in
// testdata/golden.zip and to which the folder of the environment variable GROVE_GOLDEN adds further ones, and the
// public data sets in the folder of GROVE_DATA, which the repository does not hold: tests of those skip where it is
// absent. Without the variables the folders are shared/golden and shared/data beside the repository, where they exist.
package testfiles

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// packed holds a folder for each family, with its golden files and a README.md of their fields and conventions.
// go run ./internal/testfiles/pack FOLDER packs it anew.
//
//go:embed testdata/golden.zip
var packed []byte

// Golden runs a subtest, named by the file, for every golden file below the folder of a family, "" for any, whose
// content is wanted. A file that is there several times runs once.
func Golden(t *testing.T, family string, wanted func(raw []byte) bool, test func(t *testing.T, raw []byte)) {
	t.Helper()
	ran := map[[sha256.Size]byte]bool{}
	for _, source := range goldenFolders(t) {
		root := path.Clean(family)
		if _, err := fs.Stat(source, root); err != nil {
			continue // of another family only
		}
		err := fs.WalkDir(source, root, func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || path.Ext(name) != ".json" {
				return err
			}
			raw, err := fs.ReadFile(source, name)
			if sum := sha256.Sum256(raw); err == nil && !ran[sum] && wanted(raw) {
				ran[sum] = true
				t.Run(strings.TrimSuffix(entry.Name(), ".json"), func(t *testing.T) { test(t, raw) })
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(ran) == 0 {
		t.Fatal("no golden file has the form of this test")
	}
}

// goldenFolders returns the packed golden files and, where there is one, the folder of further ones.
func goldenFolders(t *testing.T) []fs.FS {
	t.Helper()
	archive, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	if err != nil {
		t.Fatal(err)
	}
	folders := []fs.FS{archive}
	further := root(t, "GROVE_GOLDEN", "golden")
	if _, err := os.Stat(further); err == nil {
		folders = append(folders, os.DirFS(further))
	} else if os.Getenv("GROVE_GOLDEN") != "" {
		t.Fatalf("GROVE_GOLDEN: %v", err)
	}
	return folders
}

// OfKind wants the golden files whose field "kind" is one of the given.
func OfKind(kinds ...string) func(raw []byte) bool {
	return func(raw []byte) bool {
		var head struct{ Kind string }
		return json.Unmarshal(raw, &head) == nil && slices.Contains(kinds, head.Kind)
	}
}

// WithFields wants the golden files that have all the given fields.
func WithFields(fields ...string) func(raw []byte) bool {
	return func(raw []byte) bool {
		var form map[string]json.RawMessage
		return json.Unmarshal(raw, &form) == nil &&
			!slices.ContainsFunc(fields, func(f string) bool { return form[f] == nil })
	}
}

// Decode reads a golden file into a structure.
func Decode[T any](t *testing.T, raw []byte) *T {
	t.Helper()
	into := new(T)
	if err := json.Unmarshal(raw, into); err != nil {
		t.Fatal(err)
	}
	return into
}

// Data returns the path of a file or folder of the public data sets, such as "tu", "MUTAG". The test skips where there
// is none.
func Data(t testing.TB, parts ...string) string {
	t.Helper()
	path := filepath.Join(append([]string{root(t, "GROVE_DATA", "data")}, parts...)...)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("no %s: set GROVE_DATA to the folder that holds %s", path, filepath.Join(parts...))
	}
	return path
}

// root returns the folder that a variable names, by default the one of a name in shared beside the repository.
func root(t testing.TB, variable, name string) string {
	t.Helper()
	if folder := os.Getenv(variable); folder != "" {
		return folder
	}
	return filepath.Join(repository(t), "..", "shared", name)
}

// repository returns the folder of go.mod. A test runs in the folder of its package.
func repository(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
			return at
		}
		if at == filepath.Dir(at) {
			return filepath.Join(dir, "..") // of a package at the top, for a test that runs away from its sources
		}
	}
}
