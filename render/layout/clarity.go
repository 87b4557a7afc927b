package layout

import (
	"math"

	"gonum.org/v1/gonum/spatial/r2"
)

// score says how clear a layout is: first the number of faults, then the stress.
type score struct {
	faults int
	stress float64
}

func (s score) better(t score) bool {
	if s.faults != t.faults {
		return s.faults < t.faults
	}
	return s.stress < t.stress*(1-1e-6)
}

// scoreOf counts crossings of edges, vertices on top of edges that are not theirs, and vertices on top of each other.
func (c *component) scoreOf(points []r2.Vec, springs [][]spring) score {
	return score{c.faults(points), stress(points, springs)}
}

// faults counts what is wrong with a drawing. Of a fan its line counts, which may go over its group.
func (c *component) faults(points []r2.Vec) (faults int) {
	edges := c.lines()
	for i, e := range edges {
		for _, f := range edges[:i] {
			if e[0] != f[0] && e[0] != f[1] && e[1] != f[0] && e[1] != f[1] && !c.over(e, f) && !c.over(f, e) &&
				cross(points[e[0]], points[e[1]], points[f[0]], points[f[1]]) {
				faults++
			}
		}
		for v, p := range points {
			if v := int32(v); v != e[0] && v != e[1] && !c.isMiddle(v) && !c.inFan(v, e) &&
				distanceToSegment(p, points[e[0]], points[e[1]]) < 0.35 {
				faults++
			}
		}
	}
	for i, p := range points {
		for j, q := range points[:i] {
			if r2.Norm(r2.Sub(p, q)) < Gap && (!c.isMiddle(int32(i)) || !c.adjacent(int32(i), int32(j))) {
				faults++
			}
		}
	}
	return faults
}

// lines returns what is drawn between vertices, the line of a fan to its middle.
func (c *component) lines() (edges [][2]int32) {
	for u, row := range c.neighbours {
		for _, v := range row {
			if int(v) > u && (!c.isMiddle(v) || c.metals[u]) {
				edges = append(edges, [2]int32{int32(u), v})
			}
		}
	}
	return edges
}

// inFan reports whether a vertex is of the group of a fan whose line is e.
func (c *component) inFan(v int32, e [2]int32) bool { return c.isMiddle(e[1]) && c.adjacent(e[1], v) }

// over reports whether e is the line of a fan that f is a bond of, or leads away from.
func (c *component) over(e, f [2]int32) bool { return c.inFan(f[0], e) && c.inFan(f[1], e) }

// cross reports whether the segments a b and p q cross.
func cross(a, b, p, q r2.Vec) bool {
	side := func(u, v, w r2.Vec) bool { return r2.Cross(r2.Sub(v, u), r2.Sub(w, u)) > 0 }
	return side(a, b, p) != side(a, b, q) && side(p, q, a) != side(p, q, b)
}

// distanceToSegment returns the distance from p to the segment a b.
func distanceToSegment(p, a, b r2.Vec) float64 {
	along := r2.Sub(b, a)
	t := r2.Dot(r2.Sub(p, a), along) / max(r2.Norm2(along), 1e-12)
	t = math.Min(1, math.Max(0, t))
	return r2.Norm(r2.Sub(p, r2.Add(a, r2.Scale(t, along))))
}
