//go:build gpu

package cuda

import (
	"fmt"
	"runtime"
	"unsafe"

	"gorgonia.org/tensor"
)

// op is an operation being put together: its arguments are collected, and run enqueues everything in one piece. The
// first error sticks and comes out of run.
type op struct {
	e       *Engine
	name    string
	err     error
	tensors []*tensor.Dense // alive until the work is enqueued
	blocks  []*block        // held until the work is enqueued
	filled  uint64          // copies to the device up to this number must come first
	bytes   int64           // of operands
	clears  []clearing
	fetches []fetching
	number  uint64 // of the submission that it went into
}

// clearing is memory to be zeroed before the kernels.
type clearing struct {
	at     uint64
	length int
}

// fetching is a copy to the host that follows the kernels.
type fetching struct {
	to     []byte
	from   uint64
	pieces []*piece
}

// begin starts an operation.
func (e *Engine) begin(name string) *op { return &op{e: e, name: name} }

// fail makes run return an error without enqueueing anything.
func (k *op) fail(err error) {
	if k.err == nil && err != nil {
		k.err = err
	}
}

// touch holds a block until the work is enqueued. The operation takes over one holder.
func (k *op) touch(b *block) {
	k.blocks = append(k.blocks, b)
	k.filled = max(k.filled, b.filled.Load())
}

// of returns the address of a tensor of this engine; a nil tensor has the null pointer.
func of[T real](k *op, t *tensor.Dense) pointer[T] {
	if t == nil || k.err != nil {
		return pointer[T]{}
	}
	if want := int(t.Dtype().Size()); want != size[T]() {
		k.fail(fmt.Errorf("%s: a tensor of %v where the others have %d bytes an element", k.name, t.Dtype(), size[T]()))
		return pointer[T]{}
	}
	b, address, err := k.e.locate(t)
	if err != nil {
		k.fail(fmt.Errorf("%s: %w", k.name, err))
		return pointer[T]{}
	}
	if b != nil {
		k.touch(b)
	}
	k.tensors = append(k.tensors, t)
	k.bytes += int64(t.MemSize())
	return pointer[T]{address}
}

// upload copies a slice to the device before the kernels; a nil slice has the null pointer. The slice may be
// changed when upload has returned.
func upload[T element](k *op, s []T) pointer[T] {
	if s == nil || k.err != nil {
		return pointer[T]{}
	}
	data := bytesOf(s)
	return uploaded[T](k, len(data), func(dst []byte, from int) { copy(dst, data[from:]) })
}

// uploaded is upload of bytes that write writes from a number on.
func uploaded[T element](k *op, bytes int, write func(dst []byte, from int)) pointer[T] {
	b, address, err := k.e.upload(bytes, write)
	if err != nil {
		k.fail(err)
		return pointer[T]{}
	}
	k.touch(b)
	k.bytes += 2 * int64(bytes)
	return pointer[T]{address}
}

// uploadAs is upload with rounding to T.
func uploadAs[T real](k *op, s []float64) pointer[T] {
	if same, ok := any(s).([]T); ok {
		return upload(k, same)
	}
	if s == nil {
		return pointer[T]{}
	}
	rounded := make([]T, len(s))
	for i, x := range s {
		rounded[i] = T(x)
	}
	return upload(k, rounded)
}

// uploadBools is upload of truth values as 0 and 1.
func uploadBools(k *op, s []bool) pointer[uint8] {
	if len(s) == 0 {
		if s == nil {
			return pointer[uint8]{}
		}
		return upload(k, []uint8{})
	}
	// A bool of Go is a byte of 0 or 1.
	return upload(k, unsafe.Slice((*uint8)(unsafe.Pointer(&s[0])), len(s)))
}

