package wl

import (
	"slices"
)

// histograms are the colour counts of graphs in one round, a sparse row for each graph.
type histograms struct {
	columns int // colours
	rowPtr  []int32
	colour  []int32 // ascending within a row
	count   []int32
}

// histograms counts the colours of every graph, round by round.
func (c *Colouring) histograms() []*histograms {
	rounds := make([]*histograms, len(c.Of))
	for t, colour := range c.Of {
		rounds[t] = count(colour, c.offsets, c.Total[t])
	}
	return rounds
}

// count counts the colours of the vertices of every graph.
func count(colour, offsets []int32, columns int) *histograms {
	graphs := max(len(offsets)-1, 0)
	h := &histograms{columns: columns, rowPtr: make([]int32, graphs+1)}
	counts := make([]int32, columns)
	for g := range graphs {
		from := len(h.colour)
		for _, c := range colour[offsets[g]:offsets[g+1]] {
			if counts[c] == 0 {
				h.colour = append(h.colour, c)
			}
			counts[c]++
		}
		row := h.colour[from:]
		slices.Sort(row)
		for _, c := range row {
			h.count = append(h.count, counts[c])
			counts[c] = 0
		}
		h.rowPtr[g+1] = int32(len(h.colour))
	}
	return h
}

// below returns the counts of the colours below columns.
func (h *histograms) below(columns int) *histograms {
	if columns == h.columns {
		return h
	}
	f := &histograms{columns: columns, rowPtr: make([]int32, len(h.rowPtr))}
	for g := range h.graphs() {
		for e := h.rowPtr[g]; e < h.rowPtr[g+1] && int(h.colour[e]) < columns; e++ {
			f.colour, f.count = append(f.colour, h.colour[e]), append(f.count, h.count[e])
		}
		f.rowPtr[g+1] = int32(len(f.colour))
	}
	return f
}

// selected returns the rows of the given graphs.
func (h *histograms) selected(graphs []int) *histograms {
	p := &histograms{columns: h.columns, rowPtr: make([]int32, 1, len(graphs)+1)}
	for _, g := range graphs {
		from, to := h.rowPtr[g], h.rowPtr[g+1]
		p.colour, p.count = append(p.colour, h.colour[from:to]...), append(p.count, h.count[from:to]...)
		p.rowPtr = append(p.rowPtr, int32(len(p.colour)))
	}
	return p
}

func (h *histograms) graphs() int { return len(h.rowPtr) - 1 }

// posting says how often a colour occurs in a graph.
type posting struct{ graph, count int32 }

// index is an inverted index: the postings of colour c are entries[ptr[c]:ptr[c+1]], by ascending graph.
type index struct {
	ptr     []int32
	entries []posting
}

func (h *histograms) invert() *index {
	x := &index{ptr: make([]int32, h.columns+1), entries: make([]posting, len(h.colour))}
	for _, c := range h.colour {
		x.ptr[c+1]++
	}
	for c := range h.columns {
		x.ptr[c+1] += x.ptr[c]
	}
	next := slices.Clone(x.ptr[:h.columns])
	for g := range h.graphs() {
		for e := h.rowPtr[g]; e < h.rowPtr[g+1]; e++ {
			c := h.colour[e]
			x.entries[next[c]] = posting{int32(g), h.count[e]}
			next[c]++
		}
	}
	return x
}

// of returns the postings of a colour.
func (x *index) of(c int32) []posting { return x.entries[x.ptr[c]:x.ptr[c+1]] }
