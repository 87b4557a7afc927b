//go:build unix

package memory

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// mapped returns so many bytes of a temporary file.
func mapped(bytes int64) (raw []byte, release func() error, err error) {
	fail := func(err error) ([]byte, func() error, error) {
		return nil, nil, fmt.Errorf("a temporary file of %d bytes in %s: %w (TMPDIR names another folder)", bytes,
			os.TempDir(), err)
	}
	file, err := os.CreateTemp("", "grove-")
	if err != nil {
		return fail(err)
	}
	defer file.Close()
	if err := errors.Join(os.Remove(file.Name()), reserve(file, bytes)); err != nil {
		return fail(err)
	}
	raw, err = syscall.Mmap(int(file.Fd()), 0, int(bytes), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		return fail(err)
	}
	return raw, func() error { return syscall.Munmap(raw) }, nil
}

// mappedFile returns the first bytes of a file, for reading.
func mappedFile(file *os.File, bytes int64) (raw []byte, release func() error, err error) {
	raw, err = syscall.Mmap(int(file.Fd()), 0, int(bytes), syscall.PROT_READ, syscall.MAP_SHARED)
	return raw, func() error { return syscall.Munmap(raw) }, err
}
