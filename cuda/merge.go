//go:build gpu

package cuda

import (
	"slices"
	"unsafe"

	"gorgonia.org/cu"
)

// alike reports whether submissions of two lanes can become one: they were recorded and have equal sequences.
func alike(a, b *submission) bool {
	return a.recorded && b.recorded && slices.EqualFunc(a.entries, b.entries, func(a, b entry) bool {
		return a.kind == b.kind && a.kernel == b.kernel
	})
}

// merge makes one submission of those of several lanes, which are alike: launches of a kernel become one with one more
// dimension, in which block z computes what row z of a table says. What cannot be done so is done for one lane after
// another. There is room in the tables.
func (g *gpu) merge(parts []laneWork, place uint64) *submission {
	s := newSubmission(place)
	s.recorded = true
	for _, p := range parts {
		s.copies = append(s.copies, p.copies...)
		s.filled = max(s.filled, p.filled)
	}
	s.table = g.tables.rows()
	for i := range parts[0].entries {
		n, ok := merged(parts, i)
		if !ok {
			for _, p := range parts {
				s.append(p.entries[i], p.arguments(&p.entries[i])...)
			}
			continue
		}
		s.append(n, g.tables.address+uint64(8*len(s.table)))
		g.performed.joined[parts[0].entries[i].kernel] += int64(len(parts) - 1)
		for _, p := range parts {
			one := &p.entries[i]
			s.table = append(s.table, uint64(one.grid.blocks.x)|uint64(max(one.grid.blocks.y, 1))<<32)
			s.table = append(s.table, p.arguments(one)...)
		}
	}
	return s
}

// append adds an entry with its arguments.
func (s *submission) append(n entry, arguments ...uint64) {
	n.first, n.count = len(s.words), len(arguments)
	s.words = append(s.words, arguments...)
	s.entries = append(s.entries, n)
}

// merged returns the launch that does what entry i is for several lanes, but for its argument, if there is one.
func merged(parts []laneWork, i int) (all entry, ok bool) {
	all = parts[0].entries[i]
	if all.kind != launching || all.grid.together || all.kernel >= len(twins) || twins[all.kernel] == 0 {
		return all, false
	}
	for _, p := range parts {
		g, most := p.entries[i].grid, &all.grid
		if g.threads != most.threads || g.blocks.z > 1 || counting[all.kernel] && g.blocks != most.blocks {
			return all, false
		}
		most.blocks.x, most.blocks.y = max(g.blocks.x, most.blocks.x), max(g.blocks.y, most.blocks.y)
		most.shared = max(g.shared, most.shared)
	}
	all.kernel, all.grid.blocks.z = twins[all.kernel], len(parts)
	return all, true
}

// rowsOf bounds the words of the rows of submissions.
func rowsOf(parts []laneWork) int {
	words := 0
	for _, p := range parts {
		words += len(p.words) + len(p.entries)
	}
	return words
}

// tables are memory for the rows of merged launches: one table on the device, which every submission fills anew on the
// stream of the kernels, from one of several in page-locked memory. All of it is the context's thread's.
type tables struct {
	address uint64
	words   int
	host    [32]struct {
		words []uint64
		place uint64 // of the work that copies them
	}
	next int
}

// make takes the next table, of at least so many words, and reports whether there is memory for it.
func (t *tables) make(stream *timeline, words int) bool {
	if words > t.words {
		if t.close() != nil {
			return false
		}
		const least = 1 << 14
		size := max(least, 2*words)
		to, err := cu.MemAlloc(int64(8 * size))
		if err != nil {
			return false
		}
		t.address, t.words = uint64(to), size
	}
	t.next = (t.next + 1) % len(t.host)
	h := &t.host[t.next]
	if h.words == nil {
		memory, err := pinnedAlloc(8 * t.words)
		if err != nil {
			return false
		}
		h.words = unsafe.Slice((*uint64)(memory), t.words)
	}
	if stream.wait(h.place) != nil {
		return false
	}
	h.place = stream.queued + 1
	return true
}

// rows returns the table that make has taken, without rows.
func (t *tables) rows() []uint64 { return t.host[t.next].words[:0] }

// load copies rows to the device, before the kernels that read them.
func (t *tables) load(rows []uint64, to *timeline) error {
	if len(rows) == 0 {
		return nil
	}
	return cu.MemcpyHtoDAsync(cu.DevicePtr(t.address), unsafe.Pointer(&rows[0]), int64(8*len(rows)), to.stream)
}

// close gives the memory back. The driver waits for the work that uses it.
func (t *tables) close() error {
	var first error
	if t.address != 0 {
		first = cu.MemFree(cu.DevicePtr(t.address))
	}
	for _, h := range t.host {
		if len(h.words) > 0 {
			if err := cu.MemFreeHost(unsafe.Pointer(&h.words[0])); first == nil {
				first = err
			}
		}
	}
	*t = tables{}
	return first
}
