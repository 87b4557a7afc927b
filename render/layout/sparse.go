package layout

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/spatial/r2"
)

const (
	sparsePivots = 100 // pivots of the sparse stress model
	siblings     = 8   // sampled pairs of neighbours per neighbour
)

// sparseLayout minimises the sparse stress of a large component: the edges, every vertex to every
// pivot, weighted by how many vertices the pivot stands for (M. Ortmann, M. Klimenta and U.
// Brandes, A Sparse Stress Model, 2016), and sampled pairs of neighbours of the same vertex, which
// the pivots cannot tell apart where they are leaves.
func (c *component) sparseLayout() []r2.Vec {
	n := c.size()
	vertices, lengths := c.pivots(sparsePivots)
	points := scale(lengths[:min(len(lengths), 64)], n)

	springs := make([][]spring, n)
	for u, row := range c.neighbours {
		for _, v := range row {
			t := c.edgeLength(int32(u), v)
			springs[u] = append(springs[u], spring{v, t, 1 / (t * t)})
		}
	}
	c.addPivots(springs, vertices, lengths)
	c.addSiblings(springs)
	majorise(points, springs, 150, 2e-3)
	return points
}

// addPivots adds the terms to the pivots. The weight of vertex u and pivot p is s/t^2, where t is
// their distance and s counts the vertices of p's region within t/2 of p.
func (c *component) addPivots(springs [][]spring, vertices []int32, lengths [][]float64) {
	region := make([][]float64, len(vertices)) // distances to the pivot within its region
	for v := range springs {
		best := 0
		for k := range vertices {
			if lengths[k][v] < lengths[best][v] {
				best = k
			}
		}
		region[best] = append(region[best], lengths[best][v])
	}
	for k, p := range vertices {
		slices.Sort(region[k])
		for u := range springs {
			t := lengths[k][u]
			if int32(u) == p || c.adjacent(int32(u), p) {
				continue
			}
			near, _ := slices.BinarySearch(region[k], math.Nextafter(t/2, t))
			springs[u] = append(springs[u], spring{p, t, float64(near) / (t * t)})
		}
	}
}

func (c *component) addSiblings(springs [][]spring) {
	random := rand.New(rand.NewPCG(20240229, 1))
	for mid, row := range c.neighbours {
		if len(row) < 3 {
			continue
		}
		for _, u := range row {
			for range siblings {
				v := row[random.IntN(len(row))]
				if u == v || c.adjacent(u, v) {
					continue
				}
				t := c.edgeLength(u, int32(mid)) + c.edgeLength(int32(mid), v)
				weight := max(1, float64(len(row))/(2*siblings)) / (t * t) // for the pairs not sampled
				springs[u] = append(springs[u], spring{v, t, weight})
				springs[v] = append(springs[v], spring{u, t, weight})
			}
		}
	}
}
