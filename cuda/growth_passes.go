//go:build gpu

package cuda

import (
	"slices"

	"github.com/grove-graph/grove/engine"
)

// growthBytes is the most memory that walks from subsets take at a time, and that columns take.
const growthBytes = 1 << 28

// pass searches some columns of a level: as many as memory allows.
type pass struct {
	*walkedRows
	block    int
	walks    bool  // are made first: other passes before have not
	searches []int // of the level

	fields, empties, places, first, ranks, which offset
	streams                                      offset // of draws
	columns                                      int    // entries of all columns
	longest                                      int    // examples of a node
}

// walkedRows are rows of subsets from which walks are made together.
type walkedRows struct {
	rows  []int32
	steps int
}

// passes divides the search of a level.
func (g *growth) passes(l *engine.Level) (list []*pass) {
	rows, steps := l.Walked()
	for b := range g.f.Blocks {
		of := g.f.Blocks[b].Vectors.Shape()
		bytes := 8 * 2 * steps * len(g.f.Matrices) * of[1] * of[2]
		together := max(growthBytes/max(bytes, 1), 1)
		groups := []*walkedRows{{steps: steps}}
		for _, row := range rows {
			last := groups[len(groups)-1]
			if len(last.rows) == together {
				last = &walkedRows{steps: steps}
				groups = append(groups, last)
			}
			last.rows = append(last.rows, int32(row))
		}
		for i, group := range groups {
			list = append(list, g.pieces(l, b, group, i == 0)...)
		}
	}
	return list
}

// pieces lists the passes over a block that need walks from some rows, or, with others, none.
func (g *growth) pieces(l *engine.Level, block int, of *walkedRows, others bool) (list []*pass) {
	ofExample := g.f.Kinds() * len(g.f.Blocks[block].Features)
	var p *pass
	for i, s := range l.Searches {
		if s.Steps == 0 && !others || s.Steps > 0 && !slices.Contains(of.rows, s.Subset/2) {
			continue
		}
		size := l.Nodes[s.Node].To - l.Nodes[s.Node].From
		if p == nil || 8*(p.columns+ofExample*size) > growthBytes {
			p = &pass{walkedRows: of, block: block, walks: p == nil && len(of.rows) > 0}
			list = append(list, p)
		}
		p.searches = append(p.searches, i)
		p.columns += ofExample * size
		p.longest = max(p.longest, size)
	}
	return list
}

// describe packs what the kernels of a pass read.
func (g *growth) describe(p *packed, l *engine.Level, s *pass) {
	b := &g.f.Blocks[s.block]
	shared, ofExample := b.Vectors.Shape()[0], int64(g.f.Kinds()*len(b.Features))
	fields := make([]int32, 0, searchFields*len(s.searches))
	empties, places := make([]float64, 0, len(s.searches)), make([]int64, 0, len(s.searches))
	ranks, first, end := make([]int32, 0, len(s.searches)), make([]int32, len(l.Nodes)+1), int64(0)
	for _, i := range s.searches {
		t := l.Searches[i]
		vector := t.Vector
		if t.Steps > 0 {
			at, _ := slices.BinarySearch(s.rows, t.Subset/2)
			vector = int32(shared+((t.Matrix*s.steps+t.Steps-1)*len(s.rows)+at)*2) + t.Subset%2
		}
		fields = append(fields, t.Node, vector, t.Subset, t.Factor, int32(t.Over), t.Mask)
		empties, places, ranks = append(empties, t.Empty), append(places, end), append(ranks, int32(i))
		end += ofExample * int64(l.Nodes[t.Node].To-l.Nodes[t.Node].From)
		first[t.Node+1]++
	}
	for node := range l.Nodes {
		first[node+1] += first[node]
	}
	s.fields, s.empties, s.places, s.ranks = pack(p, fields), pack(p, empties), pack(p, places), pack(p, ranks)
	s.first, s.which, s.streams = pack(p, first), pack(p, s.rows), -1
	if g.f.Draws != nil {
		s.streams = pack(p, signed(s.searches, func(i int) uint64 { return l.Searches[i].Stream }))
	}
}
