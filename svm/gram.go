package svm

const gatherRows = 256 // rows collected for one matrix product

// activeGram is the sum of z_i z_i' over a set of rows, brought up to date by the rows that enter
// and leave. Only the lower triangle has a meaning.
type activeGram struct {
	space  *space
	sum    []float64 // p x p
	in     []bool
	buffer []float64
}

func newActiveGram(s *space) *activeGram {
	return &activeGram{
		space: s, sum: make([]float64, s.p*s.p), in: make([]bool, s.n),
		buffer: make([]float64, min(gatherRows, s.n)*s.p),
	}
}

// update makes the sum that of the active rows, actives of them.
func (g *activeGram) update(active []bool, actives int) {
	if differences(active, g.in) > actives {
		clear(g.sum)
		clear(g.in)
	}
	g.apply(active, true)
	g.apply(active, false)
}

// apply adds the rows that enter, or subtracts those that leave.
func (g *activeGram) apply(active []bool, enter bool) {
	p, held := g.space.p, 0
	sign := -1.0
	if enter {
		sign = 1
	}
	for i, a := range active {
		if a == enter && g.in[i] != enter {
			g.in[i] = enter
			copy(g.buffer[held*p:], g.space.row(i))
			held++
			if held == gatherRows {
				addGram(g.space.workers, true, p, held, sign, g.buffer, p, g.sum, p)
				held = 0
			}
		}
	}
	addGram(g.space.workers, true, p, held, sign, g.buffer[:held*p], p, g.sum, p)
}

// differences counts the rows that are in one set only.
func differences(a, b []bool) int {
	count := 0
	for i := range a {
		if a[i] != b[i] {
			count++
		}
	}
	return count
}
