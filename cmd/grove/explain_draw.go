package main

import (
	"github.com/grove-graph/grove/dataset"
	"github.com/grove-graph/grove/render"
	"github.com/grove-graph/grove/report"
)

// titleOf says what several drawings show; one needs no title.
func titleOf(d *dataset.Dataset, drawings int, shown string) string {
	if drawings < 2 {
		return ""
	}
	title := d.Name + ": " + shown
	if d.Motif != nil {
		title += " (highlighted: the true cause)"
	}
	return title
}

// across returns the number of drawings side by side.
func (f *explainFlags) across(drawings int) int {
	switch {
	case f.columns > 0:
		return f.columns
	case drawings == 4:
		return 2
	}
	return max(min(drawings, 3), 1)
}

// bondOrders gives the bonds of a drawing of graph g the lines of --bonds, if that is given.
func (f *explainFlags) bondOrders(drawing *render.Drawing, d *dataset.Dataset, g int) error {
	if f.bonds == nil {
		return nil
	}
	if d.Batch.ArcLabels == nil {
		return usagef("--bonds: the arcs of %s have no labels", d.Name)
	}
	if len(f.bonds) != len(d.ArcLabelNames) {
		return usagef("--bonds: %d bonds for %d arc labels", len(f.bonds), len(d.ArcLabelNames))
	}
	drawing.BondOrders = report.BondOrders(d, g, f.bonds)
	return nil
}
