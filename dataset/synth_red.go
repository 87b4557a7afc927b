package dataset

import (
	"fmt"
	"math/rand/v2"
)

// Share of red vertices, and draws after which a graph is given up.
const (
	redShare        = 0.5
	redMaximalDraws = 1_000_000
)

// redIsolated generates the red isolated vertex task of the TREE-G paper (appendix, explanations): a
// graph is of class 1 if exactly one of its vertices is both red and without neighbours. The paper gives
// 1000 graphs of 50 vertices; the other conventions and the stream of random numbers are those of the
// golden file synthetic_tasks: graph g must be of class g mod 2 and is drawn again until it is. The
// motif is the red isolated vertex of class 1.
func redIsolated(opt SynthOptions, _ *rand.Rand) func(s *growing, g int) error {
	return redIsolatedGraphs(opt, func(int) {})
}

// redIsolatedGraphs tells drawn how many graphs were drawn for each one kept.
func redIsolatedGraphs(opt SynthOptions, drawn func(draws int)) func(s *growing, g int) error {
	n := opt.Vertices
	edgeShare := 0.0
	if n > 1 {
		edgeShare = opt.Degree / float64(n-1)
	}
	random := splitMix(opt.Seed)
	red := make([]int32, n)
	degree := make([]int32, n)
	return func(s *growing, g int) error {
		first := s.start(n)
		arcs := len(s.arcs.From)
		if s.motif == nil {
			s.motif = []int32{}
		}
		for draws := 1; ; draws++ {
			if draws > redMaximalDraws {
				return fmt.Errorf("no graph of class %d among %d drawn: try a smaller mean degree", g%2, redMaximalDraws)
			}
			s.arcs.From, s.arcs.To = s.arcs.From[:arcs], s.arcs.To[:arcs]
			alone := drawRedGraph(s, &random, first, edgeShare, red, degree)
			if (len(alone) == 1) != (g%2 == 1) {
				continue
			}
			if g%2 == 1 {
				s.motif = append(s.motif, first+alone[0])
			}
			drawn(draws)
			break
		}
		for _, c := range red {
			s.labels = append(s.labels, int64(c))
		}
		return nil
	}
}

// drawRedGraph draws the colours, then the edges, of one graph and returns its red isolated vertices.
func drawRedGraph(s *growing, random *splitMix, first int32, edgeShare float64, red, degree []int32) (alone []int32) {
	for i := range red {
		red[i], degree[i] = 0, 0
		if random.uniform() < redShare {
			red[i] = 1
		}
	}
	for i := range red {
		for j := i + 1; j < len(red); j++ {
			if random.uniform() < edgeShare {
				s.edge(first+int32(i), first+int32(j))
				degree[i]++
				degree[j]++
			}
		}
	}
	for i := range red {
		if red[i] == 1 && degree[i] == 0 {
			alone = append(alone, int32(i))
		}
	}
	return alone
}

// splitMix is the splitmix64 generator; the golden file fixes its stream.
type splitMix uint64

func (s *splitMix) next() uint64 {
	*s += 0x9E3779B97F4A7C15
	z := uint64(*s)
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

// uniform returns a number in [0, 1).
func (s *splitMix) uniform() float64 { return float64(s.next()>>11) * 0x1p-53 }
