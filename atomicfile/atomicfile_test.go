package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// only fails unless the folder holds exactly the named files.
func only(t *testing.T, dir string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, e := range entries {
		found = append(found, e.Name())
	}
	if fmt.Sprint(found) != fmt.Sprint(names) {
		t.Errorf("the folder holds %v, want %v", found, names)
	}
}

func TestWriteMakesAndReplaces(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	for _, s := range []string{"first", "2nd", strings.Repeat("long ", 1<<16)} {
		if err := Check(path); err != nil {
			t.Fatal(err)
		}
		if err := Write(path, text(s)); err != nil {
			t.Fatal(err)
		}
		if read(t, path) != s {
			t.Error("other bytes")
		}
	}
	only(t, dir, "f")
}

func TestFailureLeavesWhatWasThere(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	if err := Write(path, text("old")); err != nil {
		t.Fatal(err)
	}
	cause := errors.New("no more")
	err := Write(path, func(w io.Writer) error {
		_, _ = io.WriteString(w, strings.Repeat("new", 1<<16))
		return cause
	})
	var named *fs.PathError
	if !errors.Is(err, cause) || !errors.As(err, &named) || named.Path != path {
		t.Errorf("error %v", err)
	}
	if read(t, path) != "old" {
		t.Error("the old content is gone")
	}
	only(t, dir, "f")
}

func TestPermissions(t *testing.T) {
	dir := t.TempDir()
	plain, private, made := filepath.Join(dir, "plain"), filepath.Join(dir, "private"), filepath.Join(dir, "made")
	for path, mode := range map[string]fs.FileMode{plain: 0o666, private: 0o600} {
		if err := os.WriteFile(path, nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	want, _ := os.Stat(plain)
	for _, path := range []string{private, made} {
		if err := Write(path, text("x")); err != nil {
			t.Fatal(err)
		}
	}
	if info, _ := os.Stat(private); info.Mode().Perm() != 0o600 {
		t.Errorf("a private file became %v", info.Mode())
	}
	if info, _ := os.Stat(made); info.Mode() != want.Mode() {
		t.Errorf("a new file is %v, want %v as the umask says", info.Mode(), want.Mode())
	}
	if err := os.Chmod(plain, 0o444); err != nil {
		t.Fatal(err)
	}
	if Write(plain, text("x")) == nil || Check(plain) == nil || read(t, plain) != "" {
		t.Error("a read-only file was replaced")
	}
}

func TestLinksAreFollowed(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o777); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"there": "sub/a", "dangling": "sub/b", "chain": "dangling", "loop": "loop"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "sub", "a"), []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ link, file string }{{"there", "a"}, {"chain", "b"}, {"dangling", "b"}} {
		link := filepath.Join(dir, c.link)
		if err := Check(link); err != nil {
			t.Error(err)
		}
		if err := Write(link, text(c.link)); err != nil {
			t.Fatal(err)
		}
		if info, _ := os.Lstat(link); info.Mode()&fs.ModeSymlink == 0 {
			t.Errorf("the link %s was replaced", c.link)
		}
		if got := read(t, filepath.Join(dir, "sub", c.file)); got != c.link {
			t.Errorf("%s holds %q", c.file, got)
		}
	}
	if Write(filepath.Join(dir, "loop"), text("x")) == nil {
		t.Error("a link to itself was written")
	}
	only(t, filepath.Join(dir, "sub"), "a", "b")
}

func TestPipesAreWrittenTo(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	if err := os.Symlink("pipe", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"pipe", "link"} {
		path := filepath.Join(dir, name)
		if err := Check(path); err != nil { // nobody reads yet
			t.Error(err)
		}
		got := make(chan string)
		go func() {
			raw, err := os.ReadFile(pipe)
			got <- fmt.Sprint(string(raw), err)
		}()
		if err := Write(path, text("through "+name)); err != nil {
			t.Fatal(err)
		}
		if s := <-got; s != "through "+name+"<nil>" {
			t.Errorf("read %q", s)
		}
	}
	if info, _ := os.Lstat(pipe); info.Mode()&fs.ModeNamedPipe == 0 {
		t.Error("the pipe was replaced")
	}
	only(t, dir, "link", "pipe")
}

// /dev/stdout and its like lead to pipes that have no path.
func TestOpenPipesAreWrittenTo(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	path := fmt.Sprintf("/dev/fd/%d", w.Fd())
	if _, err := os.Stat(path); err != nil {
		t.Skip(err)
	}
	if err := errors.Join(Check(path), Write(path, text("through")), w.Close()); err != nil {
		t.Fatal(err)
	}
	if raw, err := io.ReadAll(r); err != nil || string(raw) != "through" {
		t.Errorf("read %q, %v", raw, err)
	}
}

func TestFoldersAreRefusedInOneLine(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{dir, filepath.Join(dir, "no", "file"), dir + "/"} {
		for what, err := range map[string]error{"write": Write(path, text("x")), "check": Check(path)} {
			if err == nil || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), path) {
				t.Errorf("%s %s: error %v", what, path, err)
			}
		}
	}
	only(t, dir)
}
