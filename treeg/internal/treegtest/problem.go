package treegtest

import (
	"math/rand/v2"
	"testing"

	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/treeg/internal/walks"
)

// ProblemOf is a random problem for the search.
type ProblemOf struct {
	Graphs   []Dense
	Level    walks.Level
	Examples []place
	Numbers  []int32 // of the examples in the batch
	Y        []float64
	Both     bool
	Weighted bool
	Directed bool
}

// RandomProblem draws the graphs, the examples and their targets.
func RandomProblem(r *rand.Rand) *ProblemOf {
	p := &ProblemOf{Level: walks.Graphs, Directed: r.IntN(2) == 0, Weighted: r.IntN(3) == 0}
	p.Both = p.Directed && r.IntN(2) == 0
	count, most := 3+r.IntN(8), 7
	if r.IntN(2) == 0 {
		p.Level, count, most = walks.Vertices, 1+r.IntN(3), 10
	}
	features := 1 + r.IntN(3)
	offset := int32(0)
	share := []int{1, 2, 4}[r.IntN(3)] // one vertex in so many is an example
	for g := range count {
		n := 1 + r.IntN(most)
		one := Dense{N: n, Matrices: map[walks.Arcs][][]float64{}}
		a := make([][]float64, n)
		for i := range a {
			a[i] = make([]float64, n)
			for j := range a[i] {
				if r.IntN(3) == 0 {
					a[i][j] = 1
					if p.Weighted {
						a[i][j] = []float64{-1, 0.5, 1.5, 2}[r.IntN(4)]
					}
				}
				if !p.Directed && j < i {
					a[i][j] = a[j][i]
				}
			}
			var f []float64
			for k := range features {
				switch k {
				case 0:
					f = append(f, float64(r.IntN(2)))
				case 1:
					f = append(f, float64(r.IntN(17)-8)/4)
				default:
					f = append(f, float64(r.IntN(4)/3))
				}
			}
			one.Features = append(one.Features, f)
		}
		one.Matrices[walks.Arcs{Type: walks.AllArcs}] = a
		if p.Both {
			back := make([][]float64, n)
			for i := range back {
				back[i] = make([]float64, n)
				for j := range back[i] {
					back[i][j] = a[j][i]
				}
			}
			one.Matrices[walks.Arcs{Type: walks.AllArcs, Against: true}] = back
		}
		p.Graphs = append(p.Graphs, one)
		if p.Level == walks.Graphs {
			p.Examples, p.Numbers = append(p.Examples, place{g, 0}), append(p.Numbers, int32(g))
		}
		for v := range n {
			if p.Level == walks.Vertices && r.IntN(share) == 0 {
				p.Examples, p.Numbers = append(p.Examples, place{g, v}), append(p.Numbers, offset+int32(v))
			}
		}
		offset += int32(n)
	}
	for range p.Examples {
		p.Y = append(p.Y, float64(r.IntN(9)-4)/4)
	}
	return p
}

// Batch returns the graphs as a batch. A matrix of an undirected problem is symmetric.
func (p *ProblemOf) Batch(t *testing.T) *graph.Batch {
	b := BatchOf(t, p.Graphs, p.Weighted)
	b.Directed = p.Directed
	return b
}

// Of returns the examples and targets with the given numbers.
func (p *ProblemOf) Of(numbers []int32) (examples []place, y []float64) {
	for _, want := range numbers {
		for i, number := range p.Numbers {
			if number == want {
				examples, y = append(examples, p.Examples[i]), append(y, p.Y[i])
			}
		}
	}
	return examples, y
}

// OffersOf cuts the subsets of a split again, by the reference.
func (p *ProblemOf) OffersOf(s *walks.Split, used Offer) (up, down Offer) {
	for g := range p.Graphs {
		one := &p.Graphs[g]
		a, b := one.cut(s, one.vector(s, used.subsets[g]), used.subsets[g])
		up.subsets, down.subsets = append(up.subsets, a), append(down.subsets, b)
	}
	up.Up = true
	return up, down
}
