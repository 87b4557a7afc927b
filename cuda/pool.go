//go:build gpu

package cuda

import (
	"fmt"
	"math/bits"
	"slices"
	"sort"
	"sync"
	"sync/atomic"

	"gorgonia.org/cu"
)

// pool hands out blocks of device memory and keeps those that come back. It asks the driver for chunks, cuts them into
// blocks, and joins what comes back with its free neighbours. A block may be handed out again at once, while work
// enqueued earlier still uses it: all work on one stream runs in order, and a block remembers up to where each stream
// has touched it, also for what is cut from it or joined with it.
type pool struct {
	mu      sync.Mutex
	free    []*block // by bytes; of equal ones the last to come back is the last
	live    map[uint64]*block
	caching bool // keep what comes back
	closed  bool
	stats   Stats
}

// Stats counts the device memory of an engine, in bytes but for Allocations, Hits and Blocks.
type Stats struct {
	InUse       int64 // held by tensors, graphs and running operations
	Cached      int64 // kept for the next request
	Peak        int64 // largest InUse so far
	Blocks      int64 // pieces that InUse consists of
	Allocations int64 // requests to the driver
	Hits        int64 // requests answered without the driver
}

// block is a piece of device memory, held by one or more tensors, views, graphs or operations, or free.
type block struct {
	pool           *pool
	address        uint64
	bytes          int
	previous, next *block // neighbours in the chunk
	holders        atomic.Int32
	used           atomic.Uint64 // number of the last work on the compute stream that touches it
	filled         atomic.Uint64 // number of the last work on the copy stream that touches it
}

func newPool(caching bool) *pool {
	return &pool{live: make(map[uint64]*block), caching: caching}
}

const (
	smallest   = 512      // bytes of the smallest block
	smallBlock = 1 << 20  // up to this size blocks share chunks
	smallChunk = 2 << 20  // bytes of such a chunk
	mediumPart = 16 << 20 // up to this size, too
	largeChunk = 32 << 20 // bytes of such a chunk; a larger block has one of its own
)

// sizeOf rounds a size up so that at most a quarter of a block below 32 MiB, and an eighth of a larger one, is
// wasted, with few sizes: those of equal work find the same blocks again.
func sizeOf(bytes int) int {
	if bytes <= smallest {
		return smallest
	}
	steps := 2
	if bytes > 32<<20 {
		steps = 3
	}
	step := 1 << (bits.Len(uint(bytes-1)) - 1 - steps) // at least 128, a line of the cache
	return (bytes + step - 1) / step * step
}

// chunkOf returns the bytes to ask the driver for where a block of a size is wanted.
func chunkOf(size int) int {
	switch {
	case size <= smallBlock:
		return smallChunk
	case size <= mediumPart:
		return largeChunk
	}
	return size
}

// place returns the place among the free blocks of the first one of at least so many bytes.
func (p *pool) place(bytes int) int {
	return sort.Search(len(p.free), func(i int) bool { return p.free[i].bytes >= bytes })
}

