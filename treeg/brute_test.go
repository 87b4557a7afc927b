package treeg

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/grove-graph/grove/graph"
)

// problemOf is a random problem for the search.
type problemOf struct {
	graphs   []dense
	level    Level
	examples []place
	numbers  []int32 // of the examples in the batch
	y        []float64
	both     bool
	weighted bool
	directed bool
}

func randomProblem(r *rand.Rand) *problemOf {
	p := &problemOf{level: Graphs, directed: r.IntN(2) == 0, weighted: r.IntN(3) == 0}
	p.both = p.directed && r.IntN(2) == 0
	count, most := 3+r.IntN(8), 7
	if r.IntN(2) == 0 {
		p.level, count, most = Vertices, 1+r.IntN(3), 10
	}
	features := 1 + r.IntN(3)
	offset := int32(0)
	share := []int{1, 2, 4}[r.IntN(3)] // one vertex in so many is an example
	for g := range count {
		n := 1 + r.IntN(most)
		one := dense{n: n, matrices: map[Arcs][][]float64{}}
		a := make([][]float64, n)
		for i := range a {
			a[i] = make([]float64, n)
			for j := range a[i] {
				if r.IntN(3) == 0 {
					a[i][j] = 1
					if p.weighted {
						a[i][j] = []float64{-1, 0.5, 1.5, 2}[r.IntN(4)]
					}
				}
				if !p.directed && j < i {
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
			one.features = append(one.features, f)
		}
		one.matrices[Arcs{Type: AllArcs}] = a
		if p.both {
			back := make([][]float64, n)
			for i := range back {
				back[i] = make([]float64, n)
				for j := range back[i] {
					back[i][j] = a[j][i]
				}
			}
			one.matrices[Arcs{Type: AllArcs, Against: true}] = back
		}
		p.graphs = append(p.graphs, one)
		if p.level == Graphs {
			p.examples, p.numbers = append(p.examples, place{g, 0}), append(p.numbers, int32(g))
		}
		for v := range n {
			if p.level == Vertices && r.IntN(share) == 0 {
				p.examples, p.numbers = append(p.examples, place{g, v}), append(p.numbers, offset+int32(v))
			}
		}
		offset += int32(n)
	}
	for range p.examples {
		p.y = append(p.y, float64(r.IntN(9)-4)/4)
	}
	return p
}

// batch returns the graphs as a batch. A matrix of an undirected problem is symmetric.
func (p *problemOf) batch(t *testing.T) *graph.Batch {
	b := batchOf(t, p.graphs, p.weighted)
	b.Directed = p.directed
	return b
}

// of returns the examples and targets with the given numbers.
func (p *problemOf) of(numbers []int32) (examples []place, y []float64) {
	for _, want := range numbers {
		for i, number := range p.numbers {
			if number == want {
				examples, y = append(examples, p.examples[i]), append(y, p.y[i])
			}
		}
	}
	return examples, y
}

// offersOf cuts the subsets of a split again, by the reference.
func (p *problemOf) offersOf(s *Split, used offer) (up, down offer) {
	for g := range p.graphs {
		one := &p.graphs[g]
		a, b := one.cut(s, one.vector(s, used.subsets[g]), used.subsets[g])
		up.subsets, down.subsets = append(up.subsets, a), append(down.subsets, b)
	}
	up.up = true
	return up, down
}

// The search finds a split with the gain of the best one that dense matrices straight from Eq. 1 give, on the root,
// its children and its grandchildren, which may use the subsets that the splits above them generated.
func TestSearchAgainstBruteForce(t *testing.T) {
	for i := range 500 {
		r := rand.New(rand.NewPCG(uint64(i), 17))
		p := randomProblem(r)
		if len(p.examples) < 2 {
			continue
		}
		opt := Defaults(p.level, Single)
		opt.Constant, opt.MaxLength = false, r.IntN(4)
		if p.both {
			opt.Directions = BothWays
		}
		d, err := Prepare(context.Background(), openCPU(t, 1+i%2), p.batch(t), opt)
		if err != nil {
			t.Fatal(err)
		}
		empty := []Empty{EmptyFormula, EmptyZero, EmptySentinel}[r.IntN(3)]
		h := newHarness(t, d, opt, p.numbers, p.y)
		h.checkNode(fmt.Sprintf("problem %d, root", i), p, h.root, []offer{everyone(p.graphs)}, empty, r)
	}
}

// checkNode compares the search of a node with the reference, then splits it by any split and goes on below.
func (h *harness) checkNode(what string, p *problemOf, n *node, offers []offer, empty Empty, r *rand.Rand) {
	h.t.Helper()
	examples, y := p.of(n.examples)
	all := search(p.graphs, p.level, examples, y, offers, h.opt.MaxLength, h.opt.Walks, empty)
	got := h.search(n, 2, empty)
	want := best(all)
	if want < 1e-9 {
		want = 0
	}
	if !near(got.gain, want, 1e-9) {
		h.t.Errorf("%s: gain %.17g of %+v, want %.17g", what, got.gain, got.Split, want)
		return
	}
	if got.gain > 0 && !h.listed(all, &got) {
		h.t.Errorf("%s: the reference has no split %+v of gain %g", what, got.Split, got.gain)
	}
	if n.depth == 2 || len(all) == 0 {
		return
	}
	chosen := all[r.IntN(len(all))].Split
	lte, gt := h.force(n, chosen, empty)
	used := offers[0]
	for _, o := range offers {
		if o.pointer == chosen.Pointer && o.up == chosen.Above {
			used = o
		}
	}
	up, down := p.offersOf(&chosen, used)
	below := []offer{offers[0]}
	for _, o := range append([]offer{up, down}, offers[1:]...) {
		o.pointer++
		below = append(below, o)
	}
	for name, c := range map[string]*node{"lte": lte, "gt": gt} {
		if len(c.examples) == 0 {
			h.t.Errorf("%s: no examples %s", what, name)
			continue
		}
		h.checkNode(what+" "+name, p, c, below, empty, r)
	}
}

// listed reports whether the reference found the same split.
func (h *harness) listed(all []scored, got *candidate) bool {
	for _, s := range all {
		s.MissingAbove = got.MissingAbove
		if s.Length == 0 {
			s.Arcs = got.Arcs
		}
		same := s.Threshold
		s.Threshold = got.Threshold
		if s.Split == got.Split && near(got.Threshold, same, 1e-9) && near(got.gain, s.gain, 1e-9) {
			return true
		}
	}
	return false
}
