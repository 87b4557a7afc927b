package graph

import (
	"slices"
	"sort"

	"github.com/grove-graph/grove/parallel"
)

// PathIndex numbers all paths (or walks) of one size in depth-first order, grouped by start vertex,
// without storing them: any of them can be asked for by its number. The batch must come from
// [FromArcs] or a function above it.
type PathIndex struct {
	b     *Batch
	size  int
	walks []float64 // WalkCounts, or nil for simple paths
	share float64   // walks that one number stands for, see NewPathIndex
	start []int64   // number of the first path of each vertex; one more than there are vertices

	// Of simple paths.
	twins   *Twins
	byClass []bool // whether those from a class are found faster by a finder than one by one
}

// MaxPaths bounds the numbers of an index: sums of them over many channels stay within an int64,
// and they are exact as float64. So many simple paths, or more, count as this number and cannot be told apart.
const MaxPaths = 1 << 48

// NewPathIndex counts the paths of size vertices, or the walks. Counting visits the paths through classes of twins (see
// [Twins]) of size-1 vertices; walks are counted by their recursion. Where there are more than 2^48 walks a number
// stands for an equal share of them rather than for one, so that evenly drawn numbers still give evenly drawn walks.
func (b *Batch) NewPathIndex(size int, walks bool, workers int) *PathIndex {
	var p PathCount
	if walks {
		p.Add(b.CountPaths(size, true, workers)...)
	}
	return b.NewPathIndexAfter(PathCount{}, p.Walks, size, walks, workers)
}

// PathCount is the number of paths, or of walks, of some graphs: the sum of those of each, one after another, so that
// rounding does not depend on how many come at a time.
type PathCount struct {
	Paths int64
	Walks float64
}

// CountPaths counts the paths of size vertices of every graph, or the walks.
func (b *Batch) CountPaths(size int, walks bool, workers int) []PathCount {
	counts := make([]PathCount, b.NumGraphs())
	if walks {
		of := b.WalkCounts(size)
		for g := range counts {
			counts[g].Walks = b.walksOf(of, g, size)
		}
		return counts
	}
	index := b.NewPathIndex(size, false, workers)
	for g := range counts {
		counts[g].Paths = index.Before(int(b.Offsets[g+1])) - index.Before(int(b.Offsets[g]))
	}
	return counts
}

// walksOf returns the number of walks of size vertices in a graph.
func (b *Batch) walksOf(counts []float64, g, size int) float64 {
	walks := 0.0
	for v := b.Offsets[g]; v < b.Offsets[g+1]; v++ {
		walks += counts[int(v)*size+size-1]
	}
	return walks
}

// Add adds what was counted of the graphs that come next.
func (p *PathCount) Add(more ...PathCount) {
	for _, c := range more {
		p.Paths = min(p.Paths+c.Paths, MaxPaths)
		p.Walks += c.Walks
	}
}

// Total returns the number of numbers that a [PathIndex] of all these graphs has.
func (p *PathCount) Total() int64 { return p.Paths + int64(p.Walks/shareOf(p.Walks)) }

// shareOf returns how many of so many walks one number stands for.
func shareOf(walks float64) float64 { return max(walks/MaxPaths, 1) }

// NewPathIndexAfter returns the index of the graphs b of a larger batch, by the numbers that they have there: so many
// paths come before them, and there are so many walks in all.
func (b *Batch) NewPathIndexAfter(before PathCount, allWalks float64, size int, walks bool, workers int) *PathIndex {
	n := b.NumVertices()
	x := &PathIndex{b: b, size: size, start: make([]int64, n+1)}
	x.start[0] = before.Paths
	if walks {
		x.walks, x.share = b.WalkCounts(size), shareOf(allWalks)
		x.start[0] = int64(before.Walks / x.share)
		for g := range b.NumGraphs() {
			first, within := before.Walks, 0.0
			before.Walks += b.walksOf(x.walks, g, size)
			for v := b.Offsets[g]; v < b.Offsets[g+1]; v++ {
				within += x.walks[int(v)*size+size-1]
				x.start[v+1] = int64((first + within) / x.share)
			}
		}
		return x
	}
	x.twins = b.Twins(nil, size)
	x.byClass = make([]bool, len(x.twins.First))
	parallel.Chunks(workers, len(x.byClass), vertexChunk, func(from, to int) {
		count := counter{Twins: x.twins, path: make([]int32, size)}
		for c := int32(from); c < int32(to); c++ {
			count.visits, count.prefixes = 0, 0
			x.start[x.twins.First[c]+1] = count.paths(1, c, 1)
			x.byClass[c] = float64(size)*count.visits < count.prefixes*float64(x.twins.Size[c])
		}
	})
	for v, c := range x.twins.Class {
		x.start[v+1] = x.start[x.twins.First[c]+1]
	}
	for v := range n {
		x.start[v+1] = min(x.start[v+1]+x.start[v], MaxPaths)
	}
	return x
}

