package layout

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/spatial/r2"
)

// majorise lowers the stress of points in place until no vertex moves by more than tolerance in a
// pass, or for the given number of passes. One step puts vertex i at the minimum of the quadratic that
// bounds the stress from above and touches it at the current positions,
//
//	x_i = sum_j w_ij (x_j + t_ij (x_i - x_j)/|x_i - x_j|) / sum_j w_ij
//
// (Gansner, Koren and North, Eq. 11), vertices in order, each seeing the moves before it; so the
// stress never rises.
func majorise(points []r2.Vec, springs [][]spring, passes int, tolerance float64) {
	for range passes {
		moved := 0.0
		for i, list := range springs {
			p := points[i]
			var x, y, total float64
			for _, s := range list {
				q := points[s.to]
				dx, dy := p.X-q.X, p.Y-q.Y
				pull := 0.0
				if d := math.Sqrt(dx*dx + dy*dy); d > 1e-9 {
					pull = s.length / d
				}
				x += s.weight * (q.X + pull*dx)
				y += s.weight * (q.Y + pull*dy)
				total += s.weight
			}
			if total == 0 {
				continue
			}
			next := r2.Vec{X: x / total, Y: y / total}
			moved = max(moved, math.Abs(next.X-p.X), math.Abs(next.Y-p.Y))
			points[i] = next
		}
		if moved < tolerance {
			return
		}
	}
}

// stress returns the weighted sum of squared deviations from the targets.
func stress(points []r2.Vec, springs [][]spring) float64 {
	sum := 0.0
	for i, list := range springs {
		for _, s := range list {
			d := r2.Norm(r2.Sub(points[i], points[s.to])) - s.length
			sum += s.weight * d * d
		}
	}
	return sum / 2
}

// fullLayout minimises the stress over all pairs from several starts and keeps the clearest result.
func (c *component) fullLayout() []r2.Vec {
	n := c.size()
	path := c.pathSprings()
	final := path
	var rings [][]int32
	if c.molecular() {
		rings = c.rings()
		final = c.formulaSprings(rings)
	}
	starts := 1
	switch m := c.numEdges(); {
	case n <= 3:
	case m <= 90:
		starts = 16
	case m <= 250:
		starts = 6
	}
	if starts == 1 {
		points := c.pivotStart(n)
		majorise(points, path, 300, 1e-3)
		majorise(points, final, 300, 1e-3)
		return points
	}
	var best []r2.Vec
	var bestScore score
	consider := func(points []r2.Vec) {
		if s := c.scoreOf(points, final); best == nil || s.better(bestScore) {
			best, bestScore = slices.Clone(points), s
		}
	}
	for attempt := range starts {
		var points []r2.Vec
		if attempt == 0 {
			points = c.pivotStart(n)
		} else {
			points = scatter(n, uint64(attempt))
		}
		majorise(points, path, 300, 1e-3)
		if c.molecular() {
			if attempt == 0 && c.numEdges() == n-1 {
				consider(points) // a bushy tree has too many leaves for the angles of a formula
			}
			majorise(points, final, 600, 1e-4)
			if c.untwist(points) {
				majorise(points, final, 600, 1e-4)
			}
			if flat := flatRings(rings, attempt); len(flat) < len(rings) && c.metals == nil {
				bridged := slices.Clone(points)
				majorise(bridged, c.formulaSprings(flat), 600, 1e-4)
				consider(bridged)
			}
		}
		consider(points)
		if attempt == 0 && bestScore.faults == 0 && !c.molecular() {
			break
		}
	}
	return best
}

// scatter places n vertices at random in a square of their number's area.
func scatter(n int, stream uint64) []r2.Vec {
	random := rand.New(rand.NewPCG(20240229, stream))
	side := math.Sqrt(float64(n))
	points := make([]r2.Vec, n)
	for i := range points {
		points[i] = r2.Vec{X: side * random.Float64(), Y: side * random.Float64()}
	}
	return points
}
