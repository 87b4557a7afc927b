package graph

import (
	"math/bits"
	"slices"
)

// Draw tells one sample from another: what is drawn at a vertex depends on the draw and the vertex alone, whatever else
// is drawn, in whatever order.
type Draw uint64

// NewDraw returns the draw of a seed and of numbers that say what it is for: two lists that differ have samples that
// are independent for all practical purposes.
func NewDraw(seed uint64, of ...int) Draw {
	d := Draw(seed)
	for _, x := range of {
		d = d.For(x)
	}
	return d
}

// For returns a draw for one of several uses.
func (d Draw) For(use int) Draw { return Draw(mixed(mixed(uint64(d)) + uint64(use))) }

// mixed is a step of the generator SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
func mixed(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Choose appends to dst a set of at most limit of the numbers below n, ascending, drawn at a vertex: all sets of that
// size are equally likely, and each number is in it with probability min(limit/n, 1).
func (d Draw) Choose(dst []int32, v int32, n, limit int) []int32 {
	first := len(dst)
	if n <= limit {
		for i := range n {
			dst = append(dst, int32(i))
		}
		return dst
	}
	state := mixed(uint64(d.For(int(v))))
	for i := n - limit; i < n; i++ { // Floyd's method (Communications of the ACM 30, 1987)
		state += 0x9e3779b97f4a7c15
		at, _ := bits.Mul64(mixed(state), uint64(i+1))
		if slices.Contains(dst[first:], int32(at)) {
			at = uint64(i)
		}
		dst = append(dst, int32(at))
	}
	slices.Sort(dst[first:])
	return dst
}

// Sampler draws paths or arcs around vertices of a batch. It keeps a mark for every vertex, and serves one goroutine.
type Sampler struct {
	batch *Batch
	place []int32 // 1 + place of each vertex in the current sample; 0 for the others
}

// Sampler returns a sampler for the batch.
func (b *Batch) Sampler() *Sampler { return &Sampler{b, make([]int32, b.NumVertices())} }

// PathSampling says which paths are drawn. A path goes on from its i-th vertex (from 0) along at most FanOut[i] of the
// arcs that leave it, drawn without replacement; those to vertices that it has already are then left out of a path.
type PathSampling struct {
	Size     int  // vertices of the longest path
	AllSizes bool // paths of 1 to Size vertices; otherwise of Size vertices alone
	Walks    bool // vertices may come again
	FanOut   []int
	Draw     Draw
}

// PathSample are paths that were drawn, by their number of vertices, with weights by which sums over them estimate sums
// over all paths without bias: the inverse of the probability that a path is drawn, the product of the degrees of its
// vertices but the last over the number of arcs drawn there. Where the fan-out covers all degrees that is every path,
// and the weights are 1.
type PathSample struct {
	Vertices []int32 // that the paths visit, each once; the roots come first

	Size    []int       // vertices of a path, ascending. What follows is by size
	Paths   [][]int32   // places of the vertices of each path in Vertices, path after path
	Offsets [][]int32   // the paths of root r are those from Offsets[r] to Offsets[r+1]
	Weights [][]float64 // of each path
}

// Paths draws paths that start at the given vertices, which must be distinct.
func (s *Sampler) Paths(roots []int32, of PathSampling) *PathSample {
	out := &PathSample{Vertices: s.enter(roots)}
	defer func() { s.leave(out.Vertices) }()
	first := of.Size // the least size
	if of.AllSizes {
		first = 1
	}
	for size := first; size <= of.Size; size++ {
		out.Size = append(out.Size, size)
		out.Paths, out.Weights = append(out.Paths, nil), append(out.Weights, nil)
		out.Offsets = append(out.Offsets, make([]int32, 1, len(roots)+1))
	}
	path, chosen := make([]int32, of.Size), make([][]int32, of.Size)
	draws := make([]Draw, of.Size)
	for i := range draws {
		draws[i] = of.Draw.For(i)
	}
	var visit func(v int32, length int, weight float64)
	visit = func(v int32, length int, weight float64) {
		path[length] = v
		length++
		if at := length - first; at >= 0 {
			for _, u := range path[:length] {
				out.Paths[at] = append(out.Paths[at], s.number(&out.Vertices, u))
			}
			out.Weights[at] = append(out.Weights[at], weight)
		}
		if length == of.Size {
			return
		}
		neighbors := s.batch.Neighbors(v)
		some := draws[length-1].Choose(chosen[length-1][:0], v, len(neighbors), of.FanOut[length-1])
		chosen[length-1] = some
		if len(some) > 0 {
			weight *= float64(len(neighbors)) / float64(len(some))
		}
		for _, i := range some {
			if w := neighbors[i]; of.Walks || !slices.Contains(path[:length], w) {
				visit(w, length, weight)
			}
		}
	}
	for _, v := range roots {
		visit(v, 0, 1)
		for i := range out.Size {
			out.Offsets[i] = append(out.Offsets[i], int32(len(out.Weights[i])))
		}
	}
	return out
}

// ArcSample are arcs that were drawn around some vertices, hop by hop.
type ArcSample struct {
	Vertices []int32 // that the arcs join, each once; the given ones come first, and then those of each further hop
	Hops     []SampledArcs
}

// SampledArcs are the arcs that were drawn at the vertices that the hops before have reached: of a sample the first
// len(RowPtr)-1, whose rows they are.
type SampledArcs struct {
	RowPtr []int32
	Col    []int32   // place of the head of every arc in the vertices of the sample
	Arc    []int32   // number of every arc in the batch
	Weight []float64 // of every row, by which sums over its arcs estimate sums over all arcs: degree over arcs drawn
}

// Arcs draws at most fanOut[h] of the arcs that leave a vertex, without replacement, at every vertex within h hops of
// the given ones, which must be distinct. Hops draw independently of each other.
func (s *Sampler) Arcs(vertices []int32, fanOut []int, draw Draw) *ArcSample {
	out := &ArcSample{Vertices: s.enter(vertices)}
	defer func() { s.leave(out.Vertices) }()
	var chosen []int32
	for h, limit := range fanOut {
		at, hop := draw.For(h), SampledArcs{RowPtr: []int32{0}}
		for _, v := range out.Vertices {
			from, neighbors := s.batch.RowPtr[v], s.batch.Neighbors(v)
			chosen = at.Choose(chosen[:0], v, len(neighbors), limit)
			for _, i := range chosen {
				hop.Col = append(hop.Col, s.number(&out.Vertices, neighbors[i]))
				hop.Arc = append(hop.Arc, from+i)
			}
			hop.RowPtr = append(hop.RowPtr, int32(len(hop.Col)))
			hop.Weight = append(hop.Weight, float64(len(neighbors))/float64(max(len(chosen), 1)))
		}
		out.Hops = append(out.Hops, hop)
	}
	return out
}

// enter begins a sample with some vertices.
func (s *Sampler) enter(vertices []int32) []int32 {
	for i, v := range vertices {
		s.place[v] = int32(i + 1)
	}
	return slices.Clone(vertices)
}

// number returns the place of a vertex in a sample.
func (s *Sampler) number(of *[]int32, v int32) int32 {
	if s.place[v] == 0 {
		*of = append(*of, v)
		s.place[v] = int32(len(*of))
	}
	return s.place[v] - 1
}

// leave ends a sample.
func (s *Sampler) leave(vertices []int32) {
	for _, v := range vertices {
		s.place[v] = 0
	}
}
