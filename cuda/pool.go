//go:build gpu

package cuda

import (
	"fmt"
	"math/bits"
	"sync"
	"sync/atomic"

	"gorgonia.org/cu"
)

// pool hands out blocks of device memory and keeps those that come back for the next request of the same
// class of sizes. A block may be handed out again at once, while work enqueued earlier still uses it: all work
// on one stream runs in order, and a block remembers up to where each stream has touched it.
type pool struct {
	mu      sync.Mutex
	free    map[int][]*block // by class
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

// block is a piece of device memory, held by one or more tensors, views, graphs or operations.
type block struct {
	pool    *pool
	address uint64
	class   int // bytes
	holders atomic.Int32
	used    atomic.Uint64 // number of the last work on the compute stream that touches it
	filled  atomic.Uint64 // number of the last work on the copy stream that touches it
}

func newPool(caching bool) *pool {
	return &pool{free: make(map[int][]*block), live: make(map[uint64]*block), caching: caching}
}

// smallest is the size of the smallest block; the driver aligns to as much.
const smallest = 512

// classOf rounds a size up so that at most a quarter of a block below 32 MiB, and an eighth of a larger one, is
// wasted, with few classes.
func classOf(bytes int) int {
	if bytes <= smallest {
		return smallest
	}
	steps := 2
	if bytes > 32<<20 {
		steps = 3
	}
	step := 1 << (bits.Len(uint(bytes-1)) - 1 - steps)
	return (bytes + step - 1) / step * step
}

// take returns a kept block for a request, with one holder, or nil where there is none.
func (p *pool) take(bytes int) *block {
	p.mu.Lock()
	defer p.mu.Unlock()
	class := classOf(bytes)
	kept := p.free[class]
	if len(kept) == 0 {
		return nil
	}
	b := kept[len(kept)-1]
	p.free[class] = kept[:len(kept)-1]
	p.stats.Hits++
	p.stats.Cached -= int64(b.class)
	p.hold(b)
	return b
}

// hold counts a block as in use, with one holder. The caller holds mu.
func (p *pool) hold(b *block) {
	b.holders.Store(1)
	p.live[b.address] = b
	p.stats.Blocks++
	p.stats.InUse += int64(b.class)
	p.stats.Peak = max(p.stats.Peak, p.stats.InUse)
}

// allocate asks the driver for a block; it runs on the context's thread.
func (p *pool) allocate(bytes int) (*block, error) {
	class := bytes
	if p.caching {
		class = classOf(bytes)
	}
	address, err := cu.MemAlloc(int64(class))
	if err != nil {
		return nil, err
	}
	b := &block{pool: p, address: uint64(address), class: class}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stats.Allocations++
	p.hold(b)
	return b, nil
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
	p.stats.InUse -= int64(b.class)
	if p.closed {
		return
	}
	p.stats.Cached += int64(b.class)
	key := b.class
	if !p.caching {
		key = 0 // never taken; emptied by the next request
	}
	p.free[key] = append(p.free[key], b)
}

// holding returns the block in use that a range of addresses lies in, with one more holder, or nil.
func (p *pool) holding(address, bytes uint64) *block {
	p.mu.Lock()
	defer p.mu.Unlock()
	b, ok := p.live[address]
	if !ok {
		for _, other := range p.live {
			if address >= other.address && address < other.address+uint64(other.class) {
				b = other
				break
			}
		}
	}
	if b == nil || address+bytes > b.address+uint64(b.class) {
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
	return len(p.free[0]) > 0
}

// empty gives the kept blocks back to the driver; it runs on the context's thread. The driver waits for the work
// that uses them.
func (p *pool) empty() error {
	p.mu.Lock()
	var all []*block
	for class, kept := range p.free {
		all = append(all, kept...)
		delete(p.free, class)
	}
	p.stats.Cached = 0
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
