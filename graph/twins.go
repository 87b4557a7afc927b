package graph

import (
	"math/bits"
	"slices"
)

// Twins are vertices of a graph that are the same to all paths: those of a class have the same neighbours, each other
// aside, and the same label. So paths come in classes as well. From a vertex of class c_1 there are
//
//	prod_{i>1} (vertices of c_i that are not among the first i-1 of the path)
//
// paths through the classes c_1, c_2, ..., whenever each is next to the one before. Where many vertices are twins, as
// in a group of people who all know each other, paths can be counted that are far too many to be visited.
//
// Twins of directed batches and of those with several arc types are not looked for: every vertex is a class.
type Twins struct {
	Class []int32 // of each vertex; numbered by first vertex
	First []int32 // first vertex of each class, ascending
	Size  []int32 // vertices of each class

	from, next []int32 // see Next: those of class c are next[from[c]:from[c+1]]
	around     []int32 // vertices of these classes, all arcs counted
	back       bool    // a path can always go back, by one arc
}

// Next returns the classes that a path can go on to from a vertex of class c, ascending: c itself if its vertices are
// adjacent, and a class twice if there are arcs of two types.
func (t *Twins) Next(c int32) []int32 { return t.next[t.from[c]:t.from[c+1]] }

// Arcs returns the number of arcs from a vertex of class c to another one of class d.
func (t *Twins) Arcs(c, d int32) int { return countSorted(t.Next(c), d) }

// Left returns how many vertices of class d are not on a path through the given classes.
func (t *Twins) Left(path []int32, d int32) int {
	left := t.Size[d]
	for _, c := range path {
		if c == d {
			left--
		}
	}
	return int(left)
}

// Ways returns the number of arcs by which a path through the given classes can go on.
func (t *Twins) Ways(path []int32) int {
	c := path[len(path)-1]
	ways := int(t.around[c])
	for i, d := range path {
		if i == len(path)-2 && t.back {
			ways--
			continue
		}
		ways -= t.Arcs(c, d)
	}
	return ways
}

// Twins groups the vertices for paths of up to size vertices. label holds an id for each vertex; nil means that all are
// alike. Up to two vertices there is nothing to be saved, and every vertex is a class.
func (b *Batch) Twins(label []int32, size int) *Twins {
	n := b.NumVertices()
	t := &Twins{Class: make([]int32, n), from: make([]int32, 1, n+1), next: make([]int32, 0, len(b.Col)),
		back: !b.Directed && b.ArcTypes == nil}
	if size > 2 && t.back {
		t.group(b, label)
	} else {
		for v := range t.Class {
			t.Class[v], t.First, t.Size = int32(v), append(t.First, int32(v)), append(t.Size, 1)
		}
	}
	for c, v := range t.First {
		from, around, own := len(t.next), int32(0), false
		for _, w := range b.Neighbors(v) {
			switch d := t.Class[w]; {
			case w == v, d == int32(c) && own, d != int32(c) && w != t.First[d]:
				// a self loop, or a class that is there: who is next to one of them is next to all
			default:
				t.next, around, own = append(t.next, d), around+t.Size[d], own || d == int32(c)
			}
		}
		if own { // where its twin is; the others are in the order of their first vertices
			slices.Sort(t.next[from:])
		}
		t.from, t.around = append(t.from, int32(len(t.next))), append(t.around, around)
	}
	return t
}

// group puts the vertices into classes. It knows those of a graph by hashes of the neighbours of their vertices without
// and with a vertex itself: twins that are not adjacent have the same neighbours without, others with.
func (t *Twins) group(b *Batch, label []int32) {
	type entry struct {
		hash  uint64
		class int32 // 1 + that of the hash; 0: none
	}
	var table []entry
	for g := range b.NumGraphs() {
		from, to := b.Vertices(g)
		places := 1 << bits.Len(uint(4*(to-from))) // twice as many as there are hashes, at least
		table = slices.Grow(table[:0], places)[:places]
		clear(table)
		at := func(hash uint64) *entry {
			for i := hash; ; i++ {
				if e := &table[i&uint64(places-1)]; e.class == 0 || e.hash == hash {
					return e
				}
			}
		}
		for v := from; v < to; v++ {
			without := uint64(0)
			if label != nil {
				without = mixed(uint64(label[v]))
			}
			for _, w := range b.Neighbors(v) {
				if w != v {
					without += mixed(uint64(w))
				}
			}
			hashes := [...]uint64{without, without + mixed(uint64(v))}
			c := int32(-1)
			for _, hash := range hashes {
				if e := at(hash); e.class > 0 && b.twins(v, t.First[e.class-1], label) {
					c = e.class - 1
				}
			}
			if c < 0 {
				c = int32(len(t.First))
				t.First, t.Size = append(t.First, v), append(t.Size, 0)
				for _, hash := range hashes {
					*at(hash) = entry{hash, c + 1}
				}
			}
			t.Class[v] = c
			t.Size[c]++
		}
	}
}

// twins reports whether two vertices have the same label and, each other aside, the same neighbours.
func (b *Batch) twins(u, v int32, label []int32) bool {
	if label != nil && label[u] != label[v] {
		return false
	}
	x, y := b.Neighbors(u), b.Neighbors(v)
	for {
		for len(x) > 0 && (x[0] == u || x[0] == v) {
			x = x[1:]
		}
		for len(y) > 0 && (y[0] == u || y[0] == v) {
			y = y[1:]
		}
		if len(x) == 0 || len(y) == 0 {
			return len(x) == len(y)
		}
		if x[0] != y[0] {
			return false
		}
		x, y = x[1:], y[1:]
	}
}
