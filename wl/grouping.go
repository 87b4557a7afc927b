package wl

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"

	"github.com/grove-graph/grove/parallel"
)

// grouping is k-means over the nodes of a hierarchy: the point of a node is the vector of its occurrences in the
// objects, as it stands, and points are compared by squared Euclidean distance. Nodes of one shape are one point
// of their number; nodes that do not occur are left out.
type grouping struct {
	*hierarchy
	squares []float64 // squared length of each shape, 0 for that of nodes that do not occur
	k       int
	centres []float64 // objects x k: those of one object beside each other
	lengths []float64 // squared, of the centres

	cluster  []int32 // of each shape, -1 for that of nodes that do not occur
	distance []float64
	inertia  []float64 // sum of squared distances of all nodes after each assignment
}

const (
	maxLloyd   = 300  // iterations; they end with the first that changes nothing
	shapeChunk = 1024 // shapes of a piece of parallel work
)

// newGrouping returns k-means into k clusters, at most one for each shape, before its first iteration.
func newGrouping(t *hierarchy, k int) *grouping {
	g := &grouping{hierarchy: t, squares: make([]float64, len(t.nodes))}
	points := 0
	for s := range g.squares {
		for _, p := range t.of(s) {
			g.squares[s] += float64(p.count) * float64(p.count)
		}
		if g.squares[s] > 0 {
			points++
		}
	}
	g.k = min(k, points)
	g.centres, g.lengths = make([]float64, t.objects*g.k), make([]float64, g.k)
	g.cluster, g.distance = make([]int32, len(t.nodes)), make([]float64, len(t.nodes))
	for s := range g.cluster {
		g.cluster[s] = -1
	}
	return g
}

// seed draws the shapes of the first centres by k-means++ (Arthur and Vassilvitskii, SODA 2007).
func (g *grouping) seed(seed uint64) []int32 {
	rng := rand.New(rand.NewPCG(seed, 0x6b6d))
	weight := make([]float64, len(g.nodes)) // number of nodes times squared distance to the nearest centre
	for s, n := range g.nodes {
		if g.squares[s] > 0 {
			weight[s] = float64(n)
		}
	}
	chosen := make([]int32, 0, g.k)
	centre := make([]float64, g.objects)
	for len(chosen) < g.k {
		at := draw(weight, rng.Float64())
		chosen = append(chosen, int32(at))
		clear(centre)
		for _, p := range g.of(at) {
			centre[p.graph] = float64(p.count)
		}
		first := len(chosen) == 1
		parallel.Chunks(g.workers, len(weight), shapeChunk, func(from, to int) {
			for s := from; s < to; s++ {
				dot := 0.0
				for _, p := range g.of(s) {
					dot += float64(p.count) * centre[p.graph]
				}
				w := float64(g.nodes[s]) * max(g.squares[s]+g.squares[at]-2*dot, 0)
				if g.squares[s] > 0 && (first || w < weight[s]) {
					weight[s] = w
				}
			}
		})
	}
	return chosen
}

// draw returns the first position with a weight at which the sum of the weights reaches the given part of that of all.
func draw(weights []float64, part float64) int {
	total := 0.0
	for _, w := range weights {
		total += w
	}
	sum, last := 0.0, 0
	for i, w := range weights {
		if w > 0 {
			if sum, last = sum+w, i; sum >= part*total {
				break
			}
		}
	}
	return last
}

// run makes Lloyd iterations from centres at the given shapes until nothing changes its cluster.
func (g *grouping) run(ctx context.Context, start []int32) error {
	for c, s := range start {
		for _, p := range g.of(int(s)) {
			g.centres[int(p.graph)*g.k+c] = float64(p.count)
		}
	}
	for range maxLloyd {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !g.assign() {
			break
		}
		g.update()
	}
	return nil
}

// assign gives every shape its nearest centre, the first of equals, and reports whether any is another than before.
func (g *grouping) assign() (changed bool) {
	clear(g.lengths)
	for o := range g.objects {
		for c, v := range g.centres[o*g.k : (o+1)*g.k] {
			g.lengths[c] += v * v
		}
	}
	before := slices.Clone(g.cluster)
	parallel.Each(g.workers, (len(g.nodes)+shapeChunk-1)/shapeChunk, func() func(int) {
		dots := make([]float64, g.k)
		return func(chunk int) {
			for s := chunk * shapeChunk; s < min((chunk+1)*shapeChunk, len(g.nodes)); s++ {
				if g.squares[s] > 0 {
					g.cluster[s], g.distance[s] = g.nearest(s, dots)
				}
			}
		}
	})
	sum := 0.0
	for s, d := range g.distance {
		sum += float64(g.nodes[s]) * d
	}
	g.inertia = append(g.inertia, sum)
	return !slices.Equal(before, g.cluster)
}

// nearest returns the nearest centre of a shape and its squared distance. dots is scratch space.
func (g *grouping) nearest(s int, dots []float64) (cluster int32, distance float64) {
	clear(dots)
	for _, p := range g.of(s) {
		count := float64(p.count)
		for c, v := range g.centres[int(p.graph)*g.k : (int(p.graph)+1)*g.k] {
			dots[c] += count * v
		}
	}
	best, least := 0, g.lengths[0]-2*dots[0]
	for c, dot := range dots {
		if d := g.lengths[c] - 2*dot; d < least {
			best, least = c, d
		}
	}
	return int32(best), max(g.squares[s]+least, 0)
}

// update moves every centre to the mean of its nodes.
func (g *grouping) update() {
	members := g.fill()
	clear(g.centres)
	for s, n := range g.nodes {
		if c := int(g.cluster[s]); c >= 0 {
			for _, p := range g.of(s) {
				g.centres[int(p.graph)*g.k+c] += float64(n) * float64(p.count)
			}
		}
	}
	for o := range g.objects {
		for c, m := range members {
			g.centres[o*g.k+c] /= m
		}
	}
}

// fill gives every empty cluster the shape farthest from its centre, the first of equals, from clusters of
// several shapes, and returns the number of nodes of each cluster.
func (g *grouping) fill() (members []float64) {
	members = make([]float64, g.k)
	shapes := make([]int, g.k)
	for s, c := range g.cluster {
		if c >= 0 {
			members[c] += float64(g.nodes[s])
			shapes[c]++
		}
	}
	for c := range members {
		if shapes[c] > 0 {
			continue
		}
		far := -1
		for s, old := range g.cluster {
			if old >= 0 && shapes[old] > 1 && (far < 0 || g.distance[s] > g.distance[far]) {
				far = s
			}
		}
		old, n := g.cluster[far], float64(g.nodes[far])
		members[old], shapes[old] = members[old]-n, shapes[old]-1
		members[c], shapes[c] = n, 1
		g.cluster[far], g.distance[far] = int32(c), 0
	}
	return members
}

// groupNodes clusters the nodes of a hierarchy and makes the clusters its kernels.
func (t *hierarchy) groupNodes(ctx context.Context, k int, seed uint64) error {
	g := newGrouping(t, k)
	if g.k == 0 {
		return errors.New("the graphs have no vertices whose colours could be grouped")
	}
	if err := g.run(ctx, g.seed(seed)); err != nil {
		return err
	}
	t.group, t.groups = g.cluster, g.k
	return nil
}
