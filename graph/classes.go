package graph

import (
	"math/bits"
	"slices"

	"github.com/grove-graph/grove/parallel"
)

// PathClasses are vertices grouped by the paths that start at them: two vertices are in one class when
// the same label sequences occur, equally often, along the paths (or walks) of one size from each. Any
// sum, mean or maximum over those paths of a function of the labels is then the same for both.
type PathClasses struct {
	Class [][]int32 // for each size, the class of every vertex; numbered by first vertex
	Roots [][]int32 // for each size, the first vertex of every class, ascending

	// Keys stand for the label sequences of each class, whatever else is in the batch.
	Keys [][]Key
}

// Key stands for a label or a class in every batch alike.
type Key [2]uint64

// Compare orders keys, for functions of package slices.
func (k Key) Compare(other Key) int { return slices.Compare(k[:], other[:]) }

// PathClasses groups the vertices for paths of 1 to maxSize vertices with allSizes, and otherwise for
// maxSize alone. label holds a non-negative id for each vertex, and keys the key of each id; nil means
// that an id is the same label in every batch.
//
// The multiset of label sequences is a polynomial in one variable for each pair of position and label,
// sum over paths of prod_i x(i, label_i). Its values at two random points modulo the prime 2^61-1 stand
// for it; by the Schwartz-Zippel lemma two different multisets agree with probability at most
// (maxSize / 2^61)^2, below 1e-33. Sums over the last vertex of a path are shared by all paths with
// the same last but one, and twins take the same part (see [Twins]), so the cost is that of visiting the paths through
// classes of twins of maxSize-1 vertices.
func (b *Batch) PathClasses(label []int32, keys []Key, maxSize int, allSizes, walks bool, workers int) *PathClasses {
	c := &classifier{Batch: b, label: label, keys: keys, size: maxSize, first: maxSize}
	if allSizes {
		c.first = 1
	}
	c.drawPoints()
	c.class = make([][]int32, c.sizes())
	for i := range c.class {
		c.class[i] = make([]int32, b.NumVertices())
	}
	var pieces []piece
	if walks {
		pieces = c.walkPieces(workers)
	} else {
		pieces = c.pathPieces(workers)
	}
	roots, found := c.merge(pieces, workers)
	return &PathClasses{Class: c.class, Roots: roots, Keys: found}
}

// prime is the Mersenne prime 2^61 - 1.
const prime = 1<<61 - 1

// fingerprint is the value of a polynomial at two points modulo prime.
type fingerprint = Key

// reduce returns a modulo prime for a < 2 prime, without a branch: which way it would go is a coin toss.
func reduce(a uint64) uint64 {
	r, borrow := bits.Sub64(a, prime, 0)
	return r + prime&-borrow
}

func (a fingerprint) plus(b fingerprint) fingerprint {
	return fingerprint{reduce(a[0] + b[0]), reduce(a[1] + b[1])}
}

func (a fingerprint) minus(b fingerprint) fingerprint {
	return fingerprint{reduce(a[0] + prime - b[0]), reduce(a[1] + prime - b[1])}
}

func (a fingerprint) times(b fingerprint) fingerprint {
	return fingerprint{mulMod(a[0], b[0]), mulMod(a[1], b[1])}
}

// repeated returns a sum of n >= 0 times a.
func (a fingerprint) repeated(n int) fingerprint {
	if n == 1 {
		return a
	}
	return a.times(fingerprint{uint64(n), uint64(n)})
}

// mulMod returns a b modulo the Mersenne prime, whose powers of two fold onto the low bits.
func mulMod(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return reduce(lo&prime + (hi<<3 | lo>>61))
}

// classifier is one call of PathClasses.
type classifier struct {
	*Batch
	label       []int32
	keys        []Key
	size, first int           // largest and smallest path size
	points      []fingerprint // labels x size: x(position, label) at the two points
	twins       *Twins        // of paths
	class       [][]int32     // by size: the class of every vertex, within its piece until the pieces are merged
}

