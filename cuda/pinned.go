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
	free  [len(pieceBytes)][]*piece // by size, oldest first
	all   []unsafe.Pointer          // allocations that pieces are cut from
	bytes int
}

// piece is a piece of page-locked memory.
type piece struct {
	bytes  []byte
	stream *timeline // that last copied it, nil for none
	number uint64    // of that copy
}

const (
	smallPiece   = 64 << 10
	middlePiece  = 1 << 20
	largePiece   = 4 << 20
	largestPiece = 64 << 20
	maxPinned    = 256 << 20 // beyond this much, wait for a copy to finish
)

// pieceBytes are the sizes of pieces. Those below a large one are cut from memory for that.
var pieceBytes = [...]int{smallPiece, middlePiece, largePiece, 8 << 20, 16 << 20, 32 << 20, largestPiece}

// kind returns the place of the smallest size that has the given bytes.
func (p *pinned) kind(bytes int) int {
	i := 0
	for pieceBytes[i] < bytes {
		i++
	}
	return i
}

func (p *pinned) list(bytes int) *[]*piece { return &p.free[p.kind(bytes)] }

// take returns a piece of at least the given bytes, at most largestPiece, whose copies are over.
func (p *pinned) take(bytes int, e *Engine) (*piece, error) {
	if c := p.ready(bytes, e); c != nil {
		return c, nil
	}
	var c *piece
	err := e.beside("moving data", func() (err error) {
		if err := p.poll(bytes); err != nil {
			return err
		}
		if c = p.ready(bytes, e); c != nil {
			return nil
		}
		if c, err = p.allocate(bytes); code(err) == codeOutOfMemory {
			return nil
		}
		return err
	})
	if c != nil || err != nil {
		return c, err
	}
	// No more page-locked memory: wait for the oldest copy.
	err = e.do("moving data", func() error {
		if c = p.oldest(bytes); c == nil {
			return noPinnedMemory(bytes)
		}
		if c.stream == nil {
			return nil
		}
		return c.stream.wait(e.places.of(c.number))
	})
	return c, err
}

// ready returns a piece that is known to be free.
func (p *pinned) ready(bytes int, e *Engine) *piece {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := p.list(bytes)
	for i, c := range *list {
		if c.stream == nil || c.stream.reached(e.places.of(c.number)) {
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

// allocate makes new pieces and returns one of them, or nil where there are enough.
func (p *pinned) allocate(bytes int) (*piece, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	list, size := p.list(bytes), pieceBytes[p.kind(bytes)]
	if p.bytes >= maxPinned && len(*list) > 0 {
		return nil, nil
	}
	most := max(size, largePiece)
	memory, err := pinnedAlloc(most)
	if err != nil {
		return nil, err
	}
	p.bytes += most
	p.all = append(p.all, memory)
	whole := unsafe.Slice((*byte)(memory), most)
	for at := size; at < most; at += size {
		*list = append(*list, &piece{bytes: whole[at : at+size : at+size]})
	}
	return &piece{bytes: whole[:size:size]}, nil
}

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
	for _, memory := range p.all {
		if err := cu.MemFreeHost(memory); err != nil && first == nil {
			first = err
		}
	}
	p.all, p.free, p.bytes = nil, [len(pieceBytes)][]*piece{}, 0
	return first
}
