package graph

import (
	"maps"
	"slices"

	"github.com/grove-graph/grove/parallel"
)

// counter counts paths through classes of twins.
type counter struct {
	*Twins
	path []int32 // classes of the current path

	visits   float64 // of classes that are the last but one
	prefixes float64 // paths without their last vertex
}

// paths returns the number, at most MaxPaths, of paths on from a vertex of class c as the j-th, after those that path
// begins with; times paths begin so.
func (n *counter) paths(j int, c int32, times float64) int64 {
	path := n.path[:j]
	path[j-1] = c
	switch len(n.path) - j {
	case 0:
		return 1
	case 1:
		n.visits++
		n.prefixes += times
		return int64(n.Ways(path))
	}
	total := int64(0)
	for _, d := range n.Next(c) {
		if left := int64(n.Left(path, d)); left > 0 {
			paths := min(n.paths(j+1, d, times*float64(left)), MaxPaths/left+1) // their product does not overflow
			total = min(total+left*paths, MaxPaths)
		}
	}
	return total
}

// wanted is a path that is still to be found.
type wanted struct {
	at     int   // its place among the output
	before int64 // paths with the same beginning that come before it
}

// findByClass finds paths whose first vertices are in out already, in the order of their numbers.
func (x *PathIndex) findByClass(out []int32, all []wanted, workers int) {
	roots := map[int32][]wanted{}
	for _, w := range all {
		c := x.twins.Class[out[w.at*x.size]]
		roots[c] = append(roots[c], w)
	}
	classes := slices.Sorted(maps.Keys(roots))
	parallel.Each(workers, len(classes), func() func(int) {
		f := finder{x: x, count: counter{Twins: x.twins, path: make([]int32, x.size)}, out: out,
			place: make([]int32, len(x.twins.First))}
		return func(i int) { f.find(1, classes[i], roots[classes[i]]) }
	})
}

// finder finds paths by number whose vertices so far, which are in out, have the same classes: it counts those that go
// on through a class once for all of them.
type finder struct {
	x     *PathIndex
	count counter
	out   []int32
	place []int32 // of each class among those next to one
}

// soFar returns the first j vertices of a path.
func (f *finder) soFar(w wanted, j int) []int32 { return f.out[w.at*f.x.size:][:j] }

// find finds the paths that are wanted, whose j-th vertices are of class c. Those that begin alike stand together, in
// ascending order.
func (f *finder) find(j int, c int32, all []wanted) {
	path := f.count.path[:j]
	path[j-1] = c
	if j == f.x.size {
		return
	}
	next := f.x.twins.Next(c)
	through := make([]int64, len(next)) // paths through each vertex of these classes
	for i, d := range next {
		f.place[d] = int32(i)
		if f.x.twins.Left(path, d) > 0 {
			through[i] = f.count.paths(j+1, d, 0)
		}
	}
	on := make([][]wanted, len(next))
	for len(all) > 0 {
		alike, vertices := 1, f.soFar(all[0], j)
		for alike < len(all) && slices.Equal(f.soFar(all[alike], j), vertices) {
			alike++
		}
		some, before := all[:alike], int64(0)
		all = all[alike:]
		for _, u := range f.x.b.Neighbors(vertices[j-1]) {
			if contains(vertices, u) {
				continue
			}
			i := f.place[f.x.twins.Class[u]]
			upTo := before + through[i]
			for ; len(some) > 0 && some[0].before < upTo; some = some[1:] {
				f.soFar(some[0], j+1)[j] = u
				on[i] = append(on[i], wanted{some[0].at, some[0].before - before})
			}
			if before = upTo; len(some) == 0 {
				break
			}
		}
	}
	for i, some := range on {
		if len(some) > 0 {
			f.find(j+1, next[i], some)
		}
	}
}
