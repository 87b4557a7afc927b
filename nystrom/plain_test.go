package nystrom_test

import (
	"math"

	"github.com/grove-graph/grove/nystrom"
)

// plain is spherical k-means as docs/conventions.md, 12, reads, without any shortcut.
type plain struct {
	x       [][][]float64 // point, position, element
	weights []float64
	total   float64
}

func newPlain(points nystrom.Points) *plain {
	d := points.Table.Shape()[1]
	values := float64s(points.Table)
	s := &plain{}
	for i := range points.Len() {
		point := make([][]float64, points.Size)
		for j := range point {
			row := i
			if points.Rows != nil {
				row = int(points.Rows[i*points.Size+j])
			}
			point[j] = values[row*d : (row+1)*d]
		}
		s.x = append(s.x, point)
		w := 1.0
		if points.Weights != nil {
			w = points.Weights[i]
		}
		s.weights = append(s.weights, w)
		s.total += w
	}
	return s
}

func similarity(x, y [][]float64) (sum float64) {
	for j := range x {
		for e := range x[j] {
			sum += x[j][e] * y[j][e]
		}
	}
	return sum
}

func search(steps []float64, target float64) int {
	sum := 0.0
	for i, s := range steps {
		if sum += s; sum >= target {
			return i
		}
	}
	return len(steps) - 1
}

func (s *plain) plusPlus(k int, draw func() float64) []int {
	chosen := []int{search(s.weights, draw()*s.total)}
	distances := func(y int) (out []float64, sum float64) {
		for i, x := range s.x {
			d := max(0, 2*(float64(len(x))-similarity(x, s.x[y])))
			for _, c := range chosen {
				if c != y {
					d = min(d, max(0, 2*(float64(len(x))-similarity(x, s.x[c]))))
				}
			}
			out = append(out, d*s.weights[i])
			sum += out[i]
		}
		return out, sum
	}
	for len(chosen) < k {
		now, potential := distances(chosen[0])
		best, bestPotential := -1, math.Inf(1)
		var candidates []int
		for range 2 + int(math.Log(float64(k))) {
			candidates = append(candidates, search(now, draw()*potential))
		}
		for _, c := range candidates {
			if _, with := distances(c); with < bestPotential {
				best, bestPotential = c, with
			}
		}
		chosen = append(chosen, best)
	}
	return chosen
}

func (s *plain) assign(z [][][]float64) (assignment []int32, best []float64, objective float64) {
	for i, x := range s.x {
		f, sim := 0, math.Inf(-1)
		for g := range z {
			if v := similarity(x, z[g]); v > sim {
				f, sim = g, v
			}
		}
		assignment, best = append(assignment, int32(f)), append(best, sim)
		objective += s.weights[i] * sim / s.total
	}
	return assignment, best, objective
}

func (s *plain) lloyd(
	start []int, iterations int, tolerance float64,
) (z [][][]float64, assignment []int32, objectives []float64, final float64) {
	for _, i := range start {
		var anchor [][]float64
		for _, v := range s.x[i] {
			anchor = append(anchor, append([]float64(nil), v...))
		}
		z = append(z, anchor)
	}
	previous := math.Inf(1)
	for range iterations {
		assignment, best, objective := s.assign(z)
		objectives = append(objectives, objective)
		for f := range z {
			s.update(z[f], int32(f), assignment, best)
		}
		if math.Abs(previous-objective)/math.Abs(objective) < tolerance {
			break
		}
		previous = objective
	}
	assignment, _, final = s.assign(z)
	return z, assignment, objectives, final
}

func (s *plain) update(z [][]float64, f int32, assignment []int32, best []float64) {
	members := 0
	for j := range z {
		mean, mass := make([]float64, len(z[j])), 0.0
		for i, g := range assignment {
			if g == f {
				members++
				mass += s.weights[i]
				for e, v := range s.x[i][j] {
					mean[e] += s.weights[i] * v
				}
			}
		}
		if members == 0 {
			break
		}
		square := 0.0
		for e := range mean {
			mean[e] /= mass
			square += mean[e] * mean[e]
		}
		for e := range mean {
			z[j][e] = mean[e] / max(math.Sqrt(square), 1e-4)
		}
	}
	if members > 0 {
		return
	}
	lowest := 0
	for i, b := range best {
		if b < best[lowest] {
			lowest = i
		}
	}
	best[lowest] = 1
	for j := range z {
		copy(z[j], s.x[lowest][j])
	}
}
