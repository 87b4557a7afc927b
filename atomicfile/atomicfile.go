// Package atomicfile writes files that are there as a whole or not at all.
package atomicfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

var (
	errFolder   = errors.New("this is a folder, not a file")
	errReadOnly = errors.New("the file is there and read-only")
	errLinks    = errors.New("too many symbolic links")
)

// Write makes or replaces the file at path by what content writes: into a temporary file beside it,
// which is synced and takes its name at the end. If anything fails, what was there before is untouched.
//
// A file that is replaced keeps its permissions, a new one gets those that the umask leaves. A symbolic
// link is followed. What is there and no regular file (a device or a pipe) is written to and not
// replaced; a folder and a read-only file are refused. Every error is an [fs.PathError] with this path.
func Write(path string, content func(w io.Writer) error) error {
	return writeOn(system{}, path, content)
}

// disk is what replacing a file asks of a file system. Tests have one that breaks down.
type disk interface {
	create(path string) (diskFile, error) // a file that must not be there yet
	rename(from, to string) error
	remove(path string) error
}

type diskFile interface {
	io.WriteCloser
	Name() string
	Chmod(mode fs.FileMode) error
	Sync() error
}

// system is the file system of the operating system.
type system struct{}

func (system) create(path string) (diskFile, error) {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, err
	}
	return file, nil
}

func (system) rename(from, to string) error { return os.Rename(from, to) }
func (system) remove(path string) error     { return os.Remove(path) }

func writeOn(d disk, path string, content func(w io.Writer) error) error {
	t, err := find(path)
	switch {
	case err != nil:
	case t.stream:
		err = t.pour(content)
	default:
		err = t.replace(d, content)
	}
	return named(path, err)
}

// Check reports whether [Write] could write path, as far as that can be told without doing it. It
// leaves nothing behind. A pipe is not opened, since its reader would take the closing for the end.
func Check(path string) error {
	t, err := find(path)
	switch {
	case err != nil:
	case t.mode&fs.ModeNamedPipe != 0:
	case t.stream:
		var file *os.File
		if file, err = os.OpenFile(t.path, os.O_WRONLY, 0); err == nil {
			err = file.Close()
		}
	default:
		var file diskFile
		if file, err = temporary(system{}, t.path); err == nil {
			err = errors.Join(file.Close(), os.Remove(file.Name()))
		}
	}
	return named(path, err)
}

// Clean removes the temporary files beside path that processes have left which were killed while they wrote it. No
// other process may be writing path.
func Clean(path string) error {
	t, err := find(path)
	if err != nil || t.stream {
		return named(path, err)
	}
	prefix := "." + shortened(filepath.Base(t.path)) + "."
	entries, err := os.ReadDir(filepath.Dir(t.path))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, entry := range entries {
		random, ours := strings.CutPrefix(entry.Name(), prefix)
		if _, hex := strconv.ParseUint(random, 16, 32); ours && len(random) == 8 && hex == nil && entry.Type().IsRegular() {
			err = errors.Join(err, os.Remove(filepath.Join(filepath.Dir(t.path), entry.Name())))
		}
	}
	return named(path, err)
}

// target is where the bytes of a file go.
type target struct {
	path   string // links resolved
	exists bool
	mode   fs.FileMode // if it exists
	stream bool        // no regular file: to be written to, not replaced
}

func find(path string) (target, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		path, err = resolveDangling(path)
		return target{path: path}, err
	case err != nil:
		return target{}, err
	case info.IsDir():
		return target{}, errFolder
	case info.Mode().Perm()&0o222 == 0:
		return target{}, errReadOnly
	case !info.Mode().IsRegular():
		return target{path: path, exists: true, mode: info.Mode(), stream: true}, nil
	}
	path, err = filepath.EvalSymlinks(path)
	return target{path: path, exists: true, mode: info.Mode()}, err
}

// resolveDangling follows links to a file that is not there.
func resolveDangling(path string) (string, error) {
	for range 40 {
		link, err := os.Readlink(path)
		if err != nil {
			return path, nil // no link
		}
		if !filepath.IsAbs(link) {
			dir, err := filepath.EvalSymlinks(filepath.Dir(path))
			if err != nil {
				return "", err
			}
			link = filepath.Join(dir, link)
		}
		path = link
	}
	return "", errLinks
}

// pour writes to a device or a pipe.
func (t target) pour(content func(w io.Writer) error) error {
	file, err := os.OpenFile(t.path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	err = fill(file, content)
	return errors.Join(err, file.Close())
}

// replace writes a temporary file and gives it the name of the target.
func (t target) replace(d disk, content func(w io.Writer) error) error {
	file, err := temporary(d, t.path)
	if err != nil {
		return err
	}
	err = fill(file, content)
	if err == nil && t.exists {
		err = file.Chmod(t.mode.Perm())
	}
	if err == nil {
		err = file.Sync()
	}
	if closing := file.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = d.rename(file.Name(), t.path)
	}
	if err != nil {
		_ = d.remove(file.Name())
	}
	return err
}

func fill(file io.Writer, content func(w io.Writer) error) error {
	w := bufio.NewWriterSize(file, 1<<16)
	if err := content(w); err != nil {
		return err
	}
	return w.Flush()
}

// temporary creates a new hidden file beside path. Unlike that of [os.CreateTemp] its permissions
// follow the umask.
func temporary(d disk, path string) (diskFile, error) {
	for range 100 {
		name := filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s.%08x", shortened(filepath.Base(path)), rand.Uint32()))
		file, err := d.create(name)
		if !errors.Is(err, fs.ErrExist) {
			return file, err
		}
	}
	return nil, fs.ErrExist
}

// shortened leaves room in a name of at most 255 bytes.
func shortened(name string) string { return name[:min(len(name), 200)] }

// named gives an error the path that the caller knows.
func named(path string, err error) error {
	if err == nil {
		return nil
	}
	var inner *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &inner):
		err = inner.Err
	case errors.As(err, &link):
		err = link.Err
	}
	return &fs.PathError{Op: "write", Path: path, Err: err}
}
