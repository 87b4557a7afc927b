package autodiff

import (
	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/graph"
)

// readout says which rows every item is pooled from, channel after channel.
type readout struct {
	segments   engine.Segments
	matrix     *engine.Sparse // from rows to items in place of the segments; nil: those
	transposed *engine.Sparse // from items to rows, with the factors of the pooling; nil for the maximum
	blocks     []block        // the pooled channels, one row for each item
}

// newReadout lists the rows of every item.
func newReadout(b *graph.Batch, channels []block, vertices []int32) readout {
	offsets, order := b.Offsets, vertices
	if vertices != nil {
		offsets = ascending(len(vertices))
	}
	items := len(offsets) - 1
	r := readout{segments: engine.Segments{Offsets: []int32{0}, Index: []int32{}}}
	for c, ch := range channels {
		r.blocks = append(r.blocks, block{first: c * items, rows: items})
		for i := range items {
			for at := offsets[i]; at < offsets[i+1]; at++ {
				v := at
				if order != nil {
					v = order[at]
				}
				row := int32(ch.first) + v
				if ch.index != nil {
					row = int32(ch.first) + ch.index[v]
				}
				r.segments.Index = append(r.segments.Index, row)
			}
			r.segments.Offsets = append(r.segments.Offsets, int32(len(r.segments.Index)))
		}
	}
	return r
}

// transpose returns the matrix from segments to rows. Entries with one row and one column become one.
func transpose(s *engine.Segments, rows int, pool engine.Pooling) *engine.Sparse {
	start := make([]int32, rows+1) // first entry of each row
	for _, r := range s.Index {
		start[r+1]++
	}
	for r := range rows {
		start[r+1] += start[r]
	}
	end := append([]int32(nil), start[:rows]...)
	col, values := make([]int32, len(s.Index)), make([]float64, len(s.Index))
	for g := range len(s.Offsets) - 1 {
		from, to := s.Offsets[g], s.Offsets[g+1]
		share := 1.0
		if pool == engine.Mean {
			share = 1 / float64(max(to-from, 1))
		}
		for _, r := range s.Index[from:to] {
			if e := end[r]; e > start[r] && col[e-1] == int32(g) {
				values[e-1] += share
				continue
			}
			col[end[r]], values[end[r]] = int32(g), share
			end[r]++
		}
	}
	m := &engine.Sparse{Cols: len(s.Offsets) - 1, RowPtr: make([]int32, 1, rows+1), Col: col[:0], Values: values[:0]}
	for r := range rows {
		m.Col = append(m.Col, col[start[r]:end[r]]...)
		m.Values = append(m.Values, values[start[r]:end[r]]...)
		m.RowPtr = append(m.RowPtr, int32(len(m.Col)))
	}
	return m
}

// readout lists the rows of every item, node after node, where the rows of a node follow those of another.
func (of pooling) readout(b *graph.Batch, vertices []int32) *readout {
	offsets, rows := b.Offsets, b.NumVertices()
	if vertices != nil {
		offsets = ascending(len(vertices))
	}
	if of.picked {
		rows, vertices = len(vertices), nil
	}
	n := int32(rows)
	items := len(offsets) - 1
	r := &readout{segments: engine.Segments{Offsets: make([]int32, 1, items*of.nodes+1)}}
	r.segments.Index = make([]int32, 0, int(offsets[items]-offsets[0])*of.nodes)
	for i := range items {
		for node := range int32(of.nodes) {
			for v := offsets[i]; v < offsets[i+1]; v++ {
				row := v
				if vertices != nil {
					row = vertices[v]
				}
				r.segments.Index = append(r.segments.Index, node*n+row)
			}
			r.segments.Offsets = append(r.segments.Offsets, int32(len(r.segments.Index)))
		}
	}
	if of.pool != engine.Max {
		r.transposed = transpose(&r.segments, of.nodes*rows, of.pool)
	}
	return r
}
