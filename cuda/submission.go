//go:build gpu

package cuda

import (
	"fmt"
	"slices"
	"sync"
	"unsafe"

	"gorgonia.org/cu"
)

// submission is work for the device as data: what goes up first, on the copy stream, and what then runs on the stream
// of the kernels, in its order. Nothing of it is a call of the driver before the context's thread performs it.
type submission struct {
	number   uint64     // of the work on both streams, ascending
	filled   uint64     // copies to the device up to this number come before the entries
	copies   []transfer // on the copy stream
	entries  []entry
	words    []uint64 // the arguments of all launches
	recorded bool     // by Record, and may come again
	table    []uint64 // page-locked: the arguments of launches for several lanes
}

// transfer is a copy of page-locked memory to the device.
type transfer struct {
	to    uint64
	from  []byte
	after uint64 // number of the work on the stream of the kernels that used the memory before
}

// entry is one piece of work on the stream of the kernels.
type entry struct {
	kind      kind
	operation string
	kernel    int // of a launch, with its grid and its words
	grid      grid
	first     int
	count     int
	to, from  uint64 // of the others
	bytes     int
	value     byte         // of a fill
	host      []byte       // page-locked memory that a download fills
	call      func() error // makes calls of the driver by itself
}

// kind says what an entry does.
type kind uint8

const (
	launching kind = iota
	filling
	moving
	downloading
	calling
)

// submissions that were performed are used again.
var submissions = sync.Pool{New: func() any { return new(submission) }}

func newSubmission(number uint64) *submission {
	s := submissions.Get().(*submission)
	s.number, s.filled, s.recorded, s.table = number, 0, false, nil
	return s
}

// recycle gives a submission back that was performed.
func (s *submission) recycle() {
	clear(s.copies)
	s.copies = s.copies[:0]
	s.cut(0, 0)
	submissions.Put(s)
}

// cut takes back all but the first entries and words.
func (s *submission) cut(entries, words int) {
	clear(s.entries[entries:])
	s.entries, s.words = s.entries[:entries], s.words[:words]
}

// arguments are the words of a launch.
func (s *submission) arguments(n *entry) []uint64 { return s.words[n.first : n.first+n.count] }

// laneWork is a submission of a lane.
type laneWork struct {
	*Engine
	*submission
}

// submit performs submissions of several lanes as one, on the context's thread. If that fails, whatever was to come
// behind it would compute from what is missing, so that nothing more is done on these lanes.
func submit(parts []laneWork) {
	parts = slices.DeleteFunc(parts, func(p laneWork) bool {
		lost := p.lost.Load() != nil
		if lost {
			p.places.put(p.number, p.compute.queued)
			p.recycle()
		}
		return lost
	})
	if len(parts) == 0 {
		return
	}
	// A lane's recorded work takes the kernels for several models even when it is alone: the compiler need not have given
	// them the same bits as those for one.
	g, merging := parts[0].gpu, len(parts) > 1 || parts[0].aside && parts[0].recorded
	if merging && !g.tables.make(g.compute, rowsOf(parts)) {
		if len(parts) > 1 {
			for i := range parts {
				submit(parts[i : i+1])
			}
			return
		}
		merging = false
	}
	place := g.compute.queued + 1
	for _, p := range parts {
		p.settle(place)
	}
	s := parts[0].submission
	if merging {
		s = g.merge(parts, place)
		defer s.recycle()
	}
	if err := parts[0].perform(s); err != nil {
		err = fmt.Errorf("%w; nothing behind it is done, start again", err)
		for _, p := range parts {
			p.lost.CompareAndSwap(nil, &err) // where the context is lost, failure has said so
		}
	}
	g.compute.queued, g.copies.queued = place, place
	for _, p := range parts {
		p.recycle()
	}
}

// settle gives a submission, and what it waits for, their places on the streams.
func (p laneWork) settle(place uint64) {
	p.places.put(p.number, place)
	p.filled = p.places.of(p.filled)
	for i := range p.copies {
		p.copies[i].after = p.places.of(p.copies[i].after)
	}
	p.number = place
}

// perform makes the calls of the driver, on the context's thread.
func (e *Engine) perform(s *submission) error {
	if err := e.bring(s.copies); err != nil {
		return e.failure("copying to the device", err)
	}
	e.copies.queued = s.number
	if len(s.copies) > 0 {
		if err := e.copies.mark(); err != nil {
			return e.failure("copying to the device", err)
		}
	}
	if len(s.entries) > 0 {
		err := e.compute.follow(e.copies, s.filled)
		if err == nil {
			err = e.tables.load(s.table, e.compute)
		}
		if err != nil {
			return e.failure(s.entries[0].operation, err)
		}
		done, err := e.graphs.launch(e, s)
		if err != nil {
			return e.failure(s.entries[len(s.entries)-1].operation, err)
		}
		for i := done; i < len(s.entries); i++ {
			n := &s.entries[i]
			if err := e.enqueue(n, s.arguments(n)); err != nil {
				return e.failure(n.operation, err)
			}
		}
	}
	e.compute.queued = s.number
	if n := len(s.entries); len(s.copies) == 0 && (n == 0 || s.entries[n-1].kind != downloading) {
		return nil
	}
	// Where memory that this work uses is filled again, the copy waits for this point and not for what follows, and so
	// does the host for a download.
	if err := e.compute.mark(); err != nil {
		return e.failure("copying to the device", err)
	}
	return nil
}

// enqueue makes the call of the driver for an entry.
func (e *Engine) enqueue(n *entry, arguments []uint64) error {
	stream := e.compute.stream
	switch n.kind {
	case launching:
		k, err := e.ready(n)
		if err != nil {
			return err
		}
		e.recent.add(n.kernel)
		e.performed.submissions++
		if err := launchKernel(k.function, n.grid, stream, arguments); err != nil {
			return &launchError{k.name, err}
		}
		return nil
	case filling:
		e.performed.clears++
		return cu.MemsetD8Async(cu.DevicePtr(n.to), n.value, int64(n.bytes), stream)
	case moving:
		e.performed.moves++
		return cu.MemcpyDtoDAsync(cu.DevicePtr(n.to), cu.DevicePtr(n.from), int64(n.bytes), stream)
	case downloading:
		return cu.MemcpyDtoHAsync(unsafe.Pointer(&n.host[0]), cu.DevicePtr(n.from), int64(n.bytes), stream)
	}
	e.performed.submissions++
	return n.call()
}

// ready returns the kernel of a launch, found in its module and with the shared memory that it asks for.
func (e *Engine) ready(n *entry) (*loaded, error) {
	k := &e.kernels[n.kernel]
	if !k.found {
		f, err := k.module.Function(k.name)
		if err != nil {
			return nil, damagedKernels(fmt.Errorf("kernel %s: %s", k.name, describe(err)))
		}
		k.function, k.found = f, true
	}
	if n.grid.shared > 16<<10 && n.grid.shared > k.shared {
		// Static shared memory counts, too, so the limit is asked for early.
		if err := allowShared(k.function, n.grid.shared); err != nil {
			return nil, &launchError{k.name, fmt.Errorf("%d bytes of shared memory: %s", n.grid.shared, describe(err))}
		}
		k.shared = n.grid.shared
	}
	return k, nil
}
