package graph

// Girths returns the number of arcs of the shortest cycle of every graph, 0 for a graph without
// cycles. A self loop is a cycle of one arc. In an undirected batch going back along the same edge
// is not a cycle, nor are arcs of several types between two vertices; in a directed batch cycles follow
// the arcs.
func (b *Batch) Girths() []int {
	girths := make([]int, b.NumGraphs())
	dist := make([]int32, b.NumVertices())
	parent := make([]int32, b.NumVertices())
	for v := range dist {
		dist[v] = -1
	}
	var queue []int32
	for g := range girths {
		from, to := b.Vertices(g)
		for root := from; root < to; root++ {
			queue = append(queue[:0], root)
			dist[root], parent[root] = 0, -1
			best := girths[g]
			for head := 0; head < len(queue); head++ {
				u := queue[head]
				if best > 0 && 2*int(dist[u]) >= best && !b.Directed {
					break
				}
				for _, v := range b.Neighbors(u) {
					switch {
					case v == u:
						best = 1
					case dist[v] < 0:
						dist[v], parent[v] = dist[u]+1, u
						queue = append(queue, v)
					case b.Directed && v == root:
						best = shorter(best, int(dist[u])+1)
					case !b.Directed && v != parent[u] && parent[v] != u:
						best = shorter(best, int(dist[u]+dist[v])+1)
					}
				}
			}
			girths[g] = best
			for _, v := range queue {
				dist[v] = -1
			}
		}
	}
	return girths
}

func shorter(best, length int) int {
	if best == 0 || length < best {
		return length
	}
	return best
}

// Components returns the connected component of every vertex, arcs taken in both directions, and
// the number of components. Components are numbered by their smallest vertex.
func (b *Batch) Components() (component []int32, count int) {
	parent := make([]int32, b.NumVertices())
	for v := range parent {
		parent[v] = int32(v)
	}
	find := func(v int32) int32 {
		for parent[v] != v {
			parent[v] = parent[parent[v]]
			v = parent[v]
		}
		return v
	}
	for u := range parent {
		for _, v := range b.Neighbors(int32(u)) {
			p, q := find(int32(u)), find(v)
			parent[max(p, q)] = min(p, q)
		}
	}
	component = make([]int32, len(parent))
	for v := range parent {
		if root := find(int32(v)); root == int32(v) {
			component[v] = int32(count)
			count++
		} else {
			component[v] = component[root]
		}
	}
	return component, count
}

// Ball returns the vertices within hops arcs of root in order of distance, then of discovery; the
// root comes first.
func (b *Batch) Ball(root int32, hops int) []int32 {
	seen := map[int32]bool{root: true}
	ball := []int32{root}
	for ring := 0; hops > 0; hops-- {
		end := len(ball)
		for _, u := range ball[ring:end] {
			for _, v := range b.Neighbors(u) {
				if !seen[v] {
					seen[v] = true
					ball = append(ball, v)
				}
			}
		}
		ring = end
	}
	return ball
}

// Isolated returns the number of vertices without an arc to another vertex.
func (b *Batch) Isolated() int {
	count := 0
	for u := range b.NumVertices() {
		alone := true
		for _, v := range b.Neighbors(int32(u)) {
			alone = alone && int(v) == u
		}
		if alone {
			count++
		}
	}
	return count
}

// Bytes returns the memory that the slices of the batch take.
func (b *Batch) Bytes() int {
	return 4*(len(b.Offsets)+len(b.RowPtr)+len(b.Col)+len(b.Labels)+len(b.ArcLabels)+len(b.ArcTypes)) +
		8*(len(b.Attributes)+len(b.ArcWeights))
}
