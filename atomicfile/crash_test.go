package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var errCrash = errors.New("the machine is down")

// breaking is a disk that does a number of operations, half of the next one if it is a write, and then
// nothing any more, as when the process is killed.
type breaking struct {
	disk
	left *int
}

func (b breaking) works() error {
	if *b.left--; *b.left < 0 {
		return errCrash
	}
	return nil
}

func (b breaking) create(path string) (diskFile, error) {
	if err := b.works(); err != nil {
		return nil, err
	}
	file, err := b.disk.create(path)
	return breakingFile{file, b}, err
}

// does runs an operation unless the process is dead.
func (b breaking) does(operation func() error) error {
	if err := b.works(); err != nil {
		return err
	}
	return operation()
}

func (b breaking) mkdir(path string) error {
	return b.does(func() error { return b.disk.mkdir(path) })
}

func (b breaking) link(from, to string) error {
	return b.does(func() error { return b.disk.link(from, to) })
}

func (b breaking) symlink(to, path string) error {
	return b.does(func() error { return b.disk.symlink(to, path) })
}

func (b breaking) rename(from, to string) error {
	return b.does(func() error { return b.disk.rename(from, to) })
}

func (b breaking) exchange(x, y string) error {
	return b.does(func() error { return b.disk.exchange(x, y) })
}

func (b breaking) adopt(path string, like fs.FileInfo) error {
	return b.does(func() error { return b.disk.adopt(path, like) })
}

func (b breaking) remove(path string) error {
	return b.does(func() error { return b.disk.remove(path) })
}

func (b breaking) sync(dir string) error {
	return b.does(func() error { return b.disk.sync(dir) })
}

type breakingFile struct {
	diskFile
	breaking
}

func (f breakingFile) Write(p []byte) (int, error) {
	if *f.left == 0 {
		n, err := f.diskFile.Write(p[:len(p)/2])
		*f.left--
		return n, errors.Join(err, errCrash)
	}
	if err := f.works(); err != nil {
		return 0, err
	}
	return f.diskFile.Write(p)
}

func (f breakingFile) Sync() error {
	return f.does(f.diskFile.Sync)
}

func (f breakingFile) Chmod(mode fs.FileMode) error {
	return f.does(func() error { return f.diskFile.Chmod(mode) })
}

func (f breakingFile) Close() error { // the system closes what a dead process leaves open
	return errors.Join(f.diskFile.Close(), f.works())
}

// Wherever a crash comes while a file is replaced, at any creation, write, change of permissions, sync,
// closing or renaming, the file holds the old bytes or the new ones, and without a crash the new ones. The
// next write works.
func TestCrashAtEveryOperation(t *testing.T) {
	before, after := strings.Repeat("old ", 1<<15), strings.Repeat("new and longer ", 1<<15)
	content := func(w io.Writer) error {
		for piece := after; piece != ""; piece = piece[min(len(piece), 50000):] {
			if _, err := io.WriteString(w, piece[:min(len(piece), 50000)]); err != nil {
				return err
			}
		}
		return nil
	}
	for _, exists := range []bool{false, true} {
		dir := t.TempDir()
		path := filepath.Join(dir, "checkpoint")
		crashes := 0
		for operations := 0; ; operations++ {
			if err := os.RemoveAll(path); err != nil {
				t.Fatal(err)
			}
			if exists {
				if err := Write(path, text(before)); err != nil {
					t.Fatal(err)
				}
			}
			left := operations
			err := writeOn(breaking{system{}, &left}, path, content)
			raw, reading := os.ReadFile(path)
			switch {
			case err == nil && string(raw) == after:
			case err != nil && !exists && errors.Is(reading, fs.ErrNotExist):
			case err != nil && (string(raw) == before || string(raw) == after):
			default:
				t.Errorf("crash after %d operations: error %v, the file holds %d bytes: %v", operations, err,
					len(raw), reading)
			}
			if err == nil {
				break
			}
			crashes++
			if err := Write(path, content); err != nil || read(t, path) != after {
				t.Errorf("the next write: %v", err)
			}
			only(t, dir, "checkpoint")
		}
		if crashes < 10 {
			t.Errorf("%d crashes", crashes)
		}
	}
}
