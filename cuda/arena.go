//go:build gpu

package cuda

// arena is device memory for many small arrays, with page-locked memory of the same layout in which they are put
// together: what was added to it for a submission goes up in one copy. An array is never overwritten, so that the next
// ones are copied while kernels read it. The memory is given back with the last array that somebody holds.
type arena struct {
	block *block
	piece *piece
	after uint64 // number of the work that used the memory before
	used  int    // bytes
	sent  int    // bytes that were handed over
}

const (
	arenaBytes = middlePiece // at least
	packAlign  = 256         // bytes, as the driver aligns

	// Larger arrays have memory and a copy of their own, but for those of recorded work.
	maxPacked         = arenaBytes >> 1
	maxPackedRecorded = largestPiece >> 1
)

// fits reports whether there is memory for so many bytes. A submission does not begin in the second half, so that
// hardly one takes two copies.
func (a *arena) fits(bytes int) bool {
	return a != nil && a.used+max(bytes, 1) <= a.size() && (a.used > a.sent || a.used <= a.size()/2)
}

func (a *arena) size() int { return len(a.piece.bytes) }

// packs reports whether an array of so many bytes goes up with others. The caller holds the lock.
func (q *queue) packs(bytes int) bool {
	return bytes <= maxPacked || q.scopes > 0 && bytes <= maxPackedRecorded
}

// ahead is for how many bytes there is to be room where so many come next: recorded work brings about as much as that
// before it, which then goes up in one copy. The caller holds the lock.
func (q *queue) ahead(bytes int) int {
	if q.scopes > 0 && q.packed == 0 {
		bytes = max(bytes, q.usual)
	}
	return min(bytes, largestPiece)
}

// flush adds the copy of what has been packed to a submission.
func (a *arena) flush(s *submission) {
	if a.used > a.sent {
		s.copies = append(s.copies, transfer{a.block.address + uint64(a.sent), a.piece.bytes[a.sent:a.used], a.after})
		a.sent = a.used
	}
}

// upload puts an array on the device, whose bytes write writes from a number on, before whatever is enqueued from now
// on. The block that it lies in has one more holder.
func (e *Engine) upload(bytes int, write func(dst []byte, from int)) (b *block, address uint64, err error) {
	if b, address, err = e.pack(bytes, write); b != nil || err != nil {
		return b, address, err
	}
	if b, err = e.take(max(bytes, 1)); err != nil {
		return nil, 0, err
	}
	if err = e.fill(b, 0, bytes, write); err != nil {
		b.release()
		return nil, 0, err
	}
	return b, b.address, nil
}

// pack is upload into the arena. The block is nil where the array is too large for that.
func (e *Engine) pack(bytes int, write func(dst []byte, from int)) (b *block, address uint64, err error) {
	q := &e.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	if !e.pool.caching || !q.packs(bytes) {
		return nil, 0, nil
	}
	for room := q.ahead(bytes); !q.arena.fits(room); room = bytes {
		room = max(room, min(q.packed+bytes, largestPiece)) // at least as much again
		q.mu.Unlock()
		err = e.renewArena(room)
		if err != nil && room > arenaBytes {
			if err = e.renewArena(arenaBytes); err == nil && bytes > arenaBytes {
				q.mu.Lock()
				return nil, 0, nil
			}
		}
		q.mu.Lock()
		if err != nil {
			return nil, 0, err
		}
	}
	a := q.arena
	write(a.piece.bytes[a.used:a.used+bytes], 0)
	address = a.block.address + uint64(a.used)
	length := min((max(bytes, 1)+packAlign-1)/packAlign*packAlign, a.size()-a.used)
	a.used, q.packed = a.used+length, q.packed+length
	a.block.filled.Store(q.next.number)
	return a.block.retain(), address, nil
}

// renewArena begins a new one, of at least so many bytes.
func (e *Engine) renewArena(bytes int) error {
	c, err := e.pinned.take(max(bytes, arenaBytes), e)
	if err != nil {
		return err
	}
	b, err := e.take(len(c.bytes))
	if err != nil {
		e.pinned.give(c, nil, 0)
		return err
	}
	q := &e.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	e.dropArena()
	if b.used.Load() >= q.next.number {
		e.post() // it goes up before what was enqueued last, which uses this memory
	}
	q.arena = &arena{block: b, piece: c, after: b.used.Load()}
	return nil
}

// dropArena gives the arena back. The caller holds the lock of the queue.
func (e *Engine) dropArena() {
	if a := e.queue.arena; a != nil {
		a.flush(e.queue.next)
		e.pinned.give(a.piece, e.copies, e.queue.next.number)
		a.block.release()
		e.queue.arena = nil
	}
}

// fill copies bytes into a block on the copy stream, at an offset, where write writes those from a number on. Work that
// uses the block afterwards waits for it.
func (e *Engine) fill(b *block, offset, bytes int, write func(dst []byte, from int)) error {
	for from := 0; from < bytes; from += largePiece {
		n := min(bytes-from, largePiece)
		c, err := e.pinned.take(n, e)
		if err != nil {
			return err
		}
		write(c.bytes[:n], from)
		if err := e.transfer(b, offset+from, c, n); err != nil {
			e.pinned.give(c, nil, 0)
			return err
		}
	}
	return nil
}

// transfer enqueues the copy of a piece of page-locked memory into a block.
func (e *Engine) transfer(b *block, offset int, c *piece, bytes int) error {
	q := &e.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	if err := e.usable("copying to the device"); err != nil {
		return err
	}
	if b.used.Load() >= q.next.number {
		e.post() // copies go up before what was enqueued last, which uses this memory
	}
	s := q.next
	s.copies = append(s.copies, transfer{b.address + uint64(offset), c.bytes[:bytes], b.used.Load()})
	b.filled.Store(s.number)
	e.pinned.give(c, e.copies, s.number)
	e.send()
	return nil
}
