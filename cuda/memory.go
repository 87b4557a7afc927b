//go:build gpu

package cuda

import (
	"fmt"
	"math"
	"runtime"
	"time"

	"gorgonia.org/cu"
)

// take returns device memory of any content with one holder. Where none is left it gives kept blocks back to the
// driver, then has unreachable tensors collected and cached graphs dropped, before it fails with [OutOfMemory].
func (e *Engine) take(bytes int) (*block, error) {
	if b := e.pool.take(bytes, false); b != nil && !e.closed.Load() {
		return b, nil
	} else if b != nil {
		b.release()
	}
	b, err := e.allocate(bytes, e.pool.idle())
	if !full(err) {
		return b, err
	}
	if b := e.pool.take(bytes, true); b != nil {
		return b, nil
	}
	if b, err = e.allocate(bytes, true); !full(err) {
		return b, err
	}
	e.batches.drop()
	collect(func() bool {
		if b == nil {
			b = e.pool.take(bytes, true)
		}
		return b != nil
	})
	if b != nil {
		return b, nil
	}
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
	do := e.beside
	if empty {
		do = e.do // what is enqueued may use the blocks that go back to the driver
	}
	err = do("allocating device memory", func() error {
		if empty {
			for _, l := range e.lanes.all() {
				if err := l.pool.empty(l.places.performed()); err != nil {
					return err
				}
			}
		}
		b, err = e.pool.allocate(bytes, e.localMemory())
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
	err = e.beside("asking for free memory", func() (err error) {
		free, total, err = cu.MemInfo()
		return err
	})
	return free, total, err
}

// Available implements [engine.Memory]: what is free on the device and what the pool keeps, but for the local memory of
// kernels. Engines beside each other share what is free.
func (e *Engine) Available() (int64, error) {
	free, _, err := e.memory()
	if err != nil {
		return 0, err
	}
	return max(free-e.localMemory(), 0)/int64(len(e.lanes.all())) + e.pool.snapshot().Cached, nil
}

// localBytes is the most local memory that a thread of any kernel has (stack, in kernels.resources.txt), and as much
// again for code that the driver compiles from PTX.
const localBytes = 128

// localMemory returns the bytes that the driver takes for the local memory of all threads that the device can hold, at
// the first launch of a kernel that has some. The pool leaves them free: a launch cannot wait for memory.
func (e *Engine) localMemory() int64 {
	return int64(localBytes * e.device.threadsPerMultiproc * e.device.multiprocessors)
}

// collect runs the garbage collector until there is enough, or for a quarter of a second. The memory of a tensor that
// nobody can reach comes back in a cleanup some time after the collection that found it, and what a view is of, or a
// batch has, is found by a later one.
func collect(enough func() bool) {
	for wait := time.Millisecond; wait < 200*time.Millisecond && !enough(); wait *= 2 {
		runtime.GC()
		for end := time.Now().Add(wait); !enough() && time.Now().Before(end); {
			time.Sleep(wait / 8)
		}
	}
}

// flight is a piece of a copy to the host: bytes from a number on.
type flight struct {
	piece       *piece
	from, bytes int
	number      uint64 // of its work
}

// depart enqueues the copy of bytes of a block from a number on, behind everything on the stream of the kernels, and
// may hand it over.
func (e *Engine) depart(b *block, offset, from, bytes int, send bool) (flight, error) {
	c, err := e.pinned.take(bytes, e)
	if err != nil {
		return flight{}, err
	}
	k := e.begin("copying to the host")
	k.touch(b.retain())
	err = k.enqueue(func(s *stream) error {
		s.download(c.bytes[:bytes], b.address+uint64(offset+from))
		return nil
	}, send)
	k.end()
	if err != nil {
		e.pinned.give(c, nil, 0)
	}
	return flight{c, from, bytes, k.number}, err
}

// land waits for a piece and calls read with it and the number of its first byte.
func (e *Engine) land(f flight, read func(src []byte, from int)) error {
	err := e.do("copying to the host", func() error { return e.compute.wait(e.places.of(f.number)) })
	if err == nil {
		read(f.piece.bytes[:f.bytes], f.from)
	}
	e.pinned.give(f.piece, e.compute, f.number)
	return err
}

// receive copies bytes of a block to the host. read(src, from) gets the bytes from number from on. While the host reads
// one piece, the next one is copied.
func (e *Engine) receive(b *block, offset, bytes int, read func(src []byte, from int)) error {
	var last flight
	land := func() error {
		f := last
		if last = (flight{}); f.piece == nil {
			return nil
		}
		return e.land(f, read)
	}
	for from := 0; from < bytes; from += largePiece {
		next, err := e.depart(b, offset, from, min(bytes-from, largePiece), bytes > largePiece)
		if err != nil {
			return together(err, land())
		}
		err = land()
		last = next
		if err != nil {
			return together(err, land())
		}
	}
	return land()
}

// receiveLater is receive in two parts: the copies are enqueued at once, and the function that it returns waits for
// them, which takes one copy. What is too large for that is copied by that function.
func (e *Engine) receiveLater(b *block, offset, bytes int, read func(src []byte, from int)) (func() error, error) {
	if bytes <= largestPiece {
		f, err := e.depart(b, offset, 0, bytes, true)
		if err == nil || bytes <= largePiece {
			return func() error { return e.land(f, read) }, err
		}
	}
	b.retain()
	return func() error {
		defer b.release()
		return e.receive(b, offset, bytes, read)
	}, nil
}

func (p *pool) close() error {
	p.mu.Lock()
	p.closed = true
	chunks := make(map[*block]bool) // that something still uses, by their first block
	for _, b := range p.live {
		for b.previous != nil {
			b = b.previous
		}
		chunks[b] = true
	}
	clear(p.live)
	p.mu.Unlock()
	first := p.empty(math.MaxUint64)
	for b := range chunks {
		if err := cu.MemFree(cu.DevicePtr(b.address)); err != nil && first == nil {
			first = fmt.Errorf("memory in use at %#x: %w", b.address, err)
		}
	}
	return first
}
