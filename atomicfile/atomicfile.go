// Package atomicfile writes files, and folders of several files, that are there as a whole or not at all, whenever
// the process is killed or the machine goes down.
//
//	err := atomicfile.Write("list.txt", func(w io.Writer) error {
//		_, err := fmt.Fprintln(w, "there as a whole")
//		return err
//	})
//
// What is being made has a hidden name beside its target: .NAME.grove-01234567 for a file, .NAME.grove-incomplete for a
// folder. It is
// locked as long as its writer lives, so that a later writer of the same target knows what the dead have left, and
// removes that and nothing else. Where a file system has no locks, nothing is removed.
package atomicfile

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

var (
	errFolder   = errors.New("this is a folder, not a file")
	errReadOnly = errors.New("the file is there and read-only")
	errLinks    = errors.New("too many symbolic links")
)

// Write makes or replaces the file at path by what content writes: into a temporary file beside it,
// which is synced and takes its name at the end; then the folder is synced. If anything fails, what was there before
// is untouched.
//
// A file that is replaced keeps its permissions, a new one gets those that the umask leaves. A symbolic
// link is followed. What is there and no regular file (a device or a pipe) is written to and not
// replaced; a folder and a read-only file are refused. Every error is an [fs.PathError] with this path.
func Write(path string, content func(w io.Writer) error) error {
	return writeOn(system{}, path, content)
}

func writeOn(d disk, path string, content func(w io.Writer) error) error {
	t, err := find(path)
	switch {
	case err != nil:
	case t.stream:
		err = t.pour(content)
	default:
		_ = t.clean() // what is left is in nobody's way
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
	case t.stream && t.info.Mode()&fs.ModeNamedPipe != 0:
	case t.stream:
		var file *os.File
		if file, err = os.OpenFile(t.path, os.O_WRONLY, 0); err == nil {
			err = file.Close()
		}
	default:
		var made *temporary
		if made, err = newTemporary(system{}, t.path); err == nil {
			err = made.discard(nil)
		}
	}
	return named(path, err)
}

// Clean removes the temporary files beside path that processes have left which were killed while they wrote it.
// [Write] does so as well.
func Clean(path string) error {
	t, err := find(path)
	if err == nil && !t.stream {
		err = t.clean()
	}
	return named(path, err)
}

// target is where the bytes of a file go.
type target struct {
	path   string      // links resolved
	info   fs.FileInfo // of what is there, nil for nothing
	stream bool        // no regular file: to be written to, not replaced
}

func find(path string) (target, error) {
	info, err := os.Stat(path)
	if err != nil || info.Mode().IsRegular() { // /dev/stdout leads to a pipe, but by no path
		if path, err = Resolve(path); err != nil {
			return target{}, err
		}
		info, err = os.Stat(path)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return target{path: path}, nil
	case err != nil:
		return target{}, err
	case info.IsDir():
		return target{}, errFolder
	case info.Mode().Perm()&0o222 == 0:
		return target{}, errReadOnly
	}
	return target{path: path, info: info, stream: !info.Mode().IsRegular()}, nil
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
	made, err := newTemporary(d, t.path)
	if err != nil {
		return err
	}
	err = fill(made.file, content)
	if err == nil && t.info != nil {
		err = adopt(made.file, t.info)
	}
	if err == nil {
		err = made.file.Sync()
	}
	if closing := made.file.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return made.discard(err)
	}
	defer made.claim.release()
	return made.claim.finish(func() error {
		if err := d.rename(made.claim.path, t.path); err != nil {
			return errors.Join(err, d.remove(made.claim.path))
		}
		return d.sync(filepath.Dir(t.path))
	})
}

func fill(file io.Writer, content func(w io.Writer) error) error {
	w := bufio.NewWriterSize(file, 1<<16)
	if err := content(w); err != nil {
		return err
	}
	return w.Flush()
}

// temporary is a new hidden file that this process holds.
type temporary struct {
	disk  disk
	file  diskFile
	claim *claim
}

// newTemporary makes a file beside path. Unlike those of [os.CreateTemp] its permissions follow the umask.
func newTemporary(d disk, path string) (*temporary, error) {
	for range 100 {
		name := filepath.Join(filepath.Dir(path), fmt.Sprintf("%s%08x", hidden(path), rand.Uint32()))
		file, err := d.create(name)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		c, err := hold(name)
		if err == nil {
			return &temporary{d, file, c}, nil
		}
		_ = file.Close()
		if !lost(err) {
			return nil, errors.Join(err, d.remove(name))
		}
	}
	return nil, fs.ErrExist
}

// discard removes the file and returns the cause.
func (t *temporary) discard(cause error) error {
	_ = t.file.Close()
	err := t.disk.remove(t.claim.path)
	t.claim.release()
	if cause != nil {
		return cause
	}
	return err
}

// hidden begins the names of what is made beside path. It leaves room in a name of at most 255 bytes.
func hidden(path string) string {
	name := filepath.Base(path)
	if len(name) > 200 {
		sum := sha256.Sum256([]byte(name))
		name = name[:180] + hex.EncodeToString(sum[:8])
	}
	return "." + name + ".grove-"
}

// clean removes the temporary files of dead writers of the target.
func (t target) clean() error {
	dir := filepath.Dir(t.path)
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, entry := range entries {
		random, ours := strings.CutPrefix(entry.Name(), hidden(t.path))
		if !ours || len(random) != 8 || strings.Trim(random, "0123456789abcdef") != "" || !entry.Type().IsRegular() {
			continue
		}
		left := filepath.Join(dir, entry.Name())
		if lock, held := lockPath(left); held == nil {
			err = errors.Join(err, os.Remove(left))
			_ = lock.Close()
		}
	}
	return err
}

// named gives an error the path that the caller knows.
func named(path string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: "write", Path: path, Err: cause(err)}
}

// cause drops the operation and the path of an error, which may be hidden.
func cause(err error) error {
	var inner *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &inner):
		return inner.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}