// take returns memory of a kept block for a request, with one holder, or nil where there is none. A block of a large
// chunk is not cut for a small request, unless any will do, so that it can be had whole again.
func (p *pool) take(bytes int, any bool) *block {
	if !p.caching {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	size := sizeOf(bytes)
	at := p.place(size)
	if at == len(p.free) || !any && size <= mediumPart && p.free[at].bytes > chunkOf(size) {
		return nil
	}
	at = p.place(p.free[at].bytes+1) - 1 // the last of equal ones
	p.stats.Hits++
	return p.cut(at, size)
}

// cut takes size bytes of the free block at a place, with one holder; what is left of it stays free. The caller holds
// mu.
func (p *pool) cut(at, size int) *block {
	b := p.free[at]
	p.free = slices.Delete(p.free, at, at+1)
	p.stats.Cached -= int64(b.bytes)
	if b.bytes-size >= smallest {
		rest := &block{pool: p, address: b.address + uint64(size), bytes: b.bytes - size, previous: b, next: b.next}
		rest.used.Store(b.used.Load())
		rest.filled.Store(b.filled.Load())
		if rest.next != nil {
			rest.next.previous = rest
		}
		b.next, b.bytes = rest, size
		p.stats.Cached += int64(rest.bytes)
		p.keep(rest)
	}
	p.hold(b)
	return b
}

// keep puts a block among the free ones. The caller holds mu.
func (p *pool) keep(b *block) { p.free = slices.Insert(p.free, p.place(b.bytes+1), b) }

// hold counts a block as in use, with one holder. The caller holds mu.
func (p *pool) hold(b *block) {
	b.holders.Store(1)
	p.live[b.address] = b
	p.stats.Blocks++
	p.stats.InUse += int64(b.bytes)
	p.stats.Peak = max(p.stats.Peak, p.stats.InUse)
}

// allocate asks the driver for a chunk and takes a block of it, with one holder; it runs on the context's thread. Where
// there is no room for a chunk it asks for what the block needs. It leaves so many bytes free.
func (p *pool) allocate(bytes int, leave int64) (*block, error) {
	size, chunk := bytes, bytes
	if p.caching {
		size = sizeOf(bytes)
		chunk = chunkOf(size)
	}
	free, _, err := cu.MemInfo()
	if err != nil {
		return nil, err
	}
	var address cu.DevicePtr
	for _, chunk = range []int{chunk, size} {
		err = driverError(codeOutOfMemory)
		if int64(chunk) <= free-leave {
			address, err = cu.MemAlloc(int64(chunk))
		}
		if code(err) != codeOutOfMemory {
			break
		}
	}
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stats.Allocations++
	p.stats.Cached += int64(chunk)
	b := &block{pool: p, address: uint64(address), bytes: chunk}
	p.keep(b)
	return p.cut(slices.Index(p.free, b), size), nil
}

// retain adds a holder.
func (b *block) retain() *block {
	b.holders.Add(1)
	return b
}

// release takes a holder away; the last one gives the block back to the pool.
func (b *block) release() {
	p := b.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	left := b.holders.Add(-1)
	if left > 0 {
		return
	}
	if left < 0 {
		panic(fmt.Sprintf("cuda: device memory at %#x released twice", b.address))
	}
	delete(p.live, b.address)
	p.stats.Blocks--
	p.stats.InUse -= int64(b.bytes)
	if p.closed {
		return
	}
	p.stats.Cached += int64(b.bytes)
	p.keep(p.joined(b))
}

// joined makes one block of one that comes back and its free neighbours. The caller holds mu.
func (p *pool) joined(b *block) *block {
	if b.next != nil && b.next.holders.Load() == 0 {
		p.join(b, b.next, b.next)
	}
	if before := b.previous; before != nil && before.holders.Load() == 0 {
		p.join(before, b, before)
		return before
	}
	return b
}

// join makes one block of two neighbours. One of them is free and no longer among the free ones.
func (p *pool) join(b, next, free *block) {
	at := slices.Index(p.free, free)
	p.free = slices.Delete(p.free, at, at+1)
	b.bytes += next.bytes
	if b.next = next.next; b.next != nil {
		b.next.previous = b
	}
	b.used.Store(max(b.used.Load(), next.used.Load()))
	b.filled.Store(max(b.filled.Load(), next.filled.Load()))
}

// holding returns the block in use that a range of addresses lies in, with one more holder, or nil.
func (p *pool) holding(address, bytes uint64) *block {
	p.mu.Lock()
	defer p.mu.Unlock()
	b, ok := p.live[address]
	if !ok {
		for _, other := range p.live {
			if address >= other.address && address < other.address+uint64(other.bytes) {
				b = other
				break
			}
		}
	}
	if b == nil || address+bytes > b.address+uint64(b.bytes) {
		return nil
	}
	// Only the last holder takes a block out of live, with mu held, so this one still has a holder.
	return b.retain()
}

// idle reports whether there are blocks to give back to the driver before going on.
func (p *pool) idle() bool {
	if p.caching {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.free) > 0
}

// empty gives the chunks that are free as a whole back to the driver, those that no work after that of a number uses;
// it runs on the context's thread. The driver waits for the work that is enqueued, and what is not enqueued yet must
// find its memory.
func (p *pool) empty(enqueued uint64) error {
	p.mu.Lock()
	var all []*block
	p.free = slices.DeleteFunc(p.free, func(b *block) bool {
		idle := b.previous == nil && b.next == nil && max(b.used.Load(), b.filled.Load()) <= enqueued
		if idle {
			all = append(all, b)
			p.stats.Cached -= int64(b.bytes)
		}
		return idle
	})
	p.mu.Unlock()
	var first error
	for _, b := range all {
		if err := cu.MemFree(cu.DevicePtr(b.address)); err != nil && first == nil {
			first = err
		}
	}
	return first
}

func (p *pool) snapshot() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stats
}
