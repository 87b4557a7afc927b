package layout

import (
	"math"

	"gonum.org/v1/gonum/spatial/r2"
)

// untwist puts the vertices of rings that cross themselves, a valley of the stress that it does not leave, on regular
// polygons, and reports whether there were any.
func (c *component) untwist(points []r2.Vec) (found bool) {
	for _, ring := range c.rings() {
		if convex(points, ring) {
			continue
		}
		found = true
		c.polygon(points, ring)
	}
	return found
}

// convex reports whether a way around some points turns in one direction alone.
func convex(points []r2.Vec, ring []int32) bool {
	left, right := false, false
	for i, v := range ring {
		p, q := points[ring[(i+1)%len(ring)]], points[ring[(i+2)%len(ring)]]
		turn := r2.Cross(r2.Sub(p, points[v]), r2.Sub(q, p))
		left, right = left || turn > 0, right || turn < 0
	}
	return !left || !right
}

// polygon puts the vertices of a ring on a regular polygon with sides of length 1 around their mean, its first vertex
// with neighbours elsewhere on the side where it was, in the direction that moves them less.
func (c *component) polygon(points []r2.Vec, ring []int32) {
	k := len(ring)
	var centre r2.Vec
	first := 0
	for i, v := range ring {
		centre = r2.Add(centre, r2.Scale(1/float64(k), points[v]))
		if len(c.neighbours[v]) > 2 && len(c.neighbours[ring[first]]) == 2 {
			first = i
		}
	}
	from := r2.Sub(points[ring[first]], centre)
	start, radius := math.Atan2(from.Y, from.X), 1/(2*math.Sin(math.Pi/float64(k)))
	var best []r2.Vec
	least := math.Inf(1)
	for _, direction := range [2]float64{1, -1} {
		placed, moved := make([]r2.Vec, k), 0.0
		for i := range ring {
			sin, cos := math.Sincos(start + direction*2*math.Pi*float64(i-first)/float64(k))
			placed[i] = r2.Add(centre, r2.Vec{X: radius * cos, Y: radius * sin})
			moved += r2.Norm2(r2.Sub(placed[i], points[ring[i]]))
		}
		if moved < least {
			best, least = placed, moved
		}
	}
	for i, v := range ring {
		points[v] = best[i]
	}
}
