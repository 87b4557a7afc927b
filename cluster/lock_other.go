//go:build !unix

package main

import "os"

// lockFile makes a file, which nobody can lock on this system: who does not wait gets an error where it is there, so
// that nothing is taken for what the dead have left.
func lockFile(path string, wait bool) (*os.File, error) {
	how := os.O_RDWR | os.O_CREATE
	if !wait {
		how |= os.O_EXCL
	}
	return os.OpenFile(path, how, 0o666)
}
