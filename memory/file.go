package memory

import (
	"fmt"
	"os"
	"unsafe"
)

// File returns the numbers of a file, mapped in memory: they are read when they are looked at, and not to be changed.
// Release them as those of [Mapped]. A file whose length is no multiple of a number's is an error.
func File[T float32 | float64](path string) (numbers []T, release func() error, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return nil, nil, err
	}
	var one T
	size := int64(unsafe.Sizeof(one))
	if info.Size()%size != 0 {
		return nil, nil, fmt.Errorf("%s: %d bytes are no numbers of %d", path, info.Size(), size)
	}
	if info.Size() == 0 {
		return nil, func() error { return nil }, nil
	}
	raw, release, err := mappedFile(file, info.Size())
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(raw))), info.Size()/size), release, nil
}
