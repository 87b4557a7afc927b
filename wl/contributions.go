package wl

import (
	"context"
	"fmt"
	"slices"

	"github.com/grove-graph/grove/graph"
)

// Contributions splits the decision sum_j coef_j k(x, x_j) of every graph x of b over its vertices: those of a graph
// add up to its decision, to which a bias comes on top. coef holds a coefficient of each fitted graph, as a support
// vector machine on [Model.Gram] has them. All vertices of a colour carry the same share of what the colour adds.
func (m *Model) Contributions(ctx context.Context, b *graph.Batch, coef []float64) ([]float64, error) {
	if len(coef) != m.NumGraphs() {
		return nil, fmt.Errorf("%d coefficients of %d graphs", len(coef), m.NumGraphs())
	}
	coef = slices.Clone(coef)
	for g, r := range m.factors(m.self(m.train)) {
		coef[g] *= r
	}
	return m.split(ctx, b, m.added(coef))
}

// added returns the function that says what some occurrences of a fitted colour add to sum_j coef_j k(x, x_j), before
// normalisation.
func (m *Model) added(coef []float64) func(t int, colour, count int32) float64 {
	if m.opt.Kernel == Assignment {
		curves := curves(m.index(), m.weights, coef)
		return func(t int, colour, count int32) float64 { return curves[t][colour].at(count) }
	}
	slopes := byRound(m, func(int) float64 { return 0 })
	for t, h := range m.train {
		for g := range h.graphs() {
			for e := h.rowPtr[g]; e < h.rowPtr[g+1]; e++ {
				slopes[t][h.colour[e]] += coef[g] * float64(h.count[e])
			}
		}
	}
	return func(t int, colour, count int32) float64 { return slopes[t][colour] * float64(count) }
}

// split distributes what the fitted colours add over the vertices of b, normalised by self-values.
func (m *Model) split(
	ctx context.Context, b *graph.Batch, added func(t int, colour, count int32) float64,
) ([]float64, error) {
	c, err := m.Colours(ctx, b)
	if err != nil {
		return nil, err
	}
	rounds := c.histograms()
	factors := m.factors(m.self(rounds))
	out := make([]float64, b.NumVertices())
	for t, h := range rounds {
		share := make([]float64, h.columns) // of a vertex of each colour in the graph at hand
		for g := range h.graphs() {
			for e := h.rowPtr[g]; e < h.rowPtr[g+1]; e++ {
				colour, count := h.colour[e], h.count[e]
				share[colour] = 0
				if int(colour) < c.Known[t] {
					share[colour] = added(t, colour, count) / float64(count)
				}
				if factors != nil {
					share[colour] *= factors[g]
				}
			}
			for v := b.Offsets[g]; v < b.Offsets[g+1]; v++ {
				out[v] += share[c.Of[t][v]]
			}
		}
	}
	return out, nil
}
