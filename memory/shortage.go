package memory

import (
	"fmt"
	"math"
	"runtime/debug"
)

// Shortage is the error of work that was not begun since it needs more memory than there is.
type Shortage struct {
	What       string // that needs it
	Need, Free int64  // bytes
}

// Error implements error.
func (s *Shortage) Error() string {
	return fmt.Sprintf("%s: %s of memory are needed, %s are free", s.What, amount(s.Need), amount(s.Free))
}

func amount(bytes int64) string {
	if bytes < 1e9 {
		return fmt.Sprintf("%.1f MB", float64(bytes)/1e6)
	}
	return fmt.Sprintf("%.1f GB", float64(bytes)/1e9)
}

// always is what there is room for without asking.
const always = 1 << 26

// ForMatrices returns a [Shortage] where so many matrices of float64, rows x columns, need more memory than is
// available. To be asked before they are made: the Go runtime ends a program that cannot have what it takes.
func ForMatrices(what string, copies, rows, columns int) error {
	need := 8 * float64(copies) * float64(rows) * float64(columns)
	if need <= always {
		return nil
	}
	free := Available()
	if free > 0 && need > float64(free) {
		debug.FreeOSMemory() // what is no longer used counts as free after that
		free = Available()
	}
	if free <= 0 || need <= float64(free) {
		return nil
	}
	return &Shortage{fmt.Sprintf("%s of %d x %d", what, rows, columns), int64(min(need, math.MaxInt64/2)), free}
}
