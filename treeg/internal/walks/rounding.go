package walks

import (
	"math"
	"slices"

	"github.com/grove-graph/grove/parallel"
)

// reach returns a bound of sums along walks, for each vertex: at graph level, of the weight of all walks that
// start there; at vertex level, of the largest weight of the walks that end in one vertex of its graph.
func (d *Data) reach() []float64 {
	n := d.Batch.NumVertices()
	reach, y := slices.Repeat([]float64{1}, n), make([]float64, n)
	for _, o := range d.Operators {
		steps := &o.Out
		if d.Input.Level == Vertices {
			steps = &o.In
		}
		x := slices.Repeat([]float64{1}, n)
		for range d.Length {
			for v := range y {
				sum := 0.0
				for p := steps.ptr[v]; p < steps.ptr[v+1]; p++ {
					if steps.weight == nil {
						sum += x[steps.col[p]]
					} else {
						sum += math.Abs(steps.weight[p]) * x[steps.col[p]]
					}
				}
				y[v] = sum
				reach[v] = max(reach[v], sum)
			}
			x, y = y, x
		}
	}
	if d.Input.Level == Vertices {
		for g := range d.Batch.NumGraphs() {
			from, to := d.Batch.Vertices(g)
			most := 0.0
			for _, r := range reach[from:to] {
				most = max(most, r)
			}
			for v := from; v < to; v++ {
				reach[v] = most
			}
		}
	}
	return reach
}

// chooseGrids fixes the grid of each feature, unless the input has them, and rounds the values.
func (d *Data) chooseGrids() {
	l := d.Input.Features()
	choose := d.Input.FeatureGrids == nil
	if !choose && !d.Demand.Fit {
		d.applyGrids()
		return
	}
	reach := d.reach()
	if choose {
		d.Input.FeatureGrids = make([]Grid, l)
	}
	weighted := d.Weighted()
	parallel.For(d.Engine.Workers(), l, func(k int) {
		bound, largest := 0.0, 0.0
		var buffer []float64
		for s := d.features[k].from; s < d.features[k].to; s++ {
			st := &d.segments[s]
			x, r := d.valuesOf(st, &buffer), reach[st.first:st.first+st.number]
			sum := 0.0
			for i, v := range x {
				a := math.Abs(v)
				if a > largest {
					largest = a
				}
				if d.Input.Level == Vertices && r[i]*a > sum {
					sum = r[i] * a
				} else if d.Input.Level == Graphs && a > 0 {
					sum += r[i] * a
				}
			}
			bound = max(bound, sum)
		}
		g := GridFor(bound)
		exact := g != NoGrid
		if g.coarse(largest) && (weighted || !d.allOn(k, g)) {
			g, exact = NoGrid, false
		}
		if choose {
			d.Input.FeatureGrids[k] = g
		} else if d.Input.FeatureGrids[k] != g {
			g = d.Input.FeatureGrids[k]
			exact = exact && g != NoGrid && int(g) >= int(GridFor(bound))
		}
		d.features[k].exact = exact
	})
	d.applyGrids()
}

// applyGrids rounds the values to the grids of the input.
func (d *Data) applyGrids() {
	parallel.For(d.Engine.Workers(), d.Input.Features(), func(k int) {
		g := d.Input.FeatureGrids[k]
		d.features[k].grid = g
		if g == NoGrid || k >= d.Input.Attributes {
			return // ones and zeros are on every grid
		}
		for s := d.features[k].from; s < d.features[k].to; s++ {
			x := d.segments[s].vector(d.values)
			for i, v := range x {
				x[i] = g.Round(v)
			}
		}
	})
}

// allOn reports whether every value of feature k is a multiple of the grid.
func (d *Data) allOn(k int, g Grid) bool {
	var buffer []float64
	for s := d.features[k].from; s < d.features[k].to; s++ {
		for _, x := range d.valuesOf(&d.segments[s], &buffer) {
			if x == x && !g.holds(x) {
				return false
			}
		}
	}
	return true
}