// Before returns the number of the first path of vertex v, or where v is the number of vertices that after all paths.
func (x *PathIndex) Before(v int) int64 { return x.start[v] }

// Total returns the number of paths.
func (x *PathIndex) Total() int64 { return x.start[len(x.start)-1] }

// At returns the vertices of the paths with the given ascending numbers, size of them for each.
func (x *PathIndex) At(numbers []int64, workers int) []int32 {
	out := make([]int32, len(numbers)*x.size)
	const chunk = 1024
	later := make([][]wanted, (len(numbers)+chunk-1)/chunk)
	parallel.Chunks(workers, len(numbers), chunk, func(from, to int) {
		path, of := make([]int32, x.size), &later[from/chunk]
		for from < to {
			v := sort.Search(len(x.start)-1, func(v int) bool { return x.start[v+1] > numbers[from] })
			upTo := from + sort.Search(to-from, func(i int) bool { return numbers[from+i] >= x.start[v+1] })
			switch {
			case x.walks != nil:
				for i := from; i < upTo; i++ {
					x.walk(out[i*x.size:(i+1)*x.size], int32(v), float64(numbers[i]-x.start[v])*x.share)
				}
			case x.byClass[x.twins.Class[v]]:
				for i := from; i < upTo; i++ {
					out[i*x.size] = int32(v)
					*of = append(*of, wanted{i, numbers[i] - x.start[v]})
				}
			default:
				s := search{x: x, path: path, wanted: numbers[from:upTo], at: x.start[v], out: out[from*x.size:]}
				s.visit(1, int32(v))
			}
			from = upTo
		}
	})
	x.findByClass(out, slices.Concat(later...), workers)
	return out
}

// waysOn returns the number of neighbours of the last vertex of a path that are not on it.
func (b *Batch) waysOn(path []int32) int {
	v := path[len(path)-1]
	ways := b.Degree(v)
	for i, u := range path {
		if i == len(path)-2 && !b.Directed && b.ArcTypes == nil {
			ways-- // one can always go back
			continue
		}
		ways -= b.CountArcs(v, u)
	}
	return ways
}

func contains(path []int32, v int32) bool {
	for _, u := range path {
		if u == v {
			return true
		}
	}
	return false
}

// walk writes the walk from v that comes after the given number of others from v.
func (x *PathIndex) walk(out []int32, v int32, before float64) {
	for left := x.size - 1; ; left-- {
		out[0] = v
		if left == 0 {
			return
		}
		out = out[1:]
		for _, w := range x.b.Neighbors(v) {
			through := x.walks[int(w)*x.size+left-1]
			if through == 0 {
				continue
			}
			v = w // rounding may leave a little before the last neighbour that has walks
			if before < through {
				break
			}
			before -= through
		}
	}
}

// search finds paths of one start vertex by number.
type search struct {
	x      *PathIndex
	path   []int32
	wanted []int64 // numbers that are still to be found, ascending
	at     int64   // number of the next path in depth-first order
	out    []int32
}

func (s *search) visit(j int, v int32) {
	s.path[j-1] = v
	size := s.x.size
	if j == size {
		if len(s.wanted) > 0 && s.wanted[0] == s.at {
			copy(s.out, s.path)
			s.out, s.wanted = s.out[size:], s.wanted[1:]
		}
		s.at++
		return
	}
	if j == size-1 {
		if ways := int64(s.x.b.waysOn(s.path[:j])); len(s.wanted) == 0 || s.wanted[0] >= s.at+ways {
			s.at += ways
			return
		}
	}
	for _, w := range s.x.b.Neighbors(v) {
		if len(s.wanted) == 0 {
			return
		}
		if !contains(s.path[:j], w) {
			s.visit(j+1, w)
		}
	}
}
