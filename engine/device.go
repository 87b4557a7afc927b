package engine

import (
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/grove-graph/grove/engine/simd"
)

// opener opens devices of one kind.
type opener struct {
	open  func(ordinal, workers int) (Engine, error)
	count func() int
}

// openers are the kinds of devices that this program was built with, set by init functions alone.
var openers = map[string]opener{}

// Register adds a kind of device, such as "cuda", to what [Open] knows. count says how many there are, without an
// error; open opens the one with the given number. Call it from an init function.
func Register(kind string, count func() int, open func(ordinal, workers int) (Engine, error)) {
	openers[kind] = opener{open, count}
}

// worthOpening is how long a CPU must compute for a GPU to pay: to open one takes half a second or so, and it is not
// infinitely fast then.
const worthOpening = 2 * time.Second

// OpenFor is [Open] for some work that takes one core of a CPU about the given time. Auto is a GPU only where all cores
// that may be used would take longer than to open one.
func OpenFor(device string, workers int, cost time.Duration) (Engine, error) {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	if (device == "auto" || device == "") && cost/time.Duration(workers) < worthOpening {
		device = "cpu"
	}
	return Open(device, workers)
}

// Open returns the engine of a device: "auto", "cpu", "cuda" or "cuda:1". Auto is the first GPU where there is
// one that can be used, and else the CPU. workers bounds the number of goroutines that compute; 0 means one for every
// CPU. It is an error where the environment variable GROVE_SIMD names no instruction set that the machine has.
func Open(device string, workers int) (Engine, error) {
	if err := simd.Check(); err != nil {
		return nil, err
	}
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	kind, number, numbered := strings.Cut(device, ":")
	switch {
	case device == "auto" || device == "":
		if Has("cuda") {
			if e, err := openers["cuda"].open(0, workers); err == nil {
				return e, nil
			}
		}
		return NewCPU(workers), nil
	case device == "cpu":
		return NewCPU(workers), nil
	case kind != "cuda":
		return nil, fmt.Errorf("device %q: want auto, cpu, cuda or cuda:N", device)
	}
	ordinal := 0
	if numbered {
		var err error
		if ordinal, err = strconv.Atoi(number); err != nil || ordinal < 0 {
			return nil, fmt.Errorf("device %q: want cuda or cuda:N with N the number of a GPU, counted from 0", device)
		}
	}
	cuda, ok := openers["cuda"]
	if !ok {
		return nil, fmt.Errorf("device %q: this program was built without GPU support; "+
			"build it with make gpu, or use --device cpu", device)
	}
	e, err := cuda.open(ordinal, workers)
	if err != nil {
		return nil, fmt.Errorf("device %q: %w", device, err)
	}
	return e, nil
}

// Has reports whether there is a device of a kind, such as "cuda".
func Has(kind string) bool { return Count(kind) > 0 }

// Count returns how many devices there are of a kind, such as "cuda".
func Count(kind string) int {
	o, ok := openers[kind]
	if !ok {
		return 0
	}
	return o.count()
}
