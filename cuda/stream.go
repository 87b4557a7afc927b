//go:build gpu

package cuda

import (
	"fmt"
	"strings"
	"unsafe"

	"gorgonia.org/cu"
)

// maxArguments bounds the parameters of a kernel.
const maxArguments = 64

// stream is what an operation enqueues its work on. It is used on the context's thread alone.
type stream struct {
	engine     *Engine
	stream     cu.Stream
	arguments  [maxArguments]uint64 // of the next launch
	parameters [maxArguments]unsafe.Pointer
	recent     [8]int // kernels launched since the last synchronisation, the last one at (launches-1) mod 8
	launches   int
}

func newStream(e *Engine) *stream {
	s := &stream{engine: e, stream: e.compute.stream}
	for i := range s.parameters {
		s.parameters[i] = unsafe.Pointer(&s.arguments[i])
	}
	return s
}

// launch enqueues a kernel with arguments as words. A grid of no blocks is nothing to do.
func (s *stream) launch(kernel int, g grid, arguments ...uint64) error {
	if g.blocks.x == 0 {
		s.engine.counter.next = Arithmetic{}
		return nil
	}
	k := &s.engine.kernels[kernel]
	if !k.found {
		f, err := k.module.Function(k.name)
		if err != nil {
			return damagedKernels(fmt.Errorf("kernel %s: %s", k.name, describe(err)))
		}
		k.function, k.found = f, true
	}
	if g.shared > 16<<10 && g.shared > k.shared {
		// Static shared memory counts, too, so the limit is asked for early.
		if err := allowShared(k.function, g.shared); err != nil {
			return &launchError{k.name, fmt.Errorf("%d bytes of shared memory: %s", g.shared, describe(err))}
		}
		k.shared = g.shared
	}
	s.engine.counter.launched(&s.engine.counter.kernels[kernel], g)
	s.recent[s.launches%len(s.recent)] = kernel
	s.launches++
	n := copy(s.arguments[:], arguments)
	// The binding copies the arguments to C memory. That costs some 0.2 microseconds, a tenth of what the driver
	// takes.
	err := k.function.Launch(g.blocks.x, max(g.blocks.y, 1), max(g.blocks.z, 1), max(g.threads.x, 1), max(g.threads.y, 1),
		max(g.threads.z, 1), g.shared, s.stream, s.parameters[:n])
	if err != nil {
		return &launchError{k.name, err}
	}
	return nil
}

// suspects names the kernels that may have caused an error that the device reports late.
func (s *stream) suspects() string {
	if s == nil || s.launches == 0 {
		return ""
	}
	var names []string
	for i := max(0, s.launches-len(s.recent)); i < s.launches; i++ {
		name := s.engine.kernels[s.recent[i%len(s.recent)]].name
		if len(names) == 0 || names[len(names)-1] != name {
			names = append(names, name)
		}
	}
	return " in one of the kernels " + strings.Join(names, ", ") + " (CUDA_LAUNCH_BLOCKING=1 tells which)"
}

// synchronize waits for the stream.
func (s *stream) synchronize() error {
	err := s.engine.compute.synchronize()
	if err == nil {
		s.launches = 0
	}
	return err
}

// zero clears n elements.
func zero[T element](s *stream, p pointer[T], n int) error {
	if n == 0 {
		return nil
	}
	s.engine.counter.Clears++
	return cu.MemsetD8Async(cu.DevicePtr(p.address), 0, int64(n*size[T]()), s.stream)
}

// copyTo copies n elements within the device.
func copyTo[T element](s *stream, dst, src pointer[T], n int) error {
	if n == 0 || dst == src {
		return nil
	}
	s.engine.counter.Moves++
	return cu.MemcpyDtoDAsync(cu.DevicePtr(dst.address), cu.DevicePtr(src.address), int64(n*size[T]()), s.stream)
}
