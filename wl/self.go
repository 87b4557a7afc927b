package wl

import "slices"

// Largest returns the largest value of the kernel, that of a fitted graph with itself.
func (m *Model) Largest() float64 { return m.largest(nil) }

// Largest returns the largest value of the kernel, that of a fitted graph with itself.
func (d *Deep) Largest() float64 { return d.model.largest(d.weights) }

func (m *Model) largest(weights [][]float64) float64 {
	if m.opt.Normalise {
		return 1
	}
	self := make([]float64, m.NumGraphs())
	addSelf(self, m.opt.Kernel, m.train, weights)
	return slices.Max(append(self, 0))
}

// addSelf adds the self-values of the graphs in some rounds: sum_t sum_c a_c^2 (Subtree) or sum_t sum_c w_tc a_c, where
// nil weights are ones and colours beyond the weights have none.
func addSelf(sums []float64, kernel Kernel, rounds []*histograms, weights [][]float64) {
	for t, h := range rounds {
		for g := range sums {
			for e := h.rowPtr[g]; e < h.rowPtr[g+1]; e++ {
				a := float64(h.count[e])
				switch {
				case kernel == Subtree:
					a *= a
				case weights != nil && int(h.colour[e]) < len(weights[t]):
					a *= weights[t][h.colour[e]]
				case weights != nil:
					a = 0
				}
				sums[g] += a
			}
		}
	}
}
