package graph

import (
	"math/bits"

	"github.com/grove-graph/grove/parallel"
)

// PathClasses are vertices grouped by the paths that start at them: two vertices are in one class when
// the same label sequences occur, equally often, along the paths (or walks) of one size from each. Any
// sum, mean or maximum over those paths of a function of the labels is then the same for both.
type PathClasses struct {
	Class [][]int32 // for each size, the class of every vertex; numbered by first vertex
	Roots [][]int32 // for each size, the first vertex of every class, ascending
}

// PathClasses groups the vertices for paths of 1 to maxSize vertices with allSizes, and otherwise for
// maxSize alone. label holds a non-negative id for each vertex.
//
// The multiset of label sequences is a polynomial in one variable for each pair of position and label,
// sum over paths of prod_i x(i, label_i). Its values at two random points modulo the prime 2^61-1 stand
// for it; by the Schwartz-Zippel lemma two different multisets agree with probability at most
// (maxSize / 2^61)^2, below 1e-33. Sums over the last vertex of a path are shared by all paths with
// the same last but one, so the cost is that of visiting the paths of maxSize-1 vertices.
func (b *Batch) PathClasses(label []int32, maxSize int, allSizes, walks bool, workers int) *PathClasses {
	c := &classifier{Batch: b, label: label, size: maxSize, first: maxSize}
	if allSizes {
		c.first = 1
	}
	c.drawPoints()
	n := b.NumVertices()
	width := maxSize - c.first + 1
	c.prints = make([]fingerprint, n*width)
	if walks {
		c.walkPrints(workers)
	} else {
		c.pathPrints(workers)
	}
	out := &PathClasses{Class: make([][]int32, width), Roots: make([][]int32, width)}
	parallel.For(workers, width, func(i int) {
		out.Class[i], out.Roots[i] = group(c.prints[i*n : (i+1)*n])
	})
	return out
}

// prime is the Mersenne prime 2^61 - 1.
const prime = 1<<61 - 1

// fingerprint is the value of a polynomial at two points modulo prime.
type fingerprint [2]uint64

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

// mulMod returns a b modulo the Mersenne prime, whose powers of two fold onto the low bits.
func mulMod(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return reduce(lo&prime + (hi<<3 | lo>>61))
}

// classifier is one call of PathClasses.
type classifier struct {
	*Batch
	label       []int32
	size, first int           // largest and smallest path size
	points      []fingerprint // labels x size: x(position, label) at the two points
	prints      []fingerprint // sizes x vertices
}

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

// print returns the fingerprint of the paths of j vertices from v.
func (c *classifier) print(v int32, j int) *fingerprint {
	return &c.prints[(j-c.first)*c.NumVertices()+int(v)]
}

// vertexChunk is the number of vertices that one piece of parallel work covers.
const vertexChunk = 64

// sectionVertices bounds the vertices that one worker takes on at a time, in whole graphs, so that the
// sums over their neighbours stay in its cache. A larger graph is shared by all workers.
const sectionVertices = 1024

func (c *classifier) pathPrints(workers int) {
	type section struct{ from, to int32 }
	var small, large []section
	for g := 0; g < c.NumGraphs(); {
		from, to := c.Vertices(g)
		for g++; g < c.NumGraphs() && c.Offsets[g+1]-from <= sectionVertices; g++ {
			to = c.Offsets[g+1]
		}
		if to-from > sectionVertices {
			large = append(large, section{from, to})
		} else {
			small = append(small, section{from, to})
		}
	}
	parallel.Each(workers, len(small), func() func(int) {
		path := make([]int32, c.size)
		last := make([]fingerprint, sectionVertices*c.size)
		return func(i int) {
			s := small[i]
			c.sumNeighbors(last, s.from, s.from, s.to)
			c.printsOf(path, last, s.from, s.from, s.to)
		}
	})
	for _, s := range large {
		n := int(s.to - s.from)
		last := make([]fingerprint, n*c.size)
		parallel.Chunks(workers, n, vertexChunk, func(from, to int) {
			c.sumNeighbors(last, s.from, s.from+int32(from), s.from+int32(to))
		})
		parallel.Chunks(workers, n, vertexChunk, func(from, to int) {
			c.printsOf(make([]int32, c.size), last, s.from, s.from+int32(from), s.from+int32(to))
		})
	}
}

// sumNeighbors sets last[(v-base)*size+j-1] to the sum of x(j, label) over the neighbours of v, for the
// positions j from 2 on and the vertices from to to-1.
func (c *classifier) sumNeighbors(last []fingerprint, base, from, to int32) {
	for v := from; v < to; v++ {
		sums := last[int(v-base)*c.size : int(v-base+1)*c.size]
		clear(sums)
		for _, w := range c.Neighbors(v) {
			for j := 2; j <= c.size; j++ {
				sums[j-1] = sums[j-1].plus(c.point(w, j))
			}
		}
	}
}

// printsOf fills in the fingerprints of the vertices from to to-1.
func (c *classifier) printsOf(path []int32, last []fingerprint, base, from, to int32) {
	for v := from; v < to; v++ {
		if c.first == 1 {
			*c.print(v, 1) = c.point(v, 1)
		}
		c.extend(path, last, base, v, 1, c.point(v, 1))
	}
}

// extend adds all paths of j+1 vertices that go on from v, the j-th vertex of the path; product
// belongs to the path up to v.
func (c *classifier) extend(path []int32, last []fingerprint, base, v int32, j int, product fingerprint) {
	path[j-1] = v
	if j == c.size {
		return
	}
	if j+1 >= c.first {
		rest := last[int(v-base)*c.size+j]
		for i, u := range path[:j] {
			arcs := 1 // a path of an undirected graph can always go back
			if i != j-2 || c.Directed || c.ArcTypes != nil {
				arcs = c.CountArcs(v, u)
			}
			for range arcs {
				rest = rest.minus(c.point(u, j+1))
			}
		}
		sum := c.print(path[0], j+1)
		*sum = sum.plus(product.times(rest))
	}
	if j+1 == c.size {
		return
	}
next:
	for _, w := range c.Neighbors(v) {
		for _, u := range path[:j] {
			if u == w {
				continue next
			}
		}
		c.extend(path, last, base, w, j+1, product.times(c.point(w, j+1)))
	}
}

func (c *classifier) walkPrints(workers int) {
	n := c.NumVertices()
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
		for v := range n {
			*c.print(int32(v), j) = next[v]
		}
	}
}

// group numbers equal fingerprints by first appearance, with an open hash table.
func group(prints []fingerprint) (class, roots []int32) {
	class = make([]int32, len(prints))
	roots = []int32{}
	mask := 1<<bits.Len(uint(2*len(prints))) - 1
	table := make([]int32, mask+1) // class + 1, 0 for a free place
	for v, p := range prints {
		at := int(p[0]) & mask
		for table[at] != 0 && prints[roots[table[at]-1]] != p {
			at = (at + 1) & mask
		}
		if table[at] == 0 {
			roots = append(roots, int32(v))
			table[at] = int32(len(roots))
		}
		class[v] = table[at] - 1
	}
	return class, roots
}
