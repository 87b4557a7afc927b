package wl

import "slices"

// Largest returns the largest value of the kernel, that of a fitted graph with itself.
func (m *Model) Largest() float64 {
	if m.opt.Normalise {
		return 1
	}
	return slices.Max(append(m.self(m.train), 0))
}

// self returns the self-values of graphs: sum_t sum_c a_tc^2 (Subtree) or sum_t sum_c w_tc a_tc (Assignment), where nil
// weights are ones and colours beyond the weights have none.
func (m *Model) self(rounds []*histograms) []float64 {
	sums := make([]float64, rounds[0].graphs())
	m.addSelf(sums, rounds, 0, len(rounds))
	return sums
}

// addSelf adds what the rounds from to to-1 contribute to the self-values.
func (m *Model) addSelf(sums []float64, rounds []*histograms, from, to int) {
	for t := from; t < to; t++ {
		h := rounds[t]
		for g := range sums {
			for e := h.rowPtr[g]; e < h.rowPtr[g+1]; e++ {
				a := float64(h.count[e])
				switch {
				case m.opt.Kernel == Subtree:
					a *= a
				case m.weights != nil && int(h.colour[e]) < len(m.weights[t]):
					a *= m.weights[t][h.colour[e]]
				case m.weights != nil:
					a = 0
				}
				sums[g] += a
			}
		}
	}
}
