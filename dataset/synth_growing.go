package dataset

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// powerLaw generates graphs that grow: from a clique of m+1 vertices, every new vertex joins m earlier
// ones, m being half the mean degree. In class 0 (even graphs) an earlier vertex is chosen with a chance
// proportional to its degree, so that degrees follow a power law (Barabasi and Albert 1999); in class 1
// all earlier vertices have the same chance. A single graph is of class 0. Time and memory are linear.
func powerLaw(opt SynthOptions, random *rand.Rand) func(s *growing, g int) error {
	m := max(int(math.Round(opt.Degree/2)), 1)
	return func(s *growing, g int) error {
		n := jitter(random, opt.Vertices, opt.Graphs > 1)
		first := s.start(n)
		growGraph(s, random, first, n, min(m, max(n-1, 1)), g%2 == 0)
		return nil
	}
}

func growGraph(s *growing, random *rand.Rand, first int32, n, m int, byDegree bool) {
	var ends []int32 // every vertex once for each of its edges
	join := func(u, v int) {
		s.edge(first+int32(u), first+int32(v))
		if byDegree {
			ends = append(ends, int32(u), int32(v))
		}
	}
	for u := range min(m+1, n) {
		for v := range u {
			join(u, v)
		}
	}
	chosen, chosenBy := make([]int, 0, m), make([]int32, n) // the latest vertex that has chosen each
	for u := m + 1; u < n; u++ {
		chosen = chosen[:0]
		for len(chosen) < m {
			v := random.IntN(u)
			if byDegree {
				v = int(ends[random.IntN(len(ends))])
			}
			if chosenBy[v] != int32(u) {
				chosenBy[v] = int32(u)
				chosen = append(chosen, v)
			}
		}
		for _, v := range chosen {
			join(u, v)
		}
	}
}

// jitter returns a number within a quarter of mean if varied, at least 1.
func jitter(random *rand.Rand, mean int, varied bool) int {
	if quarter := mean / 4; varied && quarter > 0 {
		return mean - quarter + random.IntN(2*quarter+1)
	}
	return mean
}

// ringsAndCliques generates four families in turn, which are the classes: a ring, a clique, a ring of
// cliques and a chain of cliques. A ring or chain has cliques of 3 to 6 vertices, neighbouring ones
// joined by one edge. All graphs have about the number of vertices that is asked for, at least 9.
func ringsAndCliques(opt SynthOptions, random *rand.Rand) func(s *growing, g int) error {
	arcs := 0.0
	return func(s *growing, g int) error {
		n := max(jitter(random, opt.Vertices, true), 9)
		size := 3 + random.IntN(4)
		if s.graphs() == 0 {
			arcs = 0
		}
		if g%4 == 1 {
			if arcs += float64(n) * float64(n); arcs > math.MaxInt32/2 {
				return fmt.Errorf("%d graphs of %d vertices are too many arcs for one data set", opt.Graphs, opt.Vertices)
			}
		}
		cliques := max(n/size, 3)
		switch g % 4 {
		case 0:
			first := s.start(n)
			for i := range n {
				s.edge(first+int32(i), first+int32((i+1)%n))
			}
		case 1:
			s.clique(s.start(n), n)
		default:
			first := s.start(cliques * size)
			for c := range cliques {
				at := first + int32(c*size)
				s.clique(at, size)
				if next := (c + 1) % cliques; next > 0 || g%4 == 2 {
					// The last vertex of a clique meets the first of the next one.
					s.edge(at+int32(size)-1, first+int32(next*size))
				}
			}
		}
		return nil
	}
}

// clique joins n vertices from first on with each other.
func (s *growing) clique(first int32, n int) {
	for u := range int32(n) {
		for v := range u {
			s.edge(first+u, first+v)
		}
	}
}
