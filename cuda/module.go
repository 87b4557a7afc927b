//go:build gpu

package cuda

import (
	_ "embed" // of the kernels
	"encoding/binary"
	"fmt"

	"gorgonia.org/cu"
)

// fatbin are the compiled kernels, written by cuda/fatbin.sh.
//
//go:embed kernels.fatbin
var fatbin string

//go:embed kernels.toolkit
var toolkitText string

// toolkit returns the version of the CUDA toolkit that compiled the kernels, as the driver counts: 11080 for
// 11.8. A driver runs what toolkits of its own major version or an older one compiled.
func toolkit() int { return requirements()[0] }

// oldestGPU returns the compute capability that the oldest PTX of the fatbin is for, 70 for 7.0.
func oldestGPU() int { return requirements()[1] }

// requirements reads the two numbers of kernels.toolkit.
func requirements() (numbers [2]int) {
	_, _ = fmt.Sscan(toolkitText, &numbers[0], &numbers[1])
	return numbers
}

// kernel is an entry point of kernels.cu with the kinds of its parameters.
type kernel struct {
	name      string
	signature string
}

// loaded is a kernel of a module, found at its first launch.
type loaded struct {
	name     string
	module   cu.Module
	function cu.Function
	found    bool
	shared   int // dynamic shared memory that it may have
}

// whole reports whether a fatbin is as long as its header says: its magic number, its version and the bytes of the
// header, then the bytes of what follows.
func whole(image string) bool {
	const header = 16
	if len(image) < header || image[:4] != "\x50\xed\x55\xba" {
		return false
	}
	return binary.LittleEndian.Uint64([]byte(image[8:header])) == uint64(len(image)-header)
}

// load gives the fatbin to the driver, which trusts its header.
func load(image string, needs int, p properties) (cu.Module, error) {
	if !whole(image) {
		return cu.Module{}, damagedKernels(fmt.Errorf("%d bytes are no complete fatbin", len(image)))
	}
	m, err := cu.LoadData(image)
	switch code(err) {
	case 0:
		return m, nil
	case codeUnsupportedPTX, codeNoBinary, codeInvalidPTX, codeNoJIT:
		if have := cu.Version(); have > 0 && have < needs {
			return m, driverTooOld(have, needs)
		}
	case codeOutOfMemory:
		return m, noContext(p.ordinal, err)
	}
	return m, damagedKernels(err)
}
