package mkl

import (
	"context"
	"math"
)

// descent is the state of [hulls.minimise].
type descent struct {
	*hulls
	*point
	accepted float64 // gap at which to stop, relative to the value
	step     float64 // of the next gradient projection

	trial                   []float64 // a point to go to
	toward, towardTimes     []float64 // direction d and H d
	inner, innerTimes       []float64 // sum of the steps within a face, and H times it
	residual, way, wayTimes []float64 // of conjugate gradients
}

const (
	maxRounds      = 1000 // of projections and conjugate gradients
	maxProjections = 20   // gradient projections of a round
	patience       = 25   // rounds without a gap of half the smallest before, after which rounding rules
	maxConjugate   = 2000 // steps within a face
	farthest       = 1e4  // from the simplices that a point to be projected may lie, so that the projection is exact
)

// minimise finds the minimum by gradient projections, which find the face, and conjugate gradients within
// it (Moré and Toraldo, SIAM J. Optimization 1, 1991, for simplices in place of a box). It needs products
// with the kernel matrix alone. It stops where the gap is at most tolerance times the value, or where
// rounding lets it shrink no further.
func (h *hulls) minimise(ctx context.Context, tolerance float64) (*point, error) {
	n := len(h.labels)
	h.signed = make([]float64, n)
	d := &descent{hulls: h, point: h.start(), accepted: tolerance}
	for _, x := range []*[]float64{
		&d.trial, &d.toward, &d.towardTimes, &d.inner, &d.innerTimes, &d.residual, &d.way, &d.wayTimes,
	} {
		*x = make([]float64, n)
	}
	h.refresh(d.point)
	smallest, since := math.Inf(1), 0
	for round := 0; round < maxRounds && !d.done() && since < patience; round++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		d.projections()
		if d.done() {
			break
		}
		if d.conjugate() {
			d.follow()
		} else {
			d.search()
		}
		h.refresh(d.point)
		if since++; d.gap < smallest/2 {
			smallest, since = d.gap, 0
		}
	}
	return d.point, nil
}

func (d *descent) done() bool { return d.gap <= d.accepted*d.value }

// projections makes steps along the gradient, each projected onto the simplices, until the face stays.
func (d *descent) projections() {
	if d.step == 0 {
		d.firstStep()
	}
	for range maxProjections {
		free, value := d.free(), d.value
		for i, q := range d.slope {
			d.trial[i] = q - d.mean[d.class(i)]
		}
		step := min(d.step, farthest/largest(d.trial))
		for i, q := range d.trial {
			d.trial[i] = d.gamma[i] - step*q
		}
		if !d.advance() {
			return
		}
		if d.free() == free || value-d.value < 1e-3*value {
			return
		}
	}
}

// firstStep sets the step to the best one within the face.
func (d *descent) firstStep() {
	copy(d.toward, d.slope)
	d.restrict(d.toward, d.gamma)
	d.times(d.towardTimes, d.toward)
	d.step = 1
	if curve := dot(d.toward, d.towardTimes); curve > 0 {
		d.step = dot(d.toward, d.toward) / curve
	}
}

// advance goes from gamma towards the projection of trial, as far as f decreases, and reports whether it
// does at all. The curvature on the way gives the next step.
func (d *descent) advance() bool {
	t, _ := d.look()
	if t == 0 {
		return false
	}
	if curve := dot(d.toward, d.towardTimes); curve > 0 {
		d.step = dot(d.toward, d.toward) / curve
	}
	d.accept(t)
	return true
}

// look projects trial and returns how far to go towards it, at most 1, and by how much f then decreases.
func (d *descent) look() (t, drop float64) {
	d.project(d.trial)
	for i, x := range d.trial {
		d.toward[i] = x - d.gamma[i]
	}
	fall := -dot(d.toward, d.slope)
	if !(fall > 0) {
		return 0, 0
	}
	d.times(d.towardTimes, d.toward)
	curve := dot(d.toward, d.towardTimes)
	t = 1
	if curve > fall {
		t = fall / curve
	}
	return t, 2*t*fall - t*t*curve
}

// accept goes where look looked.
func (d *descent) accept(t float64) {
	for i := range d.gamma {
		d.gamma[i] += t * d.toward[i]
		d.slope[i] += t * d.towardTimes[i]
	}
	if t == 1 {
		copy(d.gamma, d.trial) // with its zeros
	}
	d.measure(d.point)
}

// free returns the number of objects with gamma > 0.
func (d *descent) free() int {
	count := 0
	for _, g := range d.gamma {
		if g > 0 {
			count++
		}
	}
	return count
}

// conjugate looks for the minimum within the face by conjugate gradients from gamma and reports whether the
// way there, in inner, stays in the simplices. A way that leaves them is not followed to its end.
func (d *descent) conjugate() (inside bool) {
	for i, q := range d.slope {
		d.residual[i] = -q
	}
	d.restrict(d.residual, d.gamma)
	copy(d.way, d.residual)
	clear(d.inner)
	clear(d.innerTimes)
	square, best := dot(d.residual, d.residual), 0.0
	inside = true
	for range maxConjugate {
		if largest(d.residual) <= d.accepted*d.value/8 {
			break // the gap within the face is half of what is accepted
		}
		d.times(d.wayTimes, d.way)
		curve := dot(d.way, d.wayTimes)
		if !(curve > 0) {
			break
		}
		t := square / curve
		for i, x := range d.way {
			d.inner[i] += t * x
			d.innerTimes[i] += t * d.wayTimes[i]
			d.residual[i] -= t * d.wayTimes[i]
		}
		drop := t * square
		best = max(best, drop)
		inside = d.insideWith(d.inner)
		if !inside && drop < 0.1*best || drop < 1e-26*d.value {
			break
		}
		d.restrict(d.residual, d.gamma)
		before := square
		square = dot(d.residual, d.residual)
		for i, r := range d.residual {
			d.way[i] = r + square/before*d.way[i]
		}
	}
	return inside
}

func largest(x []float64) float64 {
	most := 0.0
	for _, v := range x {
		most = max(most, math.Abs(v))
	}
	return most
}

func (d *descent) insideWith(step []float64) bool {
	for i, g := range d.gamma {
		if g+step[i] < 0 {
			return false
		}
	}
	return true
}

// follow goes to the end of inner.
func (d *descent) follow() {
	for i, x := range d.inner {
		d.gamma[i] += x
	}
}

// search goes along inner to the border of the simplices, or along the projection of inner, or of the largest
// half, quarter, ... of it that leads downwards, whichever is lower.
func (d *descent) search() {
	border, at := 1.0, -1
	for i, x := range d.inner {
		if d.gamma[i]+border*x < 0 {
			border, at = d.gamma[i]/-x, i
		}
	}
	lower := -2*border*dot(d.inner, d.slope) - border*border*dot(d.inner, d.innerTimes)
	for t := 1.0; t > 1e-3; t /= 2 {
		for i, x := range d.inner {
			d.trial[i] = d.gamma[i] + t*x
		}
		if best, drop := d.look(); best > 0 {
			if drop > lower {
				d.accept(best)
				return
			}
			break
		}
	}
	for i, x := range d.inner {
		d.gamma[i] = max(d.gamma[i]+border*x, 0)
	}
	if at >= 0 {
		d.gamma[at] = 0
	}
}
