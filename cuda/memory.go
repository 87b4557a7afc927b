//go:build gpu

package cuda

import (
	"fmt"
	"runtime"
	"time"

	"gorgonia.org/cu"
)

// take returns device memory of any content with one holder. Where none is left it gives kept blocks back to the
// driver, then has unreachable tensors collected and cached graphs dropped, before it fails with [OutOfMemory].
func (e *Engine) take(bytes int) (*block, error) {
	if b := e.pool.take(bytes); b != nil && !e.closed.Load() {
		return b, nil
	} else if b != nil {
		b.release()
	}
	b, err := e.allocate(bytes, e.pool.idle())
	if !full(err) {
		return b, err
	}
	if b, err = e.allocate(bytes, true); !full(err) {
		return b, err
	}
	e.batches.drop()
	collect()
	if b, err = e.allocate(bytes, true); !full(err) {
		return b, err
	}
	return nil, e.outOfMemory(bytes)
}

// full reports whether an error means that memory ran out.
func full(err error) bool {
	_, is := err.(outOfMemory)
	return is
}

// outOfMemory is what allocate returns where the driver has no memory left.
type outOfMemory struct{}

func (outOfMemory) Error() string { return "out of memory" }

func (e *Engine) allocate(bytes int, empty bool) (b *block, err error) {
	err = e.do("allocating device memory", func() error {
		if empty {
			if err := e.pool.empty(); err != nil {
				return err
			}
		}
		b, err = e.pool.allocate(bytes)
		if code(err) == codeOutOfMemory {
			b, err = nil, nil
		}
		return err
	})
	if b == nil && err == nil {
		err = outOfMemory{}
	}
	return b, err
}

func (e *Engine) outOfMemory(bytes int) error {
	full := &OutOfMemory{Device: e.String(), Asked: int64(bytes), InUse: e.pool.snapshot().InUse, Total: e.device.total}
	if free, _, err := e.memory(); err == nil {
		full.Free = free
	}
	return full
}

// memory returns the bytes of device memory that are free, and all there are.
func (e *Engine) memory() (free, total int64, err error) {
	err = e.do("asking for free memory", func() (err error) {
		free, total, err = cu.MemInfo()
		return err
	})
	return free, total, err
}

// Available implements [engine.Memory]: what is free on the device and what the pool keeps.
func (e *Engine) Available() (int64, error) {
	free, _, err := e.memory()
	if err != nil {
		return 0, err
	}
	return free + e.pool.snapshot().Cached, nil
}

// collect runs the garbage collector until the tensors that nobody can reach have given their memory back.
func collect() {
	for range 3 { // views, what they are of, and what that held
		// Cleanups run after the collection that found them; the one of this sentinel is queued with those
		// of the tensors.
		done := make(chan struct{})
		sentinel := new([16]byte)
		runtime.AddCleanup(sentinel, func(done chan struct{}) { close(done) }, done)
		runtime.GC()
		select {
		case <-done:
		case <-time.After(time.Second):
		}
	}
}

// send copies bytes into a block on the copy stream, at an offset. write(dst, from) writes the bytes from number
// from on. The copies are enqueued when send returns, and work that uses the block afterwards waits for them.
func (e *Engine) send(b *block, offset, bytes int, write func(dst []byte, from int)) error {
	for from := 0; from < bytes; from += largePiece {
		n := min(bytes-from, largePiece)
		c, err := e.pinned.take(n, e.background)
		if err != nil {
			return err
		}
		write(c.bytes[:n], from)
		number := uint64(0)
		err = e.do("copying to the device", func() error {
			number = e.copies.advance()
			b.filled.Store(number)
			if err := e.copies.follow(e.compute, b.used.Load()); err != nil {
				return err
			}
			e.counter.uploaded(n)
			if err := cu.MemcpyHtoDAsync(cu.DevicePtr(b.address+uint64(offset+from)), c.address(), int64(n),
				e.copies.stream); err != nil {
				return err
			}
			return e.copies.mark()
		})
		e.pinned.give(c, e.copies, number)
		if err != nil {
			return err
		}
	}
	return nil
}

// receive copies bytes of a block to the host, behind everything enqueued on the compute stream. read(src, from)
// gets the bytes from number from on. While the host reads one piece, the next one is copied.
func (e *Engine) receive(b *block, offset, bytes int, read func(src []byte, from int)) error {
	type flight struct {
		piece  *piece
		from   int
		number uint64
	}
	var last *flight
	land := func() error {
		if last == nil {
			return nil
		}
		l := last
		last = nil
		err := e.do("copying to the host", func() error { return e.compute.wait(l.number) })
		if err == nil {
			read(l.piece.bytes[:min(bytes-l.from, largePiece)], l.from)
		}
		e.pinned.give(l.piece, e.compute, l.number)
		return err
	}
	for from := 0; from < bytes; from += largePiece {
		n := min(bytes-from, largePiece)
		c, err := e.pinned.take(n, e.background)
		if err != nil {
			_ = land()
			return err
		}
		next := &flight{piece: c, from: from}
		err = e.do("copying to the host", func() error {
			next.number = e.compute.advance()
			b.used.Store(next.number)
			if err := e.compute.follow(e.copies, b.filled.Load()); err != nil {
				return err
			}
			e.counter.downloaded(n)
			if err := cu.MemcpyDtoHAsync(c.address(), cu.DevicePtr(b.address+uint64(offset+from)), int64(n),
				e.compute.stream); err != nil {
				return err
			}
			return e.compute.mark()
		})
		if err == nil {
			err = land()
		} else {
			_ = land()
		}
		last = next
		if err != nil {
			e.pinned.give(c, e.compute, next.number)
			return err
		}
	}
	return land()
}

func (p *pool) close() error {
	p.mu.Lock()
	p.closed = true
	live := p.live
	p.live = make(map[uint64]*block)
	p.mu.Unlock()
	first := p.empty()
	for _, b := range live {
		if err := cu.MemFree(cu.DevicePtr(b.address)); err != nil && first == nil {
			first = fmt.Errorf("memory in use at %#x: %w", b.address, err)
		}
	}
	return first
}
