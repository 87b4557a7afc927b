//go:build unix

package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// lockFile makes a file and locks it until it is closed, or this process dies. Who does not wait gets an error where
// another process has the lock.
func lockFile(path string, wait bool) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	how := unix.LOCK_EX
	if !wait {
		how |= unix.LOCK_NB
	}
	for {
		switch err = unix.Flock(int(file.Fd()), how); err {
		case nil:
			return file, nil
		case unix.EINTR:
			continue
		}
		_ = file.Close()
		return nil, &os.PathError{Op: "lock", Path: path, Err: err}
	}
}
