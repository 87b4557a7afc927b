package layout

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/spatial/r2"
)

// separate makes every two points at least gap apart: the layout grows until most nearest neighbours
// are that far apart, then the closest pairs are pushed, half a move each, pass after pass. What no
// push resolves is settled by growing the rest of the way.
func separate(points []r2.Vec, gap float64) {
	if len(points) < 2 {
		return
	}
	near := nearestDistances(points, gap)
	slices.Sort(near)
	if typical := near[len(near)/5]; typical < gap {
		grow(points, gap/max(typical, gap/4))
	}
	for range 400 {
		if !pushApart(points, gap*1.02) {
			break
		}
	}
	if closest := slices.Min(nearestDistances(points, gap)); closest < gap {
		grow(points, gap/max(closest, 1e-6))
	}
}

func grow(points []r2.Vec, factor float64) {
	for i := range points {
		points[i] = r2.Scale(factor, points[i])
	}
}

// pushApart moves every pair closer than gap to that distance, in order of a grid of cells, and
// reports whether there was one.
func pushApart(points []r2.Vec, gap float64) bool {
	pushed := false
	eachClosePair(points, gap, func(i, j int) {
		along := r2.Sub(points[j], points[i])
		d := r2.Norm(along)
		if d >= gap*(1-1e-9) {
			return
		}
		pushed = true
		var direction r2.Vec
		if d > 1e-6 {
			direction = r2.Scale(1/d, along)
		} else {
			sin, cos := math.Sincos(2.4 * float64(i+j)) // any direction, another one for another pair
			direction = r2.Vec{X: cos, Y: sin}
		}
		move := r2.Scale((gap-d)/2, direction)
		points[i] = r2.Sub(points[i], move)
		points[j] = r2.Add(points[j], move)
	})
	return pushed
}

// nearestDistances returns for every point the distance to its nearest neighbour, or reach where
// there is none within it.
func nearestDistances(points []r2.Vec, reach float64) []float64 {
	near := make([]float64, len(points))
	for i := range near {
		near[i] = reach
	}
	eachClosePair(points, reach, func(i, j int) {
		d := r2.Norm(r2.Sub(points[i], points[j]))
		near[i], near[j] = min(near[i], d), min(near[j], d)
	})
	return near
}

// eachClosePair calls visit for every pair of points in the same or in touching cells of a grid of
// the given spacing; every pair closer than the spacing is among them. Points may move meanwhile.
func eachClosePair(points []r2.Vec, spacing float64, visit func(i, j int)) {
	type cell struct{ x, y int }
	cellOf := func(p r2.Vec) cell {
		return cell{int(math.Floor(p.X / spacing)), int(math.Floor(p.Y / spacing))}
	}
	cells := make(map[cell][]int, len(points))
	for i, p := range points {
		at := cellOf(p)
		cells[at] = append(cells[at], i)
	}
	home := make([]cell, len(points))
	for i, p := range points {
		home[i] = cellOf(p)
	}
	for i, at := range home {
		for dx := -1; dx <= 1; dx++ {
			for dy := -1; dy <= 1; dy++ {
				for _, j := range cells[cell{at.x + dx, at.y + dy}] {
					if j > i {
						visit(i, j)
					}
				}
			}
		}
	}
}
