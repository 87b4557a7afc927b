package engine

import (
	"testing"

	"gorgonia.org/tensor"
)

// Memory that is given for a size serves all sizes with the same room, which is an eighth more at most.
func TestRoomOfScratch(t *testing.T) {
	for n := 1; n < 1<<20; n += 1 + n/97 {
		room := roomFor(n)
		if room < n || room > n+n/8 || roomFor(room) != room {
			t.Errorf("%d elements: room for %d, and of that for %d", n, room, roomFor(room))
		}
	}
}

// What is taken again has the size that is asked for, whatever it had before.
func TestScratchIsTakenAgain(t *testing.T) {
	e := NewCPU(1)
	for _, dtype := range []tensor.Dtype{tensor.Float32, tensor.Float64} {
		for _, columns := range []int{1000, 990, 1000, 1023, 1024, 3} {
			x := e.Scratch(dtype, 10, columns)
			if x.DataSize() != 10*columns || x.Shape()[1] != columns {
				t.Fatalf("%v of %d elements, want 10 x %d", x.Shape(), x.DataSize(), columns)
			}
			e.Release(x)
		}
	}
}
