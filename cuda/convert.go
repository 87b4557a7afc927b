//go:build gpu

package cuda

import (
	"fmt"
	"unsafe"

	"github.com/grove-graph/grove/engine"
	"gorgonia.org/tensor"
)

// Convert copies src to dst across dtypes and between host and device, in either direction. It returns when host
// memory that it reads may be changed, or host memory that it writes is complete; within the device it returns
// at once.
func (e *Engine) Convert(dst, src *tensor.Dense) error {
	if err := engine.CheckConvert(dst, src); err != nil || dst == src {
		return err
	}
	to, from := dst.Engine() == tensor.Engine(e), src.Engine() == tensor.Engine(e)
	for _, t := range []*tensor.Dense{dst, src} {
		if t.Engine() != tensor.Engine(e) && !t.IsNativelyAccessible() {
			return fmt.Errorf("Convert: a tensor of %s: copy it to the host first", owner(t))
		}
	}
	switch {
	case to && from:
		return e.within(dst, src)
	case to:
		return e.toDevice(dst, src)
	case from:
		return e.toHost(dst, src)
	}
	return e.host.Convert(dst, src)
}

// within converts on the device.
func (e *Engine) within(dst, src *tensor.Dense) error {
	k := e.begin("Convert")
	n := elementCount(dst)
	if dst.Dtype() == src.Dtype() {
		if dst.Dtype() == tensor.Float32 {
			to, from := of[float32](k, dst), of[float32](k, src)
			return k.run(func(s *stream) error { return copyTo(s, to, from, n) })
		}
		to, from := of[float64](k, dst), of[float64](k, src)
		return k.run(func(s *stream) error { return copyTo(s, to, from, n) })
	}
	if dst.Dtype() == tensor.Float64 {
		to, from := of[float64](k, dst), of[float32](k, src)
		return k.run(func(s *stream) error { return s.convertF32F64(linear(n, 256), to, from, int64(n)) })
	}
	to, from := of[float32](k, dst), of[float64](k, src)
	return k.run(func(s *stream) error { return s.convertF64F32(linear(n, 256), to, from, int64(n)) })
}

// elementCount returns the number of elements of a tensor.
func elementCount(t *tensor.Dense) int { return int(t.MemSize()) / int(t.Dtype().Size()) }

// toDevice uploads, and converts on the way.
func (e *Engine) toDevice(dst, src *tensor.Dense) error {
	b, address, err := e.locate(dst)
	if err != nil || b == nil {
		return prefixed("Convert", err)
	}
	defer b.release()
	n := elementCount(dst)
	var write func(piece []byte, from int)
	switch {
	case dst.Dtype() == src.Dtype() && src.Dtype() == tensor.Float32:
		write = writer(src.Float32s(), func(x float32) float32 { return x })
	case dst.Dtype() == src.Dtype():
		write = writer(src.Float64s(), func(x float64) float64 { return x })
	case src.Dtype() == tensor.Float64:
		write = writer(src.Float64s(), func(x float64) float32 { return float32(x) })
	default:
		write = writer(src.Float32s(), func(x float32) float64 { return float64(x) })
	}
	bytes := n * int(dst.Dtype().Size())
	e.queue.mu.Lock()
	packs := e.queue.packs(bytes)
	e.queue.mu.Unlock()
	if !packs {
		return e.fill(b, int(address-b.address), bytes, write)
	}
	// It comes with other uploads, and the device moves it: that waits for no other stream.
	k := e.begin("Convert")
	k.touch(b.retain())
	from := uploaded[uint8](k, bytes, write)
	return k.run(func(s *stream) error { return copyTo(s, pointer[uint8]{address}, from, bytes) })
}

// toHost downloads, and converts on the way.
func (e *Engine) toHost(dst, src *tensor.Dense) error {
	b, address, err := e.locate(src)
	if err != nil || b == nil {
		return prefixed("Convert", err)
	}
	defer b.release()
	return e.receive(b, int(address-b.address), int(src.MemSize()), into(dst, src.Dtype()))
}

// Fetch implements [engine.Fetcher].
func (e *Engine) Fetch(dst, src *tensor.Dense) (func() error, error) {
	if src.Engine() != tensor.Engine(e) || dst.Engine() == tensor.Engine(e) || !dst.IsNativelyAccessible() {
		return func() error { return nil }, e.Convert(dst, src)
	}
	if err := engine.CheckConvert(dst, src); err != nil {
		return nil, err
	}
	b, address, err := e.locate(src)
	if err != nil {
		return nil, prefixed("Fetch", err)
	}
	if b == nil { // no elements
		return func() error { return nil }, nil
	}
	defer b.release()
	return e.receiveLater(b, int(address-b.address), int(src.MemSize()), into(dst, src.Dtype()))
}

// into returns the function that reads pieces of a download of elements of a dtype into dst, converted.
func into(dst *tensor.Dense, from tensor.Dtype) func(piece []byte, from int) {
	switch {
	case dst.Dtype() == from && from == tensor.Float32:
		return reader(dst.Float32s(), func(x float32) float32 { return x })
	case dst.Dtype() == from:
		return reader(dst.Float64s(), func(x float64) float64 { return x })
	case from == tensor.Float32:
		return reader(dst.Float64s(), func(x float32) float64 { return float64(x) })
	}
	return reader(dst.Float32s(), func(x float64) float32 { return float32(x) })
}

func prefixed(name string, err error) error {
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// writer returns the function that writes elements of src, converted, to a piece of an upload.
func writer[D, S real](src []S, convert func(S) D) func([]byte, int) {
	return func(piece []byte, from int) {
		dst := elementsOf[D](piece)
		part := src[from/size[D]():][:len(dst)]
		if same, ok := any(part).([]D); ok {
			copy(dst, same)
			return
		}
		for i, x := range part {
			dst[i] = convert(x)
		}
	}
}

// reader returns the function that reads a piece of a download into dst, converted.
func reader[D, S real](dst []D, convert func(S) D) func([]byte, int) {
	return func(piece []byte, from int) {
		src := elementsOf[S](piece)
		part := dst[from/size[S]():][:len(src)]
		if same, ok := any(src).([]D); ok {
			copy(part, same)
			return
		}
		for i, x := range src {
			part[i] = convert(x)
		}
	}
}

// elementsOf is a piece of page-locked memory as elements.
func elementsOf[T element](piece []byte) []T {
	if len(piece) == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&piece[0])), len(piece)/size[T]())
}