// sizes returns the number of path sizes.
func (c *classifier) sizes() int { return c.size - c.first + 1 }

// drawPoints fixes the random points: a hash of position and label (splitmix64), the same in every run.
func (c *classifier) drawPoints() {
	labels := int32(0)
	for _, l := range c.label {
		labels = max(labels, l+1)
	}
	c.points = make([]fingerprint, int(labels)*c.size)
	state := uint64(0x6a09e667f3bcc908)
	for i := range c.points {
		for k := range c.points[i] {
			if c.keys != nil {
				state = mix(c.keys[i/c.size][k], uint64(2*(i%c.size)+k))
			}
			state += 0x9e3779b97f4a7c15
			z := state
			z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
			z = (z ^ z>>27) * 0x94d049bb133111eb
			c.points[i][k] = (z ^ z>>31) % prime
		}
	}
}

// point returns x(j, label of v) for position j, counted from 1.
func (c *classifier) point(v int32, j int) fingerprint {
	return c.points[int(c.label[v])*c.size+j-1]
}

// vertexChunk is the number of vertices that one piece of parallel work covers.
const vertexChunk = 64

// sectionVertices bounds the vertices that one worker takes on at a time, in whole graphs, so that the
// sums over their neighbours stay in its cache. A larger graph is shared by all workers.
const sectionVertices = 1024

func (c *classifier) pathPieces(workers int) []piece {
	c.twins = c.Twins(c.label, c.size)
	var pieces []piece
	var small, large []int // numbers of pieces
	for g := 0; g < c.NumGraphs(); {
		from, to := c.Vertices(g)
		for g++; g < c.NumGraphs() && c.Offsets[g+1]-from <= sectionVertices; g++ {
			to = c.Offsets[g+1]
		}
		if to-from > sectionVertices {
			large = append(large, len(pieces))
		} else {
			small = append(small, len(pieces))
		}
		pieces = append(pieces, c.newPiece(from, to))
	}
	parallel.Each(workers, len(small), func() func(int) {
		s := newClassSearch(c, sectionVertices)
		var table []int32
		return func(i int) {
			p := &pieces[small[i]]
			s.piece = p
			s.sumNeighbors(p.from, p.to)
			s.fill(p.from, p.to)
			s.copyTwins(p.from, p.to)
			for size := range c.sizes() {
				table = p.group(c, size, s.prints, table)
			}
		}
	})
	for _, i := range large {
		p := &pieces[i]
		n := int(p.to - p.from)
		shared := newClassSearch(c, n)
		shared.piece = p
		inChunks := func(run func(s *classSearch, from, to int32)) {
			parallel.Chunks(workers, n, vertexChunk, func(from, to int) {
				s := *shared
				s.path = make([]int32, c.size)
				run(&s, p.from+int32(from), p.from+int32(to))
			})
		}
		inChunks((*classSearch).sumNeighbors)
		inChunks((*classSearch).fill)
		inChunks((*classSearch).copyTwins)
		parallel.For(workers, c.sizes(), func(size int) { p.group(c, size, shared.prints, nil) })
	}
	return pieces
}

// classSearch is the state of the search for the paths from the vertices of one piece. It goes through classes of
// twins, of which the first vertices stand for all.
type classSearch struct {
	*classifier
	piece  *piece
	path   []int32       // classes of the current path
	last   []fingerprint // vertices of the piece x size: see sumNeighbors
	prints []fingerprint // vertices of the piece x sizes
}

// newClassSearch returns a search in pieces of up to n vertices.
func newClassSearch(c *classifier, n int) *classSearch {
	return &classSearch{
		classifier: c, path: make([]int32, c.size),
		last: make([]fingerprint, n*c.size), prints: make([]fingerprint, n*c.sizes()),
	}
}

// firstOf calls visit for the classes whose first vertex is from or behind it, and before to.
func (s *classSearch) firstOf(from, to int32, visit func(v, class int32)) {
	for v := from; v < to; v++ {
		if c := s.twins.Class[v]; s.twins.First[c] == v {
			visit(v, c)
		}
	}
}

