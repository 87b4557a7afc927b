package atomicfile

import (
	"os"
	"path/filepath"
	"testing"
)

func TestResolveFollowsLinksAsTheSystemDoes(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(root)
	put(t, root, files{"a/file": "1", "else/sub/file": "2"})
	for link, to := range map[string]string{
		"a/link": "../else/sub", "to-come": "a/new", "chain": "to-come", "loop": "loop", "abs": filepath.Join(root, "none"),
	} {
		if err := os.Symlink(to, link); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]string{
		"a/file": "a/file", "a/../a/file": "a/file", "a/link/file": "else/sub/file", "a/link/../sub/file": "else/sub/file",
		"a/link/../new": "else/new", "a/link/../x/y": "else/x/y", "to-come": "a/new", "chain": "a/new", "abs": "none",
		"a/": "a", "a/new/": "a/new", ".": "", "none/./deep": "none/deep", "a/file/below": "a/file/below",
	} {
		if got, err := Resolve(path); err != nil || got != filepath.Join(root, want) {
			t.Errorf("%s is at %s (%v), want %s", path, got, err, want)
		}
	}
	for _, path := range []string{"loop", "none/.."} {
		if got, err := Resolve(path); err == nil {
			t.Errorf("%s is at %s", path, got)
		}
	}
}
