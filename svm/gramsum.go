package svm

// gramSum adds up z z'.
type gramSum struct {
	p, held int
	buffer  []float64 // rows that wait
	sum     []float64 // nil without rows
}

func newGramSum(p int) *gramSum { return &gramSum{p: p} }

// add takes a row.
func (g *gramSum) add(row []float64) {
	g.buffer = append(g.buffer, row...)
	if g.held++; g.held == gatherRows {
		g.flush()
	}
}

func (g *gramSum) flush() {
	if g.held == 0 {
		return
	}
	if g.sum == nil {
		g.sum = make([]float64, g.p*g.p)
	}
	addGram(1, true, g.p, g.held, 1, g.buffer, g.p, g.sum, g.p)
	g.buffer, g.held = g.buffer[:0], 0
}

// packed returns the lower triangle row by row, nil where no row was taken.
func (g *gramSum) packed() []float64 {
	g.flush()
	if g.sum == nil {
		return nil
	}
	packed := g.sum[:0] // rows move to the front
	for i := range g.p {
		packed = append(packed, g.sum[i*g.p:i*g.p+i+1]...)
	}
	return packed
}
