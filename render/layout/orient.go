package layout

import (
	"math"

	"gonum.org/v1/gonum/spatial/r2"
)

// orient turns the component about its centre so that it reads well: the long side lies horizontal,
// and in a structural formula the bonds lie at 30, 90 and 150 degrees as near to that as possible.
func (c *component) orient(points []r2.Vec) {
	centre := r2.Vec{}
	for _, p := range points {
		centre = r2.Add(centre, r2.Scale(1/float64(len(points)), p))
	}
	for i := range points {
		points[i] = r2.Sub(points[i], centre)
	}
	if !c.molecular() || len(points) > fullStress {
		turn(points, -longAxis(points))
		return
	}
	// The directions of bonds modulo 60 degrees, averaged on the circle, give the turn up to a multiple
	// of 60 degrees; of those the flattest box wins.
	var cos, sin float64
	for u, row := range c.neighbours {
		for _, v := range row {
			if c.isMiddle(int32(u)) || c.isMiddle(v) {
				continue
			}
			d := r2.Sub(points[v], points[u])
			angle := 6 * math.Atan2(d.Y, d.X)
			cos += math.Cos(angle)
			sin += math.Sin(angle)
		}
	}
	turn(points, math.Pi/6-math.Atan2(sin, cos)/6)
	best, flattest := 0, math.Inf(1)
	for k := range 3 {
		lo, hi := bounds(points)
		if height := hi.Y - lo.Y; height < flattest-1e-3 {
			best, flattest = k, height
		}
		turn(points, math.Pi/3)
	}
	turn(points, -math.Pi+float64(best)*math.Pi/3)
}

func turn(points []r2.Vec, angle float64) {
	sin, cos := math.Sincos(angle)
	for i, p := range points {
		points[i] = r2.Vec{X: cos*p.X - sin*p.Y, Y: sin*p.X + cos*p.Y}
	}
}

// longAxis returns the angle of the direction in which centred points spread most.
func longAxis(points []r2.Vec) float64 {
	var xx, xy, yy float64
	for _, p := range points {
		xx += p.X * p.X
		xy += p.X * p.Y
		yy += p.Y * p.Y
	}
	return math.Atan2(2*xy, xx-yy) / 2
}
