//go:build !unix

package memory

import (
	"io"
	"os"
)

// mapped returns so many bytes.
func mapped(bytes int64) (raw []byte, release func() error, err error) {
	return make([]byte, bytes), func() error { return nil }, nil
}

// mappedFile returns the first bytes of a file.
func mappedFile(file *os.File, bytes int64) (raw []byte, release func() error, err error) {
	raw = make([]byte, bytes)
	_, err = io.ReadFull(file, raw)
	return raw, func() error { return nil }, err
}
