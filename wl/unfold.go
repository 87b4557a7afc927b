package wl

import "github.com/grove-graph/grove/graph"

// Vertices returns the vertices that have a colour after some rounds, ascending.
func (c *Colouring) Vertices(round int, colour int32) []int32 {
	var vertices []int32
	for v, of := range c.Of[round] {
		if of == colour {
			vertices = append(vertices, int32(v))
		}
	}
	return vertices
}

// Ball returns the vertices within some steps of a vertex along the arcs that refinement follows, nearest first, with
// their distances: those that its colour after as many rounds depends on.
func (m *Model) Ball(b *graph.Batch, vertex int32, rounds int) (vertices []int32, distance []int) {
	out, in := m.opt.follow(b)
	seen := map[int32]bool{vertex: true}
	vertices, distance = []int32{vertex}, []int{0}
	for at := 0; at < len(vertices) && distance[at] < rounds; at++ {
		for _, a := range []*arcs{out, in} {
			for _, w := range a.of(vertices[at]) {
				if !seen[w] {
					seen[w] = true
					vertices, distance = append(vertices, w), append(distance, distance[at]+1)
				}
			}
		}
	}
	return vertices, distance
}

// Tree is the rooted tree that a colour stands for: node 0 is the root, and the children of a node are the neighbours
// that it sees. A vertex may stand for several nodes, as a walk may come back.
type Tree struct {
	Parent []int   // of every node, -1 for the root
	Vertex []int32 // a vertex of the batch that stands for each node
	Depth  []int   // steps from the root
}

// Tree unfolds the graph around a vertex to the tree that its colour after some rounds stands for, in the order of
// depth. A tree of more than limit nodes is cut there, and complete is false.
func (m *Model) Tree(b *graph.Batch, vertex int32, rounds, limit int) (tree *Tree, complete bool) {
	out, in := m.opt.follow(b)
	tree = &Tree{Parent: []int{-1}, Vertex: []int32{vertex}, Depth: []int{0}}
	for node := 0; node < len(tree.Vertex) && tree.Depth[node] < rounds; node++ {
		for _, a := range []*arcs{out, in} {
			for _, w := range a.of(tree.Vertex[node]) {
				if len(tree.Vertex) >= limit {
					return tree, false
				}
				tree.Parent = append(tree.Parent, node)
				tree.Vertex = append(tree.Vertex, w)
				tree.Depth = append(tree.Depth, tree.Depth[node]+1)
			}
		}
	}
	return tree, true
}