// sumsOf returns sums of the neighbours of a vertex of the piece, by position.
func (s *classSearch) sumsOf(v int32) []fingerprint {
	at := int(v-s.piece.from) * s.size
	return s.last[at : at+s.size]
}

// printsOf returns the fingerprints of a vertex of the piece, by size.
func (s *classSearch) printsOf(v int32) []fingerprint {
	at := int(v-s.piece.from) * s.sizes()
	return s.prints[at : at+s.sizes()]
}

// sumNeighbors sums x(j, label) over the classes next to v, twins of v and v itself among them, for the positions j
// from 2 on and the first vertices of classes from to to-1.
func (s *classSearch) sumNeighbors(from, to int32) {
	s.firstOf(from, to, func(v, class int32) {
		sums := s.sumsOf(v)
		clear(sums)
		for _, d := range s.twins.Next(class) {
			w, n := s.twins.First[d], s.twins.Size[d]
			for j := 2; j <= s.size; j++ {
				sums[j-1] = sums[j-1].plus(s.point(w, j).repeated(int(n)))
			}
		}
	})
}

// fill computes the fingerprints of the first vertices of classes from to to-1.
func (s *classSearch) fill(from, to int32) {
	s.firstOf(from, to, func(v, class int32) {
		sums := s.printsOf(v)
		clear(sums)
		if s.first == 1 {
			sums[0] = s.point(v, 1)
		}
		s.extend(sums, class, 1, s.point(v, 1))
	})
}

// copyTwins gives the vertices from to to-1 the fingerprints of their twins.
func (s *classSearch) copyTwins(from, to int32) {
	for v := from; v < to; v++ {
		if first := s.twins.First[s.twins.Class[v]]; first != v {
			copy(s.printsOf(v), s.printsOf(first))
		}
	}
}

// extend adds all paths of j+1 vertices that go on from class c, that of the j-th vertex of the path, to the sums of
// its first vertex; product belongs to the path up to there.
func (s *classSearch) extend(sums []fingerprint, c int32, j int, product fingerprint) {
	twins, path := s.twins, s.path[:j]
	path[j-1] = c
	if j == s.size {
		return
	}
	if j+1 >= s.first {
		rest := s.sumsOf(twins.First[c])[j]
		for i, d := range path {
			arcs := 1
			if i != j-2 || !twins.back {
				arcs = twins.Arcs(c, d)
			}
			for range arcs {
				rest = rest.minus(s.point(twins.First[d], j+1))
			}
		}
		sum := &sums[j+1-s.first]
		*sum = sum.plus(product.times(rest))
	}
	if j+1 == s.size {
		return
	}
	for _, d := range twins.Next(c) {
		if left := twins.Left(path, d); left > 0 {
			s.extend(sums, d, j+1, product.times(s.point(twins.First[d], j+1)).repeated(left))
		}
	}
}

func (c *classifier) walkPieces(workers int) []piece {
	n := c.NumVertices()
	all := c.newPiece(0, int32(n))
	prints := make([]fingerprint, n*c.sizes())
	next, cur := make([]fingerprint, n), make([]fingerprint, n)
	for j := c.first; j <= c.size; j++ {
		for i := j; i >= 1; i-- {
			parallel.Chunks(workers, n, vertexChunk, func(from, to int) {
				for v := int32(from); v < int32(to); v++ {
					cur[v] = c.point(v, i)
					if i == j {
						continue
					}
					var sum fingerprint
					for _, w := range c.Neighbors(v) {
						sum = sum.plus(next[w])
					}
					cur[v] = cur[v].times(sum)
				}
			})
			next, cur = cur, next
		}
		for v, print := range next {
			prints[v*c.sizes()+j-c.first] = print
		}
	}
	parallel.For(workers, c.sizes(), func(size int) { all.group(c, size, prints, nil) })
	return []piece{all}
}
