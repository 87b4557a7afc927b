// Package testfiles finds what tests read and the repository does not hold: golden values of independent
// implementations, and public data sets. The folders are those of the environment variables GROVE_GOLDEN and
// GROVE_DATA, by default shared/golden and shared/data beside the repository. Tests skip where one is absent.
package testfiles

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Golden runs a subtest, named by the file, for every golden file below the folder of a family, "" for any, whose
// content is wanted.
func Golden(t *testing.T, family string, wanted func(raw []byte) bool, test func(t *testing.T, raw []byte)) {
	t.Helper()
	root := folder(t, "GROVE_GOLDEN", "golden", family)
	found := false
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".json" {
			return err
		}
		raw, err := os.ReadFile(path)
		if err == nil && wanted(raw) {
			found = true
			t.Run(strings.TrimSuffix(entry.Name(), ".json"), func(t *testing.T) { test(t, raw) })
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if !found {
		t.Skipf("no golden file in %s has the form of this test", root)
	}
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

// Data returns the path of a file or folder of the public data sets, such as "tu", "MUTAG".
func Data(t testing.TB, parts ...string) string {
	t.Helper()
	return folder(t, "GROVE_DATA", "data", parts...)
}

// folder returns a path below the folder that a variable names, or below the one of its default name, and skips
// where there is none.
func folder(t testing.TB, variable, name string, parts ...string) string {
	t.Helper()
	root := os.Getenv(variable)
	if root == "" {
		root = filepath.Join(repository(t), "..", "shared", name)
	}
	path := filepath.Join(append([]string{root}, parts...)...)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("no %s: set %s to the folder that holds %s", path, variable, filepath.Join(parts...))
	}
	return path
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
