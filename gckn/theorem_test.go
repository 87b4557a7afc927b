package gckn

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/engine/enginetest"
	"github.com/grove-graph/grove/graph"
	"github.com/grove-graph/grove/internal/testfiles"
	"github.com/grove-graph/grove/train"
	"gorgonia.org/tensor"
)

// walkHistograms returns phi_1 of Theorem 1 for every vertex: how often every label sequence is met along its walks of
// k steps. It is a GCKN on walks whose kernel is the Dirac kernel, a Gaussian of the least bandwidth, and whose
// anchors are all label sequences that there are.
func walkHistograms(t *testing.T, b *graph.Batch, k int) [][]float64 {
	t.Helper()
	known, sequences := map[string]bool{}, [][]int32(nil)
	for v := range int32(b.NumVertices()) {
		b.VisitWalks(v, k+1, func(walk []int32) {
			labels := make([]int32, len(walk))
			for i, u := range walk {
				labels[i] = b.Labels[u]
			}
			if name := fmt.Sprint(labels); len(walk) == k+1 && !known[name] {
				known[name] = true
				sequences = append(sequences, labels)
			}
		})
	}
	if len(sequences) == 0 { // no walks at all
		return make([][]float64, b.NumVertices())
	}
	q, d := len(sequences), b.NumLabels
	z := make([]float64, (k+1)*q*d)
	for f, labels := range sequences {
		for i, l := range labels {
			z[(i*q+f)*d+int(l)] = 1
		}
	}
	opt := Options{Layers: []LayerOptions{{PathSize: k + 1, Filters: q, Sigma: minSigma, Pooling: Sum}}, Walk: true,
		GlobalPooling: Sum, Epsilon: 0.01, MaxLambda: 1, Samples: 1, Double: true}
	m, err := New(enginetest.Open(t, 1), train.Input{Labels: d}, opt,
		[]*tensor.Dense{tensor.New(tensor.WithShape(k+1, q, d), tensor.WithBacking(z))})
	if err != nil {
		t.Fatal(err)
	}
	x, err := m.VertexFeatures(context.Background(), b)
	if err != nil {
		t.Fatal(err)
	}
	rows := slices.Collect(slices.Chunk(float64s(m.engine, x), q))
	for _, row := range rows { // the inverse square root of the identity with its regularisation
		for f := range row {
			row[f] = math.Round(row[f] * (1 + opt.Epsilon))
		}
	}
	return rows
}

// subtreeColours returns the colours of Weisfeiler and Lehman after k refinements: kappa_subtree of two vertices is 1
// where they are equal, else 0.
func subtreeColours(b *graph.Batch, k int) []string {
	colours := make([]string, b.NumVertices())
	for v := range colours {
		colours[v] = fmt.Sprint(b.Labels[v])
	}
	for range k {
		next := make([]string, len(colours))
		for v := range colours {
			var around []string
			for _, u := range b.Neighbors(int32(v)) {
				around = append(around, colours[u])
			}
			slices.Sort(around)
			next[v] = fmt.Sprintf("(%s %q)", colours[v], around)
		}
		number := map[string]int{}
		for v, name := range next {
			if _, known := number[name]; !known {
				number[name] = len(number)
			}
			colours[v] = fmt.Sprint(number[name])
		}
	}
	return colours
}

// matching returns M(u, v) of Eq. 22 where it has exactly one element: the neighbours of both, matched by their labels.
func matching(b *graph.Batch, u, v int32) (pairs [][2]int32, only bool) {
	of := map[int32]int32{}
	for _, w := range b.Neighbors(v) {
		if _, twice := of[b.Labels[w]]; twice {
			return nil, false
		}
		of[b.Labels[w]] = w
	}
	if len(b.Neighbors(u)) != len(of) {
		return nil, false
	}
	seen := map[int32]bool{}
	for _, w := range b.Neighbors(u) {
		other, found := of[b.Labels[w]]
		if !found || seen[b.Labels[w]] {
			return nil, false
		}
		seen[b.Labels[w]] = true
		pairs = append(pairs, [2]int32{w, other})
	}
	return pairs, true
}

// matched reports whether |M| = 1 for u and v, and for the pairs that it matches, so many steps deep: what the proof of
// the theorem by induction takes.
func matched(b *graph.Batch, u, v int32, depth int) bool {
	if depth == 0 {
		return true
	}
	pairs, only := matching(b, u, v)
	return only && !slices.ContainsFunc(pairs, func(p [2]int32) bool { return !matched(b, p[0], p[1], depth-1) })
}

// theorem counts the pairs of vertices for which Theorem 1 was seen to hold with equal and with different ones.
type theorem struct{ equal, different int }

// check compares all pairs of vertices of two graphs: delta(phi_1(u), phi_1(v)) = kappa_subtree^(k)(u, v) where |M| =
// 1, and by Proposition 1 equal colours have equal walks, whatever M is.
func (c *theorem) check(t *testing.T, b *graph.Batch, k int) {
	t.Helper()
	walks, colours := walkHistograms(t, b, k), subtreeColours(b, k)
	for u := range b.Offsets[1] {
		for v := b.Offsets[1]; v < b.Offsets[2]; v++ {
			walk, subtree := slices.Equal(walks[u], walks[v]), colours[u] == colours[v]
			if subtree && !walk {
				t.Fatalf("k = %d: vertices %d and %d have one colour and different walks", k, u, v)
			}
			if !matched(b, u, v, k) {
				continue
			}
			if len(b.Neighbors(u)) == 0 && k > 0 { // no walks of k steps, in which the label would be seen
				continue
			}
			if walk != subtree {
				t.Fatalf("k = %d: vertices %d and %d: walks equal %t, colours equal %t", k, u, v, walk, subtree)
			}
			if walk {
				c.equal++
			} else {
				c.different++
			}
		}
	}
}

