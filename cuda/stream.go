//go:build gpu

package cuda

import "strings"

// stream is what an operation enqueues its work on: it appends entries to a submission. The queue is locked meanwhile.
type stream struct {
	engine    *Engine
	operation string
	to        *submission
}

func (s *stream) add(n entry) {
	n.operation = s.operation
	s.to.entries = append(s.to.entries, n)
}

// launch enqueues a kernel with arguments as words. A grid of no blocks is nothing to do.
func (s *stream) launch(kernel int, g grid, arguments ...uint64) error {
	c := &s.engine.counter
	if g.blocks.x == 0 {
		c.next = Arithmetic{}
		return nil
	}
	c.launched(&c.kernels[kernel], g)
	first := len(s.to.words)
	s.to.words = append(s.to.words, arguments...)
	s.add(entry{kind: launching, kernel: kernel, grid: g, first: first, count: len(arguments)})
	return nil
}

// call enqueues calls of the driver that f makes on the context's thread.
func (s *stream) call(f func() error) { s.add(entry{kind: calling, call: f}) }

// fill sets bytes to a value.
func (s *stream) fill(at uint64, bytes int, value byte) {
	s.add(entry{kind: filling, to: at, bytes: bytes, value: value})
}

// download copies into page-locked memory.
func (s *stream) download(to []byte, from uint64) {
	s.engine.counter.downloaded(len(to))
	s.add(entry{kind: downloading, host: to, from: from, bytes: len(to)})
}

// zero clears n elements.
func zero[T element](s *stream, p pointer[T], n int) error {
	if n > 0 {
		s.fill(p.address, n*size[T](), 0)
	}
	return nil
}

// copyTo copies n elements within the device.
func copyTo[T element](s *stream, dst, src pointer[T], n int) error {
	if n > 0 && dst != src {
		s.add(entry{kind: moving, to: dst.address, from: src.address, bytes: n * size[T]()})
	}
	return nil
}

// recent are the kernels that were launched since the last synchronisation, as far as they may have caused an error
// that the device reports late.
type recent struct {
	kernels  [8]int // the last one at (launches-1) mod 8
	launches int
}

func (r *recent) add(kernel int) {
	r.kernels[r.launches%len(r.kernels)] = kernel
	r.launches++
}

// suspects names the recent kernels, on the context's thread.
func (e *Engine) suspects() string {
	r := &e.recent
	if r.launches == 0 {
		return ""
	}
	var names []string
	for i := max(0, r.launches-len(r.kernels)); i < r.launches; i++ {
		name := e.kernels[r.kernels[i%len(r.kernels)]].name
		if len(names) == 0 || names[len(names)-1] != name {
			names = append(names, name)
		}
	}
	return " in one of the kernels " + strings.Join(names, ", ") + " (CUDA_LAUNCH_BLOCKING=1 tells which)"
}

// synchronize waits for the stream of the kernels, on the context's thread.
func (e *Engine) synchronize() error {
	err := e.compute.synchronize()
	if err == nil {
		e.recent.launches = 0
	}
	return err
}
