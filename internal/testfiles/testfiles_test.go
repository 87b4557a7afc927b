package testfiles

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestGoldenAddsTheFilesOfTheVariable writes a further file, a copy of it, a packed one and one of another family.
func TestGoldenAddsTheFilesOfTheVariable(t *testing.T) {
	ran := func(t *testing.T, family string) (files []string) {
		Golden(t, family, OfKind("paths", "further"), func(t *testing.T, raw []byte) { files = append(files, string(raw)) })
		return files
	}
	folder := t.TempDir()
	t.Setenv("GROVE_GOLDEN", folder)
	packed := ran(t, "gckn")
	if len(packed) == 0 {
		t.Fatal("no packed file ran")
	}

	further, elsewhere := `{"kind": "further"}`, `{"kind": "further", "of": "treeg"}`
	for name, content := range map[string]string{
		"gckn/further.json":    further,
		"gckn/deep/copy.json":  further,
		"gckn/known.json":      packed[0],
		"gckn/words.md":        `{"kind": "further", "of": "nothing"}`,
		"treeg/elsewhere.json": elsewhere,
	} {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := ran(t, "gckn"), append(slices.Clone(packed), further); !slices.Equal(got, want) {
		t.Errorf("ran %q, want %q", got, want)
	}
	if got, want := ran(t, ""), append(slices.Clone(packed), further, elsewhere); !slices.Equal(got, want) {
		t.Errorf("of any family ran %q, want %q", got, want)
	}
}
