//go:build unix && !linux

package memory

import "os"

// reserve gives a file its size.
func reserve(file *os.File, bytes int64) error { return file.Truncate(bytes) }
