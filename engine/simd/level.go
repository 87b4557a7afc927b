package simd

import (
	"os"
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

// active is the level of the exported functions. It is set once and never changes.
var active = lowered(supported(), os.Getenv("GROVE_SIMD"))

// Level returns the instruction set in use: "avx512", "avx2" or "portable". It is the best one that
// the machine supports, or the one named by the environment variable GROVE_SIMD if that is lower.
func Level() string { return active.String() }

// lowered returns the level called name where best includes it, else best.
func lowered(best level, name string) level {
	for l, known := range levelNames {
		if known == name {
			return min(best, level(l))
		}
	}
	return best
}
