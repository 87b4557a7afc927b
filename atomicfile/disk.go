package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
)

// disk is what putting files in place asks of a file system. Tests have one that breaks down, and one that loses
// what was not synced.
type disk interface {
	create(path string) (diskFile, error) // a file that must not be there yet
	mkdir(path string) error
	link(from, to string) error    // a further name of a file
	symlink(to, path string) error // a symbolic link
	rename(from, to string) error
	exchange(a, b string) error                // swap two folders; errNoExchange where the system cannot
	adopt(path string, like fs.FileInfo) error // its permissions, and its owner where that is allowed
	remove(path string) error
	sync(dir string) error // make the names in a folder last
}

type diskFile interface {
	io.WriteCloser
	Chmod(mode fs.FileMode) error
	Chown(uid, gid int) error
	Sync() error
}

var errNoExchange = errors.New("the file system cannot exchange two folders")

// system is the file system of the operating system.
type system struct{}

func (system) create(path string) (diskFile, error) {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, err
	}
	return file, nil
}

func (system) mkdir(path string) error       { return os.Mkdir(path, 0o777) }
func (system) link(from, to string) error    { return os.Link(from, to) }
func (system) symlink(to, path string) error { return os.Symlink(to, path) }
func (system) rename(from, to string) error  { return os.Rename(from, to) }
func (system) exchange(a, b string) error    { return exchange(a, b) }
func (system) remove(path string) error      { return os.Remove(path) }
func (system) sync(dir string) error         { return syncFolder(dir) }

func (system) adopt(path string, like fs.FileInfo) error { return adopt(byPath{path}, like) }

// byPath is a file or folder by its path.
type byPath struct{ path string }

func (n byPath) Chmod(mode fs.FileMode) error { return os.Chmod(n.path, mode) }
func (n byPath) Chown(uid, gid int) error     { return os.Lchown(n.path, uid, gid) }