// scratch returns memory of any content for n elements, which is given back when the operation has run.
func scratch[T element](k *op, n int) pointer[T] {
	if k.err != nil || n == 0 {
		return pointer[T]{}
	}
	b, err := k.e.take(n * size[T]())
	if err != nil {
		k.fail(err)
		return pointer[T]{}
	}
	k.touch(b)
	k.bytes += 2 * int64(n*size[T]())
	return pointer[T]{b.address}
}

// cleared is scratch with zeros.
func cleared[T element](k *op, n int) pointer[T] {
	p := scratch[T](k, n)
	if !p.null() {
		k.clears = append(k.clears, clearing{p.address, n * size[T]()})
	}
	return p
}

// fetch copies elements to the host when the kernels are done, which makes run wait for them.
func fetch[T element](k *op, dst []T, from pointer[T]) {
	if k.err == nil && len(dst) > 0 {
		k.fetches = append(k.fetches, fetching{to: bytesOf(dst), from: from.address})
	}
}

// run enqueues the operation: what f enqueues, behind uploads and before fetches. With a fetch, run returns when the
// data are there, otherwise at once.
func (k *op) run(f func(*stream) error) error { return k.finish(f, len(k.fetches) > 0) }

// wait is run that returns when the device has done the work.
func (k *op) wait(f func(*stream) error) error { return k.finish(f, true) }

func (k *op) finish(f func(*stream) error, wait bool) error {
	defer k.end()
	if k.err == nil {
		k.stageFetches()
	}
	if k.err != nil {
		return k.err
	}
	err := k.enqueue(f, !wait)
	if err == nil && wait {
		err = k.e.do(k.name, k.e.synchronize)
	}
	if err != nil {
		return err
	}
	for _, c := range k.fetches {
		to := c.to
		for _, p := range c.pieces {
			to = to[copy(to, p.bytes):]
		}
	}
	return nil
}

// stageFetches takes page-locked memory for the results.
func (k *op) stageFetches() {
	for i := range k.fetches {
		for left := len(k.fetches[i].to); left > 0; left -= largePiece {
			c, err := k.e.pinned.take(min(left, largePiece), k.e)
			if err != nil {
				k.fail(err)
				return
			}
			k.fetches[i].pieces = append(k.fetches[i].pieces, c)
		}
	}
}

// enqueue appends the operation to the submission that is being put together, and hands that over if it is to go. Where
// f fails nothing of it stays.
func (k *op) enqueue(f func(*stream) error, send bool) error {
	e := k.e
	e.queue.mu.Lock()
	defer e.queue.mu.Unlock()
	if err := e.usable(k.name); err != nil {
		return err
	}
	to, whole := e.queue.next, false
	entries, words := len(to.entries), len(to.words)
	defer func() {
		if !whole {
			to.cut(entries, words)
		}
	}()
	s := &stream{e, k.name, to}
	k.number, to.filled = to.number, max(to.filled, k.filled)
	for _, b := range k.blocks {
		b.used.Store(k.number)
	}
	for _, c := range k.clears {
		s.fill(c.at, c.length, 0)
	}
	if err := f(s); err != nil {
		return err
	}
	for _, c := range k.fetches {
		from, left := c.from, len(c.to)
		for _, p := range c.pieces {
			n := min(left, len(p.bytes))
			s.download(p.bytes[:n], from)
			from, left = from+uint64(n), left-n
		}
	}
	e.counter.OperandBytes += k.bytes
	whole = true
	if send {
		e.send()
	}
	return nil
}

// end gives back what the operation held; on the device it is reused behind the work enqueued.
func (k *op) end() {
	for _, c := range k.fetches {
		for _, p := range c.pieces {
			k.e.pinned.give(p, k.e.compute, k.number)
		}
	}
	for _, b := range k.blocks {
		b.release()
	}
	k.fetches, k.blocks = nil, nil
	runtime.KeepAlive(k.tensors)
	k.tensors = nil
}

// bytesOf is the memory of a slice.
func bytesOf[T element](s []T) []byte {
	if len(s) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), len(s)*size[T]())
}
