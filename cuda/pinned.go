//go:build gpu

package cuda

import (
	"sync"
	"unsafe"

	"gorgonia.org/cu"
)

// pinned hands out page-locked host memory through which data go to the device and back: the device copies such
// memory by itself, while the host fills the next piece. Pieces come round again when the copies that read or
// wrote them are over.
type pinned struct {
	mu    sync.Mutex
	small []*piece // oldest first
	large []*piece
	all   []*piece
	bytes int
}

// piece is a piece of page-locked memory.
type piece struct {
	memory unsafe.Pointer
	bytes  []byte
	stream *timeline // that last copied it, nil for none
	number uint64    // of that copy
}

const (
	smallPiece = 64 << 10
	largePiece = 4 << 20
	maxPinned  = 128 << 20 // beyond this much, wait for a copy to finish
)

func (p *pinned) list(bytes int) *[]*piece {
	if bytes <= smallPiece {
		return &p.small
	}
	return &p.large
}

// take returns a piece of at least the given bytes, at most largePiece, whose copies are over. do runs
// functions on the context's thread.
func (p *pinned) take(bytes int, do func(func() error) error) (*piece, error) {
	if c := p.ready(bytes); c != nil {
		return c, nil
	}
	var c *piece
	err := do(func() (err error) {
		if err := p.poll(bytes); err != nil {
			return err
		}
		if c = p.ready(bytes); c != nil {
			return nil
		}
		if c, err = p.allocate(bytes); c != nil || err != nil && code(err) != codeOutOfMemory {
			return err
		}
		// No more page-locked memory: wait for the oldest copy.
		if c = p.oldest(bytes); c != nil {
			return c.stream.wait(c.number)
		}
		return noPinnedMemory(bytes)
	})
	return c, err
}

// ready returns a piece that is known to be free.
func (p *pinned) ready(bytes int) *piece {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := p.list(bytes)
	for i, c := range *list {
		if c.stream == nil || c.stream.reached(c.number) {
			*list = append((*list)[:i], (*list)[i+1:]...)
			return c
		}
		if i >= 8 {
			break // those behind were given back later
		}
	}
	return nil
}

func (p *pinned) oldest(bytes int) *piece {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := p.list(bytes)
	if len(*list) == 0 {
		return nil
	}
	c := (*list)[0]
	*list = (*list)[1:]
	return c
}

// poll asks the device which copies are over.
func (p *pinned) poll(bytes int) error {
	p.mu.Lock()
	streams := make(map[*timeline]bool)
	for _, c := range *p.list(bytes) {
		if c.stream != nil {
			streams[c.stream] = true
		}
	}
	p.mu.Unlock()
	for stream := range streams {
		if err := stream.poll(); err != nil {
			return err
		}
	}
	return nil
}

// allocate makes a new piece, or returns nil where there is enough of them. Pieces of the small kind are cut from
// one large allocation.
func (p *pinned) allocate(bytes int) (*piece, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bytes >= maxPinned && len(*p.list(bytes)) > 0 {
		return nil, nil
	}
	n := largePiece
	if bytes <= smallPiece {
		n = 16 * smallPiece
	}
	memory, err := pinnedAlloc(n)
	if err != nil {
		return nil, err
	}
	p.bytes += n
	whole := unsafe.Slice((*byte)(memory), n)
	first := &piece{memory: memory, bytes: whole}
	p.all = append(p.all, first)
	if bytes > smallPiece {
		return first, nil
	}
	for at := 0; at < n; at += smallPiece {
		p.small = append(p.small, &piece{bytes: whole[at : at+smallPiece : at+smallPiece]})
	}
	c := p.small[len(p.small)-1]
	p.small = p.small[:len(p.small)-1]
	return c, nil
}

// address is where the piece begins.
func (c *piece) address() unsafe.Pointer { return unsafe.Pointer(&c.bytes[0]) }

// give returns a piece that a stream copies up to the work with a number; a nil stream means no copy.
func (p *pinned) give(c *piece, stream *timeline, number uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c.stream, c.number = stream, number
	list := p.list(len(c.bytes))
	*list = append(*list, c)
}

// close frees all pieces; it runs on the context's thread.
func (p *pinned) close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var first error
	for _, c := range p.all {
		if err := cu.MemFreeHost(c.memory); err != nil && first == nil {
			first = err
		}
	}
	p.all, p.small, p.large, p.bytes = nil, nil, nil, 0
	return first
}
