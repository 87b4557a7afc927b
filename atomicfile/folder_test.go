package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// files is the content of a folder by the names of the files, with slashes.
type files map[string]string

func filesIn(t *testing.T, dir string) files {
	t.Helper()
	found := files{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			found[path] = read(t, filepath.Join(dir, filepath.FromSlash(path)))
		}
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return found
}

func put(t *testing.T, dir string, content files) {
	t.Helper()
	for name, text := range content {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// ours are the names of the files that the tests write into folders.
func ours(name string) bool { return strings.HasSuffix(name, ".part") }

// writeFolder writes a folder with a part.
func writeFolder(d disk, path string, content files) error {
	f, err := newFolderOn(d, path, ours, []string{"sub"})
	if err != nil {
		return err
	}
	defer f.Discard()
	for name, s := range content {
		if err := f.File(name, text(s)); err != nil {
			return err
		}
	}
	return f.Commit()
}

func TestFolderIsMadeAndReplaced(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "deep", "er", "folder")
	first := files{"a.part": "1", "b.part": "2", "sub/c.part": "3"}
	second := files{"a.part": "4", "sub/d.part": "5"}
	if err := writeFolder(system{}, dir, first); err != nil {
		t.Fatal(err)
	}
	if got := filesIn(t, dir); !maps.Equal(got, first) {
		t.Errorf("the folder holds %v", got)
	}
	put(t, dir, files{"notes": "mine", "sub/more": "as well"})
	if err := os.Symlink("notes", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := writeFolder(system{}, dir, second); err != nil {
		t.Fatal(err)
	}
	want := files{"a.part": "4", "sub/d.part": "5", "notes": "mine", "sub/more": "as well", "link": "mine"}
	if got := filesIn(t, dir); !maps.Equal(got, want) {
		t.Errorf("the folder holds %v", got)
	}
	if info, _ := os.Stat(dir); info.Mode().Perm() != 0o700 {
		t.Errorf("a private folder became %v", info.Mode())
	}
	if info, _ := os.Lstat(filepath.Join(dir, "link")); info.Mode()&fs.ModeSymlink == 0 {
		t.Error("a link became a file")
	}
	only(t, filepath.Dir(dir), "folder")
}

func TestFolderBehindALinkIsReplaced(t *testing.T) {
	root := t.TempDir()
	if err := os.Symlink("to", filepath.Join(root, "link")); err != nil {
		t.Fatal(err)
	}
	for _, content := range []files{{"a.part": "1"}, {"b.part": "2"}} {
		if err := writeFolder(system{}, filepath.Join(root, "link"), content); err != nil {
			t.Fatal(err)
		}
		if got := filesIn(t, filepath.Join(root, "to")); !maps.Equal(got, content) {
			t.Errorf("the folder holds %v", got)
		}
	}
	only(t, root, "link", "to")
}

func TestDiscardedFolderLeavesNothing(t *testing.T) {
	root := t.TempDir()
	old := files{"a.part": "old"}
	put(t, filepath.Join(root, "there"), old)
	for _, name := range []string{"there", "new", "deep/er"} {
		f, err := NewFolder(filepath.Join(root, name), ours)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.File("a.part", text("new")); err != nil {
			t.Fatal(err)
		}
		f.Discard()
	}
	only(t, root, "there")
	if got := filesIn(t, filepath.Join(root, "there")); !maps.Equal(got, old) {
		t.Errorf("the folder holds %v", got)
	}
}

func TestFolderThatCannotBeReplacedIsRefused(t *testing.T) {
	root := t.TempDir()
	put(t, root, files{"file": "x", "nested/a.part": "1", "nested/other/x": "2", "clash/a.note": "3"})
	t.Chdir(filepath.Join(root, "clash"))
	for path, want := range map[string]string{
		"file": "this is a file", "file/below/it": "file is a file", "nested": "it holds the folder other",
		"clash": "the folder you are in", ".": "or one around it",
	} {
		err := writeFolder(system{}, filepath.Join(root, path), files{"a.part": "new"})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v, want %q", path, err, want)
		}
	}
	t.Chdir(root)
	err := writeFolder(system{}, filepath.Join(root, "clash"), files{"a.note": "new"})
	if err == nil || !strings.Contains(err.Error(), "a.note, which would be lost") {
		t.Errorf("a file of somebody else: error %v", err)
	}
	want := files{"file": "x", "nested/a.part": "1", "nested/other/x": "2", "clash/a.note": "3"}
	if got := filesIn(t, root); !maps.Equal(got, want) {
		t.Errorf("left are %v", got)
	}
}

// While a folder is being written nobody else writes it, whether it is there already or not.
func TestTwoWritersOfAFolder(t *testing.T) {
	root := t.TempDir()
	put(t, filepath.Join(root, "there"), files{"a.part": "old"})
	for _, name := range []string{"there", "new"} {
		dir := filepath.Join(root, name)
		f, err := NewFolder(dir, ours)
		if err != nil {
			t.Fatal(err)
		}
		if err := writeFolder(system{}, dir, files{"a.part": "second"}); !errors.Is(err, errHeld) {
			t.Errorf("%s: the second writer: %v", name, err)
		}
		if err := f.File("a.part", text("first")); err != nil {
			t.Fatal(err)
		}
		if err := f.Commit(); err != nil {
			t.Fatal(err)
		}
		if err := writeFolder(system{}, dir, files{"a.part": "third"}); err != nil {
			t.Errorf("%s: after the first: %v", name, err)
		}
	}
	only(t, root, "new", "there")
}

// A file that is being written keeps its temporary file while others write the same one.
func TestCleaningLeavesTheLivingAlone(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	err := Write(path, func(w io.Writer) error {
		if err := Write(path, text("inner")); err != nil {
			return err
		}
		if err := Clean(path); err != nil {
			return err
		}
		return text("outer")(w)
	})
	if err != nil || read(t, path) != "outer" {
		t.Errorf("%v, the file holds %q", err, read(t, path))
	}
	only(t, dir, "f")
}

// A folder and its files keep their permissions when they are replaced.
func TestReplacedFilesKeepTheirPermissions(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "f")
	put(t, dir, files{"a.part": "old", "b.part": "old"})
	if err := os.Chmod(filepath.Join(dir, "a.part"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o770|fs.ModeSetgid); err != nil {
		t.Fatal(err)
	}
	if err := writeFolder(system{}, dir, files{"a.part": "new"}); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]fs.FileMode{
		filepath.Join(dir, "a.part"): 0o600, dir: fs.ModeDir | fs.ModeSetgid | 0o770,
	} {
		if info, _ := os.Stat(path); info.Mode() != want {
			t.Errorf("%s became %v, want %v", path, info.Mode(), want)
		}
	}
}

// A failed write leaves nothing beside a file, however long its name is, and no two names share a hidden one.
func TestLongNamesHaveHiddenNamesOfTheirOwn(t *testing.T) {
	for _, long := range []string{"f", strings.Repeat("x", 240)} {
		dir := t.TempDir()
		broken := errors.New("no more files")
		if err := Write(filepath.Join(dir, long), func(io.Writer) error { return broken }); !errors.Is(err, broken) {
			t.Errorf("error %v", err)
		}
		only(t, dir)
		if err := Write(filepath.Join(dir, long), text("whole")); err != nil {
			t.Error(err)
		}
		only(t, dir, long)
	}
	if a, b := hidden(strings.Repeat("x", 240)), hidden(strings.Repeat("x", 241)); a == b || len(a) > 230 {
		t.Errorf("long names share %q", a)
	}
}
