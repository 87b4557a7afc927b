package engine

import (
	"math"
	"slices"

	"gorgonia.org/tensor"
)

// PathPoolGrad implements [Engine] by visiting every route twice. With f(p) the kernel value of a route
// p = (p_1, ..., p_j) from u, G the gradient of the output of u and n its norm, the derivatives are
//
//	d/d s_i(p_i) += scale_j G n w(p) f(p),   d/d n += G sum over p of w(p) f(p),
//
// where w(p) is 1 for a sum, 1 divided by the number of routes for a mean, and for a maximum 1 for the
// first route that attains it and 0 for the others.
func (Reference) PathPoolGrad(scoreGrad, normGrad *tensor.Dense, outGrad []*tensor.Dense, scores, norms *tensor.Dense,
	p *PathPooling) error {
	q, err := CheckPathPoolGrad(scoreGrad, normGrad, outGrad, scores, norms, p)
	if err != nil {
		return err
	}
	table, scoreSum := values(scores), make([]float64, scores.DataSize())
	norm, normSum := slices.Repeat([]float64{1}, scores.Shape()[0]), make([]float64, scores.Shape()[0])
	if norms != nil {
		norm = values(norms)
	}
	row := func(v int32) int {
		if p.Index == nil {
			return int(v)
		}
		return int(p.Index[v])
	}
	for i, j := range p.Lengths() {
		scale, shift := p.Kernel.Scale(j)
		at := func(v int32, position, f int) int { return (row(v)*p.Size+position)*q + f }
		kernel := func(route []int32, f int) float64 {
			sum := 0.0
			for position, v := range route {
				sum += table[at(v, position, f)]
			}
			return math.Exp(scale*sum + shift)
		}
		outputs := values(outGrad[i])
		for r := range outGrad[i].Shape()[0] {
			root := int32(r)
			if p.Roots != nil && p.Roots[i] != nil {
				root = p.Roots[i][r]
			}
			visit := func(body func(route []int32)) {
				if p.Graph == nil {
					body([]int32{root})
					return
				}
				p.Graph.Visit(p.Route, root, j, func(route []int32) {
					if len(route) == j {
						body(route)
					}
				})
			}
			count := 0
			largest, first := make([]float64, q), make([]int, q) // of each filter: the maximum and its first route
			visit(func(route []int32) {
				for f := range q {
					if value := kernel(route, f); count == 0 || value > largest[f] {
						largest[f], first[f] = value, count
					}
				}
				count++
			})
			number := 0
			visit(func(route []int32) {
				for f := range q {
					weight := outputs[r*q+f]
					switch {
					case p.Pool == Mean:
						weight /= float64(count)
					case p.Pool == Max && first[f] != number:
						continue
					}
					value := weight * kernel(route, f)
					normSum[row(root)] += value
					for position, v := range route {
						scoreSum[at(v, position, f)] += scale * norm[row(root)] * value
					}
				}
				number++
			})
		}
	}
	store(scoreGrad, scoreSum)
	if normGrad != nil {
		store(normGrad, normSum)
	}
	return nil
}
