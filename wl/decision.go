package wl

import (
	"context"
	"fmt"

	"github.com/grove-graph/grove/graph"
	"gorgonia.org/tensor"
)

// curve is what occurrences of a colour add to sum_j coef_j k(x, x_j): a piecewise linear function of how many
// vertices of x have the colour, which is 0 at 0. The l-th vertex adds w S_l, where S_l is the sum of coef_j over the
// graphs with at least l of them.
type curve []piece

// piece says that every vertex up to the given count adds slope, from the end of the piece before on; beyond the
// last piece nothing is added.
type piece struct {
	count int32
	slope float64
}

// at returns the value for a number of vertices.
func (c curve) at(count int32) float64 {
	value, from := 0.0, int32(0)
	for _, p := range c {
		value += p.slope * float64(min(count, p.count)-from)
		if count <= p.count {
			break
		}
		from = p.count
	}
	return value
}

// curves returns the curve of every colour of every round for coefficients of the fitted graphs.
func curves(rounds []*index, weights [][]float64, coef []float64) [][]curve {
	out := make([][]curve, len(rounds))
	var sorted []posting
	var runs []level
	for t, x := range rounds {
		out[t] = make([]curve, len(x.ptr)-1)
		for c := range out[t] {
			w := weights[t][c]
			if w == 0 {
				continue
			}
			sorted = append(sorted[:0], x.of(int32(c))...)
			descend(sorted)
			runs = levels(runs[:0], sorted, coef)
			for r := len(runs) - 1; r >= 0; r-- {
				out[t][c] = append(out[t][c], piece{sorted[runs[r].end-1].count, w * runs[r].sum})
			}
		}
	}
	return out
}

// Decisions returns the decision values of the learned machines for the graphs of b, NumGraphs of b x problems: with
// two classes one column that speaks for the second class where it is positive, with more a column for each class.
func (d *Deep) Decisions(ctx context.Context, b *graph.Batch, progress Progress) (*tensor.Dense, error) {
	c, err := d.model.refinement.apply(ctx, b, d.model.engine.Workers(), progress)
	if err != nil {
		return nil, err
	}
	rounds := c.histograms()
	self := make([]float64, b.NumGraphs())
	addSelf(self, Assignment, rounds, nil)
	for t, h := range rounds {
		rounds[t] = h.below(d.model.train[t].columns)
	}
	return d.decide(rounds, d.model.factors(self)), nil
}

// FittedDecisions is [Deep.Decisions] for some of the graphs that the model was fitted on, by number.
func (d *Deep) FittedDecisions(graphs []int) (*tensor.Dense, error) {
	factors := d.model.uniformFactors()
	rounds, picked := make([]*histograms, len(d.model.train)), make([]float64, 0, len(graphs))
	for _, g := range graphs {
		if g < 0 || g >= d.model.NumGraphs() {
			return nil, fmt.Errorf("graph %d: the model has %d graphs, counted from 0", g, d.model.NumGraphs())
		}
		if factors != nil {
			picked = append(picked, factors[g])
		}
	}
	for t, h := range d.model.train {
		rounds[t] = h.pick(graphs)
	}
	if factors == nil {
		picked = nil
	}
	return d.decide(rounds, picked), nil
}

// decide computes factor sum_c curve_c(count_c) - bias for every graph and problem.
func (d *Deep) decide(rounds []*histograms, factors []float64) *tensor.Dense {
	n, problems := rounds[0].graphs(), len(d.problems)
	out := matrix(n, problems)
	values := out.Float64s()
	for k, p := range d.problems {
		for g := range n {
			sum := 0.0
			for t, h := range rounds {
				for e := h.rowPtr[g]; e < h.rowPtr[g+1]; e++ {
					sum += p.curves[t][h.colour[e]].at(h.count[e])
				}
			}
			if factors != nil {
				sum *= factors[g]
			}
			values[g*problems+k] = sum - p.bias
		}
	}
	return out
}

// Choose returns the class that decision values speak for: of two classes the second one where the value is not
// negative, of more the first with the largest value.
func (d *Deep) Choose(decisions *tensor.Dense) []int {
	problems := len(d.problems)
	values := decisions.Float64s()
	out := make([]int, len(values)/problems)
	for g := range out {
		row := values[g*problems : (g+1)*problems]
		best := 0
		if problems == 1 {
			if row[0] >= 0 {
				best = 1
			}
		} else {
			for k, v := range row {
				if v > row[best] {
					best = k
				}
			}
		}
		out[g] = d.classes[best]
	}
	return out
}
