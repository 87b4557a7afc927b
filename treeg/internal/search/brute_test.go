package search

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/grove-graph/grove/treeg/internal/treegtest"
	"github.com/grove-graph/grove/treeg/internal/walks"
)

// The search finds a split with the gain of the best one that dense matrices straight from Eq. 1 give, on the root,
// its children and its grandchildren, which may use the subsets that the splits above them generated.
func TestSearchAgainstBruteForce(t *testing.T) {
	for i := range 500 {
		r := rand.New(rand.NewPCG(uint64(i), 17))
		p := treegtest.RandomProblem(r)
		if len(p.Examples) < 2 {
			continue
		}
		length, arcs := r.IntN(4), []walks.Arcs{{Type: walks.AllArcs}}
		if p.Both {
			arcs = append(arcs, walks.Arcs{Type: walks.AllArcs, Against: true})
		}
		d := prepared(t, treegtest.OpenCPU(t, 1+i%2), p.Batch(t), p.Level, arcs, length)
		empty := []walks.Empty{walks.EmptyFormula, walks.EmptyZero, walks.EmptySentinel}[r.IntN(3)]
		h := newHarness(t, d, length, p.Numbers, p.Y)
		h.checkNode(fmt.Sprintf("problem %d, root", i), p, h.root, []treegtest.Offer{treegtest.Everyone(p.Graphs)}, empty, r)
	}
}

// checkNode compares the search of a node with the reference, then splits it by any split and goes on below.
func (h *harness) checkNode(what string, p *treegtest.ProblemOf, n *node, offers []treegtest.Offer, empty walks.Empty,
	r *rand.Rand) {
	h.t.Helper()
	examples, y := p.Of(n.Examples)
	all := treegtest.Search(p.Graphs, p.Level, examples, y, offers, h.g.opt.MaxLength, h.g.opt.Walks, empty)
	got := h.search(n, 2, empty)
	want := treegtest.Best(all)
	if want < 1e-9 {
		want = 0
	}
	if !treegtest.Near(got.gain, want, 1e-9) {
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
		if o.Pointer == chosen.Pointer && o.Up == chosen.Above {
			used = o
		}
	}
	up, down := p.OffersOf(&chosen, used)
	below := []treegtest.Offer{offers[0]}
	for _, o := range append([]treegtest.Offer{up, down}, offers[1:]...) {
		o.Pointer++
		below = append(below, o)
	}
	for name, c := range map[string]*node{"lte": lte, "gt": gt} {
		if len(c.Examples) == 0 {
			h.t.Errorf("%s: no examples %s", what, name)
			continue
		}
		h.checkNode(what+" "+name, p, c, below, empty, r)
	}
}

// listed reports whether the reference found the same split.
func (h *harness) listed(all []treegtest.Scored, got *candidate) bool {
	for _, s := range all {
		s.MissingAbove = got.MissingAbove
		if s.Length == 0 {
			s.Arcs = got.Arcs
		}
		same := s.Threshold
		s.Threshold = got.Threshold
		if s.Split == got.Split && treegtest.Near(got.Threshold, same, 1e-9) && treegtest.Near(got.gain, s.Gain, 1e-9) {
			return true
		}
	}
	return false
}