// connected returns a connected random graph, whose labels are drawn from some, or are such that no two neighbours of a
// vertex share one, which may take more.
func connected(rng *rand.Rand, labels int, apart bool) graph.Graph {
	g := graph.Graph{NumVertices: 3 + rng.IntN(6)}
	for v := 1; v < g.NumVertices; v++ {
		g.AddArc(int32(v), rng.Int32N(int32(v)))
	}
	for range rng.IntN(3) {
		if u, v := rng.Int32N(int32(g.NumVertices)), rng.Int32N(int32(g.NumVertices)); u != v {
			g.AddArc(u, v)
		}
	}
	for range g.NumVertices {
		g.Labels = append(g.Labels, rng.Int32N(int32(labels)))
	}
	if apart {
		g.Labels = distinguish(g)
	}
	return g
}

// distinguish returns labels that no two neighbours of a vertex share, the least ones in the order of the vertices from
// those that there are on.
func distinguish(g graph.Graph) []int32 {
	b, err := graph.NewBatch([]graph.Graph{g})
	if err != nil {
		panic(err)
	}
	labels := slices.Clone(g.Labels)
	taken := func(v, l int32) bool {
		for _, middle := range b.Neighbors(v) {
			for _, u := range b.Neighbors(middle) {
				if u < v && labels[u] == l {
					return true
				}
			}
		}
		return false
	}
	for v := range int32(len(labels)) {
		for l := labels[v]; ; l++ {
			if !taken(v, l) {
				labels[v] = l
				break
			}
		}
	}
	return labels
}

// Theorem 1 of the paper, over all pairs of vertices of many pairs of graphs.
func TestWalksAndSubtrees(t *testing.T) {
	for _, apart := range []bool{false, true} {
		rng, c := rand.New(rand.NewPCG(1, 2)), theorem{}
		for i := range 150 {
			c.check(t, batch(t, []graph.Graph{connected(rng, 3, apart), connected(rng, 3, apart)}), i%4)
		}
		if t.Logf("random graphs, neighbours told apart %t: %+v", apart, c); c.equal < 50 || c.different < 500 {
			t.Errorf("too few pairs of vertices for anything to be seen: %+v", c)
		}
	}
}

// The same for molecules, as they are and with labels that tell the neighbours of every atom apart, which by the paper
// is how its condition can always be met.
func TestWalksAndSubtreesOfMolecules(t *testing.T) {
	d, err := dataset.Open(testfiles.Data(t, "tu", "MUTAG"))
	if err != nil {
		t.Fatal(err)
	}
	for _, apart := range []bool{false, true} {
		rng, c := rand.New(rand.NewPCG(3, 4)), theorem{}
		for i := range 40 {
			b := d.Batch.Select([]int{rng.IntN(d.NumGraphs()), rng.IntN(d.NumGraphs())})
			b.ArcLabels = nil
			if apart {
				var labels []int32
				for g := range b.NumGraphs() {
					one := b.Slice(g, g+1)
					own := graph.Graph{NumVertices: one.NumVertices(), Labels: one.Labels}
					for v := range int32(one.NumVertices()) {
						for _, u := range one.Neighbors(v) {
							own.AddArc(v, u)
						}
					}
					labels = append(labels, distinguish(own)...)
				}
				b.Labels, b.NumLabels = labels, int(slices.Max(labels))+1
			}
			c.check(t, b, i%4)
		}
		if t.Logf("MUTAG, neighbours told apart %t: %+v", apart, c); c.equal < 50 || c.different < 500 {
			t.Errorf("too few pairs of vertices for anything to be seen: %+v", c)
		}
	}
}

// The condition is needed deeper than the theorem says: with |M(u, v)| = 1 for the two vertices alone, walks of three
// steps may agree where colours differ. Here both have one neighbour, which has two of label 1 behind it: with leaves
// 2, 3 and 2, 3 in one graph, and 2, 2 and 3, 3 in the other.
func TestWalksNeedMatchedNeighbours(t *testing.T) {
	tree := func(ends [2][]int32) graph.Graph { // 0 - 1, and from 1 two vertices of label 1 with leaves
		g := graph.Graph{NumVertices: 4, Labels: []int32{0, 0, 1, 1}}
		g.AddArc(0, 1)
		for i, leaves := range ends {
			g.AddArc(1, int32(2+i))
			for _, l := range leaves {
				g.AddArc(int32(2+i), int32(g.NumVertices))
				g.NumVertices, g.Labels = g.NumVertices+1, append(g.Labels, l)
			}
		}
		return g
	}
	b := batch(t, []graph.Graph{tree([2][]int32{{2, 3}, {2, 3}}), tree([2][]int32{{2, 2}, {3, 3}})})
	u, v, k := int32(0), b.Offsets[1], 3
	if _, only := matching(b, u, v); !only {
		t.Fatal("the two vertices have another number of matchings than one")
	}
	walks, colours := walkHistograms(t, b, k), subtreeColours(b, k)
	if !slices.Equal(walks[u], walks[v]) || colours[u] == colours[v] {
		t.Errorf("walks equal %t, colours equal %t: want walks that do not see what colours see",
			slices.Equal(walks[u], walks[v]), colours[u] == colours[v])
	}
	if matched(b, u, v, k) {
		t.Error("the neighbours are matched in one way too")
	}
}
