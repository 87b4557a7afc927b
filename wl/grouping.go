package wl

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/grove-graph/grove/engine"
	"github.com/grove-graph/grove/nystrom"
	"github.com/grove-graph/grove/parallel"
)

// grouping is k-means over the nodes of a hierarchy, as a [nystrom.Partition]: the point of a node is the vector of its
// occurrences in the objects, as it stands, and points are compared by squared Euclidean distance. Nodes of one shape
// are one point of their number; nodes that do not occur are left out. Sums of points are whole numbers.
type grouping struct {
	*hierarchy
	shapes  []int32 // that occur: the points
	vectors nystrom.Vectors
	k       int

	means   nystrom.Means
	members []float64      // nodes of each cluster
	sums    []nystrom.Lane // groups x objects: of the points of each cluster
}

const (
	maxLloyd   = 300  // iterations; they end with the first that changes nothing
	shapeChunk = 1024 // shapes of a piece of parallel work
)

// newGrouping returns k-means into k clusters, at most one for each shape, before its first iteration.
func newGrouping(t *hierarchy, k int) *grouping {
	g := &grouping{hierarchy: t}
	x := &engine.Sparse{Cols: t.objects, RowPtr: []int32{0}}
	for s, n := range t.nodes {
		square := 0.0
		for _, p := range t.of(s) {
			square += float64(p.count) * float64(p.count)
			x.Col, x.Values = append(x.Col, p.graph), append(x.Values, float64(p.count))
		}
		if square == 0 {
			continue
		}
		g.shapes = append(g.shapes, int32(s))
		g.vectors.Squares = append(g.vectors.Squares, square)
		g.vectors.Weights = append(g.vectors.Weights, float64(n))
		x.RowPtr = append(x.RowPtr, int32(len(x.Col)))
	}
	g.vectors.Sparse, g.k = x, min(k, len(g.shapes))
	groups := (g.k + nystrom.Lanes - 1) / nystrom.Lanes
	g.members, g.sums = make([]float64, g.k), make([]nystrom.Lane, groups*t.objects)
	g.means = nystrom.Means{
		K: g.k, Offset: make([]float64, groups*nystrom.Lanes), Table: make([]nystrom.Lane, groups*t.objects),
	}
	return g
}

// seed draws the points of the first centres by k-means++ (Arthur and Vassilvitskii, SODA 2007). It returns them and
// the clusters of all points around them.
func (g *grouping) seed(seed uint64) (chosen, cluster []int32) {
	rng := rand.New(rand.NewPCG(seed, 0x6b6d))
	weight := slices.Clone(g.vectors.Weights) // number of nodes times squared distance to the nearest centre
	cluster = make([]int32, len(weight))
	for len(chosen) < g.k {
		chosen = append(chosen, int32(draw(weight, rng.Float64())))
		g.join(chosen, weight, cluster)
	}
	return chosen, cluster
}

// join moves the points that are nearer to the last of some centres, which are points, to its cluster.
func (g *grouping) join(chosen []int32, weight []float64, cluster []int32) {
	centre := make([]float64, g.objects)
	at := int(chosen[len(chosen)-1])
	_, objects, counts := g.vectors.Row(at)
	for e, o := range objects {
		centre[o] = counts[e]
	}
	parallel.Chunks(g.workers, len(weight), shapeChunk, func(from, to int) {
		for i := from; i < to; i++ {
			dot := 0.0
			_, objects, counts := g.vectors.Row(i)
			for e, o := range objects {
				dot += counts[e] * centre[o]
			}
			w := g.vectors.Weights[i] * (g.vectors.Squares[i] + g.vectors.Squares[at] - 2*dot)
			if len(chosen) == 1 || w < weight[i] {
				weight[i], cluster[i] = w, int32(len(chosen)-1)
			}
		}
	})
}

// draw returns the first position with a weight at which the sum of the weights reaches the given share of that of all.
func draw(weights []float64, share float64) int {
	total := 0.0
	for _, w := range weights {
		total += w
	}
	sum, last := 0.0, 0
	for i, w := range weights {
		if w > 0 {
			if sum, last = sum+w, i; sum >= share*total {
				break
			}
		}
	}
	return last
}

// Vectors implements [nystrom.Partition].
func (g *grouping) Vectors() *nystrom.Vectors { return &g.vectors }

// Means implements [nystrom.Partition].
func (g *grouping) Means() *nystrom.Means { return &g.means }

// Empty implements [nystrom.Partition].
func (g *grouping) Empty() {
	clear(g.members)
	clear(g.sums)
}

// Put implements [nystrom.Partition].
func (g *grouping) Put(point int, cluster int32, times float64) {
	c := int(cluster)
	n := times * g.vectors.Weights[point]
	g.members[c] += n
	_, objects, counts := g.vectors.Row(point)
	sums := g.sums[c/nystrom.Lanes*g.objects:]
	for e, o := range objects {
		sums[o][c%nystrom.Lanes] += n * counts[e]
	}
}

// Update implements [nystrom.Partition].
func (g *grouping) Update() {
	for c := range g.means.Offset {
		if c >= g.k || g.members[c] == 0 {
			g.means.Offset[c] = math.Inf(1)
			continue
		}
		from, lane, square := c/nystrom.Lanes*g.objects, c%nystrom.Lanes, 0.0
		for o := from; o < from+g.objects; o++ {
			v := g.sums[o][lane] / g.members[c]
			g.means.Table[o][lane] = v
			square += v * v
		}
		g.means.Offset[c] = square / 2
	}
}

// run makes Lloyd iterations from given clusters of the points until nothing changes, and returns the clusters. Empty
// ones take the points that are farthest from their centres.
func (g *grouping) run(ctx context.Context, e engine.Engine, start []int32) ([]int32, error) {
	cluster, _, err := nystrom.Lloyd(ctx, e, g, start, nystrom.LloydOptions{Iterations: maxLloyd, Refill: true})
	return cluster, err
}

// groupNodes clusters the nodes of a hierarchy and makes the clusters its kernels.
func (t *hierarchy) groupNodes(ctx context.Context, e engine.Engine, k int, seed uint64) error {
	g := newGrouping(t, k)
	if g.k == 0 {
		return errors.New("the graphs have no vertices whose colours could be grouped")
	}
	_, start := g.seed(seed)
	cluster, err := g.run(ctx, e, start)
	if err != nil {
		return err
	}
	g.share(cluster)
	return nil
}

// share makes the clusters of the points the kernels of the hierarchy.
func (g *grouping) share(cluster []int32) {
	g.groups, g.group = g.k, slices.Repeat([]int32{-1}, len(g.nodes))
	for i, s := range g.shapes {
		g.group[s] = cluster[i]
	}
}
