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
// nothing any more, as when the machine goes down.
type breaking struct{ left *int }

func (b breaking) works() bool {
	*b.left--
	return *b.left >= 0
}

func (b breaking) create(path string) (diskFile, error) {
	if !b.works() {
		return nil, errCrash
	}
	file, err := system{}.create(path)
	return breakingFile{file, b}, err
}

func (b breaking) rename(from, to string) error {
	if !b.works() {
		return errCrash
	}
	return os.Rename(from, to)
}

func (b breaking) remove(path string) error {
	if !b.works() {
		return errCrash
	}
	return os.Remove(path)
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
	if !f.works() {
		return 0, errCrash
	}
	return f.diskFile.Write(p)
}

func (f breakingFile) Sync() error {
	if !f.works() {
		return errCrash
	}
	return f.diskFile.Sync()
}

func (f breakingFile) Chmod(mode fs.FileMode) error {
	if !f.works() {
		return errCrash
	}
	return f.diskFile.Chmod(mode)
}

func (f breakingFile) Close() error { // the system closes what a dead process leaves open
	err := f.diskFile.Close()
	if !f.works() {
		return errCrash
	}
	return err
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
			err := writeOn(breaking{&left}, path, content)
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
		}
		if crashes < 10 {
			t.Errorf("%d crashes", crashes)
		}
	}
}
