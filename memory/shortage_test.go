package memory

import (
	"errors"
	"strings"
	"testing"
)

// What exceeds all memory is refused with what is needed and what is free, whatever overflows on the way to it.
func TestMatricesThatCannotFitAreRefused(t *testing.T) {
	if Available() == 0 {
		t.Skip("this system does not tell how much memory is free")
	}
	for _, n := range []int{1 << 22, 1 << 31, 1 << 40} {
		err := ForMatrices("kernel matrix", 2, n, n)
		var short *Shortage
		if !errors.As(err, &short) || short.Need <= short.Free || short.Free <= 0 {
			t.Errorf("%d: error %v", n, err)
		}
	}
	err := ForMatrices("kernel matrix", 1, 1<<22, 1<<22)
	for _, part := range []string{"kernel matrix of 4194304 x 4194304: ", "140737.5 GB of memory are needed", "are free"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("no %q in %v", part, err)
		}
	}
	if err := ForMatrices("kernel matrix", 1, 1000, 1000); err != nil {
		t.Error(err)
	}
}
