//go:build gpu

package cuda

import (
	"errors"
	"fmt"
	"strings"

	"github.com/grove-graph/grove/engine"
	"gorgonia.org/cu"
)

// The errors below are one line each and end with what to do.

const otherwise = "or use --device cpu"

func noDriver(s driverState) error {
	switch {
	case s.result == -1:
		return fmt.Errorf("no NVIDIA driver: looked for libcuda.so.1 (%s); install the NVIDIA driver, %s", s.message,
			otherwise)
	case s.result == codeNoDevice:
		return fmt.Errorf("no GPU: the driver %s finds none; see nvidia-smi and CUDA_VISIBLE_DEVICES, %s", s.path, otherwise)
	case s.result == codeDriverMismatch:
		return fmt.Errorf("the driver library %s and the driver in the kernel have different versions; restart "+
			"the machine, "+
			"%s", s.path, otherwise)
	}
	return fmt.Errorf("the NVIDIA driver %s does not start: %s; see nvidia-smi, %s", s.path,
		describe(driverError(s.result)), otherwise)
}

func noSuchDevice(ordinal, n int) error {
	last := ""
	if n > 1 {
		last = fmt.Sprintf(" to cuda:%d", n-1)
	}
	return fmt.Errorf("GPU %d does not exist: this machine has %d, cuda:0%s; choose one of them, %s", ordinal, n, last,
		otherwise)
}

func driverTooOld(have, need int) error {
	return fmt.Errorf("the NVIDIA driver is too old: it has CUDA %s, this program needs %s; update the driver, %s",
		version(have), version(need), otherwise)
}

func gpuTooOld(p properties) error {
	return fmt.Errorf("%s has compute capability %d.%d, this program needs %d.%d; choose a newer GPU, %s", p.name, p.major,
		p.minor, oldestGPU()/10, oldestGPU()%10, otherwise)
}

// noContext explains why a context could not be made.
func noContext(ordinal int, err error) error {
	switch code(err) {
	case codeDeviceUnavailable:
		return fmt.Errorf("GPU %d is held by another process in exclusive mode, or closed to all: end that process (see "+
			"nvidia-smi), set the compute mode with nvidia-smi -c 0, choose another GPU, %s", ordinal, otherwise)
	case codeOutOfMemory:
		return fmt.Errorf("GPU %d has too little free memory to begin with: end other programs on it (see nvidia-smi), "+
			"choose another GPU, %s", ordinal, otherwise)
	}
	return fmt.Errorf("GPU %d: making a context: %s; see nvidia-smi, %s", ordinal, describe(err), otherwise)
}

// damagedKernels explains why the embedded fatbin was refused.
func damagedKernels(err error) error {
	return fmt.Errorf("the kernels inside this program are damaged: %s; build it again with make gpu, %s", describe(err),
		otherwise)
}

// OutOfMemory is the error of an allocation that does not fit on the device.
type OutOfMemory struct {
	Device             string
	Asked, Free, Total int64 // bytes
	InUse              int64 // by tensors and graphs of this program
}

func (e *OutOfMemory) Error() string {
	return fmt.Sprintf("%s: out of memory: asked for %s, free %s of %s (%s in use by this program); use fewer "+
		"filters or "+
		"shorter paths, end other programs on the GPU, %s",
		e.Device, bytesText(e.Asked), bytesText(e.Free), bytesText(e.Total), bytesText(e.InUse), otherwise)
}

// Is makes it an [engine.ErrOutOfMemory].
func (e *OutOfMemory) Is(target error) bool { return target == engine.ErrOutOfMemory }

// noPinnedMemory explains why data cannot be moved.
func noPinnedMemory(bytes int) error {
	return fmt.Errorf("no page-locked host memory: asked for %s; free memory of the host, raise the limit on locked "+
		"memory (ulimit -l), %s", bytesText(int64(bytes)), otherwise)
}

// launchError is a kernel that could not be started.
type launchError struct {
	kernel string
	err    error
}

func (e *launchError) Error() string { return "kernel " + e.kernel + ": " + describe(e.err) }
func (e *launchError) Unwrap() error { return e.err }

// lasting are the results after which a context can do no more work.
var lasting = map[int]bool{
	4: true, 214: true, 220: true, 700: true, 702: true, 709: true, 710: true, 714: true, 715: true, 716: true, 717: true,
	718: true, 719: true, 721: true, 999: true,
}

// failure explains an error on the context's thread, and remembers one that leaves the context unusable.
func (e *Engine) failure(what string, err error) error {
	if err == nil {
		return nil
	}
	var launch *launchError
	var full *OutOfMemory
	cause := err
	switch {
	case errors.As(err, &full):
		return fmt.Errorf("%s: %w", what, err)
	case errors.As(err, &launch):
		cause = launch.err
	case code(err) > 0:
		// The work that failed was enqueued earlier: name the candidates.
		err = fmt.Errorf("%s%s", describe(err), e.suspects())
	}
	err = fmt.Errorf("%s: %s: %w", e, what, err)
	if lasting[code(cause)] {
		err = fmt.Errorf("%w; the GPU's context is lost, start again", err)
		for _, l := range e.lanes.all() {
			l.lost.CompareAndSwap(nil, &err)
		}
	}
	return err
}

// together joins errors to one line; nil ones are left out.
func together(errs ...error) error {
	var all error
	for _, err := range errs {
		switch {
		case all == nil:
			all = err
		case err != nil:
			all = fmt.Errorf("%w; %w", all, err)
		}
	}
	return all
}

// version writes a version number of the driver, 12040, as 12.4.
func version(v int) string { return fmt.Sprintf("%d.%d", v/1000, v%1000/10) }

// bytesText writes a size with three digits.
func bytesText(n int64) string {
	units := []string{"bytes", "KiB", "MiB", "GiB", "TiB"}
	x, i := float64(n), 0
	for x >= 1000 && i < len(units)-1 {
		x, i = x/1024, i+1
	}
	return strings.TrimSpace(fmt.Sprintf("%.3g %s", x, units[i]))
}

// suits checks the driver and the GPU against what the kernels need.
func (p properties) suits(needs int) error {
	if have := cu.Version(); have > 0 && have/1000 < needs/1000 {
		return driverTooOld(have, needs)
	}
	if p.major*10+p.minor < oldestGPU() {
		return gpuTooOld(p)
	}
	return nil
}
