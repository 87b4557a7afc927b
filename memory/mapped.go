package memory

import "unsafe"

// Mapped returns n zeros that lie in a temporary file without a name in [os.TempDir], mapped in memory: the system
// writes them there when others need the memory. Release them when nothing refers to them any more, not even a slice of
// them; they are gone with the process in any case. Systems that cannot do it give ordinary memory.
func Mapped[T float32 | float64](n int) (numbers []T, release func() error, err error) {
	if n == 0 {
		return nil, func() error { return nil }, nil
	}
	var one T
	raw, release, err := mapped(int64(n) * int64(unsafe.Sizeof(one)))
	if err != nil {
		return nil, nil, err
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(raw))), n), release, nil
}
