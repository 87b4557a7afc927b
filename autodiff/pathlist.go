package autodiff

import "github.com/grove-graph/grove/graph"

// pathList lists the paths of a layer one by one. Those of one length follow those of another, and all channels that
// enter the layer share them.
type pathList struct {
	lengths []int
	paths   [][]int32 // of each length: the vertices of one path after those of another
	first   [][]int   // of each length: the number of the first path from every root, and of all
}

// listPaths lists the paths of a layer from some vertices; nil: from all.
func listPaths(layer *Layer, b *graph.Batch, roots []int32) *pathList {
	pooling := layer.pooling()
	m := &pathList{lengths: pooling.Lengths()}
	m.paths, m.first = make([][]int32, len(m.lengths)), make([][]int, len(m.lengths))
	mark := func() {
		for i, j := range m.lengths {
			m.first[i] = append(m.first[i], len(m.paths[i])/j)
		}
	}
	if roots == nil {
		roots = ascending(b.NumVertices())[:b.NumVertices()]
	}
	for _, u := range roots {
		mark()
		b.Visit(layer.Route, u, layer.Size, func(path []int32) {
			if i := len(path) - m.lengths[0]; i >= 0 {
				m.paths[i] = append(m.paths[i], path...)
			}
		})
	}
	mark()
	return m
}

// count returns the number of paths.
func (m *pathList) count() int {
	n := 0
	for i, j := range m.lengths {
		n += len(m.paths[i]) / j
	}
	return n
}
