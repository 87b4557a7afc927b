//go:build gpu

package cuda

import (
	_ "embed" // of the compiler's report
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestSizesWasteLittle(t *testing.T) {
	for _, n := range []int{1, 511, 512, 513, 1000, 4097, 1 << 20, 1<<20 + 1, 33 << 20, 100<<20 + 3, 5 << 30} {
		size := sizeOf(n)
		if size < n || size > max(512, n+n/3) {
			t.Errorf("%d bytes: a block of %d", n, size)
		}
		if sizeOf(size) != size {
			t.Errorf("%d: a block of that has %d", size, sizeOf(size))
		}
	}
}

// poolOf is the pool of an engine, empty, for tests that take and release blocks on the context's thread.
func poolOf(t *testing.T) (e *Engine, take func(bytes int) *block) {
	e = opened(t)
	if !e.pool.caching {
		t.Skip("GROVE_CUDA_POOL=off keeps nothing")
	}
	return e, func(bytes int) *block {
		b, err := e.take(bytes)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
}

func TestReleasedNeighboursAreOneBlockAgain(t *testing.T) {
	e, take := poolOf(t)
	var parts []*block
	for range 16 {
		parts = append(parts, take(2<<20))
	}
	asked := e.Stats().Allocations
	for i := range parts { // the even ones first, so that each odd one joins two
		parts[(2*i+i/8)%16].release()
	}
	for _, b := range []*block{take(16 << 20), take(8 << 20), take(8 << 20)} {
		defer b.release()
	}
	if s := e.Stats(); s.Allocations != asked {
		t.Errorf("16 blocks of 2 MiB came back, yet the driver was asked for 16 and twice 8: %+v", s)
	}
}

// A pool of blocks of random sizes, against what must hold whatever is taken and released.
func TestPoolHoldsTogether(t *testing.T) {
	e, take := poolOf(t)
	rng := rand.New(rand.NewPCG(1, 2))
	var held []*block
	for range 2000 {
		if len(held) > 0 && rng.IntN(20) >= 11 {
			i := rng.IntN(len(held))
			held[i].release()
			held[i] = held[len(held)-1]
			held = held[:len(held)-1]
		} else if len(held) < 64 {
			b := take(1 + rng.IntN(1<<(1+rng.IntN(22))))
			held = append(held, b)
		}
		holdsTogether(t, e.pool)
	}
	for _, b := range held {
		b.release()
	}
	holdsTogether(t, e.pool)
	for _, b := range e.pool.free {
		if b.previous != nil || b.next != nil {
			t.Fatalf("all is released, but a block of %d bytes has a neighbour", b.bytes)
		}
	}
	if err := e.do("Test", func() error { return e.pool.empty(e.places.performed()) }); err != nil {
		t.Fatal(err)
	}
	if s := e.Stats(); s.Cached != 0 || s.InUse != 0 || s.Blocks != 0 {
		t.Errorf("all is given back: %+v", s)
	}
}

func holdsTogether(t *testing.T, p *pool) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	var cached, used int64
	for i, b := range p.free {
		cached += int64(b.bytes)
		if i > 0 && b.bytes < p.free[i-1].bytes {
			t.Fatal("free blocks out of order")
		}
		if b.next != nil && b.next.holders.Load() == 0 {
			t.Fatal("two free neighbours")
		}
	}
	for address, b := range p.live {
		used += int64(b.bytes)
		if b.address != address || b.next != nil && (b.next.previous != b || b.next.address != address+uint64(b.bytes)) {
			t.Fatal("a block that does not end where the next one begins")
		}
	}
	if cached != p.stats.Cached || used != p.stats.InUse || int64(len(p.live)) != p.stats.Blocks {
		t.Fatalf("%d bytes are free and %d held in %d blocks: %+v", cached, used, len(p.live), p.stats)
	}
}

//go:embed kernels.resources.txt
var resources string

func TestLocalMemoryOfKernelsIsLeftFree(t *testing.T) {
	kernels := 0
	for _, line := range strings.Split(resources, "\n") {
		var name, arch string
		var registers, stack int
		if n, _ := fmt.Sscan(line, &name, &arch, &registers, &stack); n < 4 {
			continue
		}
		if kernels++; 2*stack > localBytes {
			t.Errorf("%s on %s has %d bytes of local memory a thread, %d are left free", name, arch, stack, localBytes)
		}
	}
	if kernels == 0 {
		t.Fatal("the report lists no kernel")
	}
	e := opened(t)
	for {
		b, err := e.take(64 << 20)
		if err != nil {
			break
		}
		defer b.release()
	}
	if free, _, err := e.memory(); err != nil || free < e.localMemory() {
		t.Errorf("%d bytes are free when memory has run out, %d are for kernels: %v", free, e.localMemory(), err)
	}
}
