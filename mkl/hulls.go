package mkl

import (
	"math"
	"slices"
)

// hulls is the problem of the nearest points of the convex hulls of two classes, with a ridge:
//
//	minimise f(gamma) = gamma' H gamma  over gamma >= 0 that sums to 1 over each class,
//	H = factor Y K Y + ridge I.
type hulls struct {
	labels        []float64 // +1 or -1
	kernel        func(dst, z []float64)
	factor, ridge float64
	signed        []float64 // scratch: Y gamma
}

// times computes dst = H x.
func (h *hulls) times(dst, x []float64) {
	for i, y := range h.labels {
		h.signed[i] = y * x[i]
	}
	h.kernel(dst, h.signed)
	for i, y := range h.labels {
		dst[i] = h.factor*y*dst[i] + h.ridge*x[i]
	}
}

// class returns 0 for the label +1 and 1 for -1.
func (h *hulls) class(i int) int {
	if h.labels[i] > 0 {
		return 0
	}
	return 1
}

// point is a point of the two simplices.
type point struct {
	gamma []float64
	slope []float64 // H gamma, half the gradient
	value float64   // f
	gap   float64   // f - minimum <= gap, up to rounding

	mean [2]float64 // of the slope over each class, weighted by gamma: the multipliers at the minimum
}

// start returns the centre of the simplices.
func (h *hulls) start() *point {
	n := len(h.labels)
	p := &point{gamma: make([]float64, n), slope: make([]float64, n)}
	var size [2]float64
	for i := range n {
		size[h.class(i)]++
	}
	for i := range n {
		p.gamma[i] = 1 / size[h.class(i)]
	}
	return p
}

// refresh computes the slope anew, and what follows from it.
func (h *hulls) refresh(p *point) {
	h.times(p.slope, p.gamma)
	h.measure(p)
}

// measure computes what follows from gamma and slope. The gap comes from the tangent: f lies above it, and
// it is least at a corner of the simplices.
func (h *hulls) measure(p *point) {
	least := [2]float64{math.Inf(1), math.Inf(1)}
	p.mean = [2]float64{}
	for i, q := range p.slope {
		c := h.class(i)
		p.mean[c] += p.gamma[i] * q
		least[c] = min(least[c], q)
	}
	p.value = p.mean[0] + p.mean[1]
	p.gap = 2 * (p.mean[0] - least[0] + p.mean[1] - least[1])
}

// project replaces x by the nearest point of the simplices: every class is shifted by the same amount and
// clipped at 0.
func (h *hulls) project(x []float64) {
	var classes [2][]float64
	for i, v := range x {
		c := h.class(i)
		classes[c] = append(classes[c], v)
	}
	var shift [2]float64
	for c, class := range classes {
		slices.Sort(class)
		sum := 0.0
		for k := len(class) - 1; k >= 0; k-- {
			sum += class[k]
			shift[c] = (sum - 1) / float64(len(class)-k)
			if k > 0 && class[k-1] <= shift[c] {
				break
			}
		}
	}
	for i, v := range x {
		x[i] = max(v-shift[h.class(i)], 0)
	}
}

// restrict projects x onto the directions within the face of gamma: they leave zeros and sums as they are.
func (h *hulls) restrict(x, gamma []float64) {
	var sum, size [2]float64
	for i := range x {
		if gamma[i] > 0 {
			c := h.class(i)
			sum[c] += x[i]
			size[c]++
		}
	}
	for i := range x {
		if gamma[i] > 0 {
			c := h.class(i)
			x[i] -= sum[c] / size[c]
		} else {
			x[i] = 0
		}
	}
}
