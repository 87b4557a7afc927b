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
func (c *Colouring) histograms() []*histograms { return c.addTo(noHistograms(len(c.Of))) }

// noHistograms returns the counts of no graphs.
func noHistograms(rounds int) []*histograms {
	all := make([]*histograms, rounds)
	for t := range all {
		all[t] = &histograms{rowPtr: []int32{0}}
	}
	return all
}

// addTo counts the colours of every graph behind those of other graphs, round by round.
func (c *Colouring) addTo(all []*histograms) []*histograms {
	for t, h := range all {
		h.columns = max(h.columns, c.Total[t])
		h.add(c.Of[t], c.offsets)
	}
	return all
}

// add counts the colours of the vertices of further graphs.
func (h *histograms) add(colour, offsets []int32) {
	for g := range max(len(offsets)-1, 0) {
		from := len(h.colour)
		h.colour = append(h.colour, colour[offsets[g]:offsets[g+1]]...)
		row := h.colour[from:]
		slices.Sort(row)
		h.colour = h.colour[:from] // the row is written over by its distinct colours
		for _, c := range row {
			if n := len(h.colour); n == from || h.colour[n-1] != c {
				h.colour, h.count = append(h.colour, c), append(h.count, 0)
			}
			h.count[len(h.count)-1]++
		}
		h.rowPtr = append(h.rowPtr, int32(len(h.colour)))
	}
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
