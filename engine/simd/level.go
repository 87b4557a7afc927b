package simd

import (
	"fmt"
	"os"
	"strings"
	"unsafe"
)

// Float is the set of element types of the engine.
type Float interface{ float32 | float64 }

// isFloat32 tells the two element types apart. The compiler knows the answer.
func isFloat32[T Float]() bool { return unsafe.Sizeof(T(0)) == 4 }

// level names an instruction set. A higher level includes the lower ones.
type level int8

const (
	portable level = iota
	avx2
	avx512
)

var levelNames = [...]string{portable: "portable", avx2: "avx2", avx512: "avx512"}

func (l level) String() string { return levelNames[l] }

// variable is the environment variable that names the level.
const variable = "GROVE_SIMD"

// active is the level of the exported functions, and refused what speaks against the one that was asked for. They are
// set once and never change.
var active, refused = chosen(supported(), os.Getenv(variable))

// Level returns the instruction set in use: "avx512", "avx2" or "portable". It is the best one that
// the machine supports, or the one that the environment variable GROVE_SIMD names.
func Level() string { return active.String() }

// Check returns an error where the environment variable GROVE_SIMD names no level, or one that the machine does not
// support.
func Check() error { return refused }

// chosen returns the level called name where best includes it, and best where the name is empty. With an error it is
// best.
func chosen(best level, name string) (level, error) {
	if name == "" {
		return best, nil
	}
	for l, known := range levelNames {
		switch {
		case known == name && level(l) <= best:
			return level(l), nil
		case known == name:
			return best, fmt.Errorf("%s=%s: this machine supports %s and lower levels", variable, name, best)
		}
	}
	return best, fmt.Errorf("%s=%s: want %s", variable, name, strings.Join(levelNames[:], ", "))
}
