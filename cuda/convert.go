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
	width := int(dst.Dtype().Size())
	return e.send(b, int(address-b.address), n*width, write)
}

// toHost downloads, and converts on the way.
func (e *Engine) toHost(dst, src *tensor.Dense) error {
	b, address, err := e.locate(src)
	if err != nil || b == nil {
		return prefixed("Convert", err)
	}
	defer b.release()
	var read func(piece []byte, from int)
	switch {
	case dst.Dtype() == src.Dtype() && src.Dtype() == tensor.Float32:
		read = reader(dst.Float32s(), func(x float32) float32 { return x })
	case dst.Dtype() == src.Dtype():
		read = reader(dst.Float64s(), func(x float64) float64 { return x })
	case src.Dtype() == tensor.Float32:
		read = reader(dst.Float64s(), func(x float32) float64 { return float64(x) })
	default:
		read = reader(dst.Float32s(), func(x float64) float32 { return float32(x) })
	}
	return e.receive(b, int(address-b.address), int(src.MemSize()), read)
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
