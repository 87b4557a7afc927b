// Package layout finds positions for the vertices of one graph, for a drawing that people read.
//
//	at := layout.Place(b, 3, layout.Formula{})
//	x, y := at.Points[0].X, at.Points[0].Y
//
// Every connected component is laid out by stress majorisation (E. Gansner, Y. Koren and S. North,
// Graph Drawing by Stress Majorization, 2004): positions x minimise
//
//	sum over pairs i, j of w_ij (|x_i - x_j| - t_ij)^2
//
// where t_ij is the distance the pair should have. In a sparse graph of small degree, as a molecule
// is one, t follows the geometry of a structural formula: rings are regular polygons, chains zigzag
// at 120 degrees, see target.go. Elsewhere t is the length of a shortest path. Up to [fullStress]
// vertices all pairs count; beyond it a sparse model with pivots keeps time and memory linear.
//
// The start is pivot multidimensional scaling, small components also try seeded random starts and
// keep the one with the fewest crossings. Then vertices that are too close are pushed apart,
// components are turned (bonds at multiples of 30 degrees, or the long side horizontal) and packed in
// rows. Nothing depends on time, map order or the number of processors: the same graph gives the
// same positions.
package layout

import (
	"math"
	"slices"

	"github.com/grove-graph/grove/graph"
	"gonum.org/v1/gonum/spatial/r2"
)

const (
	// Gap is the smallest distance between two vertices in a finished layout, where an edge has
	// length about 1.
	Gap = 0.62

	// fullStress is the number of vertices up to which a component's stress counts all pairs: at 400
	// one pass is 160 000 terms, a drawing stays well under a second.
	fullStress = 400

	// foldPath is the number of vertices from which a component that is a bare path is folded into
	// rows instead of drawn as one thin line.
	foldPath = 40
)

// Layout is the result: a position for every vertex, in units of an edge's length, y upwards.
type Layout struct {
	Points   []r2.Vec // one per vertex of the graph
	Min, Max r2.Vec   // corners of the smallest box that holds all points; zero where there are none
	Closest  float64  // smallest distance between two vertices, at least Gap and at most 1
}

// Place lays out graph g of a batch. It panics where g is not a graph of the batch.
func Place(b *graph.Batch, g int, formula Formula) Layout {
	from, to := b.Vertices(g)
	points := make([]r2.Vec, to-from)
	var blocks []block
	var isolated []int32
	for _, c := range components(b, g) {
		c.straight, c.metals = of(formula.Straight, c.vertices), of(formula.Metals, c.vertices)
		if c.size() == 1 {
			isolated = append(isolated, c.vertices[0])
			continue
		}
		blocks = append(blocks, newBlock(c.vertices, c.place()))
	}
	if len(isolated) > 0 {
		blocks = append(blocks, newBlock(isolated, gridOf(len(isolated))))
	}
	pack(points, blocks)
	l := Layout{Points: points, Closest: 1}
	l.Min, l.Max = bounds(points)
	for _, d := range nearestDistances(points, 1) {
		l.Closest = min(l.Closest, d)
	}
	return l
}

// place lays out one connected component of two or more vertices.
func (c *component) place() []r2.Vec {
	n := c.size()
	if order := c.pathOrder(); order != nil && n >= foldPath {
		return fold(order)
	}
	if n > 3 && c.numEdges() == n*(n-1)/2 {
		return circle(identity(n), max(Gap*1.05, min(1, 6/float64(n)))) // large complete graphs need no more
	}
	if order := c.cycleOrder(); order != nil {
		points := circle(order, 1)
		c.orient(points)
		return points
	}
	if points := c.star(); points != nil {
		return points
	}
	var points []r2.Vec
	if n <= fullStress {
		c.middle()
		points = c.fullLayout()[:n]
	} else {
		points = c.sparseLayout()
	}
	separate(points, Gap)
	c.orient(points)
	return points
}

// circle places vertices in the given order on a regular polygon, clockwise from the top.
func circle(order []int32, side float64) []r2.Vec {
	n := float64(len(order))
	radius := side / (2 * math.Sin(math.Pi/n))
	points := make([]r2.Vec, len(order))
	for i, v := range order {
		sin, cos := math.Sincos(math.Pi/2 - 2*math.Pi*float64(i)/n)
		points[v] = r2.Vec{X: radius * cos, Y: radius * sin}
	}
	return points
}

// star places a hub with 4 to 40 leaves, the leaves on a circle around it. It returns nil for any
// other component.
func (c *component) star() []r2.Vec {
	n := c.size()
	if n < 5 || n > 41 || c.numEdges() != n-1 {
		return nil
	}
	hub := slices.IndexFunc(c.neighbours, func(row []int32) bool { return len(row) == n-1 })
	if hub < 0 {
		return nil
	}
	leaves := float64(n - 1)
	around := circle(identity(n-1), max(Gap*1.05, 2*math.Sin(math.Pi/leaves)))
	return slices.Insert(around, hub, r2.Vec{})
}

func identity(n int) []int32 {
	order := make([]int32, n)
	for i := range order {
		order[i] = int32(i)
	}
	return order
}

// fold places the vertices of a path, given in the order along it, in rows that run to and fro.
func fold(order []int32) []r2.Vec {
	n := len(order)
	perRow := int(math.Ceil(math.Sqrt(float64(n) * 1.8)))
	points := make([]r2.Vec, n)
	for i, v := range order {
		row, column := i/perRow, i%perRow
		if row%2 == 1 {
			column = perRow - 1 - column
		}
		points[v] = r2.Vec{X: float64(column), Y: -float64(row)}
	}
	return points
}

// gridOf places n isolated vertices on a square grid, row by row.
func gridOf(n int) []r2.Vec {
	columns := int(math.Ceil(math.Sqrt(float64(n) * 1.6)))
	points := make([]r2.Vec, n)
	for i := range points {
		points[i] = r2.Vec{X: float64(i % columns), Y: -float64(i / columns)}
	}
	return points
}

// bounds returns the corners of the smallest box that holds the points.
func bounds(points []r2.Vec) (lo, hi r2.Vec) {
	if len(points) == 0 {
		return r2.Vec{}, r2.Vec{}
	}
	lo, hi = points[0], points[0]
	for _, p := range points[1:] {
		lo = r2.Vec{X: min(lo.X, p.X), Y: min(lo.Y, p.Y)}
		hi = r2.Vec{X: max(hi.X, p.X), Y: max(hi.Y, p.Y)}
	}
	return lo, hi
}
