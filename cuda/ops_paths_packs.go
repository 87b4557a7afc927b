//go:build gpu

package cuda

import (
	"slices"

	"github.com/grove-graph/grove/graph"
)

// packs are runs of whole graphs, or pieces of graphs, that a block works on. All of one list are
// launched together, with the shared memory of the largest.
type packs struct {
	bounds         []int32 // first vertex of each pack and the one after its last
	vertices, arcs int     // of the largest pack
}

func (p *packs) add(from, to, arcs int) {
	p.bounds = append(p.bounds, int32(from), int32(to))
	p.vertices, p.arcs = max(p.vertices, to-from), max(p.arcs, arcs)
}

// of returns the packs with a vertex that is wanted; nil: all.
func (p packs) of(wanted []bool) packs {
	if wanted == nil {
		return p
	}
	some := packs{vertices: p.vertices, arcs: p.arcs}
	for i := range p.len() {
		if from, to := p.bounds[2*i], p.bounds[2*i+1]; slices.Contains(wanted[from:to], true) {
			some.bounds = append(some.bounds, from, to)
		}
	}
	return some
}

func (p *packs) len() int { return len(p.bounds) / 2 }

// packing cuts a batch into runs of graphs that are small enough for several blocks to share a
// multiprocessor, graphs that fit the shared memory of a block alone, and pieces of graphs that do not fit or have too
// many paths for a block. apart are pieces of all graphs from which something is done without shared memory.
type packing struct{ small, medium, large, apart packs }

const (
	fewVertices  = 32  // of a run of graphs, so that a block is worth its start
	manyVertices = 256 // of a run of graphs, so that there are enough blocks
	pieceOfGraph = 64  // vertices of a piece of a large graph
)

// packVertices returns how many vertices the runs of a batch have, so that a launch with so many tiles of filters has
// a block for every place on the device, some rounds of them where the batch is large. resident are the blocks of a
// multiprocessor.
func (w *pathWork[T]) packVertices(tiles, resident int) int {
	const rounds = 2
	blocks := w.e.device.multiprocessors * resident * rounds
	return min(max(w.n*tiles/blocks, fewVertices), manyVertices)
}

// packGraphs makes a packing of runs of so many vertices, or of one graph with more, where bytes says how much shared
// memory so many vertices and arcs need. Roots that are cut are left out where nothing else is in a pack.
func packGraphs(b *graph.Batch, vertices, small, largest int, bytes func(vertices, arcs int) int,
	cut *pathParts) packing {
	var p packing
	const paths = manyPaths * pieceOfGraph // of a block at most
	from := 0                              // of the run that is open
	arcs := func(from, to int) int { return int(b.RowPtr[to] - b.RowPtr[from]) }
	flush := func(to int) {
		if to > from && cut.between(from, to) > 0 {
			p.small.add(from, to, arcs(from, to))
		}
		from = to
	}
	for g := range b.NumGraphs() {
		first, end := int(b.Offsets[g]), int(b.Offsets[g+1])
		apart := cut.cuts(first, end)
		if end-from <= vertices && bytes(end-from, arcs(from, end)) <= small && cut.between(from, end) <= paths {
			if apart {
				p.apart.addPieces(first, end)
			}
			continue
		}
		flush(first)
		need, light := bytes(end-first, arcs(first, end)), cut.between(first, end) <= paths
		if apart = apart || !light || need > largest; apart {
			p.apart.addPieces(first, end)
		}
		switch {
		case light && need <= small && end-first <= manyVertices:
			continue
		case cut.between(first, end) == 0:
		case light && need <= largest:
			p.medium.add(first, end, arcs(first, end))
		default:
			p.large.addPieces(first, end)
		}
		from = end
	}
	flush(b.NumVertices())
	return p
}

// addPieces adds the pieces of a large graph, which bring no arcs into shared memory.
func (p *packs) addPieces(first, end int) {
	for ; first < end; first += pieceOfGraph {
		p.add(first, min(first+pieceOfGraph, end), 0)
	}
}
