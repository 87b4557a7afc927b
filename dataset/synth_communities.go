package dataset

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/grove-graph/grove/graph"
)

// Constants of the degree-corrected block model.
const (
	strangers       = 0.4 // share of edges whose ends are drawn from all communities
	tailExponent    = 2.5 // of the power law of degrees
	attributesOfOne = 4   // attributes whose mean tells a community
	signal          = 0.8 // that mean; all attributes have variance 1
)

// communities generates one graph by a degree-corrected stochastic block model (Karrer and Newman, Physical Review E
// 83, 2011) with communities of nearly equal size: the ends of an edge are drawn by weights that follow a power law,
// from one community or, for a share of the edges, from all vertices. Repeated edges and self loops are dropped. A
// vertex has normal attributes, 4 for every community with a mean that differs from zero in its own, rounded to two
// decimals; of 16 communities they alone tell about half. A tenth of the vertices, at random, is the training part, a
// twentieth each the validation and the test part. Time and memory are linear in vertices and edges.
func communities(opt SynthOptions, random *rand.Rand) (*Dataset, error) {
	n, k := opt.Vertices, opt.Communities
	width := k * attributesOfOne
	if float64(n)*float64(width) > maxAttributes {
		return nil, fmt.Errorf("%d vertices of %d communities have %.0f attributes, more than %d", n, k,
			float64(n)*float64(width), maxAttributes)
	}
	// Position i lies in community i*k/n; a permutation gives positions to vertices.
	vertexAt := random.Perm(n)
	first := func(c int) int { return (c*n + k - 1) / k }
	draw := func(c int) int32 {
		from, to := first(c), first(c+1)
		return int32(vertexAt[from+powerLawRank(random.Float64(), to-from)])
	}
	var arcs graph.ArcList
	edges := int(math.Round(float64(n) * opt.Degree / 2))
	arcs.From, arcs.To = make([]int32, edges), make([]int32, edges)
	for e := range edges {
		c := random.IntN(n) * k / n
		arcs.From[e] = draw(c)
		if random.Float64() < strangers {
			c = random.IntN(n) * k / n
		}
		arcs.To[e] = draw(c)
	}
	b, err := graph.FromArcs([]int32{0, int32(n)}, arcs, graph.BuildOptions{DropSelfLoops: true})
	if err != nil {
		return nil, err
	}
	d := &Dataset{Batch: b, Task: NodeClassification, VertexClasses: make([]int, n), ClassNames: codeNames(firstCodes(k))}
	for i, v := range vertexAt {
		d.VertexClasses[v] = i * k / n
	}
	b.AttributeDim, b.Attributes = width, make([]float64, n*width)
	for v, c := range d.VertexClasses {
		row := b.Attribute(int32(v))
		for j := range row {
			x := random.NormFloat64()
			if j/attributesOfOne == c {
				x += signal
			}
			row[j] = math.Round(100*x) / 100
		}
	}
	order, train, part := random.Perm(n), n/10, n/20
	if part > 0 {
		fold := Fold{order[:train], order[train : train+part], order[train+part : train+2*part]}
		for _, of := range [][]int{fold.Train, fold.Validation, fold.Test} {
			slices.Sort(of)
		}
		d.Splits = []Split{{"random", fold}}
	}
	return d, nil
}

// powerLawRank returns a rank below n for a number u in [0, 1), drawn by weights (rank + 1)^(-a): expected degrees in
// proportion to them have a power law with exponent 1 + 1/a. The sum of the weights is taken for an integral.
func powerLawRank(u float64, n int) int {
	const b = 1 - 1/(tailExponent-1)
	at := math.Pow(1+u*(math.Pow(float64(n)+1, b)-1), 1/b) - 1
	return min(int(at), n-1)
}
