//go:build gpu

package cuda

import (
	"fmt"
	"runtime"
	"unsafe"

	"gorgonia.org/cu"
	"gorgonia.org/tensor"
)

// op is an operation being put together: its arguments are collected on the caller's goroutine, and run enqueues
// everything in one piece. The first error sticks and comes out of run.
type op struct {
	e       *Engine
	name    string
	err     error
	tensors []*tensor.Dense // alive until the work is enqueued
	blocks  []*block        // held until the work is enqueued
	filled  uint64          // work of the copy stream that must come first
	bytes   int64           // of operands
	uploads []staging
	clears  []clearing
	fetches []fetching
}

// staging is a copy to the device that precedes the kernels, on their stream.
type staging struct {
	to     uint64
	piece  *piece
	length int
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

// inlineBytes is up to which size data go to the device on the stream of the kernels, in the hand-over of the
// operation itself; more data go through the copy stream.
const inlineBytes = smallPiece

// upload copies a slice to the device before the kernels; a nil slice has the null pointer. The slice may be
// changed when upload has returned.
func upload[T element](k *op, s []T) pointer[T] {
	if s == nil {
		return pointer[T]{}
	}
	p := scratch[T](k, max(len(s), 1))
	if k.err == nil && len(s) > 0 {
		k.fill(k.blocks[len(k.blocks)-1], 0, bytesOf(s))
	}
	return p
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

// fill copies data into a block, at an offset in bytes.
func (k *op) fill(b *block, offset int, data []byte) {
	if len(data) > inlineBytes {
		if err := k.e.send(b, offset, len(data), func(dst []byte, from int) { copy(dst, data[from:]) }); err != nil {
			k.fail(err)
		}
		k.filled = max(k.filled, b.filled.Load())
		return
	}
	c, err := k.e.pinned.take(len(data), k.e.background)
	if err != nil {
		k.fail(err)
		return
	}
	copy(c.bytes, data)
	k.uploads = append(k.uploads, staging{b.address + uint64(offset), c, len(data)})
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

// run enqueues the operation: uploads, what f enqueues, and fetches. f runs on the context's thread. With a
// fetch, run returns when the data are there, otherwise at once.
func (k *op) run(f func(*stream) error) error { return k.finish(f, len(k.fetches) > 0) }

// wait is run that returns when the device has done the work.
func (k *op) wait(f func(*stream) error) error { return k.finish(f, true) }

func (k *op) finish(f func(*stream) error, wait bool) error {
	defer k.end()
	if k.err == nil {
		k.stageFetches()
	}
	if k.err != nil {
		return k.explained()
	}
	err := k.e.do(k.name, func() error { return k.enqueue(f, wait) })
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

// explained puts the name in front of an error where it is not there.
func (k *op) explained() error {
	var err error = k.err
	if c := code(err); c > 0 {
		return k.e.failure(k.name, err)
	}
	return err
}

// stageFetches takes page-locked memory for the results.
func (k *op) stageFetches() {
	for i := range k.fetches {
		for left := len(k.fetches[i].to); left > 0; left -= largePiece {
			c, err := k.e.pinned.take(min(left, largePiece), k.e.background)
			if err != nil {
				k.fail(err)
				return
			}
			k.fetches[i].pieces = append(k.fetches[i].pieces, c)
		}
	}
}

// enqueue runs on the context's thread.
func (k *op) enqueue(f func(*stream) error, wait bool) error {
	e, s := k.e, k.e.stream
	number := e.compute.advance()
	e.counter.OperandBytes += k.bytes
	for _, b := range k.blocks {
		b.used.Store(number)
	}
	if err := e.compute.follow(e.copies, k.filled); err != nil {
		return err
	}
	for _, u := range k.uploads {
		e.counter.uploaded(u.length)
		if err := cu.MemcpyHtoDAsync(cu.DevicePtr(u.to), u.piece.address(), int64(u.length), s.stream); err != nil {
			return err
		}
	}
	for _, c := range k.clears {
		e.counter.Clears++
		if err := cu.MemsetD8Async(cu.DevicePtr(c.at), 0, int64(c.length), s.stream); err != nil {
			return err
		}
	}
	if err := f(s); err != nil {
		return err
	}
	for _, c := range k.fetches {
		from, left := c.from, len(c.to)
		for _, p := range c.pieces {
			n := min(left, len(p.bytes))
			e.counter.downloaded(n)
			if err := cu.MemcpyDtoHAsync(p.address(), cu.DevicePtr(from), int64(n), s.stream); err != nil {
				return err
			}
			from, left = from+uint64(n), left-n
		}
	}
	if wait {
		return s.synchronize()
	}
	if len(k.uploads) > 0 {
		return e.compute.mark()
	}
	return nil
}

// end gives back what the operation held; on the device it is reused behind the work enqueued.
func (k *op) end() {
	e := k.e
	for _, u := range k.uploads {
		e.pinned.give(u.piece, e.compute, e.compute.number.Load())
	}
	for _, c := range k.fetches {
		for _, p := range c.pieces {
			e.pinned.give(p, e.compute, e.compute.number.Load())
		}
	}
	for _, b := range k.blocks {
		b.release()
	}
	k.uploads, k.fetches, k.blocks = nil, nil, nil
	runtime.KeepAlive(k.tensors)
	k.tensors = nil
}

// background is thread.do for steps of an operation that is not enqueued yet.
func (e *Engine) background(f func() error) error { return e.do("moving data", f) }

// bytesOf is the memory of a slice.
func bytesOf[T element](s []T) []byte {
	if len(s) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), len(s)*size[T]())
}
