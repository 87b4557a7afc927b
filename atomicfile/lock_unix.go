//go:build unix

package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// openOnly keeps from waiting at pipes and from following links.
const openOnly = unix.O_NONBLOCK | unix.O_NOFOLLOW

// adopt gives a file the permissions of another one, and its owner where that is allowed.
func adopt(file interface {
	Chmod(mode fs.FileMode) error
	Chown(uid, gid int) error
}, like fs.FileInfo) error {
	if owner, ok := like.Sys().(*syscall.Stat_t); ok {
		_ = file.Chown(int(owner.Uid), int(owner.Gid))
	}
	return file.Chmod(like.Mode() & (fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky))
}

// mounted reports whether a folder is the root of a file system.
func mounted(path string, info fs.FileInfo) bool {
	parent, err := os.Stat(filepath.Dir(path))
	if err != nil {
		return false
	}
	mine, ok := info.Sys().(*syscall.Stat_t)
	around, okAround := parent.Sys().(*syscall.Stat_t)
	return ok && okAround && mine.Dev != around.Dev
}

// lock locks an open file or folder for this process, without waiting.
func lock(file *os.File) error {
	for {
		switch err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB); {
		case err == nil:
			return nil
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EWOULDBLOCK):
			return errHeld
		default:
			return errNoLocks
		}
	}
}

// syncFolder makes the names in a folder last. Some file systems have no such request, and need none; a folder that
// one may write to but not read, or a folder above it of another user, cannot be asked.
func syncFolder(dir string) error {
	file, err := os.Open(dir)
	if errors.Is(err, fs.ErrPermission) {
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	if err := file.Sync(); err != nil && !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.ENOTSUP) {
		return err
	}
	return nil
}
