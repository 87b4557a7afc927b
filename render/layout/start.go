package layout

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/spatial/r2"
)

// pivots returns k vertices that lie far apart, each next one farthest from those before it, and the
// lengths of shortest paths from them to every vertex, as k rows.
func (c *component) pivots(k int) (vertices []int32, lengths [][]float64) {
	n := c.size()
	nearest := make([]float64, n)
	for v := range nearest {
		nearest[v] = math.Inf(1)
	}
	search := newShortest(c)
	next := int32(0)
	for len(vertices) < min(k, n) {
		row := append([]float64(nil), search.from(next)...)
		vertices = append(vertices, next)
		lengths = append(lengths, row)
		for v, length := range row {
			nearest[v] = min(nearest[v], length)
			if nearest[v] > nearest[next] {
				next = int32(v)
			}
		}
	}
	return vertices, lengths
}

// pivotStart is pivot multidimensional scaling (U. Brandes and C. Pich, Eigensolver Methods for
// Progressive Multidimensional Scaling of Large Data, 2006): with C the doubly centred n x k matrix
// of squared distances to k pivots, positions are C times the two leading eigenvectors of C'C,
// scaled to fit the distances. With all vertices as pivots it is classical scaling. A small seeded
// offset separates vertices with equal distances to all pivots.
func (c *component) pivotStart(k int) []r2.Vec {
	_, lengths := c.pivots(min(k, 64))
	return scale(lengths, c.size())
}

func scale(lengths [][]float64, n int) []r2.Vec {
	k := len(lengths)
	centred := mat.NewDense(n, k, nil)
	rowMean := make([]float64, n)
	mean := 0.0
	for j, row := range lengths {
		columnMean := 0.0
		for i, t := range row {
			columnMean += t * t / float64(n)
			rowMean[i] += t * t / float64(k)
		}
		for i, t := range row {
			centred.Set(i, j, t*t-columnMean)
		}
		mean += columnMean / float64(k)
	}
	for i := range n {
		for j := range k {
			centred.Set(i, j, -(centred.At(i, j)-rowMean[i]+mean)/2)
		}
	}
	var product mat.SymDense
	product.SymOuterK(1, centred.T())
	var eigen mat.EigenSym
	if !eigen.Factorize(&product, true) || k < 2 {
		return scatter(n, 0)
	}
	var vectors, projected mat.Dense
	eigen.VectorsTo(&vectors)
	projected.Mul(centred, vectors.Slice(0, k, k-2, k))

	points := make([]r2.Vec, n)
	random := rand.New(rand.NewPCG(20240229, 0))
	for i := range points {
		points[i] = r2.Vec{X: projected.At(i, 1), Y: projected.At(i, 0)}
	}
	// Least squares for the one factor that turns projected distances into path lengths is not worth
	// a second pass over the pairs: comparing the largest extents is close enough for a start.
	lo, hi := bounds(points)
	longest := 0.0
	for _, row := range lengths {
		for _, t := range row {
			longest = max(longest, t)
		}
	}
	factor := longest / max(hi.X-lo.X, hi.Y-lo.Y, 1e-12)
	for i, p := range points {
		points[i] = r2.Vec{X: p.X*factor + 0.1*random.Float64(), Y: p.Y*factor + 0.1*random.Float64()}
	}
	return points
}
