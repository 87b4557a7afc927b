//go:build gpu

package cuda

import (
	"slices"
	"unsafe"

	"gorgonia.org/cu"
)

// spread brings small copies of one submission to the device as one, which a kernel on the stream of copies takes
// apart: those of lanes whose steps became one. All of it is the context's thread's.
type spread struct {
	address uint64 // of spreadBytes on the device, which every such copy fills anew; 0 before the first
	host    [8]struct {
		bytes []byte // page-locked
		place uint64 // of the copy from it
	}
	next int
	off  bool // there is no memory for it
}

const (
	spreadBytes = 1 << 20
	spreadRow   = 3 * 8 // bytes of the table for a copy
	spreadWord  = 16    // bytes that the kernel copies at a time
)

// spreads reports whether copies can go as one: more than one, of whole words, which fit together and can be made in
// any order.
func spreads(copies []transfer) bool {
	bytes := (spreadRow*len(copies) + packAlign - 1) / packAlign * packAlign
	for i, c := range copies {
		overlaps := func(o transfer) bool { return c.to < o.to+uint64(len(o.from)) && o.to < c.to+uint64(len(c.from)) }
		if slices.ContainsFunc(copies[:i], overlaps) {
			return false
		}
		if len(c.from)%spreadWord != 0 || c.to%spreadWord != 0 {
			return false
		}
		if bytes += len(c.from); bytes > spreadBytes {
			return false
		}
	}
	return len(copies) > 1
}

// make takes the next piece of page-locked memory; nil where there is no memory.
func (p *spread) make(copies *timeline) ([]byte, error) {
	if p.off {
		return nil, nil
	}
	if p.address == 0 {
		to, err := cu.MemAlloc(spreadBytes)
		if p.off = err != nil; p.off {
			return nil, nil
		}
		p.address = uint64(to)
	}
	p.next = (p.next + 1) % len(p.host)
	h := &p.host[p.next]
	if h.bytes == nil {
		memory, err := pinnedAlloc(spreadBytes)
		if p.off = err != nil; p.off {
			return nil, nil
		}
		h.bytes = unsafe.Slice((*byte)(memory), spreadBytes)
	}
	var err error
	if !copies.reached(h.place) {
		if err = copies.poll(); err == nil {
			err = copies.wait(h.place)
		}
	}
	h.place = copies.queued + 1
	return h.bytes, err
}

// close gives the memory back. The driver waits for the work that uses it.
func (p *spread) close() error {
	var first error
	if p.address != 0 {
		first = cu.MemFree(cu.DevicePtr(p.address))
	}
	for _, h := range p.host {
		if h.bytes != nil {
			if err := cu.MemFreeHost(unsafe.Pointer(&h.bytes[0])); first == nil {
				first = err
			}
		}
	}
	*p = spread{}
	return first
}

// bring enqueues the copies of a submission on their stream, each behind the work that used its memory before.
func (e *Engine) bring(copies []transfer) error {
	for _, c := range copies {
		if err := e.copies.follow(e.compute, c.after); err != nil {
			return err
		}
	}
	if spreads(copies) {
		if memory, err := e.spread.make(e.copies); err != nil || memory != nil {
			if err != nil {
				return err
			}
			return e.bringTogether(memory, copies)
		}
	}
	for _, c := range copies {
		if err := e.bringOne(c.to, c.from); err != nil {
			return err
		}
	}
	return nil
}

func (e *Engine) bringOne(to uint64, from []byte) error {
	e.performed.uploads++
	e.performed.uploadBytes += int64(len(from))
	return cu.MemcpyHtoDAsync(cu.DevicePtr(to), unsafe.Pointer(&from[0]), int64(len(from)), e.copies.stream)
}

// bringTogether copies by way of page-locked memory that has room for all.
func (e *Engine) bringTogether(memory []byte, copies []transfer) error {
	table := elementsOf[int64](memory[:spreadRow*len(copies)])
	at, longest := (len(table)*8+packAlign-1)/packAlign*packAlign, 0
	for i, c := range copies {
		table[3*i], table[3*i+1], table[3*i+2] = int64(c.to), int64(at/spreadWord), int64(len(c.from)/spreadWord)
		at += copy(memory[at:], c.from)
		longest = max(longest, len(c.from)/spreadWord)
	}
	if err := e.bringOne(e.spread.address, memory[:at]); err != nil {
		return err
	}
	const threads, most = 256, 16 // blocks of a copy: the kernels of the step before want the others
	n := &entry{kernel: kernelSpreadUploads}
	k, err := e.ready(n)
	if err != nil {
		return err
	}
	e.recent.add(n.kernel)
	e.performed.submissions++
	e.performed.joined[n.kernel]-- // a launch that no lane has counted
	g := grid{blocks: dim{x: min(blocksOf(longest, threads), most), y: len(copies)}, threads: dim{x: threads}}
	if err := launchKernel(k.function, g, e.copies.stream, []uint64{e.spread.address}); err != nil {
		return &launchError{k.name, err}
	}
	return nil
}
