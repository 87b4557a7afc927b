package wl

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

// curves returns the curve of every colour of every round for coefficients of the fitted graphs; nil weights are ones.
func curves(rounds []*index, weights [][]float64, coef []float64) [][]curve {
	out := make([][]curve, len(rounds))
	var sorted []posting
	var runs []level
	for t, x := range rounds {
		out[t] = make([]curve, len(x.ptr)-1)
		for c := range out[t] {
			w := 1.0
			if weights != nil {
				w = weights[t][c]
			}
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
