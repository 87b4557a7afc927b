package layout

import (
	"container/heap"
	"math"
)

// spring is one term of the stress: its vertex should be length away from vertex to.
type spring struct {
	to             int32
	length, weight float64
}

// edgeLength returns the length that the edge u v should have. It is 1 for the degrees of molecules
// and grows with the square root of the larger degree, so that k leaves around a hub find room on a
// disc of area proportional to k.
func (c *component) edgeLength(u, v int32) float64 {
	if c.real > 0 {
		return c.bondLength(u, v)
	}
	degree := max(len(c.neighbours[u]), len(c.neighbours[v]))
	return max(1, 0.36*math.Sqrt(float64(degree)))
}

// pathSprings returns all pairs with the length of a shortest path t as target and weight t^-2.
func (c *component) pathSprings() [][]spring {
	n := c.size()
	springs := make([][]spring, n)
	search := newShortest(c)
	for u := range springs {
		length := search.from(int32(u))
		springs[u] = make([]spring, 0, n-1)
		for v, t := range length {
			if v != u {
				springs[u] = append(springs[u], spring{int32(v), t, 1 / (t * t)})
			}
		}
	}
	return springs
}

// Weights of the terms that give a structural formula its shape, against d^-3 for a pair d arcs apart.
const (
	bondWeight  = 60
	ringWeight  = 40
	angleWeight = 4
)

// formulaSprings returns all pairs with the distances of a structural formula: bonds of length 1;
// chords of a regular polygon within a ring; angles of 120 degrees, of 180 at straight vertices, or the mean chord of
// a regular polygon around a vertex of more than three neighbours; a flat zigzag beyond.
func (c *component) formulaSprings(rings [][]int32) [][]spring {
	springs := c.pathSprings()
	for u := range springs {
		hops := c.hops(int32(u))
		for i := range springs[u] {
			s := &springs[u][i]
			d := hops[s.to]
			switch d {
			case 1:
				s.weight = bondWeight
			case 2:
				s.length, s.weight = c.angle(int32(u), s.to)
			default:
				odd := math.Mod(d, 2)
				s.length *= math.Sqrt(0.75*d*d+0.25*odd) / d
				s.weight = 1 / (d * d * d)
			}
		}
	}
	at := func(u, v int32) *spring {
		if v > u {
			return &springs[u][v-1]
		}
		return &springs[u][v]
	}
	for _, ring := range rings {
		k := len(ring)
		for i, u := range ring {
			for j, v := range ring[:i] {
				around := min(i-j, k-i+j)
				if around == 1 {
					continue
				}
				chord := math.Sin(math.Pi*float64(around)/float64(k)) / math.Sin(math.Pi/float64(k))
				*at(u, v) = spring{v, chord, ringWeight}
				*at(v, u) = spring{u, chord, ringWeight}
			}
		}
	}
	return springs
}

// hops returns the number of edges on a shortest path from a vertex to each.
func (c *component) hops(from int32) []float64 {
	hops, queue := make([]float64, c.size()), []int32{from}
	for at := 0; at < len(queue); at++ {
		for _, v := range c.neighbours[queue[at]] {
			if v != from && hops[v] == 0 {
				hops[v] = hops[queue[at]] + 1
				queue = append(queue, v)
			}
		}
	}
	return hops
}

// angle returns the target distance and weight of two vertices with a common neighbour.
func (c *component) angle(u, v int32) (length, weight float64) {
	for _, mid := range c.neighbours[u] { // the middle of a fan comes last
		if !c.adjacent(mid, v) {
			continue
		}
		a, b := 1.0, 1.0
		if c.real > 0 {
			a, b = c.bondLength(u, mid), c.bondLength(mid, v)
		}
		k := float64(len(c.neighbours[mid]))
		switch {
		case c.straight != nil && c.straight[mid]:
			return a + b, bondWeight
		case c.isMiddle(mid): // a metal and one of its group, or two of this, which bonds hold in place
			return math.Hypot(a, b), angleWeight / 16
		case c.isMiddle(u) || c.isMiddle(v):
			if c.metals[mid] {
				break
			}
			return a + b, angleWeight // away from the ring
		case k <= 3:
			return math.Sqrt(a*a + b*b + a*b), angleWeight
		}
		return (a + b) / math.Tan(math.Pi/(2*k)) / (k - 1), angleWeight / 4
	}
	return math.Sqrt(3), angleWeight
}

// shortest finds shortest paths under edgeLength, by Dijkstra's algorithm.
type shortest struct {
	c      *component
	length []float64
	queue  frontier
}

func newShortest(c *component) *shortest { return &shortest{c: c, length: make([]float64, c.size())} }

// from returns the length of a shortest path from root to every vertex. The slice is reused.
func (s *shortest) from(root int32) []float64 {
	for v := range s.length {
		s.length[v] = math.Inf(1)
	}
	s.length[root] = 0
	s.queue = append(s.queue[:0], reached{root, 0})
	for len(s.queue) > 0 {
		next := heap.Pop(&s.queue).(reached)
		if next.length > s.length[next.vertex] {
			continue
		}
		for _, v := range s.c.neighbours[next.vertex] {
			length := next.length + s.c.edgeLength(next.vertex, v)
			if length < s.length[v] {
				s.length[v] = length
				heap.Push(&s.queue, reached{v, length})
			}
		}
	}
	return s.length
}

type reached struct {
	vertex int32
	length float64
}

// frontier is a heap of reached vertices by length, then by vertex.
type frontier []reached

func (f frontier) Len() int { return len(f) }
func (f frontier) Less(i, j int) bool {
	if f[i].length != f[j].length {
		return f[i].length < f[j].length
	}
	return f[i].vertex < f[j].vertex
}
func (f frontier) Swap(i, j int) { f[i], f[j] = f[j], f[i] }
func (f *frontier) Push(x any)   { *f = append(*f, x.(reached)) }
func (f *frontier) Pop() any {
	last := len(*f) - 1
	x := (*f)[last]
	*f = (*f)[:last]
	return x
}
