//go:build !unix

package atomicfile

import (
	"io/fs"
	"os"
)

const openOnly = 0

// adopt gives a file the permissions of another one.
func adopt(file interface {
	Chmod(mode fs.FileMode) error
	Chown(uid, gid int) error
}, like fs.FileInfo) error {
	return file.Chmod(like.Mode().Perm())
}

func mounted(string, fs.FileInfo) bool { return false }

func lock(*os.File) error { return errNoLocks }

// syncFolder does nothing: the names in a folder cannot be synced here.
func syncFolder(string) error { return nil }
