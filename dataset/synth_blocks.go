package dataset

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/grove-graph/grove/graph"
)

// Constants of the block model: the share of edges between communities, and a vertex's chance to carry a
// word of its own and of another community.
const (
	mixing           = 0.2
	wordsOfCommunity = 8
	ownWord          = 0.3
	otherWord        = 0.1
	maxWords         = 1 << 30 // attributes of all vertices, 8 GiB
)

// blockModel generates one graph by a stochastic block model with communities of nearly equal size: two
// vertices of one community are joined with one probability, two of different communities with a
// smaller one, such that the mean degree is as asked for and a fifth of the edges join communities. A
// vertex has binary attributes, 8 words for every community, its own ones being more frequent. Vertices
// are split 60 : 20 : 20 at random.
func blockModel(opt SynthOptions, random *rand.Rand) (*Dataset, error) {
	n, k := opt.Vertices, opt.Communities
	if words := float64(n) * float64(k) * wordsOfCommunity; words > maxWords {
		return nil, fmt.Errorf("%d vertices of %d communities have %.0f attributes, more than %d", n, k, words, maxWords)
	}
	size := float64(n) / float64(k)
	mix := mixing
	if k == 1 {
		mix = 0
	}
	inside := min((1-mix)*opt.Degree/max(size-1, 1), 1)
	between := 0.0
	if k > 1 {
		between = min(mix*opt.Degree/(float64(n)-size), 1)
	}
	// Position i lies in community i*k/n; a permutation gives positions to vertices.
	vertexAt := random.Perm(n)
	community := func(i int) int { return i * k / n }
	var arcs graph.ArcList
	join := func(i int, from, to int, p float64) {
		for j := from + skip(random, p); j < to; j += 1 + skip(random, p) {
			arcs.From = append(arcs.From, int32(vertexAt[i]))
			arcs.To = append(arcs.To, int32(vertexAt[j]))
		}
	}
	d := &Dataset{Task: NodeClassification, VertexClasses: make([]int, n), ClassNames: codeNames(firstCodes(k))}
	for i := range n {
		c := community(i)
		end := ((c+1)*n + k - 1) / k // first position of the next community
		join(i, i+1, end, inside)
		join(i, end, n, between)
		d.VertexClasses[vertexAt[i]] = c
	}
	b, err := graph.FromArcs([]int32{0, int32(n)}, arcs, graph.BuildOptions{})
	if err != nil {
		return nil, err
	}
	d.Batch = b
	b.AttributeDim = k * wordsOfCommunity
	b.Attributes = make([]float64, n*b.AttributeDim)
	for v, c := range d.VertexClasses {
		for w := range b.AttributeDim {
			chance := otherWord
			if w/wordsOfCommunity == c {
				chance = ownWord
			}
			if random.Float64() < chance {
				b.Attributes[v*b.AttributeDim+w] = 1
			}
		}
	}
	order := random.Perm(n)
	train, validation := n*3/5, n*4/5
	if train > 0 && validation < n {
		d.Splits = []Split{{"random", Fold{order[:train], order[train:validation], order[validation:]}}}
	}
	return d, nil
}

// skip returns the number of failures before the first success of probability p.
func skip(random *rand.Rand, p float64) int {
	if p <= 0 {
		return math.MaxInt32
	}
	if p >= 1 {
		return 0
	}
	return int(min(math.Log(1-random.Float64())/math.Log1p(-p), math.MaxInt32))
}

// firstCodes returns 0 to k-1.
func firstCodes(k int) []int64 {
	codes := make([]int64, k)
	for i := range codes {
		codes[i] = int64(i)
	}
	return codes
}
